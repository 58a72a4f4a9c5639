"""Ends while async handlers wait: on a loop that has ended with its tasks, and on the bus's own."""

import asyncio
import contextlib
import threading

import crosstie

bus = crosstie.Bus("exit")
started = threading.Semaphore(0)


@bus.component("slow")
class Slow:
    @crosstie.action
    async def wait(self) -> None:
        started.release()
        await asyncio.sleep(1000)


def call_and_wait() -> None:
    with contextlib.suppress(crosstie.ClosedError):
        bus.with_options(timeout=None).call("slow", "wait")


async def ask() -> None:
    bus.components.add(Slow, "here")
    tasks = [asyncio.create_task(bus.aio.call(name, "wait")) for name in ("slow", "here")]
    for _ in tasks:
        await asyncio.to_thread(started.acquire)
    assert not any(task.done() for task in tasks)


asyncio.run(ask())
for _ in range(3):
    threading.Thread(target=call_and_wait, daemon=True).start()
for _ in range(3):
    started.acquire()
