"""Crosstie: an application bus that programs embed.

Parts of a program, in Python, C or Swift, register handlers under URL patterns and components under names, and
open URLs and call actions to reach one another; processes of one user pass each other messages that are still
there after a crash.

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

What belongs together is in one place: `bus.routes`, `bus.rules`, `bus.interceptors`, `bus.components`,
`bus.providers` and `bus.performer` are walked through, asked for what has a name, and have `add()` and `remove()`.

A `Provider` hands off to another application or service, so that `bus.share(…)`, `bus.oauth(…)` and `bus.launch(…)`
need not know which one.

What comes from outside is opened with `origin="remote"`, and reaches only what is public: routes that say so, and
what a rule table allows (`bus.rules.load()`), a JSON document that names URLs, their parameters and targets. What is
opened on behalf of a remote request is remote, too. Interceptors see requests on their way.

Handlers, threads: a synchronous open or call runs the handler on the caller's thread, `open_async()` and
`call_async()` on a worker thread of the bus; `await bus.aio.call(…)` brings the answer to the loop that asked,
and an `async def` handler runs on a loop (`Bus.attach()`). Between parts in Python nothing is converted: the
object that a handler returns is the object that the caller gets. Other languages see values: None, bool, int
(64 bits), float, str, bytes, list and dict.

Errors: what a handler raises reaches a caller in Python as itself. What Crosstie itself refuses is an `Error`
with `status`, `code` and `value`, for a request a `CallError`; its subclasses are also the built-in exceptions
that one would expect (`LookupError`, `TimeoutError`, `PermissionError`, `ValueError`).

Logging goes to the logger "crosstie".
"""

from . import _parts
from ._crosstie import (
    Call,
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
from ._asking import View
from ._components import ActionInfo, ComponentInfo, Components
from ._dead_letters import DeadLetter
from ._durables import Backoff, Durable, Holder
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
from ._interceptors import Interceptors
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
    "Durable",
    "Endpoint",
    "Error",
    "Event",
    "Failure",
    "Foreign",
    "ForkedError",
    "FormatError",
    "FullError",
    "HandlerError",
    "Holder",
    "InfoKey",
    "Interceptors",
    "KindError",
    "Listener",
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


def _settle_names() -> None:
    """What is public is called by the name that it is imported by, whichever file it is written in."""
    for name in __all__:
        thing = globals()[name]
        if getattr(thing, "__module__", "").startswith(f"{__name__}."):
            thing.__module__ = __name__


_settle_names()
