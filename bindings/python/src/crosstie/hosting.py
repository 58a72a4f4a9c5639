"""Which loop the async handlers of a bus run on."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

from . import _crosstie
from .spawn import LoopThread, running_loop

if TYPE_CHECKING:
    import asyncio

_lock = threading.Lock()


class HostingBus(_crosstie.Bus):
    """The part of a Bus that has to do with async handlers."""

    _attached: asyncio.AbstractEventLoop | None = None
    _own_loop: LoopThread | None = None

    def attach(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Have async handlers run on a loop, by default the one that is running here.

        A handler that was registered while a loop was running stays with that one. Where there is neither, the bus
        starts a thread with a loop of its own, which ends when the bus is closed.
        """
        loop = loop or running_loop()
        if loop is None:
            raise RuntimeError("no loop is running here; give the one that is to be attached")
        self._attached = loop

    def _handler_loop(self) -> asyncio.AbstractEventLoop:
        """The loop of async handlers that were registered while none was running."""
        if self._attached is not None and not self._attached.is_closed():
            return self._attached
        with _lock:
            if self._own_loop is None or self._own_loop.loop.is_closed():
                self._own_loop = LoopThread(f"crosstie {self.name}".rstrip())
                weakref.finalize(self, self._own_loop.stop, waits=False).atexit = False
            return self._own_loop.loop

    def close(self) -> None:
        """Close the bus: wait for the handlers that run and remove what is registered.

        Doing it again does nothing, nor does doing it in a forked child; any other use afterwards raises ClosedError.
        """
        waits = False
        try:
            super().close()
            waits = True
        finally:
            if self._own_loop is not None:
                self._own_loop.stop(waits=waits)

    def __exit__(self, *args: object) -> None:
        """Close the bus."""
        self.close()


def _begin_anew() -> None:
    """In a forked child the lock may be one that a thread of the parent held, and this thread is the main one."""
    global _lock
    _lock = threading.Lock()
    _crosstie._heed_signals()


os.register_at_fork(after_in_child=_begin_anew)
