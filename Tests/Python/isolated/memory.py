"""Memory stays flat over many of everything."""

import gc
import resource
import tempfile

import crosstie

bus = crosstie.Bus("memory")


@bus.route("app://a/:x")
def handler(request: crosstie.Request, x: str, y: str = "y") -> object:
    return {"x": request.params["x"], "info": request.user_info}


@bus.route("app://fail")
def fail() -> None:
    raise ValueError("x" * 100)


wormhole = crosstie.Wormhole("memory", directory=tempfile.mkdtemp() + "/group")
wormhole.add_listener("a", lambda message: message.value)


def use(rounds: int) -> None:
    for i in range(rounds):
        bus.open(f"app://a/{i % 10}?y=2", user_info={"k": [i]})
        bus.open_async("app://a/1").result()
        for url in ("app://fail", "app://nowhere", "app://a b"):
            try:
                bus.open(url)
            except (ValueError, LookupError):
                pass
        with bus.add_route("app://moving/:y", lambda y: y):
            bus.generate("app://moving/:y", y=i)
        bus.routes()
        crosstie.from_msgpack(crosstie.to_msgpack({"k": [1, "x" * 100]}))
        crosstie.from_json(crosstie.to_json({"k": [1, "x" * 100]}))
        wormhole["a"] = {"k": [i]}
        with crosstie.Bus() as other:
            other.add_route("app://x", lambda: None)
            other.open("app://x")
    gc.collect()


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


use(2000)
before = peak()
use(6000)
grown = peak() - before
assert grown < 2048, f"{grown} KiB more after 6,000 rounds"
