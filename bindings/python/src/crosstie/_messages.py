"""The stored messages of a wormhole as a mapping."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from . import _crosstie
from ._errors import NotFoundError


class MessageMapping(_crosstie.Wormhole):
    """What a Wormhole has in common with a dict: identifiers that have a message, and its values."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.identifiers())

    def __len__(self) -> int:
        return len(self.identifiers())

    def __bool__(self) -> bool:
        """True: a wormhole is one, also while it holds nothing."""
        return True

    def get(self, identifier: str, default: Any = None, /) -> Any:
        """The value of the stored message, or `default` when there is none."""
        message = self.message(identifier)
        return default if message is None else message.value

    def keys(self) -> KeysView[str]:
        """A view of the identifiers."""
        return KeysView(self)

    def values(self) -> ValuesView[Any]:
        """A view of the values. What is destroyed while it is walked through is left out."""
        return _Values(self)

    def items(self) -> ItemsView[str, Any]:
        """A view of identifiers and values. What is destroyed while it is walked through is left out."""
        return _Items(self)

    def update(self, other: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), /, **more: Any) -> None:
        """Send the values of a mapping, or of pairs, in one step."""
        pairs = list(other.items() if isinstance(other, Mapping) else other) + list(more.items())
        if pairs:
            self._send_many(pairs, _NO_SIGNAL)

    def setdefault(self, identifier: str, default: Any = None, /) -> Any:
        """The stored value; if there is none, `default`, which is sent."""
        message = self.message(identifier)
        if message is not None:
            return message.value
        self[identifier] = default
        return default

    def pop(self, identifier: str, *default: Any) -> Any:
        """The stored value, which is destroyed; if there is none `default`, or NotFoundError."""
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
        """Any identifier with its value, which is destroyed. Raises KeyError when there is none."""
        for identifier, value in self.items():
            self.destroy(identifier)
            return identifier, value
        raise KeyError("nothing is stored")

    def clear(self) -> None:
        """Destroy every message, as `destroy_all()`."""
        self.destroy_all()


class _Values(ValuesView[Any]):
    _mapping: MessageMapping

    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in _stored(self._mapping))


class _Items(ItemsView[str, Any]):
    _mapping: MessageMapping

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return _stored(self._mapping)


def _stored(mapping: MessageMapping) -> Iterator[tuple[str, Any]]:
    for identifier in mapping.identifiers():
        message = mapping.message(identifier)
        if message is not None:
            yield identifier, message.value


#: What no value is: `update()` sends no signals.
_NO_SIGNAL = object()
