"""Texts that are no UTF-8, as the command line may give them: refused as C refuses them, wherever they come in."""

import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG
from crosstie import Endpoint, SharedMessage, ShareKind, Status

#: The str in sys.argv for bytes that are not UTF-8.
ARGV = os.fsdecode(b"app://users/caf\xc3\xa9/\xe9")
HALF = "\ud800"

RULES: dict[str, Any] = {
    "format": 1,
    "version": "1.0.0",
    "publicSchemes": ["shop"],
    "privateSchemes": [],
    "routeHosts": [],
    "webHosts": [],
    "rules": [],
}


class Sharer(crosstie.Provider):
    name = "sharer"
    endpoints = [Endpoint.QQ_FRIEND]

    def share(self, request: Any, message: Any, endpoint: str, options: Any) -> None: ...


class Named(Sharer):
    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


class Part:
    @crosstie.action
    def go(self, text: str) -> str:
        return text


def refused(what: str, call: Callable[[], object]) -> crosstie.Error:
    with pytest.raises(crosstie.Error) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert caught.value.status is Status.UTF8
    assert caught.value.message.startswith(what)
    assert "is not valid UTF-8" in caught.value.message
    return caught.value


def test_a_url_from_the_command_line(bus: crosstie.Bus) -> None:
    bus.routes.add("app://users/*rest", lambda rest: rest, public=True)
    error = refused("url is not valid UTF-8", lambda: bus.open(ARGV, origin="remote"))
    assert error.location == f"byte {len(os.fsencode(ARGV)) - 1}"
    assert bus.can_open(ARGV) is None
    assert bus.can_open(ARGV, origin="remote", mode="nearest") is None
    with pytest.raises(TypeError, match="url must be a str, not bytes"):
        bus.open(os.fsencode(ARGV))  # type: ignore[arg-type]
    bus.close()
    with pytest.raises(crosstie.ClosedError):
        bus.can_open(ARGV)


BUS_CALLS: dict[str, tuple[str, Callable[[crosstie.Bus], object]]] = {
    "open_async": ("url", lambda bus: bus.open_async(ARGV)),
    "open with a dispatcher": ("dispatcher", lambda bus: bus.open("app://a", dispatcher=HALF)),
    "open with a view": ("url", lambda bus: bus.with_options(timeout=None).open(ARGV)),
    "provider_open_url": ("url", lambda bus: bus.providers.open_url(ARGV)),
    "add_route": ("pattern", lambda bus: bus.routes.add(ARGV, lambda: 1)),
    "add_route with a name": ("name", lambda bus: bus.routes.add("app://a", lambda: 1, name=HALF)),
    "add_route with a remark": ("remark", lambda bus: bus.routes.add("app://a", lambda: 1, remark=HALF)),
    "remove_route": ("pattern", lambda bus: bus.routes.remove(ARGV)),
    "rule": ("id", lambda bus: bus.rules.add(HALF, lambda: 1)),
    "opener": ("program", lambda bus: bus.system_opener(program=HALF)),
    "schemes of an opener": ("schemes", lambda bus: bus.system_opener(schemes=[HALF])),
    "interceptor": ("dispatcher", lambda bus: bus.interceptors.add(print, dispatcher=HALF)),
    "call": ("component", lambda bus: bus.call(HALF, "go")),
    "action": ("action", lambda bus: bus.call("part", HALF)),
    "call_async": ("component", lambda bus: bus.call_async(HALF, "go")),
    "broadcast": ("event", lambda bus: bus.broadcast(HALF)),
    "add_component": ("name", lambda bus: bus.components.add(Part(), HALF)),
    "component of a dispatcher": ("dispatcher", lambda bus: bus.components.add(Part(), "p", dispatcher=HALF)),
    "remove a component": ("name", lambda bus: bus.components.remove(HALF)),
    "allow": ("target", lambda bus: bus.performer.allow("python:" + HALF)),
    "perform": ("target", lambda bus: bus.perform("python:" + HALF, "go")),
    "release": ("target", lambda bus: bus.performer.release("python:" + HALF)),
    "add_dispatcher": ("name", lambda bus: bus.add_dispatcher(HALF)),
    "cancel_all": ("dispatcher", lambda bus: bus.cancel_all(HALF)),
    "load_plugin": ("path", lambda bus: bus.components.load_plugin(HALF)),
    "load_rules": ("the text", lambda bus: bus.rules.load({**RULES, "version": HALF})),
    "load_rules from a text": ("the document", lambda bus: bus.rules.load(HALF)),
    "load_rules from a file": ("path", lambda bus: bus.rules.load(pathlib.Path("/nowhere/" + HALF))),
    "platform of rules": ("platform", lambda bus: bus.rules.load(RULES, platform=HALF)),
    "schemes of rules": ("public_schemes", lambda bus: bus.rules.load(RULES, public_schemes=[HALF])),
    "convert_rules": ("the document", lambda bus: crosstie.convert_rules(HALF)),
    "url_for": ("name", lambda bus: bus.url_for(HALF)),
    "url_for with parameters": ("the text", lambda bus: bus.url_for("shown", id=HALF)),
    "url_for with a query": ("a key", lambda bus: bus.url_for("shown", id=1, query={HALF: 1})),
    "url_for_rule": ("name", lambda bus: bus.rules.url_for(HALF)),
    "generate": ("pattern", lambda bus: bus._generate(ARGV, {})),
    "share to": ("endpoint", lambda bus: bus.share(crosstie.Endpoint(HALF), SharedMessage.text("a"))),
    "share": ("the message cannot be read", lambda bus: bus.share(Endpoint.QQ_FRIEND, SharedMessage.text(HALF))),
    "oauth": ("platform", lambda bus: bus.oauth(crosstie.Platform(HALF))),
    "launch_async": ("platform", lambda bus: bus.launch_async(crosstie.Platform(HALF))),
    "provider": ("name", lambda bus: bus.providers.add(Named(name=HALF))),
    "endpoint": ("an endpoint", lambda bus: bus.providers.add(Named(name="other", endpoints=[HALF]))),
    "kinds": ("an endpoint's kinds", lambda bus: bus.providers.replace([Named(endpoints={"e": [HALF]})])),
    "move_provider": ("name", lambda bus: bus.providers.move(HALF)),
    "remove_provider": ("name", lambda bus: bus.providers.remove(HALF)),
    "set_provider_log": ("name", lambda bus: bus.providers.set_log(HALF, None)),
    "system provider": ("clipboard", lambda bus: bus.providers.add_system(clipboard=HALF)),
    "name of a bus": ("name", lambda bus: crosstie.Bus(HALF)),
    "default scheme": ("default_scheme", lambda bus: crosstie.Bus(default_scheme=HALF)),
    "shared bus": ("name", lambda bus: crosstie.Bus.shared(HALF)),
    "from_json": ("text", lambda bus: crosstie.from_json(HALF)),
}


@pytest.mark.parametrize("name", BUS_CALLS)
def test_texts_of_a_bus(bus: crosstie.Bus, name: str) -> None:
    bus.components.add(Part(), "part")
    bus.providers.add(Sharer())
    bus.routes.add("app://a/:id", lambda id: id, name="shown")
    what, call = BUS_CALLS[name]
    refused(what, lambda: call(bus))


WORMHOLE_CALLS: dict[str, tuple[str, Callable[[crosstie.Wormhole], object]]] = {
    "send": ("identifier", lambda wormhole: wormhole.send(HALF, 1)),
    "send a text": ("the text", lambda wormhole: wormhole.send("a", {"b": HALF})),
    "send_many": ("identifier", lambda wormhole: wormhole.send_many([("a", 1), (HALF, 1)])),
    "signal": ("identifier", lambda wormhole: wormhole.signal(HALF)),
    "set item": ("identifier", lambda wormhole: wormhole.__setitem__(HALF, 1)),
    "get item": ("identifier", lambda wormhole: wormhole[HALF]),
    "get": ("identifier", lambda wormhole: wormhole.get(HALF)),
    "contains": ("identifier", lambda wormhole: HALF in wormhole),
    "message": ("identifier", lambda wormhole: wormhole.message(HALF)),
    "identifiers": ("identifier", lambda wormhole: wormhole.identifiers(HALF)),
    "destroy": ("identifier", lambda wormhole: wormhole.destroy(HALF)),
    "listen": ("identifier", lambda wormhole: wormhole.listen(HALF)(print)),
    "listen by a name": ("name", lambda wormhole: wormhole.listen("a", name=HALF)(print)),
    "queue": ("identifier", lambda wormhole: wormhole.queue(HALF)(print)),
    "durable queue": ("name", lambda wormhole: wormhole.queue("a", durable=HALF)(print)),
    "members": ("name", lambda wormhole: wormhole.add_members_listener(print, name=HALF)),
    "remove": ("name", lambda wormhole: wormhole.listeners.remove("a", HALF)),
    "forget": ("name", lambda wormhole: wormhole.forget("a", HALF)),
    "group": ("group", lambda wormhole: crosstie.Wormhole(HALF, memory=True)),
    "name": ("name", lambda wormhole: crosstie.Wormhole("a", name=HALF, memory=True)),
    "directory": ("directory", lambda wormhole: crosstie.Wormhole("a", directory="/nowhere/" + HALF)),
    "directory in bytes": ("directory", lambda wormhole: crosstie.Wormhole("a", directory=os.fsencode("/nowhere/") + b"\xe9")),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WORMHOLE_CALLS)
def test_texts_of_a_wormhole(name: str) -> None:
    what, call = WORMHOLE_CALLS[name]
    with crosstie.Wormhole("utf8", memory=True) as wormhole:
        refused(what, lambda: call(wormhole))


def test_texts_for_asyncio(bus: crosstie.Bus, run: Callable[[Any], Any]) -> None:
    async def ask() -> None:
        wormhole = crosstie.Wormhole("utf8", memory=True)
        ways: tuple[tuple[str, Callable[[], Any]], ...] = (
            ("url", lambda: bus.aio.open(ARGV)),
            ("component", lambda: bus.aio.call(HALF, "go")),
            ("endpoint", lambda: bus.aio.share(crosstie.Endpoint(HALF), SharedMessage.text("a"))),
            ("target", lambda: bus.aio.perform("python:" + HALF, "go")),
            ("identifier", lambda: wormhole.aio.add_listener(HALF, print)),
        )
        for what, call in ways:
            with pytest.raises(crosstie.ArgumentError, match=f"^{what} is not valid UTF-8") as caught:
                await call()
            assert caught.value.status is Status.UTF8
        with pytest.raises(crosstie.ArgumentError, match="^identifier is not valid UTF-8"):
            async with wormhole.aio.queue(HALF):
                pass
        wormhole.close()

    run(ask())


def test_texts_of_a_request(bus: crosstie.Bus) -> None:
    answers: list[Callable[[crosstie.Request], object]] = [
        lambda request: request.deny(HALF),
        lambda request: request.fail(HALF),
        lambda request: request.refuse(Status.DENIED, HALF),
        lambda request: request.param(HALF),
        lambda request: request.query_all(HALF),
        lambda request: request.bus.open(ARGV),
    ]

    def handle(request: crosstie.Request) -> str:
        for answer in answers:
            refused("", lambda: answer(request))  # noqa: B023
        assert HALF not in request.params
        return "done"

    bus.routes.add("app://a", handle)
    assert bus.open("app://a").value == "done"
    bus.interceptor(lambda request, proceed: refused("url", lambda: request.rewrite(ARGV)) and proceed())
    assert bus.open("app://a").value == "done"


def test_texts_that_stay_in_python_may_be_invalid(bus: crosstie.Bus) -> None:
    bus.components.add(Part(), "part")
    assert bus.call("part", "go", text=HALF) == HALF
    with pytest.raises(RuntimeError, match="\ud800"):
        bus.routes.add("app://a", lambda: (_ for _ in ()).throw(RuntimeError(HALF)))
        bus.open("app://a")


@pytest.mark.parametrize("kind", [ShareKind.TEXT, "my.kind"])
@pytest.mark.parametrize(
    ("value", "status", "why"),
    [
        (HALF, Status.UTF8, r"the text is not valid UTF-8 \(\$\.text\)"),
        (object(), Status.FOREIGN, r"a object cannot leave Python \(\$\.text\)"),
        (2**70, Status.LIMIT, r"the integer does not fit 64 bits \(\$\.text\)"),
    ],
)
def test_a_message_that_cannot_be_read(
    bus: crosstie.Bus, kind: str, value: object, status: Status, why: str
) -> None:
    bus.providers.add(Named(endpoints={Endpoint.QQ_FRIEND: [kind]}))
    message = {"identifier": kind, "text": value}
    ways: list[Callable[[], object]] = [
        lambda: bus.share(Endpoint.QQ_FRIEND, message),
        lambda: bus.share_async(Endpoint.QQ_FRIEND, message).result(WATCHDOG),
    ]
    for ask in ways:
        with pytest.raises(crosstie.Error, match=rf"^the message cannot be read: .*{why}$") as caught:
            ask()
        assert caught.value.status is status
