"""Waits for events under a watchdog. No test depends on how long something takes."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds that a test waits for an event; nothing depends on it but the end of a hanging test.
WATCHDOG = 60


def eventually(holds: Callable[[], object], what: str = "", limit: float = WATCHDOG) -> object:
    """Waits until the function returns something true, and returns it."""
    end = time.monotonic() + limit
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < end, f"it did not happen: {what or holds}"
        time.sleep(0.01)


class Inbox:
    """A listener that keeps its messages."""

    def __init__(self) -> None:
        self.messages: list = []
        self._changed = threading.Condition()

    def __call__(self, message) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def wait(self, holds: Callable[[list], object], what: str = "", limit: float = WATCHDOG) -> list:
        """Waits until the list of messages is as the function wants it, and returns a copy."""
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self.messages), limit), (
                f"it did not come: {what}; received {len(self.messages)}: "
                f"{[(each.kind, each.identifier, each.sequence) for each in self.messages[-5:]]}"
            )
            return list(self.messages)

    def take(self, count: int = 1) -> list:
        """Waits for this many messages."""
        return self.wait(lambda all: len(all) >= count, f"{count} messages")

    def values(self) -> list:
        with self._changed:
            return [each.value for each in self.messages if each.kind == "value"]

    def wait_values(self, expected: list) -> None:
        """Waits until the values are exactly these, in this order."""
        self.wait(lambda _: len(self.values()) >= len(expected), f"{len(expected)} values")
        assert self.values() == expected


@contextmanager
def overshoot(seconds: float) -> Iterator[list[float]]:
    """The time by which the body passes its limit is the only entry of the list."""
    found: list[float] = []
    begin = time.monotonic()
    yield found
    found.append(time.monotonic() - begin - seconds)


def state_of(wormhole) -> str:
    """The state of a wormhole's connection: "connected", "reconnecting" or "closed"."""
    state = wormhole.connection.state
    return str(getattr(state, "name", state)).lower()


def until(wormhole, state: str) -> None:
    eventually(lambda: state_of(wormhole) == state, f"the connection is {state}")
