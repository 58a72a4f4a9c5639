"""Memory stays flat over many of everything."""

import gc
import resource
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import crosstie

bus = crosstie.Bus("memory")


@bus.route("app://a/:x")
def handler(request: crosstie.Request, x: str, y: str = "y") -> object:
    return {"x": request.params["x"], "info": request.user_info}


@bus.route("app://fail")
def fail() -> None:
    raise ValueError("x" * 100)


RULES = {
    "format": 1,
    "version": "1.0.0",
    "publicSchemes": ["shop"],
    "privateSchemes": [],
    "routeHosts": ["open"],
    "webHosts": [],
    "rules": [
        {"id": "user", "host": "open", "path": "/users/:id<int>", "visibility": "public", "params": {"tab": "string"}}
    ],
}


@bus.rules.navigator
def navigate(request: crosstie.Request, id: object, **rest: object) -> object:
    return request.rule, dict(request.params), rest


def see(request: crosstie.Request, proceed: Callable[[], None]) -> None:
    if "deny" in request.query_string:
        request.deny("x" * 100)
    elif "move" in request.query_string:
        request.rewrite("app://a/1")
    else:
        proceed()


def later(request: crosstie.Request) -> None:
    request.defer()
    threads.submit(request.proceed)


@bus.component("home")
class Home:
    @crosstie.action
    def greet(self, request: crosstie.Request, name: str = "you") -> object:
        request.progress({"name": name})
        request.on_return(lambda response: response.replace([response.value]))
        return {"name": name}

    @crosstie.action
    async def wait(self, what: object) -> object:
        return what

    @crosstie.event("will-terminate")
    def end(self) -> bool:
        return True


threads = ThreadPoolExecutor(1)
bus.interceptors.add(see)
wormhole = crosstie.Wormhole("memory", directory=tempfile.mkdtemp() + "/group")
wormhole.add_listener("a", lambda message: message.value)


bus.rules.load(RULES)


def use(rounds: int) -> None:
    for i in range(rounds):
        bus.open(f"app://a/{i % 10}?y=2", user_info={"k": [i]})
        bus.open_async("app://a/1").result()
        bus.open(f"app://a/{i % 10}?move", interceptors=[see])
        bus.open(f"app://a/{i % 10}", interceptors=[later], timeout=None)
        bus.open("shop://open/users/1?tab=x&y=2", origin="remote")
        bus.rules.url_for("user", id=i)
        for url in ("app://fail", "app://nowhere", "app://a b", "app://a/1?deny"):
            try:
                bus.open(url)
            except (ValueError, LookupError, PermissionError):
                pass
        with bus.routes.add("app://moving/:y", lambda y: y):
            bus.routes.generate("app://moving/:y", y=i)
        list(bus.routes)
        bus.call("home", "greet", name="x" * 100)
        bus.with_options(progress=list).call("home", "greet", {"name": "you"})
        bus.call_async("home", "greet").result()
        bus.broadcast("will-terminate", url="x" * 100)
        for action in ("none", "greet"):
            try:
                bus.call("home", action, nobody="x" * 100)
            except (LookupError, ValueError):
                pass
        crosstie.from_msgpack(crosstie.to_msgpack({"k": [1, "x" * 100]}))
        crosstie.from_json(crosstie.to_json({"k": [1, "x" * 100]}))
        wormhole["a"] = {"k": [i]}
        if i % 10 == 0:
            bus.call("home", "wait", what="x" * 100)
            bus.components.add(Home, "second").remove()
            list(bus.components)
            bus.rules.load(RULES)
            crosstie.convert_rules(RULES)
            bus.interceptors.add(see, order=i).remove()
            bus.rules.navigator(navigate)
        with crosstie.Bus() as other:
            other.routes.unmatched(interceptors=[see])(lambda: None)
            other.routes.add("app://x", lambda: None)
            other.open("app://x")
    gc.collect()


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


use(2000)
before = peak()
use(6000)
grown = peak() - before
assert grown < 2048, f"{grown} KiB more after 6,000 rounds"
