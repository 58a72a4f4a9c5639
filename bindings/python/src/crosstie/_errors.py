"""The exceptions of Crosstie.

Each is an `Error`, and also the built-in exception that one would catch in Python: a URL that no route
matches is a `LookupError`, a deadline that passed a `TimeoutError`.
"""

import builtins
import queue
from typing import Any

from ._crosstie import _error_text, _status_code
from ._status import Status


class Error(Exception):
    """What Crosstie raises; a handler may raise it too, to fail with a code and a value of its own.

    message  for people.
    status   why: a `Status`.
    code     the integer that responses carry; an application may use its own, -1 when there is none.
    value    what a failing handler gave beside its message.
    where    where in the input the error lies ("byte 12", "$.user"), or empty.
    """

    def __init__(
        self,
        message: str = "",
        *,
        status: Status | int = Status.HANDLER,
        code: int = -1,
        value: Any = None,
        where: str = "",
    ) -> None:
        super().__init__(message)
        self._message = message
        self.status = status
        self.code = code
        self.value = value
        self.where = where

    #: What the library would say, while nobody has asked: see `make_error`.
    _unread: object = None

    @property
    def message(self) -> str:
        """What went wrong, for people."""
        if self._unread is not None:
            self.message = _error_text(self._unread)
        return self._message

    @message.setter
    def message(self, message: str) -> None:
        if self._unread is not None:
            self._unread = None
            BaseException.__init__(self, message)
        self._message = message

    @property
    def args(self) -> tuple[Any, ...]:
        """The message alone."""
        _ = self.message
        return super().args

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        _ = self.message
        BaseException.__init__(self, *args)

    def __str__(self) -> str:
        return f"{self.message} ({self.where})" if self.where else self.message

    def __repr__(self) -> str:
        _ = self.message
        return super().__repr__()

    def __reduce__(self) -> str | tuple[Any, ...]:
        _ = self.message
        return super().__reduce__()


class CallError(Error):
    """A request did not come to an answer, or not to a good one: what every kind raises, beside what a handler does."""


class ArgumentError(Error, ValueError):
    """An argument is not allowed, too long, or not valid UTF-8."""


class UrlError(Error, ValueError):
    """The URL is malformed, or has a path that cannot be routed."""


class PatternError(Error, ValueError):
    """The pattern is malformed."""


class ParamError(Error, ValueError):
    """A parameter is missing, surplus, malformed, or there more than once."""


class ConflictError(Error, ValueError):
    """The place is taken: a route of the same shape, or a component of that name, is registered already."""


class FormatError(Error, ValueError):
    """A document or message is malformed."""


class KindError(Error, TypeError):
    """A value is of the wrong kind, or holds an object that cannot leave Python; or it is not a component."""


class NoRouteError(CallError, LookupError):
    """No route matches the URL, or nobody may open URLs of its scheme."""


class NoTargetError(CallError, LookupError):
    """Nobody serves it: a rule that fits the URL, or the target of a performer."""


class NoComponentError(CallError, LookupError):
    """There is no component of that name."""


class NoActionError(CallError, LookupError):
    """The component or the performer's target has no such action."""


class NoHandlerError(CallError, LookupError):
    """No provider does that, or all who could have declined."""


class NotInstalledError(CallError, RuntimeError):
    """What the provider needs is not installed."""


class UnsupportedAppError(CallError, RuntimeError):
    """What is installed is too old for the provider."""


class UnsupportedMessageError(CallError, ValueError):
    """A message of that kind does not go to that endpoint."""


class UserCancelledError(CallError):
    """The user did not want to."""


class UnknownAnswerError(CallError, RuntimeError):
    """The service's answer could not be understood, or a sign-in gave nothing."""


class NotFoundError(Error, KeyError):
    """There is none of that name or identifier."""


class DeniedError(CallError, PermissionError):
    """The origin may not open or perform this, or an interceptor or handler denies it."""


class TimeoutError(CallError, builtins.TimeoutError):
    """The deadline passed."""


class CancelledError(CallError):
    """The call was cancelled."""


class HandlerError(CallError, RuntimeError):
    """A handler failed, or let go of the request without an answer."""


class ClosedError(Error, RuntimeError):
    """The bus, wormhole or request is over."""


class ForkedError(Error, RuntimeError):
    """It was made before this process was forked off; make a new one."""


class DeadlockError(CallError, RuntimeError):
    """Only the waiting thread itself could end this wait, or requests are nested too deeply."""


class BusyError(CallError, RuntimeError):
    """A queue is full."""


class FullError(Error, queue.Full):
    """A durable consumer is full: it refuses more, or there was no room in time."""


class StoreError(Error, OSError):
    """The disk is full, the store is damaged, unsafe or too new, or a system call failed."""


class VersionError(StoreError, ValueError):
    """The version does not fit: a store that is too new, or a rule table older than the one that is loaded."""


class NoMemoryError(Error, MemoryError):
    """Out of memory."""


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
    Status.FULL: FullError,
}


def make_error(status: Status | int, code: int, message: object, where: str, value: Any) -> Error:
    """The exception for a status. A message that is no text yet becomes one when somebody asks for it."""
    kind = _CLASSES.get(status, Error)
    if isinstance(message, str):
        return kind(message, status=status, code=code, value=value, where=where)
    error = kind(status=status, code=code, value=value, where=where)
    error._unread = message
    return error


def error_of(status: Status, message: str) -> Error:
    """The exception for what this package has found out itself."""
    return make_error(status, _status_code(status), message, "", None)


def not_found(message: str) -> Error:
    """The exception for what this package has looked for itself: NotFoundError."""
    return error_of(Status.NOT_FOUND, message)
