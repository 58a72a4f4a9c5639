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

A `Provider` hands off to another application or service, so that `bus.share(…)`, `bus.oauth(…)` and `bus.launch(…)`
need not know which one.

What comes from outside is opened with `origin="remote"`, and reaches only what is public: routes that say so, and
what a rule table allows (`load_rules()`), a JSON document that names URLs, their parameters and targets. What is
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
from .bus import Bus, Route, Stat
from .components import ActionInfo, ComponentInfo, action, component, event
from .doors import Broadcast, Failure, View
from .dead_letters import DeadLetter
from .durables import Backoff, Durable, Holder
from .errors import (
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
from .params import Params
from .provider_names import (
    ActivityType,
    Endpoint,
    InfoKey,
    OptionKey,
    Platform,
    SharedMessage,
    SystemMethod,
    ShareKind,
)
from .providers import Provider
from .providing import ProviderInfo
from .rules import convert_rules
from .status import Status
from .wormhole import CORRELATION, REPLY_TO, SIGNAL, TRACEPARENT, Member, Scheduled, Wormhole

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
    "ConflictError",
    "DeadLetter",
    "DeadlockError",
    "DeniedError",
    "Durable",
    "Endpoint",
    "Error",
    "Failure",
    "Foreign",
    "ForkedError",
    "FormatError",
    "FullError",
    "HandlerError",
    "Holder",
    "InfoKey",
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
    "Platform",
    "Provider",
    "ProviderInfo",
    "REPLY_TO",
    "Registration",
    "Request",
    "Response",
    "Route",
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
