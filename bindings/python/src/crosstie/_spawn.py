"""The loop of an async handler: the one that was running at its registration, else the one that is attached to the bus,
else that of the bus's own thread."""

from __future__ import annotations

import contextvars
import functools
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from . import _crosstie
from ._errors import Error
from ._status import Status
from ._traffic import Traffic, running_loop, traffic_of

if TYPE_CHECKING:
    import asyncio

    from ._bus import Bus

class Holder:
    """A request and its task, while its async handler runs; then None, also in copies of the handler's context."""

    __slots__ = ("request", "task")

    def __init__(self, request: _crosstie.Request) -> None:
        self.request: _crosstie.Request | None = request
        self.task: asyncio.Task[None] | None = None


#: The holder of the request that this task handles, which is the parent of the requests that the task makes.
current: contextvars.ContextVar[Holder | None] = contextvars.ContextVar("crosstie.current", default=None)

_STOP_SECONDS = 5.0


class Spawn:
    """A function that runs the coroutines of one async handler on a loop."""

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
        """Run the coroutine, which ends the request. `is_waited`: this thread is blocked until the request ends."""
        try:
            loop = None if self._loop is None else self._loop()
            if loop is None or loop.is_closed():
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
        """Start the coroutine in the loop, or in the next possible one if that loop has just been closed."""
        while True:
            try:
                loop.call_soon_threadsafe(functools.partial(_start, loop, *what))
                return
            except RuntimeError:
                if not loop.is_closed():
                    raise
            loop = self._find_loop()

    def _find_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop of a handler without one of its own."""
        bus = self._bus()
        if bus is None:
            raise RuntimeError("the bus of this async handler has been closed and freed")
        return bus._handler_loop()

    @staticmethod
    def proceed(request: _crosstie.Request) -> Callable[[], Awaitable[None]]:
        """Return `proceed` for an async interceptor: the rest of the request runs on a thread of the loop's executor."""

        async def proceed() -> None:
            import asyncio

            await asyncio.to_thread(request.proceed)

        return proceed


# ---- On the loop -----------------------------------------------------------------------------------------


def _start(
    loop: asyncio.AbstractEventLoop,
    coroutine: Coroutine[Any, Any, object],
    request: _crosstie.Request,
    is_interceptor: bool,
) -> None:
    traffic = traffic_of(loop)
    holder = Holder(request)
    task = loop.create_task(_run(traffic.reference, coroutine, request, holder, is_interceptor))
    if not task.done():  # an eager task may be
        holder.task = task
        traffic.add(task)
    try:
        request.on_cancel(functools.partial(_cancel, loop, weakref.ref(task)))
    except Error as error:
        if error.status != Status.ALREADY:
            raise


def _cancel(loop: asyncio.AbstractEventLoop, task: weakref.ref[asyncio.Task[None]]) -> None:
    cancel = functools.partial(_cancel_once, task)
    try:
        soon(loop, cancel)
    except KeyboardInterrupt:  # a signal has come meanwhile, perhaps before the callback was added
        soon(loop, cancel)
        raise


def _cancel_once(reference: weakref.ref[asyncio.Task[None]]) -> None:
    task = reference()
    if task is not None and not task.cancelling():
        task.cancel()


def soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Run a function in the loop soon, from any thread, unless the loop is closed."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        if not loop.is_closed():
            raise


async def _run(
    reference: weakref.ref[Traffic],
    coroutine: Coroutine[Any, Any, object],
    request: _crosstie.Request,
    holder: Holder,
    is_interceptor: bool,
) -> None:
    current.set(holder)
    try:
        result = await coroutine
    except GeneratorExit:
        raise
    except BaseException as error:
        if _is_cancel(error):
            _end(request.refuse, Status.CANCELLED, "the task of its async handler was cancelled")
            raise
        # The caller gets SystemExit, too: a handler ends neither the loop nor the program.
        if not _end(request.fail, error):
            _crosstie._report(error, coroutine)
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
    else:
        if result is not request and (result is not None or not is_interceptor):
            _end(request.reply, result)
    finally:
        task, holder.request, holder.task = holder.task, None, None
        traffic = reference()
        if traffic is not None and task is not None:
            traffic.remove(task)
    if traffic is not None:
        traffic.deliver()


def _is_cancel(error: BaseException) -> bool:
    import asyncio

    return isinstance(error, asyncio.CancelledError)


def _end(function: Callable[..., None], *arguments: object) -> bool:
    """End the request; return False if it has ended already, by its deadline or by the handler itself."""
    try:
        function(*arguments)
    except Error as error:
        if error.status not in (Status.ALREADY, Status.HANDLE):
            raise
        return False
    return True


# ---- A thread for handlers without a loop -----------------------------------------------------------------


class LoopThread:
    """A loop on a daemon thread of its own."""

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
        """Run the loop until `stop()`. Neither SystemExit in a task nor another caller's `loop.stop()` ends it."""
        while not self._is_stopping:
            try:
                self.loop.run_forever()
            except BaseException as error:
                _crosstie._report(error, self.loop)

    def _stop(self) -> None:
        self._is_stopping = True
        self.loop.stop()

    def stop(self, *, waits: bool) -> None:
        """Cancel the remaining tasks and end the loop. A second call does nothing."""
        soon(self.loop, self._stop)
        if waits and threading.current_thread() is not self._thread:
            self._thread.join(_STOP_SECONDS)
