"""Joined buses: requests between processes."""

from __future__ import annotations

from collections.abc import Callable

from . import _crosstie
from ._homes import publish
from ._typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from typing import Any, Literal, TypeVar

    _PeerCallbackT = TypeVar("_PeerCallbackT", bound="Callable[[Literal['joined', 'left', 'changed'], Peer], object]")


class Peer(NamedTuple):
    """A process whose bus is joined to the same group, from `Join.peers()`."""

    member: int  # the number of its open group
    name: str
    pid: int  # 0: a server connects it, and no kernel knows its process
    uid: int  # -1: likewise
    since: float  # the time of its connection: seconds since 1970
    exports: tuple[str, ...]
    calls: int  # the number of this bus's calls that it has in hand
    compatible: bool  # False: it has another format, and cannot be called


class Join(_crosstie.Join):
    """A bus's membership in a group of joined buses, from `Bus.join()`.

    As a context manager it leaves the group at the end. It also leaves when the bus closes. It keeps its wormhole alive. Since
    0.1.
    """

    def peers(self) -> tuple[Peer, ...]:
        """Return the present peers.

        Raises ClosedError, or ForkedError in a forked child.
        """
        return tuple(_peer(peer) for peer in self._peers())

    @overload
    def on_peer(self, callback: _PeerCallbackT, /) -> _PeerCallbackT: ...

    @overload
    def on_peer(self, callback: None, /) -> None: ...

    def on_peer(self, callback: _PeerCallbackT | None, /) -> _PeerCallbackT | None:
        """Call a function when a peer joins, leaves, or changes its exports, and return the function: a decorator.

            @joined.on_peer
            def seen(event: str, peer: crosstie.Peer) -> None: ...

        callback  gets "joined", "left" or "changed", and the Peer. It is called at once for each present peer, and replaces
                  the previous function. It runs on a thread of the join; its exceptions go to `sys.unraisablehook`. None
                  removes it.

        Raises ClosedError, ForkedError in a forked child, or StoreError if no thread can be started for it.
        """
        if callback is None:
            self._set_listener(None)
        else:
            self._set_listener(lambda event, peer: callback(event, _peer(peer)))  # type: ignore[arg-type]
        return callback


def _peer(peer: dict[str, Any]) -> Peer:
    """Convert a peer of the extension."""
    return Peer(**{**peer, "since": peer["since"] / 1e9, "exports": tuple(peer["exports"])})


publish(__name__, globals())
