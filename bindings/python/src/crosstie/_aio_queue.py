"""Queues of wormholes for asyncio: messages to iterate over."""

from __future__ import annotations

import asyncio
import functools
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from . import _crosstie
from ._aio import loop_for
from ._errors import ClosedError, Error
from ._spawn import soon
from ._status import Status

if TYPE_CHECKING:
    from ._durable_info import Moment


class _Inbox:
    """The messages of a queue that have arrived and have not been taken. Only the loop's thread uses it."""

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
        """Return the next message. Raises StopAsyncIteration after the last one."""
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
    """The messages of a queue, one at a time, from `Wormhole.aio.queue()`."""

    def __init__(
        self,
        wormhole: _crosstie.Wormhole,
        identifier: str,
        name: str,
        flags: int,
        max_unacknowledged: int,
        start: tuple[int, Moment | None] = (0, None),
    ) -> None:
        self._wormhole = wormhole
        self._identifier = identifier
        self._name = name
        self._flags = flags
        self._max_unacknowledged = max_unacknowledged
        self._start = start
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
        self._finish(_crosstie.Message.acknowledge)
        message = await inbox.get()
        self._current = message
        return message

    async def __aenter__(self) -> Self:
        """Bind the queue, and return it. Raises ClosedError when it has been closed."""
        if self._is_closed:
            raise ClosedError("the queue has been closed", status=Status.CLOSED)
        self._bind()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Acknowledge the current message, or reject it for an exception, and close."""
        if error is None:
            self._finish(_crosstie.Message.acknowledge)
        elif isinstance(error, Exception):
            self._finish(functools.partial(_crosstie.Message.reject, reason=error))
        self.close()

    async def aclose(self) -> None:
        """As `close()`, for `contextlib.aclosing()`."""
        self.close()

    def close(self) -> None:
        """Remove the listener. The current message is rejected, and redelivered at once."""
        self._is_closed = True
        self._finish(functools.partial(_crosstie.Message.reject, delay=0, reason="the queue was closed"))
        if self._listener is not None:
            self._listener.remove()
        if self._inbox is not None:
            soon(self._inbox.loop, self._inbox.end)

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
                functools.partial(soon, loop, inbox.end),
                None,
                *self._start,
            )
            self._inbox = inbox
        return self._inbox

    def _finish(self, end: Callable[[_crosstie.Message], object]) -> None:
        """Acknowledge or reject the current message, unless the program has done so or its listener has been removed."""
        message, self._current = self._current, None
        if message is None or message.kind == "missed":
            return
        try:
            end(message)
        except Error as error:
            if error.status != Status.ALREADY:
                raise
