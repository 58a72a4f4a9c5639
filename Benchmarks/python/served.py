"""Messages over a nats-server from Python: Crosstie, and nats-py, which publishes and awaits each confirmation."""

import asyncio
import statistics
import sys
import time

from timing import report, run_each

SENDS, BATCH, ROUNDS = 500, 1000, 5
VALUE = bytes(64)
ADDRESS = sys.argv[1]


def median_of(one_round, count):
    """The median of the rounds, after one that warms up: nanoseconds for each of so many."""
    figures = []
    for _ in range(ROUNDS + 1):
        begin = time.perf_counter_ns()
        one_round()
        figures.append((time.perf_counter_ns() - begin) / count)
    return statistics.median(figures[1:])


def crosstie():
    import crosstie

    with crosstie.Wormhole(f"{ADDRESS}/bench.python") as wormhole:

        def send():
            for _ in range(SENDS):
                wormhole.send("ping", VALUE)

        report("server.python", "crosstie", median_of(send, SENDS))
        batch = [("ping", VALUE)] * BATCH
        report("server.python.batch", "crosstie", median_of(lambda: wormhole.send_many(batch, atomic=False), BATCH))


def nats_py():
    import nats

    with asyncio.Runner() as runner:
        connection = runner.run(nats.connect(ADDRESS))
        stream = connection.jetstream(publish_async_max_pending=BATCH)
        runner.run(stream.add_stream(name="python", subjects=["python.ping"]))

        async def send():
            for _ in range(SENDS):
                await stream.publish("python.ping", VALUE)

        async def send_batch():
            for _ in range(BATCH):
                await stream.publish_async("python.ping", VALUE)
            await stream.publish_async_completed()

        report("server.python", "nats-py", median_of(lambda: runner.run(send()), SENDS))
        report("server.python.batch", "nats-py", median_of(lambda: runner.run(send_batch()), BATCH))
        runner.run(connection.close())


run_each(crosstie, nats_py)
