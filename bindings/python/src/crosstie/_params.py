"""The parameters of a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ._failures import error_of
from ._homes import publish
from ._status import Status
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class Params(Mapping[str, "Any"]):
    """Parameters by name: those of the path, then those of the query, which never overwrite them.

    Parameters with a type in the pattern or the rule are converted, and a rule's defaults fill in missing ones; the
    rest is text. Reading one value of a key that occurs several times in the query raises ParamError; `all()` returns
    them all. In JSON, and for another language, a Params is a map, in which such a key has a list. It remains valid after
    the request has ended.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        if isinstance(value, list):
            raise error_of(Status.DUPLICATE, f"the parameter {name!r} occurs more than once")
        return value

    def all(self, name: str) -> list[Any]:
        """Return every value of a name, in the URL's order; empty without one."""
        value = self._values.get(name, [])
        return list(value) if isinstance(value, list) else [value]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __repr__(self) -> str:
        return f"<crosstie.Params {dict(self._values)!r}>"


publish(__name__, globals())
