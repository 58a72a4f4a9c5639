"""The server as another client sees it: nats-py, on an event loop in a thread of its own."""

import asyncio
import threading

import nats
from nats.aio.msg import Msg

from waiting import WATCHDOG


class Observer:
    """A connection of nats-py with functions that wait."""

    def __init__(self, address: str, **options: object):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nats-py", daemon=True)
        self._thread.start()
        try:
            self.connection = self.run(nats.connect(address, allow_reconnect=True, **options))
        except BaseException:
            self._stop()
            raise
        self.jetstream = self.connection.jetstream(timeout=WATCHDOG)

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(WATCHDOG)

    def publish(self, subject: str, data: bytes = b"", headers: dict[str, str] | None = None) -> None:
        async def publish() -> None:
            await self.connection.publish(subject, data, headers=headers)
            await self.connection.flush()

        self.run(publish())

    def store(self, subject: str, data: bytes = b"", headers: dict[str, str] | None = None) -> int:
        """Publishes into a stream, and returns the message's number there."""
        return self.run(self.jetstream.publish(subject, data, headers=headers)).seq

    def message(self, stream: str, number: int):
        return self.run(self.jetstream.get_msg(stream, number))

    def last(self, stream: str, subject: str):
        return self.run(self.jetstream.get_last_msg(stream, subject))

    def stream(self, name: str):
        return self.run(self.jetstream.stream_info(name))

    def consumers(self, stream: str) -> list:
        return self.run(self.jetstream.consumers_info(stream))

    def subscribe(self, subject: str) -> list[Msg]:
        """A list to which the messages of the subject are appended."""
        found: list[Msg] = []

        async def receive(message: Msg) -> None:
            found.append(message)

        async def subscribe() -> None:
            await self.connection.subscribe(subject, cb=receive)
            await self.connection.flush()

        self.run(subscribe())
        return found

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WATCHDOG)
        self._loop.close()

    def close(self) -> None:
        self.run(self.connection.close())
        self._stop()

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
