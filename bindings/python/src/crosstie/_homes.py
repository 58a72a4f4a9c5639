"""The module of each public name, so that the first use of a name imports no more than that one needs."""

import sys

#: The public names of each module, except for the package's subpackages.
HOMES: dict[str, tuple[str, ...]] = {
    "_crosstie": (
        "Call", "Descriptor", "Foreign", "Listener", "Loop", "Message", "Registration", "Request", "Response", "Sent",
        "from_json", "from_msgpack", "to_json", "to_msgpack",
    ),
    "_abilities": ("Abilities",),
    "_bus": ("Bus", "Stat"),
    "_components": ("ActionInfo", "ComponentInfo", "Components"),
    "_dead_letters": ("DeadLetter",),
    "_durable_info": ("Backoff", "Durable", "Holder"),
    "_errors": (
        "ArgumentError", "BusyError", "CallError", "CancelledError", "ClosedError", "ConflictError", "DeadlockError",
        "DeniedError", "Error", "ForkedError", "FormatError", "HandlerError", "KindError", "NoActionError",
        "NoComponentError", "NoHandlerError", "NoMemoryError", "NoRouteError", "NoTargetError", "NotFoundError",
        "NotInstalledError", "ParamError", "PatternError", "PeerGoneError", "StoreError", "TimeoutError",
        "UnavailableError", "UncertainError", "UnknownAnswerError", "UnsupportedAppError", "UnsupportedError",
        "UnsupportedMessageError", "UrlError", "UserCancelledError", "VersionError",
    ),
    "_full_error": ("FullError",),
    "_identifiers": (
        "ActivityType", "Endpoint", "Event", "InfoKey", "OptionKey", "Platform", "ShareKind", "SharedMessage",
        "SystemMethod",
    ),
    "_instance": ("Handed", "Instance"),
    "_interceptors": ("Interceptors",),
    "_join": ("Join", "Peer"),
    "_listeners": ("Listeners",),
    "_marks": ("action", "event"),
    "_performer": ("Performer",),
    "_provider": ("Provider",),
    "_providers": ("ProviderInfo", "Providers"),
    "_request_methods": ("View",),
    "_requests": ("Broadcast", "Failure", "Params"),
    "_routes": ("Route", "Routes"),
    "_rules": ("Rules", "convert_rules"),
    "_statics": ("component",),
    "_status": ("Status",),
    "_wormhole": ("CORRELATION", "Connection", "Member", "REPLY_TO", "SIGNAL", "Scheduled", "TRACEPARENT", "Wormhole"),
}


def home_of(name: str) -> str | None:
    """Return the module of a public name, without the package's name."""
    for home, names in HOMES.items():
        if name in names:
            return home
    return None


def publish(module: str, namespace: dict[str, object]) -> None:
    """Show the public names of a module in the package, and let its classes and functions say that they are there."""
    package, _, home = module.rpartition(".")
    for name in HOMES[home]:
        thing = namespace[name]
        if getattr(thing, "__module__", "") == module and hasattr(thing, "__qualname__"):
            thing.__module__ = package
        setattr(sys.modules[package], name, thing)
