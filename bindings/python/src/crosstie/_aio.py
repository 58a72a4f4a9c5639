"""Requests for asyncio, whose answers arrive in the running loop."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import logging
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Literal, Unpack

from . import _crosstie
from ._identifiers import Endpoint, Platform
from ._requests import Broadcast, RequestOptions, broadcast_of, call_arguments, performer_flags
from ._spawn import current
from ._status import Status
from ._traffic import Traffic, traffic_of

# ---- Crosstie's loops for asyncio's loops -------------------------------------------------------------------

_lock = threading.Lock()
_listener_loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _crosstie.Loop] = weakref.WeakKeyDictionary()


class _Reader:
    """The reader that asyncio's loop calls for a Crosstie loop. It lives until asyncio's loop is closed."""

    __slots__ = ("_ours",)

    def __init__(self, ours: _crosstie.Loop) -> None:
        self._ours = ours

    def __call__(self) -> None:
        self._ours.dispatch()

    def __del__(self) -> None:
        """Run the due callbacks. The completions of requests that have not ended run on workers from now on."""
        self._ours.close()


def _traffic_with_loop(loop: asyncio.AbstractEventLoop) -> tuple[Traffic, _crosstie.Loop]:
    """Return the Traffic of an asyncio loop, and the Crosstie loop for the requests that are made in it, which ends with that
    loop, so no completion is lost."""
    traffic = traffic_of(loop)
    ours = traffic.loop
    if ours is None:
        ours = traffic.loop = _crosstie.Loop()
        loop.add_reader(ours.fileno(), _Reader(ours))
    return traffic, ours


def loop_for(loop: asyncio.AbstractEventLoop) -> _crosstie.Loop:
    """Return the Crosstie loop for the listeners in an asyncio loop. They receive nothing after that loop is closed."""
    with _lock:
        ours = _listener_loops.get(loop)
        if ours is None:
            for other in [other for other in _listener_loops if other.is_closed()]:
                del _listener_loops[other]  # listeners that are bound to it keep it alive
            ours = _listener_loops[loop] = _crosstie.Loop()
            loop.add_reader(ours.fileno(), ours.dispatch)
        return ours


def _forget() -> None:
    """Replace the lock and forget the loops in a forked child: the loops are the parent's, and its threads may hold the lock."""
    global _lock
    _lock = threading.Lock()
    _listener_loops.clear()


os.register_at_fork(after_in_child=_forget)


# ---- Requests ----------------------------------------------------------------------------------------------


class Aio:
    """Requests to await: `Bus.aio`.

    The handler runs on a worker of the bus, or on its loop if it is an `async def`; the answer arrives in the running
    loop. Cancelling the task cancels the request. The options are those of `Bus.with_options()`. The timeout is 60
    seconds by default, 600 for sharing and signing in. `progress` is called in the loop. A request that is made in the
    task of an async handler has the handled request as its parent.
    """

    __slots__ = ("_bus", "_options")

    def __init__(self, bus: _crosstie.Bus, options: RequestOptions) -> None:
        self._bus = bus
        self._options = options

    def __repr__(self) -> str:
        return f"<crosstie.Aio of {self._bus!r}>"

    def with_options(self, **options: Unpack[RequestOptions]) -> Aio:
        """Return the same with more options."""
        return Aio(self._bus, {**self._options, **options})

    async def call(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Any:
        """As `Bus.call()`."""
        return await self._make_request(
            _crosstie.CTIE_REQUEST_KIND_CALL, component, action, call_arguments(params, keywords)
        )

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
        return await self._make_request(
            _crosstie.CTIE_REQUEST_KIND_PERFORM, target, selector, params, performer_flags(cache)
        )

    async def open(
        self, url: str, /, *, mode: Literal["exact", "nearest"] | None = None
    ) -> _crosstie.Response:
        """As `Bus.open()`."""
        response: _crosstie.Response = await self._make_request(
            _crosstie.CTIE_REQUEST_KIND_OPEN, url, "", None, mode=mode
        )
        return response

    async def broadcast(
        self, event: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Broadcast:
        """As `Bus.broadcast()`; the timeout covers all components together."""
        return broadcast_of(await self._make_request(
            _crosstie.CTIE_REQUEST_KIND_EVENT, "", event, call_arguments(params, keywords)
        ))

    async def share(self, endpoint: Endpoint, message: Mapping[str, Any], /) -> Any:
        """As `Bus.share()`."""
        return await self._make_request(_crosstie.CTIE_REQUEST_KIND_SHARE, endpoint, "", message)

    async def oauth(self, platform: Platform, params: Mapping[str, Any] | None = None, /) -> dict[str, str]:
        """As `Bus.oauth()`."""
        info: dict[str, str] = await self._make_request(_crosstie.CTIE_REQUEST_KIND_OAUTH, platform, "", params)
        return info

    async def launch(self, platform: Platform, program: Mapping[str, Any] | None = None, /) -> Any:
        """As `Bus.launch()`."""
        return await self._make_request(_crosstie.CTIE_REQUEST_KIND_LAUNCH, platform, "", program)

    async def _make_request(
        self,
        kind: int,
        target: str,
        action: str,
        params: Mapping[str, Any] | None,
        flags: int = 0,
        **more: Any,
    ) -> Any:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        traffic, ours = _traffic_with_loop(loop)
        options: dict[str, Any] = {**self._options, **more, "completion": functools.partial(_complete, future, kind)}
        options.setdefault("parent", _parent())
        options["loop"] = ours
        is_watched = options.get("progress") is not None
        if is_watched:
            _watch(traffic, options)
        try:
            call = self._bus._make_request(kind, True, target, action, params, options, flags)  # type: ignore[arg-type]
        except BaseException:
            traffic.watched -= is_watched  # no completion will run
            raise
        try:
            return await future
        except asyncio.CancelledError:
            call.cancel()
            raise


def _watch(traffic: Traffic, options: dict[str, Any]) -> None:
    """Have the program's function for progress called in the caller's context, and by the loop alone."""
    progress, complete = options["progress"], options["completion"]
    context = contextvars.copy_context()
    traffic.watched += 1

    def end(response: _crosstie.Response) -> None:
        traffic.watched -= 1
        complete(response)

    options["progress"] = lambda value: context.run(progress, value)
    options["completion"] = end


def _parent() -> _crosstie.Request | None:
    """Return the request that this task handles, unless it has ended."""
    holder = current.get()
    request = None if holder is None else holder.request
    return None if request is None or request.is_ended else request


def _complete(future: asyncio.Future[Any], kind: int, response: _crosstie.Response) -> None:
    """Set the future's result, on the loop's thread."""
    if future.done():
        return
    if future.get_loop().is_closed():
        return _lose(future, response)
    error = response.exception
    if error is None:
        future.set_result(response if kind == _crosstie.CTIE_REQUEST_KIND_OPEN else response.value)
    elif isinstance(error, StopIteration):  # a future cannot hold it
        future.set_exception(RuntimeError("the handler raised StopIteration"))
    else:
        future.set_exception(error)


def _lose(future: asyncio.Future[Any], response: _crosstie.Response) -> None:
    """Report an answer that nothing can receive, unless it is that of a cancelled request."""
    if response.status == Status.CANCELLED:
        return
    text = f"the loop was closed before this answer came: {response!r}"
    logging.getLogger("crosstie").error("%s", text)
    _crosstie._report(RuntimeError(text), future)
