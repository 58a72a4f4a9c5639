"""What a bus and a view of it have in common: making requests of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack

from . import _crosstie
from ._handing_off import HandingOff
from ._requests import Broadcast, RequestOptions, broadcast_of, given, performer_flags

if TYPE_CHECKING:
    from ._aio import Aio


class Asking(HandingOff):
    """The ways to make requests that are the same for a bus and for a view of it."""

    def with_options(self, **options: Unpack[RequestOptions]) -> View:
        """A view of the bus whose requests have these options.

        timeout       seconds until a request ends with a TimeoutError; None or 0: never. Default: 2.5, or 60 for an
                      asynchronous one, or 600 to share and to sign in. One that is made inside another ends with that
                      one at the latest.
        origin        "remote" for what came from outside.
        user_info     a dict handed to the handler beside the parameters; of a provider the options.
        interceptors  functions that see the requests before the bus's interceptors.
        parent        the Request that this is done for; default: the one that this thread, or task, handles.
        dispatcher    whose workers run it; default: the component's, else the bus's own.
        priority      "low", "normal" or "high": who leaves a dispatcher's queue first.
        progress      called with what the handler tells of its progress.
        loop          the Loop where progress and completion of asynchronous requests are called.
        """
        bus, before = self._door()
        return View(bus, {**before, **options})

    @property
    def aio(self) -> Aio:
        """The same for asyncio: `await bus.aio.call(…)`, `bus.aio.open(…)`, `bus.aio.share(…)`…"""
        from ._aio import Aio

        return Aio(*self._door())

    def perform(
        self,
        target: str,
        selector: str = "",
        params: Mapping[str, Any] | None = None,
        /,
        *,
        cache: bool = False,
    ) -> Any:
        """Call a selector of a target, which nobody has registered, and return what it answers.

        target    "python:package.module:Class", "c:symbol", "c:library:symbol", or what another resolver serves. It
                  has to be allowed: see `Performer.allow()`.
        selector  a method's name.
        params    a mapping; of a method in Python they are its arguments, checked before it is called.
        cache     whether the instance is kept for the next time, until `Performer.release()`.

        Raises DeniedError for what is not allowed, NoTargetError, NoActionError, ParamError, or what the method does.
        """
        bus, options = self._door()
        return bus._make_request(_crosstie.CTIE_REQUEST_KIND_PERFORM, False, target, selector, params, options, performer_flags(cache))

    def perform_async(
        self,
        target: str,
        selector: str = "",
        params: Mapping[str, Any] | None = None,
        /,
        *,
        cache: bool = False,
    ) -> _crosstie.Call[Any]:
        """The same on a worker thread of the bus: returns a Call at once."""
        bus, options = self._door()
        call: _crosstie.Call[Any] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_PERFORM, True, target, selector, params, options, performer_flags(cache)
        )
        return call

    def broadcast(
        self, event: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Broadcast:
        """Run an event over every component that hears it, one after the other, by priority, then by name.

        One that fails does not stop the rest. Parameters are as for `Bus.call()`.
        """
        bus, options = self._door()
        return broadcast_of(bus._broadcast(event, given(params, keywords), options))

    def broadcast_async(
        self, event: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> _crosstie.Call[Broadcast]:
        """The same on a worker thread of the bus: returns a Call at once.

        The timeout is for the whole. Cancelling the Call stops before the next component.
        """
        bus, options = self._door()
        call: _crosstie.Call[Broadcast] = bus._make_request(_crosstie.CTIE_REQUEST_KIND_EVENT, True, "", event, given(params, keywords), options, 0)
        return call


class View(Asking):
    """A bus whose requests have options; made by `Bus.with_options()`."""

    __slots__ = ("_bus", "_options")

    def __init__(self, bus: _crosstie.Bus, options: RequestOptions) -> None:
        self._bus = bus
        self._options = options

    def __repr__(self) -> str:
        return f"<crosstie.View of {self._bus!r} with {dict(self._options)!r}>"

    def _door(self) -> tuple[_crosstie.Bus, RequestOptions]:
        return self._bus, self._options

    def open(
        self, url: str, /, *, mode: Literal["exact", "nearest"] | None = None
    ) -> _crosstie.Response:
        """As `Bus.open()`."""
        return self._bus.open(url, mode=mode, **self._options)

    def open_async(
        self,
        url: str,
        /,
        *,
        mode: Literal["exact", "nearest"] | None = None,
        completion: Callable[[_crosstie.Response], object] | None = None,
    ) -> _crosstie.Call[_crosstie.Response]:
        """As `Bus.open_async()`."""
        return self._bus.open_async(url, mode=mode, completion=completion, **self._options)

    def call(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Any:
        """As `Bus.call()`."""
        return self._bus._make_request(_crosstie.CTIE_REQUEST_KIND_CALL, False, component, action, given(params, keywords), self._options, 0)

    def call_async(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> _crosstie.Call[Any]:
        """As `Bus.call_async()`."""
        call: _crosstie.Call[Any] = self._bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_CALL, True, component, action, given(params, keywords), self._options, 0
        )
        return call
