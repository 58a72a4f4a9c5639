"""A small HTTP server that opens the URLs to which a browser is redirected."""

import asyncio
import contextlib
import functools
import socket
import threading

from .. import Bus
from ._page import NOT_HERE, RECEIVED, REFUSED, TOO_SLOW, Page

#: The longest head of a request, over the 8,192 bytes of a URL that the bus takes.
MAX_HEAD = 16_384
#: Connections that have sent nothing yet, as a browser opens some in advance; a new one closes the oldest.
MAX_CONNECTIONS = 16
#: Seconds that a browser has for its request, and the bus for the answer.
PATIENCE = 10.0


class Listener:
    """A server on one port of one loopback address, on a thread of its own, until it is stopped."""

    def __init__(self, bus: Bus, host: str, port: int, path: str) -> None:
        address = host.strip("[]")
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._bus = bus
        self._socket = socket.create_server((address, port), family=family)
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        self._host = f"{host}:{self.port}"
        self._path = path
        self._loop = asyncio.SelectorEventLoop()  # whichever policy for loops the host has set
        self._ended = asyncio.Event()
        self._silent: dict[socket.socket, asyncio.Task[None]] = {}  # in the order of their coming
        self._answering: dict[socket.socket, asyncio.Task[None]] = {}

    def start(self) -> None:
        """Begin to listen."""
        threading.Thread(target=self._run, name="crosstie sign-in redirect", daemon=True).start()

    def stop(self) -> None:
        """Accept no more connections. An answer that is being received still gets its page. Returns at once."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._ended.set)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._listen()
        await self._ended.wait()
        self._loop.remove_reader(self._socket)
        self._socket.close()
        for task in self._silent.values():
            task.cancel()
        if conversations := [*self._silent.values(), *self._answering.values()]:
            await asyncio.wait(conversations, timeout=PATIENCE)

    def _listen(self) -> None:
        if not self._ended.is_set():
            self._loop.add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:  # no descriptor is left: perhaps in a second
            self._loop.remove_reader(self._socket)
            self._loop.call_later(1, self._listen)
            return
        connection.setblocking(False)
        task = self._loop.create_task(self._converse(connection))
        task.add_done_callback(functools.partial(self._hang_up, connection))
        self._silent[connection] = task
        if len(self._silent) > MAX_CONNECTIONS:
            self._silent.pop(next(iter(self._silent))).cancel()

    def _hang_up(self, connection: socket.socket, task: "asyncio.Task[None]") -> None:
        connection.close()
        self._silent.pop(connection, None)
        self._answering.pop(connection, None)

    async def _converse(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the browser may go whenever it likes
            page = await self._answer(connection)
            await self._loop.sock_sendall(connection, page.response())

    async def _answer(self, connection: socket.socket) -> Page:
        """Read and answer one request."""
        try:
            async with asyncio.timeout(PATIENCE):
                target = self._target(await self._read(connection))
        except TimeoutError:
            return TOO_SLOW
        if target is None:
            return NOT_HERE
        self._answering[connection] = self._silent.pop(connection)
        return await self._deliver(f"http://{self._host}{target}")

    async def _read(self, connection: socket.socket) -> bytes:
        """Return the head of a request, as far as it was sent."""
        head = b""
        while b"\r\n\r\n" not in head and len(head) <= MAX_HEAD:
            piece = await self._loop.sock_recv(connection, MAX_HEAD)
            if not piece:
                break
            head += piece
        return head

    def _target(self, head: bytes) -> str | None:
        """Return path and query of a GET of the redirect's path on this host; None for any other request."""
        lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        headers = [line.partition(":") for line in lines[1:]]
        hosts = [value.strip().lower() for name, _, value in headers if name.lower() == "host"]
        if len(words) != 3 or words[0] != "GET" or hosts != [self._host]:
            return None
        return words[1] if words[1].partition("?")[0] == self._path else None

    async def _deliver(self, url: str) -> Page:
        view = self._bus.aio.with_options(origin="remote", timeout=PATIENCE)
        try:
            await view.open(url)
        except Exception:  # an interceptor may raise any; the sign-in itself has received its failure
            return REFUSED
        return RECEIVED
