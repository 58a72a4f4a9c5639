"""Wormholes for asyncio: listeners and queues in the running loop."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from . import _crosstie
from ._aio import loop_for
from ._aio_queue import Queue
from ._callables import is_async
from ._decorators import check_function, check_text
from ._durables import beginning
from ._listener_arguments import CONNECTION, Callback, listen_flags, queue_flags
from ._spawn import soon

if TYPE_CHECKING:
    from ._durable_info import Moment

CallbackT = TypeVar("CallbackT", bound=Callback)


class WormholeAio:
    """Listeners and queues of a wormhole in the running loop of asyncio: `Wormhole.aio`.

    `Wormhole.listeners` lists the listeners and removes them.
    """

    __slots__ = ("_wormhole",)

    def __init__(self, wormhole: _crosstie.Wormhole) -> None:
        self._wormhole = wormhole

    def __repr__(self) -> str:
        return f"<crosstie.WormholeAio of {self._wormhole!r}>"

    def add_listener(
        self, identifier: str, callback: Callback, /, *, name: str = "", initial_delivery: bool = True
    ) -> _crosstie.Listener:
        """Bind a function or async function to the newest message of an identifier or prefix.

        It is called in the running loop. An async function runs for one message at a time; of the messages that arrive
        meanwhile, it gets the newest of each identifier. The rest is as for `Wormhole.add_listener()`.
        """
        return self._bind(identifier, callback, name, initial_delivery)

    def listen(
        self, identifier: str, *, name: str = "", initial_delivery: bool = True
    ) -> Callable[[CallbackT], CallbackT]:
        """Bind the decorated function as `add_listener()` does, and return it."""
        check_text(identifier, "@wormhole.aio.listen", "identifier")

        def decorate(callback: CallbackT) -> CallbackT:
            self._bind(identifier, callback, name, initial_delivery)
            return callback

        return decorate

    def add_members_listener(
        self, callback: Callback, /, *, name: str = "", initial_delivery: bool = True
    ) -> _crosstie.Listener:
        """Bind a function or async function to the group's members, as `Wormhole.add_members_listener()` does."""
        return self._bind(None, callback, name, initial_delivery)

    @overload
    def listen_members(self, callback: CallbackT, /, *, name: str = "", initial_delivery: bool = True) -> CallbackT: ...

    @overload
    def listen_members(
        self, callback: None = None, /, *, name: str = "", initial_delivery: bool = True
    ) -> Callable[[CallbackT], CallbackT]: ...

    def listen_members(
        self, callback: CallbackT | None = None, /, *, name: str = "", initial_delivery: bool = True
    ) -> object:
        """Bind the decorated function as `add_members_listener()` does, and return it."""

        def decorate(callback: CallbackT) -> CallbackT:
            check_function(callback, "@wormhole.aio.listen_members")
            self._bind(None, callback, name, initial_delivery)
            return callback

        return decorate if callback is None else decorate(callback)

    def add_connection_listener(
        self, callback: Callback, /, *, name: str = "", initial_delivery: bool = True
    ) -> _crosstie.Listener:
        """Bind a function or async function to the connection, as `Wormhole.add_connection_listener()` does."""
        return self._bind(None, callback, name, initial_delivery, CONNECTION)

    @overload
    def listen_connection(
        self, callback: CallbackT, /, *, name: str = "", initial_delivery: bool = True
    ) -> CallbackT: ...

    @overload
    def listen_connection(
        self, callback: None = None, /, *, name: str = "", initial_delivery: bool = True
    ) -> Callable[[CallbackT], CallbackT]: ...

    def listen_connection(
        self, callback: CallbackT | None = None, /, *, name: str = "", initial_delivery: bool = True
    ) -> object:
        """Bind the decorated function as `add_connection_listener()` does, and return it."""

        def decorate(callback: CallbackT) -> CallbackT:
            check_function(callback, "@wormhole.aio.listen_connection")
            self._bind(None, callback, name, initial_delivery, CONNECTION)
            return callback

        return decorate if callback is None else decorate(callback)

    def queue(
        self,
        identifier: str,
        *,
        durable: str = "",
        name: str = "",
        from_oldest: bool = False,
        from_sequence: int | None = None,
        from_time: Moment | None = None,
        max_unacknowledged: int = 1,
    ) -> Queue:
        """Return the queue of an identifier or prefix, which yields every message, in order and once each:

            async with wormhole.aio.queue("jobs", durable="worker") as jobs:
                async for message in jobs: ...

        The queue is bound when it is entered, or at the first message. Taking the next message acknowledges the current
        one. Leaving `async with` acknowledges it, or rejects it after an exception. Without `async with`, closing or
        freeing the queue rejects it, and it is redelivered at once. The queue ends when its wormhole closes, or when its
        name is bound again in that wormhole: tasks that share the work must open a wormhole each.

        max_unacknowledged  the most messages that are fetched in advance, the current one included. No other process of
                            the same durable consumer gets them, and they count as delivered.
        durable             as for `Wormhole.add_queue()`, like name, from_oldest, from_sequence and from_time.
        """
        if not isinstance(identifier, str):
            raise TypeError("wormhole.aio.queue() takes an identifier, and is not a decorator")
        flags = queue_flags(durable, name, manual=True, from_oldest=from_oldest)
        start = beginning(from_sequence, from_time)
        return Queue(self._wormhole, identifier, durable or name, flags, max_unacknowledged, start)

    def _bind(
        self, identifier: str | None, callback: Callback, name: str, initial_delivery: bool, more_flags: int = 0
    ) -> _crosstie.Listener:
        loop = asyncio.get_running_loop()
        flags = listen_flags(initial_delivery=initial_delivery) | more_flags
        function, on_end = callback, None
        if callable(callback) and is_async(callback):
            runner = _Runner(loop, cast(Callable[[_crosstie.Message], Coroutine[Any, Any, object]], callback))
            callback, on_end = runner.receive, functools.partial(soon, loop, runner.end)
        return self._wormhole._listen(identifier, callback, name, flags, 0, loop_for(loop), "", on_end, function)


class _Runner:
    """A callback that runs an async function in the loop, for one message at a time."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, function: Callable[[_crosstie.Message], Coroutine[Any, Any, object]]
    ) -> None:
        self._loop = loop
        self._function = function
        self._waiting: dict[object, _crosstie.Message] = {}
        self._task: asyncio.Task[None] | None = None

    def receive(self, message: _crosstie.Message) -> None:
        self._waiting[self._key(message)] = message
        if self._task is None:
            self._task = self._loop.create_task(self._run())

    def end(self) -> None:
        self._waiting.clear()

    @staticmethod
    def _key(message: _crosstie.Message) -> object:
        """Return the key of a message. A newer message with the same key replaces a waiting one."""
        if message.kind in ("joined", "left", "connection"):
            return message
        return message.identifier, message.kind == "signal"

    async def _run(self) -> None:
        try:
            while self._waiting:
                message = self._waiting.pop(next(iter(self._waiting)))
                try:
                    await self._function(message)
                except asyncio.CancelledError as error:
                    if _is_cancelled():
                        raise
                    _crosstie._report(error, self._function)  # the awaited future was cancelled, not this task
                except Exception as error:
                    _crosstie._report(error, self._function)
        finally:
            self._task = None


def _is_cancelled() -> bool:
    """Return whether the running task was cancelled."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
