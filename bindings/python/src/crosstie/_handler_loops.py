"""The loops of a bus's async handlers."""

from __future__ import annotations

import os
import threading
import weakref

from . import _crosstie
from ._spawn import LoopThread
from ._traffic import running_loop
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

_lock = threading.Lock()


class HandlerLoops:
    """The loops of one bus: the attached one, and that of a thread of its own."""

    __slots__ = ("_attached", "_own")

    def __init__(self) -> None:
        self._attached: asyncio.AbstractEventLoop | None = None
        self._own: LoopThread | None = None

    def attach(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Attach a loop, by default the running one."""
        loop = loop or running_loop()
        if loop is None:
            raise RuntimeError("no loop is running here; pass the loop to attach")
        self._attached = loop

    def loop_for(self, bus: _crosstie.Bus) -> asyncio.AbstractEventLoop:
        """Return the loop of the async handlers that were registered without a running loop."""
        if self._attached is not None and not self._attached.is_closed():
            return self._attached
        with _lock:
            if self._own is None or self._own.loop.is_closed():
                self._own = LoopThread(f"crosstie {bus.name}".rstrip())
                weakref.finalize(bus, self._own.stop, waits=False).atexit = False
            return self._own.loop

    def stop(self, *, waits: bool) -> None:
        """End the thread, if it was started."""
        if self._own is not None:
            self._own.stop(waits=waits)


def _begin_anew() -> None:
    """Replace the lock in a forked child, because a thread of the parent may hold it."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)
