"""The URL to which a service sends the browser back, and its recognition among other URLs."""

from urllib.parse import SplitResult, urlsplit

from .. import Bus


class Redirect:
    """A redirect to a URL that the desktop passes to the bus, for a custom scheme, or the host."""

    def __init__(self, parts: SplitResult, sent: str) -> None:
        self.scheme = parts.scheme
        self._sent = sent
        self._host = parts.netloc.rpartition(":")[0] if parts.port else parts.netloc
        self._path = parts.path or "/"
        self._port = parts.port

    def begin(self, bus: Bus) -> str:
        """Return the redirect URI for the service, as a sign-in begins. Raises OSError."""
        return self._sent

    def end(self) -> None:
        """End what `begin()` began, after each sign-in."""

    def claims(self, url: str) -> bool:
        """Return whether a URL has this scheme, host, port and path."""
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
