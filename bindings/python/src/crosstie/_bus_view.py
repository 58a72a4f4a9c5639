"""The base of a bus's views, such as `bus.routes`."""

from __future__ import annotations

from collections.abc import Iterator

from . import _crosstie
from ._failures import not_found
from ._typing import TYPE_CHECKING, Generic

if TYPE_CHECKING:
    from typing import TypeVar

    _InfoT = TypeVar("_InfoT")


class BusView:
    """A part of a bus."""

    __slots__ = ("_bus",)

    #: The kinds of the registrations here.
    _kinds: tuple[str, ...] = ()

    def __init__(self, bus: _crosstie.Bus) -> None:
        self._bus = bus

    def __repr__(self) -> str:
        return f"<crosstie.{type(self).__name__} of {self._bus!r}>"

    def _registered(self) -> list[_crosstie.Registration]:
        """Return the registrations from Python here, in no order."""
        return [each for each in self._bus._registrations() if each.active and each.kind in self._kinds]

    def _remove(self, what: object) -> None:
        """Remove a Registration, or all that were registered with an object, a class or a function."""
        if isinstance(what, _crosstie.Registration):
            if what.kind not in self._kinds or (what.active and what not in self._bus._registrations()):
                raise not_found(f"{what!r} is not in {self!r}")
            what.remove()
            return
        found = [each for each in self._registered() if is_of(each.handler, what)]
        if not found:
            raise not_found(f"{what!r} is not in {self!r}")
        for registration in found:
            registration.remove()


class Listing(BusView, Generic["_InfoT"]):
    """A part of a bus that lists its items, those of other languages included."""

    __slots__ = ()

    def _list(self) -> list[_InfoT]:
        """Return the items."""
        raise NotImplementedError

    def _name_of(self, info: _InfoT) -> str:
        """Return the name by which an item is found."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[_InfoT]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __contains__(self, what: object) -> bool:
        """Return whether an item is in the list, by its name or itself."""
        return any(what in (self._name_of(info), info) for info in self._list())

    def __getitem__(self, name: str, /) -> _InfoT:
        for info in self._list():
            if self._name_of(info) == name:
                return info
        raise not_found(f"{name!r} is not in {self!r}")


def is_of(registered: object, what: object) -> bool:
    """Return whether an object was registered, or is an instance of a class."""
    return registered is what or registered == what or (isinstance(what, type) and type(registered) is what)
