"""The parameters of a request."""

from collections.abc import Iterator, Mapping

from .errors import ParamError
from .status import Status

Pairs = tuple[tuple[str, str], ...]


class Params(Mapping[str, str]):
    """Parameters by name: what the path captured, then the query, which cannot overwrite it.

    Asking for one value of a key that stands several times in the query raises ParamError;
    `all()` gives them all. It stays good after the request has ended.
    """

    __slots__ = ("_path", "_query")

    def __init__(self, path: Pairs = (), query: Pairs = ()) -> None:
        self._path = dict(path)
        self._query = query

    def __getitem__(self, name: str) -> str:
        values = self.all(name)
        if not values:
            raise KeyError(name)
        if len(values) > 1:
            raise ParamError(
                f"the parameter {name!r} stands there more than once", status=Status.DUPLICATE, code=40018
            )
        return values[0]

    def all(self, name: str) -> list[str]:
        """Every value of a name, in the URL's order; empty when there is none."""
        if name in self._path:
            return [self._path[name]]
        return [text for key, text in self._query if key == name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._path, *(key for key, _ in self._query)]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._path or any(key == name for key, _ in self._query)

    def __repr__(self) -> str:
        shown = {name: values[0] if len(values := self.all(name)) == 1 else values for name in self}
        return f"<crosstie.Params {shown!r}>"
