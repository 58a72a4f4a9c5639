"""Wormholes for asyncio: listeners and queues in the loop that asks for them."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from . import _crosstie
from .aio import loop_for
from .errors import ClosedError, Error
from .status import Status
from .wormhole import NO_FIRST_FIRE, Callback, Wormhole, queue_flags

CallbackT = TypeVar("CallbackT", bound=Callback)


class WormholeAio:
    """A wormhole's listeners in the running loop of asyncio; `Wormhole.aio` is one."""

    __slots__ = ("_wormhole",)

    def __init__(self, wormhole: Wormhole) -> None:
        self._wormhole = wormhole

    def __repr__(self) -> str:
        return f"<crosstie.WormholeAio of {self._wormhole!r}>"

    def add_listener(
        self, identifier: str, callback: Callback, /, *, name: str = "", first_fire: bool = True
    ) -> _crosstie.Listener:
        """Bind a function or async function to the newest message of an identifier or prefix.

        It runs in the loop that is running here. An async function is run for one message after the other; of those
        that come meanwhile it gets the newest of each identifier. The rest is as for `Wormhole.add_listener()`.
        """
        return self._bind(identifier, callback, name, first_fire)

    def listen(
        self, identifier: str, *, name: str = "", first_fire: bool = True
    ) -> Callable[[CallbackT], CallbackT]:
        """Bind the decorated function as `add_listener()` does, and return it."""

        def decorate(callback: CallbackT) -> CallbackT:
            self._bind(identifier, callback, name, first_fire)
            return callback

        return decorate

    def add_members_listener(
        self, callback: Callback, /, *, name: str = "", first_fire: bool = True
    ) -> _crosstie.Listener:
        """Bind a function or async function to who has the group open, as `Wormhole.add_members_listener()` does."""
        return self._bind(None, callback, name, first_fire)

    def listen_members(self, *, name: str = "", first_fire: bool = True) -> Callable[[CallbackT], CallbackT]:
        """Bind the decorated function as `add_members_listener()` does, and return it."""

        def decorate(callback: CallbackT) -> CallbackT:
            self._bind(None, callback, name, first_fire)
            return callback

        return decorate

    def queue(
        self,
        identifier: str,
        *,
        durable: str = "",
        name: str = "",
        from_oldest: bool = False,
        max_unacknowledged: int = 1,
    ) -> Queue:
        """Every message of an identifier or prefix, in order and once each, to be walked through:

            async with wormhole.aio.queue("jobs", durable="worker") as jobs:
                async for message in jobs: ...

        It is bound when it is entered or first asked. A message is acknowledged when the next one is asked for. Leaving
        `async with` acknowledges the current one, or rejects it for an exception. Without `async with`, what is current
        when the queue is closed or let go of is rejected, to be delivered again at once. The queue ends when its
        wormhole closes.

        max_unacknowledged  how many messages may have been taken in advance, the current one included. They are kept
                            from other processes of the same durable name.
        durable, name, from_oldest: as for `Wormhole.add_queue()`.
        """
        flags = queue_flags(durable, name, manual=True, from_oldest=from_oldest)
        return Queue(self._wormhole, identifier, durable or name, flags, max_unacknowledged)

    def _bind(self, identifier: str | None, callback: Callback, name: str, first_fire: bool) -> _crosstie.Listener:
        loop = asyncio.get_running_loop()
        flags = 0 if first_fire else NO_FIRST_FIRE
        on_end = None
        if inspect.iscoroutinefunction(callback):
            runner = _Runner(loop, callback)
            callback, on_end = runner.hear, functools.partial(_soon, loop, runner.end)
        return self._wormhole._listen(identifier, callback, name, flags, 0, loop_for(loop), "", on_end)


def _soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Has a function run in the loop, from whatever thread."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        if not loop.is_closed():
            raise


# ---- Async listeners -------------------------------------------------------------------------------------


class _Runner:
    """Runs an async function for one message after the other, in the loop."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, function: Callable[[_crosstie.Message], Coroutine[Any, Any, object]]
    ) -> None:
        self._loop = loop
        self._function = function
        self._waiting: dict[object, _crosstie.Message] = {}
        self._task: asyncio.Task[None] | None = None

    def hear(self, message: _crosstie.Message) -> None:
        self._waiting[self._key(message)] = message
        if self._task is None:
            self._task = self._loop.create_task(self._run())

    def end(self) -> None:
        self._waiting.clear()

    @staticmethod
    def _key(message: _crosstie.Message) -> object:
        """What a newer message of the same key makes out of date."""
        if message.kind in ("joined", "left"):
            return message
        return message.identifier, message.kind == "signal"

    async def _run(self) -> None:
        try:
            while self._waiting:
                message = self._waiting.pop(next(iter(self._waiting)))
                try:
                    await self._function(message)
                except Exception as error:
                    _crosstie._report(error, self._function)
        finally:
            self._task = None


# ---- Queues ----------------------------------------------------------------------------------------------


class _Inbox:
    """The messages of a queue that have come and have not been asked for. All in the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._messages: deque[_crosstie.Message] = deque()
        self._getter: asyncio.Future[None] | None = None
        self._is_over = False

    def put(self, message: _crosstie.Message) -> None:
        self._messages.append(message)
        self._wake()

    def end(self) -> None:
        self._is_over = True
        self._wake()

    def _wake(self) -> None:
        if self._getter is not None and not self._getter.done():
            self._getter.set_result(None)

    async def get(self) -> _crosstie.Message:
        """The next message. Raises StopAsyncIteration when there will be none."""
        if self._getter is not None:
            raise RuntimeError("another task is waiting for this queue")
        while not self._messages and not self._is_over:
            self._getter = self.loop.create_future()
            try:
                await self._getter
            finally:
                self._getter = None
        if self._is_over:
            raise StopAsyncIteration
        return self._messages.popleft()


class Queue(AsyncIterator[_crosstie.Message]):
    """The messages of a queue, one at a time; `Wormhole.aio.queue()` makes one."""

    def __init__(
        self, wormhole: Wormhole, identifier: str, name: str, flags: int, max_unacknowledged: int
    ) -> None:
        self._wormhole = wormhole
        self._identifier = identifier
        self._name = name
        self._flags = flags
        self._max_unacknowledged = max_unacknowledged
        self._inbox: _Inbox | None = None
        self._listener: _crosstie.Listener | None = None
        self._current: _crosstie.Message | None = None
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<crosstie.Queue {self._identifier!r} name={self._name!r}{' closed' if self._is_closed else ''}>"

    async def __anext__(self) -> _crosstie.Message:
        """Acknowledge the current message and wait for the next one."""
        if self._is_closed:
            raise StopAsyncIteration
        inbox = self._bind()
        self._settle(_crosstie.Message.acknowledge)
        message = await inbox.get()
        self._current = message
        return message

    async def __aenter__(self) -> Self:
        """Bind it, and return it. Raises ClosedError when it has been closed."""
        if self._is_closed:
            raise ClosedError("the queue has been closed", status=Status.CLOSED)
        self._bind()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Acknowledge the current message, or reject it for an exception, and close."""
        if error is None:
            self._settle(_crosstie.Message.acknowledge)
        elif isinstance(error, Exception):
            self._settle(_crosstie.Message.reject)
        self.close()

    async def aclose(self) -> None:
        """As `close()`, for `contextlib.aclosing()`."""
        self.close()

    def close(self) -> None:
        """Remove the listener. The current message is rejected, to be delivered again at once."""
        self._is_closed = True
        self._settle(functools.partial(_crosstie.Message.reject, delay=0))
        if self._listener is not None:
            self._listener.remove()
        if self._inbox is not None:
            _soon(self._inbox.loop, self._inbox.end)

    def __del__(self) -> None:
        self.close()

    def _bind(self) -> _Inbox:
        if self._inbox is None:
            loop = asyncio.get_running_loop()
            inbox = _Inbox(loop)
            self._listener = self._wormhole._listen(
                self._identifier,
                inbox.put,
                self._name,
                self._flags,
                self._max_unacknowledged,
                loop_for(loop),
                "",
                functools.partial(_soon, loop, inbox.end),
            )
            self._inbox = inbox
        return self._inbox

    def _settle(self, end: Callable[[_crosstie.Message], object]) -> None:
        """Says what became of the current message, unless the one who walks has said so, or its listener is gone."""
        message, self._current = self._current, None
        if message is None or message.kind == "missed":
            return
        try:
            end(message)
        except Error as error:
            if error.status != Status.ALREADY:
                raise
