"""Functions run on other threads: one at a time, and many in one go.

Usage: trips.py <cores>, a word for what the figures are called: `one` or `two`. Throughput is measured on two.
"""

import asyncio
import queue
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from timing import measure_awaited, measure_jobs, measure_trips, run_each

CORES = sys.argv[1]
WORKERS = 2


def nothing():
    """The command to run."""


def simple_queue():
    asked, answered = queue.SimpleQueue(), queue.SimpleQueue()

    def answer():
        while True:
            answered.put(asked.get())

    def trip():
        asked.put(None)
        answered.get()

    threading.Thread(target=answer, daemon=True).start()
    measure_trips(f"trip.python.{CORES}", "two SimpleQueues", trip)


def executor():
    with ThreadPoolExecutor(WORKERS) as pool:

        def jobs(count):
            for future in [pool.submit(nothing) for _ in range(count)]:
                future.result()

        measure_trips(f"trip.python.{CORES}", "ThreadPoolExecutor", lambda: pool.submit(nothing).result())
        if CORES == "two":
            measure_jobs("jobs.python", "ThreadPoolExecutor", jobs)


def run_in_executor():
    with ThreadPoolExecutor(WORKERS) as pool:

        async def trip():
            await asyncio.get_running_loop().run_in_executor(pool, nothing)

        measure_awaited(f"trip.asyncio.{CORES}", "run_in_executor", trip)


async def nothing_async():
    """The coroutine for a loop."""


def create_task():
    async def trip():
        await asyncio.get_running_loop().create_task(nothing_async())

    measure_awaited(f"async.{CORES}", "create_task", trip)


def crosstie():
    import crosstie

    class Home:
        @crosstie.action
        def nothing(self):
            pass

        @crosstie.action
        async def nothing_async(self):
            pass

    with crosstie.Bus() as bus:
        bus.component("home")(Home)

        def jobs(count):
            for call in [bus.call_async("home", "nothing") for _ in range(count)]:
                call.result()

        measure_trips(f"trip.python.{CORES}", "crosstie", lambda: bus.call_async("home", "nothing").result())
        measure_awaited(f"trip.asyncio.{CORES}", "crosstie", lambda: bus.aio.call("home", "nothing"))
        # Without attach() the coroutine would run on the bus's own loop, on another thread.
        measure_awaited(f"async.{CORES}", "crosstie", lambda: bus.aio.call("home", "nothing_async"), bus.attach)
        if CORES == "two":
            measure_jobs("jobs.python", "crosstie", jobs)


if __name__ == "__main__":
    run_each(crosstie, simple_queue, executor, run_in_executor, create_task)
