"""A redirect to this machine's loopback address (RFC 8252, section 7.3)."""

import threading
from urllib.parse import SplitResult

from .. import Bus
from ._listener import Listener
from ._redirect import Redirect


class LoopbackRedirect(Redirect):
    """A redirect that a listener receives, which exists while sign-ins wait.

    They share it, and differ by their states. Without a fixed port it has a new one each time.
    """

    def __init__(self, parts: SplitResult, sent: str) -> None:
        super().__init__(parts, sent)
        self._lock = threading.Lock()
        self._fixed_port = self._port
        self._listener: Listener | None = None
        self._waiting = 0

    def begin(self, bus: Bus) -> str:
        """See `Redirect.begin()`."""
        with self._lock:
            if self._listener is None:
                listener = Listener(bus, self._host, self._fixed_port or 0, self._path)
                listener.start()
                self._listener, self._port = listener, listener.port
            self._waiting += 1
            return self._sent or f"http://{self._host}:{self._port}{self._path}"

    def end(self) -> None:
        """See `Redirect.end()`."""
        with self._lock:
            self._waiting -= 1
            if self._waiting == 0 and self._listener is not None:
                self._listener.stop()
                self._listener, self._port = None, self._fixed_port

    def claims(self, url: str) -> bool:
        """See `Redirect.claims()`. Without a port no sign-in waits for such a URL."""
        return self._port is not None and super().claims(url)
