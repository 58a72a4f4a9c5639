"""Where async handlers run: the loop that was running when one was registered, else the one that is attached to the
bus, else a thread of the bus's own."""

from __future__ import annotations

import contextvars
import functools
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from . import _crosstie
from ._errors import Error
from ._status import Status

if TYPE_CHECKING:
    import asyncio

    from ._bus import Bus

class Holder:
    """A request for as long as its async handler runs, whoever has copied the context of that."""

    __slots__ = ("request",)

    def __init__(self, request: _crosstie.Request) -> None:
        self.request: _crosstie.Request | None = request


#: What the async handler holds whose task this is: what is asked for in it is nested in that request.
current: contextvars.ContextVar[Holder | None] = contextvars.ContextVar("crosstie.current", default=None)

_STOP_SECONDS = 5.0


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs on this thread. A program that has never imported asyncio has none."""
    events = sys.modules.get("asyncio.events")
    loop: asyncio.AbstractEventLoop | None = None if events is None else events._get_running_loop()
    return loop


class Spawn:
    """Puts the coroutines of one async handler on a loop."""

    __slots__ = ("_bus", "_loop")

    def __init__(self, bus: Bus) -> None:
        loop = running_loop()
        self._bus = weakref.ref(bus)
        self._loop = None if loop is None else weakref.ref(loop)

    def __call__(
        self,
        coroutine: Coroutine[Any, Any, object],
        request: _crosstie.Request,
        is_interceptor: bool,
        is_waited: bool,
    ) -> None:
        """Has the coroutine end the request. `is_waited`: this thread waits for it, and can do nothing else."""
        try:
            loop = self._find_loop()
            is_here = running_loop() is loop
            if is_here and is_waited:
                coroutine.close()
                request.refuse(Status.DEADLOCK, "the loop of this async handler is the one that waits for it here")
                return
            if is_here:
                _start(loop, coroutine, request.defer(), is_interceptor)
            else:
                self._send(loop, coroutine, request.defer(), is_interceptor)
        except BaseException:
            coroutine.close()
            raise

    def _send(self, loop: asyncio.AbstractEventLoop, *what: Any) -> None:
        """Has the loop start it, or the next one in line where that loop has been closed just now."""
        while True:
            try:
                loop.call_soon_threadsafe(functools.partial(_start, loop, *what))
                return
            except RuntimeError:
                if not loop.is_closed():
                    raise
            loop = self._find_loop()

    def _find_loop(self) -> asyncio.AbstractEventLoop:
        loop = None if self._loop is None else self._loop()
        if loop is not None and not loop.is_closed():
            return loop
        bus = self._bus()
        if bus is None:
            raise RuntimeError("the bus of this async handler is gone")
        return bus._handler_loop()

    @staticmethod
    def proceed(request: _crosstie.Request) -> Callable[[], Awaitable[None]]:
        """What an async interceptor calls: the request goes the rest of its way on a thread of the loop's executor."""

        async def proceed() -> None:
            import asyncio

            await asyncio.to_thread(request.proceed)

        return proceed


# ---- On the loop -----------------------------------------------------------------------------------------

#: The tasks of each loop. What is under way is kept from the collector here, and not by its request, which would keep
#: what a loop leaves behind that was closed.
_tasks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, set[asyncio.Task[None]]] = weakref.WeakKeyDictionary()


def _start(
    loop: asyncio.AbstractEventLoop,
    coroutine: Coroutine[Any, Any, object],
    request: _crosstie.Request,
    is_interceptor: bool,
) -> None:
    task = loop.create_task(_run(coroutine, request, is_interceptor))
    tasks = _tasks_of(loop)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    try:
        request.on_cancel(functools.partial(_cancel, loop, weakref.ref(task)))
    except Error as error:
        if error.status != Status.ALREADY:
            raise


def _tasks_of(loop: asyncio.AbstractEventLoop) -> set[asyncio.Task[None]]:
    tasks = _tasks.get(loop)
    if tasks is None:
        for other in [other for other in list(_tasks) if other.is_closed()]:
            _tasks.pop(other, None)
        tasks = _tasks[loop] = set()
    return tasks


def _cancel(loop: asyncio.AbstractEventLoop, task: weakref.ref[asyncio.Task[None]]) -> None:
    cancel = functools.partial(_cancel_once, task)
    try:
        soon(loop, cancel)
    except KeyboardInterrupt:  # a signal has come just now, and nobody can tell how far that went
        soon(loop, cancel)
        raise


def _cancel_once(reference: weakref.ref[asyncio.Task[None]]) -> None:
    task = reference()
    if task is not None and not task.cancelling():
        task.cancel()


def soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Has a function run in the loop, from whatever thread, unless the loop is closed."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        if not loop.is_closed():
            raise


async def _run(coroutine: Coroutine[Any, Any, object], request: _crosstie.Request, is_interceptor: bool) -> None:
    import asyncio

    holder = Holder(request)
    current.set(holder)
    try:
        result = await coroutine
    except asyncio.CancelledError:
        _end(request.refuse, Status.CANCELLED, "the task of its async handler was cancelled")
        raise
    except GeneratorExit:
        raise
    except BaseException as error:
        # Who has asked gets SystemExit, too: a request ends neither the loop nor the program.
        if not _end(request.fail, error):
            _crosstie._report(error, coroutine)
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
    else:
        if result is not request and (result is not None or not is_interceptor):
            _end(request.reply, result)
    finally:
        holder.request = None


def _end(function: Callable[..., None], *arguments: object) -> bool:
    """False for a request that has ended before, by its deadline or by its handler itself."""
    try:
        function(*arguments)
    except Error as error:
        if error.status not in (Status.ALREADY, Status.HANDLE):
            raise
        return False
    return True


# ---- A thread for those that have no loop -----------------------------------------------------------------


class LoopThread:
    """A loop on a thread of its own. It keeps no program from ending."""

    def __init__(self, name: str) -> None:
        import asyncio

        self.loop = asyncio.new_event_loop()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        import asyncio

        asyncio.set_event_loop(self.loop)
        try:
            self._run_until_stopped()
            tasks = asyncio.all_tasks(self.loop)
            for task in tasks:
                task.cancel()
            self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        finally:
            self.loop.close()

    def _run_until_stopped(self) -> None:
        """Neither what a task of somebody's raises ends the loop, SystemExit for one, nor who stops it."""
        while not self._is_stopping:
            try:
                self.loop.run_forever()
            except BaseException as error:
                _crosstie._report(error, self.loop)

    def _stop(self) -> None:
        self._is_stopping = True
        self.loop.stop()

    def stop(self, *, waits: bool) -> None:
        """Ends the tasks that are left, then the loop. Does nothing the second time."""
        soon(self.loop, self._stop)
        if waits and threading.current_thread() is not self._thread:
            self._thread.join(_STOP_SECONDS)
