"""One sign-in, from the question to the answer."""

import secrets
import threading
from collections.abc import Callable, Mapping

from .. import Request
from .._errors import Error
from .._status import Status
from ._refusal import is_ended

#: Random bytes of a state, and of a verifier; RFC 7636, section 7.1 asks for 32.
ENTROPY = 32


class SignIn:
    """A request that waits for a person, with the secrets of this side. It ends once."""

    def __init__(self, request: Request, redirect_uri: str, on_end: Callable[["SignIn"], object]) -> None:
        self.request = request
        self.redirect_uri = redirect_uri
        self.state = secrets.token_urlsafe(ENTROPY)
        self.verifier = secrets.token_urlsafe(ENTROPY)
        self._on_end = on_end
        self._lock = threading.Lock()
        self._is_over = False
        self._timer: threading.Timer | None = None

    @property
    def is_over(self) -> bool:
        """Return whether it has ended, or its request has."""
        return self._is_over or self.request.is_ended

    def begin(self, life: float) -> None:
        """Let it end with its request, or after `life` seconds."""
        self._timer = threading.Timer(life, self._expire)
        self._timer.daemon = True
        self._timer.start()
        try:
            self.request.on_cancel(self._end)
        except Error as error:
            if not is_ended(error):
                raise
            self._end()

    def succeed(self, info: Mapping[str, str]) -> None:
        """End with an answer."""
        if self._end():
            _answer(lambda: self.request.reply(dict(info)))

    def refuse(self, status: Status, message: str) -> None:
        """End without one."""
        if self._end():
            _answer(lambda: self.request.refuse(status, message))

    def _expire(self) -> None:
        self.refuse(Status.TIMEOUT, "no answer came within ten minutes")

    def _end(self) -> bool:
        """End it; return False if it has ended before."""
        with self._lock:
            if self._is_over:
                return False
            self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._on_end(self)
        return True


def _answer(answer: Callable[[], None]) -> None:
    """Answer a request, unless its deadline or a cancel has ended it."""
    try:
        answer()
    except Error as error:
        if not is_ended(error):
            raise
