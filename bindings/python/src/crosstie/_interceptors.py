"""The interceptors of a bus."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from . import _crosstie
from ._bus_view import BusView, is_of
from ._homes import publish
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from ._crosstie import _RequestKind

InterceptorList: TypeAlias = Sequence[Callable[..., object]]


class Interceptors(BusView):
    """The interceptors of a bus that Python has registered: `bus.interceptors`.

    `@bus.interceptor` is the usual way to add one. Iteration gives their Registrations, in no order.
    `function in bus.interceptors` tests whether a function is one of them.
    """

    __slots__ = ()
    _kinds = ("interceptor",)

    def add(
        self,
        interceptor: Callable[..., object],
        /,
        *,
        order: int = 0,
        kinds: Collection[_RequestKind] | None = None,
        dispatcher: str = "",
    ) -> _crosstie.Registration:
        """Register an interceptor and return its Registration.

        interceptor  a function; see `Bus.interceptor()` for its parameters and for the other arguments.
        order        interceptors with lower numbers see a request first; of equal ones, the one added first.
        kinds        names of the kinds of request that it sees; None: all.
        dispatcher   the name of the dispatcher whose requests it sees; empty: all.

        Raises TypeError for a function with other parameters, ValueError for an unknown kind.
        """
        return self._bus._add_interceptor(interceptor, order=order, kinds=kinds, dispatcher=dispatcher)

    def remove(self, what: _crosstie.Registration | Callable[..., object], /) -> None:
        """Remove an interceptor by its Registration, or by the function. Raises NotFoundError."""
        self._remove(what)

    def __iter__(self) -> Iterator[_crosstie.Registration]:
        return iter(self._registered())

    def __len__(self) -> int:
        return len(self._registered())

    def __contains__(self, what: object) -> bool:
        """Return whether a Registration or a function is among them."""
        return any(each is what or is_of(each.handler, what) for each in self._registered())


publish(__name__, globals())
