"""The exception of each status."""

from __future__ import annotations

from ._crosstie import _status_code
from ._errors import (
    Error,
    ArgumentError,
    BusyError,
    CancelledError,
    ClosedError,
    ConflictError,
    DeadlockError,
    DeniedError,
    ForkedError,
    FormatError,
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
from ._status import Status
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_CLASSES: dict[int, type[Error]] = {
    Status.INVALID: ArgumentError,
    Status.HANDLE: ClosedError,
    Status.FORKED: ForkedError,
    Status.CLOSED: ClosedError,
    Status.UTF8: ArgumentError,
    Status.LIMIT: ArgumentError,
    Status.NO_MEMORY: NoMemoryError,
    Status.TYPE: KindError,
    Status.CONFLICT: ConflictError,
    Status.NO_ROUTE: NoRouteError,
    Status.DENIED: DeniedError,
    Status.BLOCKED: NoRouteError,
    Status.URL: UrlError,
    Status.PATH: UrlError,
    Status.PATTERN: PatternError,
    Status.PARAM: ParamError,
    Status.DUPLICATE: ParamError,
    Status.NOT_FOUND: NotFoundError,
    Status.NO_REPLY: HandlerError,
    Status.TIMEOUT: TimeoutError,
    Status.CANCELLED: CancelledError,
    Status.HANDLER: HandlerError,
    Status.DEADLOCK: DeadlockError,
    Status.DEPTH: DeadlockError,
    Status.BUSY: BusyError,
    Status.FORMAT: FormatError,
    Status.FOREIGN: KindError,
    Status.IDENTIFIER: ArgumentError,
    Status.NO_SPACE: StoreError,
    Status.UNSAFE: StoreError,
    Status.CORRUPT: StoreError,
    Status.VERSION: VersionError,
    Status.SYSTEM: StoreError,
    Status.NO_TARGET: NoTargetError,
    Status.NO_COMPONENT: NoComponentError,
    Status.NO_ACTION: NoActionError,
    Status.NO_NAME: ArgumentError,
    Status.NOT_COMPONENT: KindError,
    Status.NO_HANDLER: NoHandlerError,
    Status.NOT_INSTALLED: NotInstalledError,
    Status.UNSUPPORTED_APP: UnsupportedAppError,
    Status.UNSUPPORTED_MESSAGE: UnsupportedMessageError,
    Status.USER_CANCELLED: UserCancelledError,
    Status.UNKNOWN: UnknownAnswerError,
    Status.PEER_GONE: PeerGoneError,
    Status.UNAVAILABLE: UnavailableError,
    Status.UNCERTAIN: UncertainError,
    Status.UNSUPPORTED: UnsupportedError,
}


def _class_of(status: Status | int) -> type[Error]:
    if status == Status.FULL:
        from ._full_error import FullError  # its base imports much

        return FullError
    return _CLASSES.get(status, Error)


def make_error(status: Status | int, code: int, message: object, location: str, value: Any) -> Error:
    """Make the exception for a status. A message that is not a text is converted to one when it is read."""
    kind = _class_of(status)
    if isinstance(message, str):
        return kind(message, status=status, code=code, value=value, location=location)
    error = kind(status=status, code=code, value=value, location=location)
    error._unread = message
    return error


def error_of(status: Status, message: str) -> Error:
    """Make the exception for a failure that the package itself detects."""
    return make_error(status, _status_code(status), message, "", None)


def not_found(message: str) -> Error:
    """Make a NotFoundError of the package itself."""
    return error_of(Status.NOT_FOUND, message)


def plain_failures() -> dict[int, tuple[Status, type[Error]]]:
    """Return the statuses whose exceptions the extension makes without a call of their class.

    Subclasses of OSError and MemoryError are excluded, because those have constructors of their own; so is FullError, which
    is imported when the first one is made.
    """
    return {
        status: (Status(status), kind)
        for status, kind in _CLASSES.items()
        if not issubclass(kind, (OSError, MemoryError))
    }
