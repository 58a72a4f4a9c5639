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
(`bus.rules.load()`), a JSON document that names URLs, their parameters and targets. A request that is made while a
remote one is handled is remote, too. Interceptors see requests before their handlers.

Threads: a synchronous open or call runs the handler on the caller's thread, `open_async()` and `call_async()` on a
worker thread of the bus. `await bus.aio.call(…)` returns the answer in the running loop, and an `async def` handler
runs on a loop (`Bus.attach()`). Between parts in Python nothing is converted: the caller receives the object that the
handler returns. Other languages see values: None, bool, int (64 bits), float, str, bytes, list and dict.

Errors: an exception of a handler reaches a caller in Python as itself. Crosstie's own failures are an `Error` with
`status`, `code` and `value`, those of requests a `CallError`. Its subclasses are also the built-in exceptions of the
same meaning (`LookupError`, `TimeoutError`, `PermissionError`, `ValueError`).

Logging goes to the logger "crosstie".
"""

from . import _parts
from ._crosstie import (
    Call,
    Descriptor,
    Foreign,
    Listener,
    Loop,
    Message,
    Registration,
    Request,
    Response,
    Sent,
    from_json,
    from_msgpack,
    to_json,
    to_msgpack,
)
from ._bus import Bus, Stat
from ._components import ActionInfo, ComponentInfo, Components
from ._dead_letters import DeadLetter
from ._durables import Backoff, Durable, Holder
from ._request_methods import View
from ._errors import (
    ArgumentError,
    BusyError,
    CallError,
    CancelledError,
    ClosedError,
    ConflictError,
    DeadlockError,
    DeniedError,
    Error,
    ForkedError,
    FormatError,
    FullError,
    HandlerError,
    KindError,
    NoActionError,
    NoComponentError,
    NoHandlerError,
    NoMemoryError,
    NoRouteError,
    NoTargetError,
    NotFoundError,
    NotInstalledError,
    ParamError,
    PatternError,
    PeerGoneError,
    StoreError,
    TimeoutError,
    UnknownAnswerError,
    UnsupportedAppError,
    UnsupportedMessageError,
    UrlError,
    UserCancelledError,
    VersionError,
)
from ._params import Params
from ._identifiers import (
    ActivityType,
    Endpoint,
    Event,
    InfoKey,
    OptionKey,
    Platform,
    SharedMessage,
    SystemMethod,
    ShareKind,
)
from ._instance import Handed, Instance
from ._interceptors import Interceptors
from ._join import Join, Peer
from ._listeners import Listeners
from ._marks import action, event
from ._performer import Performer
from ._provider import Provider
from ._providers import ProviderInfo, Providers
from ._requests import Broadcast, Failure
from ._routes import Route, Routes
from ._rules import Rules, convert_rules
from ._statics import component
from ._status import Status
from ._wormhole import CORRELATION, REPLY_TO, SIGNAL, TRACEPARENT, Member, Scheduled, Wormhole

__version__ = "0.1.0"

__all__ = [
    "ActionInfo",
    "ActivityType",
    "ArgumentError",
    "Backoff",
    "Broadcast",
    "Bus",
    "BusyError",
    "CORRELATION",
    "Call",
    "CallError",
    "CancelledError",
    "ClosedError",
    "ComponentInfo",
    "Components",
    "ConflictError",
    "DeadLetter",
    "DeadlockError",
    "DeniedError",
    "Descriptor",
    "Durable",
    "Endpoint",
    "Error",
    "Event",
    "Failure",
    "Foreign",
    "ForkedError",
    "FormatError",
    "FullError",
    "Handed",
    "HandlerError",
    "Holder",
    "InfoKey",
    "Instance",
    "Interceptors",
    "Join",
    "KindError",
    "Listener",
    "Listeners",
    "Loop",
    "Member",
    "Message",
    "NoActionError",
    "NoComponentError",
    "NoHandlerError",
    "NoMemoryError",
    "NoRouteError",
    "NoTargetError",
    "NotFoundError",
    "NotInstalledError",
    "OptionKey",
    "ParamError",
    "Params",
    "PatternError",
    "Peer",
    "PeerGoneError",
    "Performer",
    "Platform",
    "Provider",
    "ProviderInfo",
    "Providers",
    "REPLY_TO",
    "Registration",
    "Request",
    "Response",
    "Route",
    "Routes",
    "Rules",
    "SIGNAL",
    "Scheduled",
    "Sent",
    "ShareKind",
    "SharedMessage",
    "Stat",
    "Status",
    "StoreError",
    "SystemMethod",
    "TRACEPARENT",
    "TimeoutError",
    "UnknownAnswerError",
    "UnsupportedAppError",
    "UnsupportedMessageError",
    "UrlError",
    "UserCancelledError",
    "VersionError",
    "View",
    "Wormhole",
    "action",
    "component",
    "convert_rules",
    "event",
    "from_json",
    "from_msgpack",
    "to_json",
    "to_msgpack",
]


def __dir__() -> list[str]:
    return [*__all__, "__all__", "__doc__", "__name__", "__version__"]


def _set_modules() -> None:
    """Set the module of every public name to this one, in place of the private module that defines it."""
    for name in __all__:
        thing = globals()[name]
        if getattr(thing, "__module__", "").startswith(f"{__name__}."):
            thing.__module__ = __name__


_set_modules()
