"""The states that wait for their answers."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .._status import Status
from ._refusal import Refusal
from ._signin import SignIn

#: Seconds for which a state is valid: those of a code, at most (RFC 6749, section 4.1.2).
LIFE = 600.0
#: Sign-ins that wait at once, of one provider.
MAX_WAITING = 64
#: States that are remembered after their use, to distinguish a repeated answer from a foreign one.
MAX_REMEMBERED = 1024


def boot_time() -> float:
    """Return the seconds of a clock that continues while the machine sleeps, and is never set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(slots=True)
class _Entry:
    expires: float
    sign_in: SignIn | None  # None: the sign-in no longer waits
    past: str = ""  # the reason


class Pending:
    """The sign-ins that wait, by their states. A state is valid for one answer, for ten minutes."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def add(self, sign_in: SignIn) -> None:
        """Add a sign-in that waits. Raises Refusal if too many do."""
        with self._lock:
            now = self._clock()
            self._forget(now)
            if sum(entry.sign_in is not None for entry in self._entries.values()) >= MAX_WAITING:
                raise Refusal(Status.BUSY, f"{MAX_WAITING} sign-ins are waiting already")
            self._entries[sign_in.state] = _Entry(now + LIFE, sign_in)

    def take(self, state: str) -> tuple[SignIn | None, str]:
        """Return the sign-in of a state, and the reason why it cannot have the answer, or an empty text."""
        with self._lock:
            entry = self._entries.get(state)
            if entry is None:
                return None, "no sign-in waits for an answer with this state"
            if entry.sign_in is None:
                return None, entry.past
            sign_in, entry.sign_in = entry.sign_in, None
            entry.past = "the sign-in has had its answer"
            is_late = self._clock() >= entry.expires
            return sign_in, "the answer comes more than ten minutes after the question" if is_late else ""

    def drop(self, sign_in: SignIn) -> None:
        """Remove a sign-in that has ended; its state is remembered."""
        with self._lock:
            entry = self._entries.get(sign_in.state)
            if entry is not None and entry.sign_in is not None:
                entry.sign_in, entry.past = None, "the sign-in has ended"

    def _forget(self, now: float) -> None:
        """Drop the states that ended long ago, and the oldest of too many."""
        over = [state for state, entry in self._entries.items() if entry.sign_in is None]
        surplus = len(over) - MAX_REMEMBERED
        for index, state in enumerate(over):
            if index < surplus or now >= self._entries[state].expires + LIFE:
                del self._entries[state]
