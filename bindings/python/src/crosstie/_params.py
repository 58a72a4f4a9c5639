"""The parameters of a request."""

from collections.abc import Iterator, Mapping
from typing import Any

from ._errors import error_of
from ._status import Status


class Params(Mapping[str, Any]):
    """Parameters by name: what the path captured, then the query, which cannot overwrite it.

    What the pattern or a rule gives a type is converted, and a rule's defaults stand in for what is missing;
    the rest is text. Asking for one value of a key that stands several times in the query raises ParamError;
    `all()` gives them all. As a value, in JSON or for another language, it is a map, where such a key has a list. It
    stays good after the request has ended.
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
        """Every value of a name, in the URL's order; empty when there is none."""
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
