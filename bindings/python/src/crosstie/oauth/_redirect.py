"""Where a service sends the browser back to, and how that is told from other URLs."""

from urllib.parse import SplitResult, urlsplit

from .. import Bus


class Redirect:
    """A redirect to a URL that others bring to the bus: the desktop for a custom scheme, else the host."""

    def __init__(self, parts: SplitResult, sent: str) -> None:
        self.scheme = parts.scheme
        self._sent = sent
        self._host = parts.netloc.rpartition(":")[0] if parts.port else parts.netloc
        self._path = parts.path or "/"
        self._port = parts.port

    def begin(self, bus: Bus) -> str:
        """Called as a sign-in begins: the redirect URI that the service is told. Raises OSError."""
        return self._sent

    def end(self) -> None:
        """Called as often as `begin()`, when that sign-in has ended."""

    def claims(self, url: str) -> bool:
        """Whether a URL has this scheme, host, port and path."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            return False
        host = parts.netloc.rpartition(":")[0] if port else parts.netloc
        return (parts.scheme, host.lower(), port, parts.path or "/") == (
            self.scheme,
            self._host.lower(),
            self._port,
            self._path,
        )
