"""The types that a type checker sees; this file is only checked, never run. An ignore that is not needed is an error, too."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, assert_type

import crosstie

bus = crosstie.Bus("typed", match="nearest", count_hits=True)


@bus.route("app://users/:id<int>", name="user", worker_only=True)
def show(request: crosstie.Request, id: int) -> str:
    assert_type(request.params, crosstie.Params | dict[str, Any])
    assert_type(request.params["id"], Any)
    assert_type(request.arguments, dict[str, Any] | None)
    assert_type(
        request.kind,
        Literal["open", "call", "event", "perform", "share", "oauth", "launch", "activity"],
    )
    assert_type(request.bus, crosstie.Bus)
    assert_type(request.time_left, float | None)
    assert_type(request.progress(1), None)
    assert_type(request.param("id"), str)
    assert_type(request.query_all("tab"), list[str])
    assert_type(request.query_string, str)
    assert_type(request.unmatched, str)
    assert_type(request.rule, dict[str, Any] | None)
    assert_type(request.deny(), None)
    return "shown"


@bus.interceptor(order=3)
def see(request: crosstie.Request, proceed: Callable[[], None]) -> None:
    proceed()


@bus.interceptor
def see_too(request: crosstie.Request) -> None:
    request.rewrite("app://users/1")


@bus.routes.unmatched
def nothing(request: crosstie.Request) -> int:
    return 404


@bus.routes.unmatched(public=True, worker_only=True, interceptors=[see])
def nothing_public() -> int:
    return 404


@bus.rules.navigator
def navigate(request: crosstie.Request) -> bytes:
    return b""


@bus.rules.navigator(interceptors=(see,))
def navigate_seen() -> bytes:
    return b""


@bus.system_opener
def browse(request: crosstie.Request) -> float:
    return 1.0


@bus.system_opener(schemes=["mailto"], remote=True, enabled=False)
def write(request: crosstie.Request) -> float:
    return 1.0


@bus.rule("user", worker_only=True)
def show_by_rule(id: int) -> str:
    return "shown"


@bus.interceptor(order=1, kinds={"open", "call"}, dispatcher="slow")
async def see_later(request: crosstie.Request, proceed: Callable[[], Awaitable[None]]) -> None:
    request.on_return(lambda response: response.replace(3))
    await proceed()


@bus.component("home", priority=1)
class Home:
    @crosstie.action
    def greet(self, request: crosstie.Request, name: str = "you") -> str:
        return name

    @crosstie.action("count", worker_only=True)
    def count(self, of: list[str]) -> int:
        return len(of)

    @crosstie.action()
    async def wait(self) -> float:
        return 1.0

    @crosstie.event("will-terminate")
    def end(self) -> bool:
        return True


@bus.component
class Second(Home): ...


@crosstie.component
class Third(Home): ...


@crosstie.component("fourth", lazy=True)
class Fourth(Home): ...


@bus.performer.fallback
def missing(request: crosstie.Request) -> int:
    return 404


async def ask() -> None:
    assert_type(await bus.aio.call("home", "greet", name="Ada"), Any)
    assert_type(await bus.aio.open("app://a", mode="exact"), crosstie.Response)
    assert_type(await bus.aio.with_options(timeout=None).perform("python:a:B", "c", {}, cache=True), Any)


assert_type(Home().greet(*[]), str)
assert_type(Second(), Second)
assert_type(Third(), Third)
assert_type(Fourth(), Fourth)
assert_type(bus.component("fifth", Home()), Home)
assert_type(missing(*[]), int)
assert_type(bus.call("home", "greet", {"name": "Ada"}), Any)
assert_type(bus.call_async("home", "greet"), crosstie.Call[Any])
assert_type(bus.open_async("app://a").result(), crosstie.Response)
assert_type(bus.broadcast("will-terminate", url="x").failures, tuple[crosstie.Failure, ...])
assert_type(bus.broadcast_async("will-terminate").result(), crosstie.Broadcast)
assert_type(list(bus.components)[0].actions[0].worker_only, bool)
assert_type(bus.components["home"], crosstie.ComponentInfo)
assert_type([rule["id"] for rule in bus.rules], list[Any])
assert_type(list(bus.interceptors), list[crosstie.Registration])
assert_type(bus.routes["app://a"].public, bool)
assert_type(bus.routes.remove(show), None)
assert_type(bus.providers["system"], crosstie.ProviderInfo)
assert_type(bus.performer.release("python:a:B"), None)
assert_type(bus.with_options(origin="remote").providers, crosstie.Providers)
assert_type(bus.components.add(Home, lazy=True), crosstie.Registration)
assert_type(bus.with_options(origin="remote", priority="high"), crosstie.View)
assert_type(bus.with_options(timeout=None).open("app://a"), crosstie.Response)
assert_type(bus.stats()[0].longest, int)
assert_type(bus.cancel_all(), int)

assert_type(show(*[]), str)
assert_type(nothing(*[]), int)
assert_type(nothing_public(), int)
assert_type(navigate(*[]), bytes)
assert_type(navigate_seen(), bytes)
assert_type(browse(*[]), float)
assert_type(write(*[]), float)
assert_type(show_by_rule(3), str)
assert_type(see(*[]), None)
assert_type(see_too(*[]), None)

assert_type(bus.can_open("app://a", origin="remote", mode="exact"), Literal["route", "provider", "system", "peer"] | None)
assert_type(bus.open("app://a", mode="nearest", interceptors=[see]), crosstie.Response)
assert_type(bus.open_async("app://a", mode=None, interceptors=(see,)), crosstie.Call[crosstie.Response])
assert_type(bus.interceptors.add(see, order=1), crosstie.Registration)
assert_type(bus.rules.add("user", show_by_rule), crosstie.Registration)
assert_type(bus.rules.document, dict[str, Any] | None)
assert_type(bus.url_for("user", id=3, query={"tab": ["a", "b"]}), str)
assert_type(bus.rules.url_for("user", {"id": 3}, web=True), str)
assert_type(crosstie.convert_rules({}, web_hosts=["shop.example"]), dict[str, Any])
assert_type(list(bus.routes)[0].hits, int | None)

bus.open("app://a", mode="closest")  # type: ignore[arg-type]
bus.open("app://a", interceptors=see)  # type: ignore[arg-type]
bus.rules.load(3)  # type: ignore[arg-type]
bus.interceptor(3)  # type: ignore[call-overload]
crosstie.Bus(match=None)  # type: ignore[arg-type]
bus.with_options(origin="mars")  # type: ignore[arg-type]
bus.interceptors.add(see, kinds={"window"})  # type: ignore[arg-type]
bus.component(3)  # type: ignore[call-overload]
crosstie.action(3)  # type: ignore[call-overload]


# ---- The wormhole ----------------------------------------------------------------------------------------

wormhole = crosstie.Wormhole("typed", durability="system", max_queued=10, memory=True)


@wormhole.listen("a", name="n", initial_delivery=False)
def receive(message: crosstie.Message) -> None:
    assert_type(message.kind, Literal["none", "value", "signal", "destroyed", "missed", "joined", "left", "connection"])
    assert_type(message.delivery_count, int)
    assert_type(message.missed, int)
    assert_type(message.acknowledge(), None)
    assert_type(message.reject(0.5), None)


@wormhole.listen_members
def meet(message: crosstie.Message) -> bool:
    return message.kind == "joined"


@wormhole.listen_members(initial_delivery=False)
def meet_later(message: crosstie.Message) -> bool:
    return message.kind == "joined"


@wormhole.queue("jobs.*", durable="worker", manual=True, from_oldest=True, max_unacknowledged=4, bus=bus)
def work(message: crosstie.Message) -> int:
    return message.sequence


assert_type(meet(*[]), bool)
assert_type(meet_later(*[]), bool)
assert_type(wormhole["a"], Any)
assert_type(list(wormhole), list[str])
assert_type(dict(wormhole.items()), dict[str, Any])
assert_type(wormhole.send_many([("a", 1), ("b", crosstie.SIGNAL)]), int)
assert_type(wormhole.send_many([("a", 1)], atomic=False, headers={"b": "c"}, token=bytes(16)), int)
assert_type(wormhole.members(), list[crosstie.Member])
assert_type(wormhole.identifiers("a.*"), list[str])
assert_type(list(wormhole.listeners), list[crosstie.Listener])
assert_type(next(iter(wormhole.listeners)).delivery, Literal["state", "queue", "durable", "members", "connection"])
assert_type(wormhole.listeners.remove("a"), None)
assert_type(wormhole.listeners.remove("a", "n"), None)
assert_type(wormhole.listeners.remove(receive), None)
assert_type(wormhole.listeners.remove(next(iter(wormhole.listeners))), None)
wormhole.listeners.remove(3)  # type: ignore[arg-type]


async def walk() -> None:
    async with wormhole.aio.queue("jobs", durable="worker") as jobs:
        async for message in jobs:
            assert_type(message, crosstie.Message)

    @wormhole.aio.listen("a")
    async def receive_later(message: crosstie.Message) -> None: ...

    @wormhole.aio.listen_members
    async def meet_everybody(message: crosstie.Message) -> int:
        return 1

    assert_type(await meet_everybody(*[]), int)

    @wormhole.aio.listen_connection(name="watcher")
    def notice_later(message: crosstie.Message) -> None: ...

    assert_type(wormhole.aio.add_connection_listener(notice_later), crosstie.Listener)
    wormhole.aio.listen("a", manual=True)  # type: ignore[call-arg]


class Clipboard(crosstie.Provider):
    name = "clipboard"
    endpoints = [crosstie.Endpoint.SYSTEM_ACTIVITY, crosstie.Endpoint("my.endpoint")]

    def share(
        self, request: crosstie.Request, message: dict[str, Any], endpoint: str, options: dict[str, Any]
    ) -> None:
        self.log("shared")


assert_type(bus.providers.add(Clipboard(), 0), crosstie.Registration)
assert_type(list(bus.providers), list[crosstie.ProviderInfo])
assert_type(bus.providers.set_log("clipboard", lambda message, file, function, line: None), None)
assert_type(bus.share(crosstie.Endpoint.SYSTEM_ACTIVITY, crosstie.SharedMessage.text("a")), Any)
assert_type(bus.share_async(crosstie.Endpoint("my.endpoint"), {"identifier": "my.kind"}), crosstie.Call[Any])
assert_type(bus.oauth(crosstie.Platform.QQ), dict[str, str])
assert_type(bus.oauth_async(crosstie.Platform("p"), {"scope": "all"}), crosstie.Call[dict[str, str]])
assert_type(bus.with_options(timeout=1).launch(crosstie.Platform("p")), Any)
assert_type(bus.providers.open_url("a://b", origin="remote"), bool)
assert_type(bus.providers.open_activity({}), bool)

# An identifier of one kind is not accepted in place of another kind, nor is any text.
bus.share(crosstie.Platform.QQ, crosstie.SharedMessage.text("a"))  # type: ignore[arg-type]
bus.share("my.endpoint", crosstie.SharedMessage.text("a"))  # type: ignore[arg-type]
bus.oauth(crosstie.Endpoint.QQ_FRIEND)  # type: ignore[arg-type]
bus.launch(crosstie.ShareKind.TEXT)  # type: ignore[arg-type]


class Confused(crosstie.Provider):
    platform = crosstie.Endpoint.QQ_FRIEND  # type: ignore[assignment]
    endpoints = [crosstie.Platform.QQ]  # type: ignore[list-item]
