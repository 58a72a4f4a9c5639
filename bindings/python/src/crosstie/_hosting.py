"""Which loop the async handlers of a bus run on."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

from . import _crosstie
from ._spawn import LoopThread, running_loop

if TYPE_CHECKING:
    import asyncio

_lock = threading.Lock()


class Hosting:
    """The loops of one bus: what is attached to it, and a thread of its own."""

    __slots__ = ("_attached", "_own")

    def __init__(self) -> None:
        self._attached: asyncio.AbstractEventLoop | None = None
        self._own: LoopThread | None = None

    def attach(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Take a loop, by default the one that is running here."""
        loop = loop or running_loop()
        if loop is None:
            raise RuntimeError("no loop is running here; give the one that is to be attached")
        self._attached = loop

    def loop_for(self, bus: _crosstie.Bus) -> asyncio.AbstractEventLoop:
        """The loop of async handlers that were registered while none was running."""
        if self._attached is not None and not self._attached.is_closed():
            return self._attached
        with _lock:
            if self._own is None or self._own.loop.is_closed():
                self._own = LoopThread(f"crosstie {bus.name}".rstrip())
                weakref.finalize(bus, self._own.stop, waits=False).atexit = False
            return self._own.loop

    def stop(self, *, waits: bool) -> None:
        """End the thread, where there is one."""
        if self._own is not None:
            self._own.stop(waits=waits)


def _begin_anew() -> None:
    """In a forked child the lock may be one that a thread of the parent held, and this thread is the main one."""
    global _lock
    _lock = threading.Lock()
    _crosstie._watch_signals()


os.register_at_fork(after_in_child=_begin_anew)
