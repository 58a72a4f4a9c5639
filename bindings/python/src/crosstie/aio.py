"""Crosstie for asyncio: requests whose answers come to the loop that asked."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Literal, Unpack, cast

from . import _crosstie
from .door import CALL, LAUNCH, OAUTH, OPEN, PERFORM, SHARE
from .doors import CACHED, RequestOptions, given
from .spawn import current

# ---- One loop of Crosstie for each of asyncio's -------------------------------------------------------------

_lock = threading.Lock()
_loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _crosstie.Loop] = weakref.WeakKeyDictionary()


def loop_for(loop: asyncio.AbstractEventLoop) -> _crosstie.Loop:
    """The loop of Crosstie whose work that one does."""
    with _lock:
        ours = _loops.get(loop)
        if ours is None:
            for other in [other for other in _loops if other.is_closed()]:
                del _loops[other]  # a listener that is bound to it keeps it, and hears nothing more
            ours = _loops[loop] = _crosstie.Loop()
            loop.add_reader(ours.fileno(), ours.dispatch)
        return ours


def _forget() -> None:
    """In a forked child the loops are the parent's, and the lock may be one that a thread of it held."""
    global _lock
    _lock = threading.Lock()
    _loops.clear()


os.register_at_fork(after_in_child=_forget)


def soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Has a function run in the loop, from whatever thread."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        if not loop.is_closed():
            raise


# ---- Asking ------------------------------------------------------------------------------------------------


class Aio:
    """Requests to be awaited; `Bus.aio` is one.

    The handler runs on a worker of the bus, or if it is an `async def` on its loop; the answer comes to the loop that
    asked. Cancelling the task cancels the request. Options are those of `Bus.with_options()`: the timeout is 60 seconds
    unless they say otherwise, or 600 to share and to sign in, `progress` is called in the loop, and what is asked in the
    task of an async handler is nested in the request that it handles.
    """

    __slots__ = ("_bus", "_options")

    def __init__(self, bus: _crosstie.Bus, options: RequestOptions) -> None:
        self._bus = bus
        self._options = options

    def __repr__(self) -> str:
        return f"<crosstie.Aio of {self._bus!r}>"

    def with_options(self, **options: Unpack[RequestOptions]) -> Aio:
        """The same with more options."""
        return Aio(self._bus, {**self._options, **options})

    async def call(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Any:
        """As `Bus.call()`."""
        return await self._ask(CALL, component, action, given(params, keywords))

    async def perform(
        self,
        target: str,
        selector: str = "",
        params: Mapping[str, Any] | None = None,
        /,
        *,
        cache: bool = False,
    ) -> Any:
        """As `Bus.perform()`."""
        return await self._ask(PERFORM, target, selector, params, CACHED if cache else 0)

    async def open(
        self, url: str, /, *, mode: Literal["exact", "nearest"] | None = None
    ) -> _crosstie.Response:
        """As `Bus.open()`."""
        response: _crosstie.Response = await self._ask(OPEN, url, "", None, mode=mode)
        return response

    async def share(self, endpoint: str, message: Mapping[str, Any], /) -> Any:
        """As `Bus.share()`."""
        return await self._ask(SHARE, endpoint, "", message)

    async def oauth(self, platform: str, params: Mapping[str, Any] | None = None, /) -> dict[str, str]:
        """As `Bus.oauth()`."""
        info: dict[str, str] = await self._ask(OAUTH, platform, "", params)
        return info

    async def launch(self, platform: str, program: Mapping[str, Any] | None = None, /) -> Any:
        """As `Bus.launch()`."""
        return await self._ask(LAUNCH, platform, "", program)

    async def _ask(
        self,
        door: int,
        target: str,
        action: str,
        params: Mapping[str, Any] | None,
        flags: int = 0,
        **more: Any,
    ) -> Any:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        options: dict[str, Any] = {**self._options, **more, "completion": functools.partial(_settle, future, door)}
        options.setdefault("parent", _parent())
        options["loop"] = loop_for(loop)
        progress = self._options.get("progress")
        if progress is not None:
            context = contextvars.copy_context()
            options["progress"] = lambda value: context.run(progress, value)
        call = self._bus._ask(door, True, target, action, params, cast(RequestOptions, options), flags)
        try:
            return await future
        except asyncio.CancelledError:
            call.cancel()
            raise


def _parent() -> _crosstie.Request | None:
    """The request whose async handler this task is, unless it has ended."""
    holder = current.get()
    request = None if holder is None else holder.request
    return None if request is None or request.is_ended else request


def _settle(future: asyncio.Future[Any], door: int, response: _crosstie.Response) -> None:
    """The completion, on the loop's thread."""
    if future.done() or future.get_loop().is_closed():
        return
    error = response.exception
    if error is None:
        future.set_result(response if door == OPEN else response.value)
    elif isinstance(error, StopIteration):  # no future may have it
        future.set_exception(RuntimeError("the handler raised StopIteration"))
    else:
        future.set_exception(error)
