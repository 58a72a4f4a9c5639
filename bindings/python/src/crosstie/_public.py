"""The public names of the package, which are imported when one of them is first used."""

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
    UnavailableError,
    UncertainError,
    UnknownAnswerError,
    UnsupportedAppError,
    UnsupportedError,
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
from ._wormhole import CORRELATION, REPLY_TO, SIGNAL, TRACEPARENT, Abilities, Member, Scheduled, Wormhole


__all__ = [
    "Abilities",
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
    "UnavailableError",
    "UncertainError",
    "UnknownAnswerError",
    "UnsupportedAppError",
    "UnsupportedError",
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


def _set_modules() -> None:
    """Set the module of every public name to the package, in place of the private module that defines it."""
    package = __name__.rpartition(".")[0]
    for name in __all__:
        thing = globals()[name]
        if getattr(thing, "__module__", "").startswith(f"{package}."):
            thing.__module__ = package


_set_modules()
