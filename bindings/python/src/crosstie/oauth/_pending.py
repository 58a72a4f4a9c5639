"""The states that wait for their answers."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .._status import Status
from ._refusal import Refusal
from ._signin import SignIn

#: Seconds that a state lives: those of a code, at most (RFC 6749, section 4.1.2).
LIFE = 600.0
#: Sign-ins that wait at once, of one provider.
MAX_WAITING = 64
#: States that are remembered after their use, so that a repeated answer is told from a foreign one.
MAX_REMEMBERED = 1024


def boot_time() -> float:
    """Seconds that go on while the machine sleeps, and that nobody sets."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(slots=True)
class _Entry:
    expires: float
    sign_in: SignIn | None  # None: nobody waits any more
    past: str = ""  # why not


class Pending:
    """Who waits for which state. Each is good for one answer, for ten minutes."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}

    def add(self, sign_in: SignIn) -> None:
        """Have a sign-in wait. Raises Refusal when too many do."""
        with self._lock:
            now = self._clock()
            self._forget(now)
            if sum(entry.sign_in is not None for entry in self._entries.values()) >= MAX_WAITING:
                raise Refusal(Status.BUSY, f"{MAX_WAITING} sign-ins are waiting already")
            self._entries[sign_in.state] = _Entry(now + LIFE, sign_in)

    def take(self, state: str) -> tuple[SignIn | None, str]:
        """The sign-in that a state belongs to, and why it cannot have the answer; or an empty text."""
        with self._lock:
            entry = self._entries.get(state)
            if entry is None:
                return None, "nobody waits for an answer with this state"
            if entry.sign_in is None:
                return None, entry.past
            sign_in, entry.sign_in = entry.sign_in, None
            entry.past = "the sign-in has had its answer"
            is_late = self._clock() >= entry.expires
            return sign_in, "the answer comes more than ten minutes after the question" if is_late else ""

    def drop(self, sign_in: SignIn) -> None:
        """Have a sign-in wait no more, because it has ended."""
        with self._lock:
            entry = self._entries.get(sign_in.state)
            if entry is not None and entry.sign_in is not None:
                entry.sign_in, entry.past = None, "the sign-in has ended"

    def _forget(self, now: float) -> None:
        """Drop what need not be remembered: what has been over for long, and the eldest of too many."""
        over = [state for state, entry in self._entries.items() if entry.sign_in is None]
        surplus = len(over) - MAX_REMEMBERED
        for index, state in enumerate(over):
            if index < surplus or now >= self._entries[state].expires + LIFE:
                del self._entries[state]
