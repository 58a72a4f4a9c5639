"""The traffic of each of asyncio's loops: the tasks of async handlers, and the requests that are made there."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _crosstie

if TYPE_CHECKING:
    import asyncio

# A function of asyncio, once that is imported.
_find_running: Callable[[], asyncio.AbstractEventLoop | None] | None = None


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that runs on this thread, or None. The function does not import asyncio."""
    global _find_running
    if _find_running is None:
        events = sys.modules.get("asyncio.events")
        if events is None:
            return None
        _find_running = events._get_running_loop
    return _find_running()


class Traffic:
    """The traffic of one of asyncio's loops: the tasks of its async handlers, and the requests that are made in it."""

    __slots__ = ("tasks", "loop", "watched", "reference", "_discard", "__weakref__")

    def __init__(self) -> None:
        self.reference = weakref.ref(self)
        #: The running tasks, kept alive here. Requests do not keep them, because a request would also keep tasks whose
        #: loop was closed before they ended.
        self.tasks: set[asyncio.Task[None]] = set()
        #: Crosstie's loop for the requests; None before the first one (`_aio`).
        self.loop: _crosstie.Loop | None = None
        #: The number of the requests with a function of the program for their progress.
        self.watched = 0
        self._discard = self.tasks.discard

    def add(self, task: asyncio.Task[None]) -> None:
        """Keep a task until it ends."""
        self.tasks.add(task)
        task.add_done_callback(self._discard)

    def remove(self, task: asyncio.Task[None]) -> None:
        """Remove a task that ends now, which spares the loop a callback. One that was cancelled before its first step never
        comes here."""
        self.tasks.discard(task)
        task.remove_done_callback(self._discard)

    def deliver(self) -> None:
        """Bring the answers that are due now, on the loop's thread, which spares them a round of asyncio's loop.

        An answer only sets the result of a future. A function for progress is the program's, and must not run inside
        another task, so it waits for that round.
        """
        if self.loop is not None and not self.watched:
            self.loop.dispatch()


_traffics_lock = threading.RLock()  # the collector may run a program's code inside, which comes here again
_traffics: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Traffic] = weakref.WeakKeyDictionary()

#: References to the loop that was looked up last, and to its Traffic. Most programs have one loop.
_last: tuple[Callable[[], object], Callable[[], Traffic | None]] = (lambda: None, lambda: None)


def traffic_of(loop: asyncio.AbstractEventLoop) -> Traffic:
    """Return the Traffic of a loop, on the thread that runs it."""
    global _last
    of, last = _last
    if of() is loop and (found := last()) is not None:
        return found
    with _traffics_lock:
        found = _traffics.get(loop)
        if found is None:
            for other in [other for other in list(_traffics) if other.is_closed()]:
                _traffics.pop(other, None)
            found = _traffics.setdefault(loop, Traffic())
    _last = weakref.ref(loop), found.reference
    return found


def _forget() -> None:
    """Replace the lock in a forked child, whose parent's threads may hold it, and forget the loops, which are the parent's."""
    global _traffics_lock
    _traffics_lock = threading.RLock()
    for traffic in list(_traffics.values()):
        traffic.loop, traffic.watched = None, 0


os.register_at_fork(after_in_child=_forget)
