"""Requests of every kind, from a bus and from a view of it with options."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import _crosstie
from ._homes import publish
from ._provider_requests import ProviderRequests
from ._requests import Broadcast, RequestOptions, call_arguments, performer_flags
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Literal, Unpack

    from ._aio import Aio

_aio_class: type[Aio] | None = None  # once it is needed: the import of asyncio takes a while


class RequestMethods(ProviderRequests):
    """The requests that a bus and a view of it make in the same way."""

    def with_options(self, **options: Unpack[RequestOptions]) -> View:
        """Return a view of the bus whose requests have these options.

        timeout       seconds until a request ends with a TimeoutError; None or 0: never. Default: 2.5; 60 for an
                      asynchronous one; 600 for sharing and signing in. A request inside another one ends at the outer
                      one's deadline at the latest.
        origin        "local", or "remote" for a request that came from outside.
        user_info     a dict for the handler beside the parameters; for a provider, its options.
        interceptors  functions that see the requests before the bus's interceptors.
        parent        the Request on whose behalf this one is made; default: the one that this thread or task handles.
        dispatcher    the name of the dispatcher whose workers run it; default: the component's, or the bus's own.
        priority      "low", "normal" or "high": the order in a dispatcher's queue.
        progress      a function that is called with each value that the handler reports as progress.
        loop          the Loop that calls progress and completion of asynchronous requests.
        peer          the peer of `Bus.join()` that requests go to, by its name or number.
        reach         "any", "here": requests never go to another process, or "elsewhere": they always do.
        """
        bus, before = self._bus_and_options()
        return View(bus, {**before, **options})

    @property
    def aio(self) -> Aio:
        """The same requests for asyncio: `await bus.aio.call(…)`, `bus.aio.open(…)`, `bus.aio.share(…)`…"""
        global _aio_class
        if _aio_class is None:
            from ._aio import Aio

            _aio_class = Aio
        return _aio_class(*self._bus_and_options())

    def perform(
        self,
        target: str,
        selector: str = "",
        params: Mapping[str, Any] | None = None,
        /,
        *,
        cache: bool = False,
    ) -> Any:
        """Call a selector of a target that is not registered, and return its answer.

        target    "python:package.module:Class", "c:symbol", "c:library:symbol", or a target of another resolver. It
                  must be allowed: see `Performer.allow()`.
        selector  a method's name.
        params    a mapping: the arguments of a method in Python, checked before it is called.
        cache     whether the instance is kept for the next time, until `Performer.release()`.

        Raises DeniedError for a target that is not allowed, NoTargetError, NoActionError, ParamError, or the method's
        exception.
        """
        bus, options = self._bus_and_options()
        return bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_PERFORM, False, target, selector, params, options, performer_flags(cache)
        )

    def perform_async(
        self,
        target: str,
        selector: str = "",
        params: Mapping[str, Any] | None = None,
        /,
        *,
        cache: bool = False,
    ) -> _crosstie.Call[Any]:
        """Call a selector on a worker thread of the bus, and return a Call at once. The arguments are those of `perform()`."""
        bus, options = self._bus_and_options()
        call: _crosstie.Call[Any] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_PERFORM, True, target, selector, params, options, performer_flags(cache)
        )
        return call

    def broadcast_async(
        self, event: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> _crosstie.Call[Broadcast]:
        """Send an event on a worker thread of the bus, and return a Call at once. The arguments are those of `broadcast()`.

        The timeout covers all components together. Cancelling the Call stops before the next component.
        """
        bus, options = self._bus_and_options()
        call: _crosstie.Call[Broadcast] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_EVENT, True, "", event, call_arguments(params, keywords), options, 0
        )
        return call


class View(RequestMethods):
    """A bus whose requests have options, from `Bus.with_options()`."""

    __slots__ = ("_bus", "_options")

    def __init__(self, bus: _crosstie.Bus, options: RequestOptions) -> None:
        self._bus = bus
        self._options = options

    def __repr__(self) -> str:
        return f"<crosstie.View of {self._bus!r} with {dict(self._options)!r}>"

    def _bus_and_options(self) -> tuple[_crosstie.Bus, RequestOptions]:
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
        return self._bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_CALL, False, component, action, call_arguments(params, keywords), self._options, 0
        )

    def call_async(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> _crosstie.Call[Any]:
        """As `Bus.call_async()`."""
        call: _crosstie.Call[Any] = self._bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_CALL, True, component, action, call_arguments(params, keywords), self._options, 0
        )
        return call

    def broadcast(self, event: str, params: Mapping[str, Any] | None = None, /, **keywords: Any) -> Broadcast:
        """As `Bus.broadcast()`."""
        return self._bus._broadcast(event, call_arguments(params, keywords), self._options)


publish(__name__, globals())
