"""Crosstie: an application bus that programs embed.

The parts of a program, in Python, C or Swift, register handlers for URL patterns and components by name. They reach one
another by opening URLs and calling actions. Processes of one user exchange messages that survive a crash.

    import crosstie

    bus = crosstie.Bus("shop")

    @bus.route("app://users/:id<int>", public=True)
    def show_user(request, id: int, tab: str = "posts"):
        return {"id": id, "tab": tab}

    bus.open("app://users/42?tab=likes").value    # {'id': 42, 'tab': 'likes'}

    @bus.component("home")
    class Home:
        @crosstie.action
        def greet(self, request, name="you"):
            return f"hello {name}"

    bus.call("home", "greet", name="Ada")    # 'hello Ada'

    with crosstie.Wormhole("com.example.shop") as wormhole:
        wormhole["unread"] = {"count": 3}

        @wormhole.queue("jobs", durable="worker")
        def work(message): ...

Views group the rest: `bus.routes`, `bus.rules`, `bus.interceptors`, `bus.components`, `bus.providers`, `bus.performer`
and `wormhole.listeners`. A view lists its items, finds them by name, and has `remove()` and, on a bus, `add()`.

A `Provider` connects to another application or service: `bus.share(…)`, `bus.oauth(…)` and `bus.launch(…)` find the
provider that serves them.

A URL from outside is opened with `origin="remote"`. It reaches only public routes, and the rules of a rule table
(`bus.rules.load()`), a JSON document that names URLs, their parameters and targets. A request that is made inside a
remote one is remote, too. Interceptors see requests before their handlers.

Threads: a synchronous open or call runs the handler on the caller's thread, `open_async()` and `call_async()` on a
worker thread of the bus. `await bus.aio.call(…)` returns the answer in the running loop, and an `async def` handler
runs on a loop (`Bus.attach()`). Between parts in Python nothing is converted: the caller receives the object that the
handler returns. Other languages see values: None, bool, int (64 bits), float, str, bytes, list and dict.

Errors: an exception of a handler reaches a caller in Python as itself. Crosstie's own failures are an `Error` with
`status`, `code` and `value`, those of requests a `CallError`. Its subclasses are also the built-in exceptions of the
same meaning (`LookupError`, `TimeoutError`, `PermissionError`, `ValueError`).

Logging goes to the logger "crosstie".
"""

from . import _crosstie  # refuses a wrong interpreter or library at once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._public import *
    from ._public import __all__ as __all__

__version__ = "0.1.0"


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import the module of a public name at the name's first use: many programs only import the package at their start."""
        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import _homes

        home = "_public" if name == "__all__" else _homes.home_of(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import _parts  # the extension needs them, whatever is used first

        globals()[name] = getattr(__import__(f"{__name__}.{home}", fromlist=[name]), name)
        return globals()[name]

    def __dir__() -> list[str]:
        return [*__getattr__("__all__"), "__all__", "__doc__", "__name__", "__version__"]
