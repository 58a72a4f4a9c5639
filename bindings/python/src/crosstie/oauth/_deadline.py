"""Requests with a deadline, however slowly a server answers.

The timeout of `requests` applies to each piece of an answer: a server that sends a byte now and then is never late. Here
every wait ends at the deadline, when connecting, in the head of an answer and in its body.
"""

import http.client
import io
import socket
import time
from collections.abc import Callable
from typing import Any, cast

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError

from .._status import Status
from ._refusal import Refusal

#: Seconds to connect to one address, and between two pieces of an answer.
PATIENCE = 10.0
#: Seconds for the whole of an exchange.
MAX_SECONDS = 30.0
#: Seconds after which a wait checks whether the sign-in has ended.
_SLICE = 0.25


class Deadline:
    """The deadline of an exchange: after MAX_SECONDS, or as soon as its sign-in has ended."""

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self._is_over = is_over
        self._end = time.monotonic() + MAX_SECONDS

    def left(self, most: float) -> float:
        """Return the seconds left, `most` of them at most. Raises Refusal if none is left."""
        left = self._end - time.monotonic()
        if left <= 0 or self._is_over():
            raise too_late()
        return min(left, most)

    def mount(self, session: requests.Session) -> None:
        """Apply the deadline to all requests of a session."""
        for prefix in ("http://", "https://"):
            session.mount(prefix, _Adapter(self))


def too_late() -> Refusal:
    """Return the refusal for a service that is too slow."""
    return Refusal(Status.SYSTEM, "the service did not answer in time")


class _Adapter(HTTPAdapter):
    """An adapter whose connections have a deadline, those to proxies included."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        super().__init__()

    def init_poolmanager(self, *args: Any, **keywords: Any) -> None:
        super().init_poolmanager(*args, **keywords)
        self._bind(self.poolmanager)

    def proxy_manager_for(self, proxy: Any, **keywords: Any) -> Any:
        is_new = proxy not in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **keywords)
        if is_new:
            self._bind(manager)
        return manager

    def _bind(self, manager: Any) -> None:
        manager.pool_classes_by_scheme = {
            scheme: type(pool.__name__, (pool,), {"ConnectionCls": self._bound(pool.ConnectionCls)})
            for scheme, pool in manager.pool_classes_by_scheme.items()
        }

    def _bound(self, kind: type) -> type:
        mixin = _Connecting if kind in (HTTPConnection, HTTPSConnection) else _Reading
        return type(kind.__name__, (mixin, kind), {"deadline": self._deadline})


class _Reading:
    """A connection whose answers have the deadline."""

    deadline: Deadline

    def response_class(self, connection: socket.socket, *args: Any, **keywords: Any) -> http.client.HTTPResponse:
        """Make the object that http.client reads an answer with, a proxy's included."""
        response = http.client.HTTPResponse(connection, *args, **keywords)
        response.fp = io.BufferedReader(_Pieces(connection, response.fp, self.deadline))
        return response


class _Connecting(_Reading):
    """A connection that is also made within the deadline: urllib3 gives the whole time to each address of a host."""

    host: str
    port: int
    timeout: Any
    _dns_host: str

    def _new_conn(self) -> socket.socket:
        name = self._dns_host
        problem: Exception = NewConnectionError(cast(HTTPConnection, self), "the host has no address")
        try:
            addresses = socket.getaddrinfo(name.strip("[]"), self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            addresses = []
        for *_, address in addresses:
            self._dns_host, self.timeout = str(address[0]), self.deadline.left(PATIENCE)
            try:
                connection: socket.socket = super()._new_conn()  # type: ignore[misc]
                return connection
            except HTTPError as error:
                problem = error
            finally:
                self._dns_host = name
        raise problem


class _Pieces(io.RawIOBase):
    """The bytes of a connection, read until the deadline."""

    def __init__(self, connection: socket.socket, file: Any, deadline: Deadline) -> None:
        self._connection = connection
        self._file = file  # keeps the connection open
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        waited_from = time.monotonic()
        while True:
            self._connection.settimeout(self._deadline.left(_SLICE))
            try:
                return self._connection.recv_into(buffer)
            except TimeoutError:
                if time.monotonic() - waited_from > PATIENCE:
                    raise too_late() from None

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
