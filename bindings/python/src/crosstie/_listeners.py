"""The listeners of a wormhole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import _crosstie
from ._failures import not_found
from ._homes import publish


class Listeners:
    """The listeners of a wormhole, in the order in which they were bound: `wormhole.listeners`.

        for listener in wormhole.listeners: ...
        wormhole.listeners.remove("jobs")
        wormhole.listeners.clear()

    `@wormhole.listen(identifier)`, `@wormhole.queue(identifier)` and `@wormhole.listen_members` add them.
    """

    __slots__ = ("_wormhole",)

    def __init__(self, wormhole: _crosstie.Wormhole) -> None:
        self._wormhole = wormhole

    def __repr__(self) -> str:
        return f"<crosstie.Listeners of {self._wormhole!r}>"

    def _list(self) -> list[_crosstie.Listener]:
        return sorted((each for each in self._wormhole._listeners() if each.active), key=lambda each: each._number)

    def __iter__(self) -> Iterator[_crosstie.Listener]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __contains__(self, what: object) -> bool:
        """Return whether a Listener, or a function, is bound."""
        return any(what is each or _is_callback(each, what) for each in self._list())

    def remove(
        self, what: str | _crosstie.Listener | Callable[..., object] | None, name: str | None = None, /
    ) -> None:
        """Remove listeners.

        what  an identifier or prefix, as it was bound: all its listeners, or the one of a name. None: the listeners of
              members and of the connection. Or a Listener, or a function, which is removed from each identifier that it was bound to.
        name  the listener's name, with an identifier; a durable consumer stays in the group.

        Afterwards no call of them runs or begins. Inside a callback `remove()` does not wait: a call that runs already
        may go on. Raises NotFoundError.
        """
        if what is None or isinstance(what, str):
            self._wormhole._remove(what, name)
            return
        if name is not None:
            raise TypeError("a name goes with an identifier")
        if isinstance(what, _crosstie.Listener):
            if what.active and what not in self._wormhole._listeners():
                raise not_found(f"{what!r} listens in another wormhole")
            what.remove()
            return
        found = [each for each in self._list() if _is_callback(each, what)]
        if not found:
            raise not_found(f"{what!r} does not listen")
        for listener in found:
            listener.remove()

    def clear(self) -> None:
        """Remove all listeners."""
        self._wormhole._remove_all()


def _is_callback(listener: _crosstie.Listener, what: object) -> bool:
    return listener.callback is what or listener.callback == what


publish(__name__, globals())
