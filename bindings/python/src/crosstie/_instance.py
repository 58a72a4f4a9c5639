"""The single instance of an application, which opens the URLs that later starts hand to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import _crosstie
from ._homes import publish
from ._status import Status
from ._typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


class Handed(NamedTuple):
    """The answer to a URL that was handed to the first instance, from `Instance.hand()`."""

    url: str  # empty for an activation without URLs
    status: Status  # Status.PENDING: this process is the first instance, and the URL waits for `Instance.ready()`
    code: int
    message: str  # empty for success
    value: object


class Instance(_crosstie.Instance):
    """A process's claim on an application, from `Bus.claim_instance()`.

    As a context manager it ends the claim at the end. The claim also ends with the process, and when the bus closes.
    Since 0.1.
    """

    @property
    def dbus_status(self) -> Status:
        """The state of the application's name on the session bus; the bus's log has the reason.

        Status.OK while this process has the name, PENDING while it asks for it. Otherwise NOT_FOUND (no session bus, not the
        first instance, or `dbus=False`), IDENTIFIER (the application's name is not one of D-Bus), NOT_INSTALLED (libdbus-1)
        or CONFLICT (another process has the name). TIMEOUT, DENIED, SYSTEM and PEER_GONE (it has ended) are those of the
        bus. HANDLE is for a claim that has ended.
        """
        return Status(self._dbus_status)

    def hand(
        self, urls: Sequence[str] = (), *, activation: Mapping[str, Any] | None = None, timeout: float | None = 10.0
    ) -> tuple[Handed, ...]:
        """Hand URLs to the first instance, one after the other, and return its answers.

            instance = bus.claim_instance("com.example.app")
            instance.hand(sys.argv[1:])
            if not instance.is_first:
                sys.exit()

        urls        the URLs; without any, the first instance is activated.
        activation  a mapping that its handlers get as `activation` in their user info; None: `activation-token` and
                    `desktop-startup-id` from the environment, `cwd` and `arguments`.
        timeout     seconds for the whole call; None or 0 for no limit.

        If this process is the first instance, or becomes the first because the previous one has ended, the URLs wait for
        `ready()`; if it is ready, they open here.

        Raises the exception for the first URL that was not opened, as `Bus.open()` does; TimeoutError when the first
        instance did not take it, or has not answered; PeerGoneError when that instance took it and ended; ClosedError, or
        StoreError when another user could change the directory.
        """
        return tuple(_handed(answer) for answer in self._hand(urls, activation, timeout))


def _handed(answer: dict[str, Any]) -> Handed:
    return Handed(**{**answer, "status": Status(answer["status"])})


publish(__name__, globals())
