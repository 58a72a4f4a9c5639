"""A TCP proxy between a client and its server that delays, cuts, and loses bytes."""

import asyncio
import threading
from collections.abc import Callable

from waiting import WATCHDOG


class _Link:
    """A connection through the proxy: two sockets, and a pump for each direction."""

    def __init__(self, proxy: "Proxy", client: asyncio.StreamWriter, server: asyncio.StreamWriter):
        self.proxy, self.client, self.server = proxy, client, server
        self.is_damaged = False  # bytes are missing in it, so that it cannot go on later

    def abort(self) -> None:
        for writer in (self.client, self.server):
            if writer is not None:
                writer.transport.abort()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_answer: bool) -> None:
        try:
            while data := await reader.read(1 << 16):
                if self.proxy.delay > 0:
                    await asyncio.sleep(self.proxy.delay)
                if self.proxy.is_lost(data, is_answer):
                    self.is_damaged = True
                    self.proxy.lost += len(data)
                    continue
                writer.write(data)
                self.proxy.passed += len(data)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.abort()


class Proxy:
    """Forwards a loopback port of its own to another one."""

    def __init__(self, target: int):
        self.target = target
        self.delay = 0.0
        self.passed = 0  # bytes
        self.lost = 0  # bytes
        self.accepted = 0  # connections
        self._links: set[_Link] = set()
        self._lost: Callable[[bytes, bool], bool] = lambda _data, _is_answer: False
        self._refuses = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def address(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def is_lost(self, data: bytes, is_answer: bool) -> bool:
        return self._lost(data, is_answer)

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(WATCHDOG)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        if self._refuses:
            writer.transport.abort()
            return
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(self, writer, up_writer)
        self._links.add(link)
        await asyncio.gather(link.pump(reader, up_writer, False), link.pump(up_reader, writer, True))
        self._links.discard(link)

    def cut(self) -> None:
        """Resets every connection."""

        async def cut() -> None:
            for link in list(self._links):
                link.abort()

        self._run(cut())

    def refuse(self) -> None:
        """Resets every connection, and each new one at once."""
        self._refuses = True
        self.cut()

    def lose(self, lost: Callable[[bytes, bool], bool]) -> None:
        """Loses what the function says. It gets some bytes, and whether the server sent them."""
        self._lost = lost

    def black_hole(self) -> None:
        """Loses everything in both directions, without a reset."""
        self.lose(lambda _data, _is_answer: True)

    def swallow_answers(self) -> None:
        """The server gets what the client sends, and its answers are lost."""
        self.lose(lambda _data, is_answer: is_answer)

    def heal(self) -> None:
        """Forwards again. Connections in which bytes are missing are reset."""
        self._refuses = False
        self._lost = lambda _data, _is_answer: False

        async def cut_damaged() -> None:
            for link in list(self._links):
                if link.is_damaged:
                    link.abort()

        self._run(cut_damaged())

    def close(self) -> None:
        self.cut()

        async def close() -> None:
            self._server.close()

        self._run(close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WATCHDOG)
        self._loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
