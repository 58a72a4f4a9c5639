"""Joined buses: requests between the processes of one user."""

from __future__ import annotations

from typing import NamedTuple

from . import _crosstie


class Peer(NamedTuple):
    """A process whose bus is joined to the same group, from `Join.peers()`."""

    member: int  # the number of its open group
    name: str
    pid: int
    uid: int
    since: float  # the time of its connection: seconds since 1970
    exports: tuple[str, ...]
    calls: int  # of this bus, which it has in hand
    compatible: bool  # False: it has another format, and cannot be called


class Join(_crosstie.Join):
    """A bus's membership in a group of joined buses, from `Bus.join()`.

    As a context manager it leaves the group at the end. It also leaves when the bus closes. Since 0.1.
    """

    def peers(self) -> tuple[Peer, ...]:
        """Return the processes that are joined now.

        Raises ClosedError, or ForkedError in a forked child.
        """
        return tuple(
            Peer(**{**peer, "since": peer["since"] / 1e9, "exports": tuple(peer["exports"])}) for peer in self._peers()
        )
