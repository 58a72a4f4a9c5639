"""What the views of a bus have in common: each holds what belongs together, as `bus.routes` does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from . import _crosstie
from ._errors import not_found

InfoT = TypeVar("InfoT")


class BusView:
    """A part of a bus."""

    __slots__ = ("_bus",)

    #: The kinds of what is registered here.
    _kinds: ClassVar[tuple[str, ...]] = ()

    def __init__(self, bus: _crosstie.Bus) -> None:
        self._bus = bus

    def __repr__(self) -> str:
        return f"<crosstie.{type(self).__name__} of {self._bus!r}>"

    def _registered(self) -> list[_crosstie.Registration]:
        """What Python has registered here, in no order."""
        return [each for each in self._bus._registrations() if each.active and each.kind in self._kinds]

    def _remove(self, what: object) -> None:
        """Remove a Registration, or everything that was registered with an object, a class or a function."""
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


class Listing(BusView, Generic[InfoT]):
    """A part of a bus that can be listed, whoever registered what is there."""

    __slots__ = ()

    def _list(self) -> list[InfoT]:
        """What there is now."""
        raise NotImplementedError

    def _name_of(self, info: InfoT) -> str:
        """What it is looked up by."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[InfoT]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __contains__(self, what: object) -> bool:
        """Whether there is one of that name; or just what is given."""
        return any(what in (self._name_of(info), info) for info in self._list())

    def __getitem__(self, name: str, /) -> InfoT:
        for info in self._list():
            if self._name_of(info) == name:
                return info
        raise not_found(f"{name!r} is not in {self!r}")


def is_of(registered: object, what: object) -> bool:
    """Whether it was registered with that, or is an instance of it."""
    return registered is what or registered == what or (isinstance(what, type) and type(registered) is what)
