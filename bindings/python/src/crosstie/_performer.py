"""The performer: targets that are called by name without being registered."""

from __future__ import annotations

from collections.abc import Callable

from . import _crosstie
from ._bus_view import BusView
from ._decorators import check_function
from ._homes import publish
from ._resolver import PREFIX, serve_python
from ._signature import read_call_signature
from ._typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from typing import TypeVar

    from ._interceptors import InterceptorList

    _HandlerT = TypeVar("_HandlerT", bound=Callable[..., object])


class Performer(BusView):
    """The targets that `Bus.perform()` may call, and the fallback for the others: `bus.performer`.

        bus.performer.allow("python:reports")
        bus.perform("python:reports:Report", "render", {"month": 5})
    """

    __slots__ = ()
    _kinds = ("fallback",)

    def allow(self, target: str, /) -> None:
        """Allow a target, until the bus closes. At first no target is allowed.

        target  the target as it is performed; "python:package.module" allows every class of that module, too.
        """
        self._bus._allow(target)
        if (target + ":").startswith(PREFIX):
            serve_python(self._bus)

    def release(self, target: str, /) -> None:
        """Release the instance of a target that `Bus.perform(cache=True)` keeps; the target remains allowed.

        target  as it was performed.

        Raises NotFoundError without an instance, DeniedError for a target that is not allowed.
        """
        self._bus._release_target(target)

    def remove(self, what: _crosstie.Registration | Callable[..., object], /) -> None:
        """Remove the function of `fallback()`. Raises NotFoundError."""
        self._remove(what)

    @overload
    def fallback(self, handler: _HandlerT, /) -> _HandlerT: ...

    @overload
    def fallback(
        self, handler: None = None, /, *, worker_only: bool = False, interceptors: InterceptorList = ()
    ) -> Callable[[_HandlerT], _HandlerT]: ...

    def fallback(
        self,
        handler: _HandlerT | None = None,
        /,
        *,
        worker_only: bool = False,
        interceptors: InterceptorList = (),
    ) -> object:
        """Make the decorated function the handler of targets and selectors that are not found, and return it.

        It takes the request, and parameters by their names; `request.target` and `request.action` name the target and
        the selector. Targets that are not allowed never reach it. It replaces the previous fallback; `remove(function)`
        removes it.
        """

        def decorate(handler: _HandlerT) -> _HandlerT:
            check_function(handler, "@bus.performer.fallback")
            plan = read_call_signature(handler, worker_only=worker_only)
            self._bus._set_fallback(handler, plan, worker_only=worker_only, interceptors=tuple(interceptors))
            return handler

        return decorate if handler is None else decorate(handler)


publish(__name__, globals())
