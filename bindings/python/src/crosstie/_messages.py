"""The stored messages of a wormhole as a mapping."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView

from . import _crosstie
from ._errors import NotFoundError
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class MessageMapping(_crosstie.Wormhole):
    """The part of a Wormhole that is a mapping: from the identifiers with a message to the values."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.identifiers())

    def __len__(self) -> int:
        return len(self.identifiers())

    def __bool__(self) -> bool:
        """Return True, also for an empty wormhole."""
        return True

    def get(self, identifier: str, default: Any = None, /) -> Any:
        """Return the value of the stored message, or `default` without one."""
        message = self.message(identifier)
        return default if message is None else message.value

    def keys(self) -> KeysView[str]:
        """Return a view of the identifiers."""
        return KeysView(self)

    def values(self) -> ValuesView[Any]:
        """Return a view of the values. Messages that are destroyed during an iteration are left out."""
        return _Values(self)

    def items(self) -> ItemsView[str, Any]:
        """Return a view of identifiers and values. Messages that are destroyed during an iteration are left out."""
        return _Items(self)

    def update(self, other: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), /, **more: Any) -> None:
        """Send the values of a mapping, or of pairs: in one step, if the wormhole can."""
        pairs = list(other.items() if isinstance(other, Mapping) else other) + list(more.items())
        if pairs:
            self._send_many(pairs, _NO_SIGNAL, atomic=False)

    def setdefault(self, identifier: str, default: Any = None, /) -> Any:
        """Return the stored value; without one, send `default` and return it."""
        message = self.message(identifier)
        if message is not None:
            return message.value
        self[identifier] = default
        return default

    def pop(self, identifier: str, *default: Any) -> Any:
        """Destroy a message and return its value; without one return `default`, or raise NotFoundError."""
        if len(default) > 1:
            raise TypeError("pop() takes an identifier and a default")
        try:
            value = self[identifier]
        except NotFoundError:
            if not default:
                raise
            return default[0]
        self.destroy(identifier)
        return value

    def popitem(self) -> tuple[str, Any]:
        """Destroy any message and return its identifier and value. Raises KeyError without one."""
        for identifier, value in self.items():
            self.destroy(identifier)
            return identifier, value
        raise KeyError("nothing is stored")

    def clear(self) -> None:
        """Destroy every message, as `destroy_all()` does."""
        self.destroy_all()


class _Values(ValuesView["Any"]):
    _mapping: MessageMapping

    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in _stored(self._mapping))


class _Items(ItemsView[str, "Any"]):
    _mapping: MessageMapping

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return _stored(self._mapping)


def _stored(mapping: MessageMapping) -> Iterator[tuple[str, Any]]:
    for identifier in mapping.identifiers():
        message = mapping.message(identifier)
        if message is not None:
            yield identifier, message.value


#: An object that is never a value: `update()` sends no signals.
_NO_SIGNAL = object()
