"""The exceptions of Crosstie.

Each is an `Error`, and also the built-in exception of the same meaning: a URL that no route matches is a `LookupError`,
a deadline that has passed a `TimeoutError`.
"""

from __future__ import annotations

import builtins

from ._crosstie import _error_text
from ._homes import publish
from ._status import Status
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class Error(Exception):
    """The base of Crosstie's exceptions. A handler may raise it, too, to fail with a code and a value of its own.

    message   the reason, for people.
    status    the reason as a `Status`.
    code      the integer that responses carry; an application may use its own; -1 without one.
    value     the value that a failing handler passed beside its message.
    location  the location of the error in the input ("byte 12", "$.user"), or empty.
    """

    def __init__(
        self,
        message: str = "",
        *,
        status: Status | int = Status.HANDLER,
        code: int = -1,
        value: Any = None,
        location: str = "",
    ) -> None:
        super().__init__(message)
        self._message = message
        self.status = status
        self.code = code
        self.value = value
        self.location = location

    # The defaults of exceptions that the extension makes: it sets the attributes that differ, and does not call `__init__`.
    _message = ""
    status: Status | int = Status.HANDLER
    code = -1
    if TYPE_CHECKING:
        value: Any
    else:
        value = None
    location = ""
    #: The library's error, whose message has not been read yet: see `make_error` of `_failures`.
    _unread: object = None

    @property
    def message(self) -> str:
        """The reason, for people."""
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
        return f"{self.message} ({self.location})" if self.location else self.message

    def __repr__(self) -> str:
        _ = self.message
        return super().__repr__()

    def __reduce__(self) -> str | tuple[Any, ...]:
        _ = self.message
        return super().__reduce__()


class CallError(Error):
    """A request of any kind failed, or ended without an answer. Exceptions of handlers are raised as themselves."""


class ArgumentError(Error, ValueError):
    """An argument is not allowed, too long, or not valid UTF-8."""


class UrlError(Error, ValueError):
    """The URL is malformed, or has a path that cannot be routed."""


class PatternError(Error, ValueError):
    """The pattern is malformed."""


class ParamError(Error, ValueError):
    """A parameter is missing, surplus or malformed, or occurs more than once."""


class ConflictError(Error, ValueError):
    """A name, or the shape of a route, is already in use, or an object exists with other options."""


class FormatError(Error, ValueError):
    """A document or message is malformed."""


class KindError(Error, TypeError):
    """A value is of the wrong kind, holds an object that cannot leave Python, or is not a component."""


class NoRouteError(CallError, LookupError):
    """No route matches the URL, or the bus does not open URLs of its scheme."""


class NoTargetError(CallError, LookupError):
    """The rule that matches the URL has no handler, or the performer does not find the target."""


class NoComponentError(CallError, LookupError):
    """No component has that name."""


class NoActionError(CallError, LookupError):
    """The component or the performer's target has no such action."""


class NoHandlerError(CallError, LookupError):
    """No provider serves the request, or all that serve it have declined."""


class NotInstalledError(CallError, RuntimeError):
    """The application that the provider needs is not installed."""


class UnsupportedAppError(CallError, RuntimeError):
    """The installed application is too old for the provider."""


class UnsupportedMessageError(CallError, ValueError):
    """The endpoint does not take messages of that kind."""


class UserCancelledError(CallError):
    """The user cancelled."""


class UnknownAnswerError(CallError, RuntimeError):
    """The service's answer was not understood, or a sign-in returned nothing."""


class NotFoundError(Error, KeyError):
    """No object has that name or identifier."""


class DeniedError(CallError, PermissionError):
    """The origin may not open or perform this, or an interceptor or handler has denied it."""


class TimeoutError(CallError, builtins.TimeoutError):
    """The deadline has passed."""


class CancelledError(CallError):
    """The call was cancelled."""


class HandlerError(CallError, RuntimeError):
    """A handler failed, or finished without an answer."""


class ClosedError(Error, RuntimeError):
    """The bus or wormhole is closed, or the request has ended."""


class ForkedError(Error, RuntimeError):
    """The object was made before this process was forked; make a new one."""


class DeadlockError(CallError, RuntimeError):
    """Only the waiting thread itself could end the wait, or requests are nested too deeply."""


class BusyError(CallError, RuntimeError):
    """A queue is full."""


class PeerGoneError(CallError, ConnectionError):
    """The process that received the call ended or left the group before it answered: the action may have run."""


class UnavailableError(Error, ConnectionError):
    """The host's transport cannot reach its server: nothing was done."""


class UncertainError(Error, ConnectionError):
    """The answer was lost, and the deadline passed before it could be found out: it may have been done."""


class UnsupportedError(Error, NotImplementedError):
    """The store or server below the object cannot do that."""


class StoreError(Error, OSError):
    """The disk is full, the store is damaged, unsafe or too new, or a system call failed."""


class VersionError(StoreError, ValueError):
    """The version is not accepted: a store is too new, or a rule table is older than the loaded one."""


class NoMemoryError(Error, MemoryError):
    """Out of memory."""


publish(__name__, globals())
