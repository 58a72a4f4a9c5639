"""Queues of the wormhole in asyncio, and what becomes of the message that is being worked on."""

import asyncio
import contextlib
import gc
import pathlib

import pytest

import crosstie
from conftest import Run, make_durable, take_one


def test_walking_through(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        found: list[object] = []
        async with wormhole.aio.queue("job") as jobs:
            wormhole.send_many([("job", i) for i in range(50)])
            wormhole.signal("job")
            async for message in jobs:
                if message.kind == "signal":
                    break
                found.append(message.value)
        assert found == list(range(50))
        assert "closed" in repr(jobs)
        with pytest.raises(StopAsyncIteration):
            await anext(jobs)
        with pytest.raises(crosstie.ClosedError):
            await jobs.__aenter__()

    run(play())


def test_leaving_acknowledges(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1, 2, 3)

    async def play() -> None:
        assert await take_one(wormhole) == (1, 1)
        assert await take_one(wormhole) == (2, 1)
        async with wormhole.aio.queue("job", durable="worker", max_unacknowledged=16) as jobs:
            assert (await anext(jobs)).value == 3
            wormhole["job"] = 4
            assert (await anext(jobs)).value == 4

    run(play())


def test_raising_rejects(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1)

    async def play() -> None:
        with pytest.raises(ZeroDivisionError):
            async with wormhole.aio.queue("job", durable="worker") as jobs:
                async for message in jobs:
                    assert message.delivery_count == 1
                    1 / 0  # noqa: B018
        assert await take_one(wormhole) == (1, 2)

    run(play())


def test_acknowledged_and_rejected_by_hand(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1, 2)

    async def play() -> None:
        async with wormhole.aio.queue("job", durable="worker") as jobs:
            async for message in jobs:
                if message.delivery_count == 1 and message.value == 1:
                    message.reject(delay=0)
                elif message.value == 2:
                    message.acknowledge()
                    break
        assert (message.value, message.delivery_count) == (2, 1)
        wormhole["job"] = 3
        async with wormhole.aio.queue("job", durable="worker") as jobs:
            rest = [(await anext(jobs)).value for _ in range(1)]
        assert rest in ([1], [3])

    run(play())


def test_without_with(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1)

    async def play() -> None:
        async for message in wormhole.aio.queue("job", durable="worker"):
            assert message.delivery_count == 1
            break
        del message
        gc.collect()
        async with contextlib.aclosing(wormhole.aio.queue("job", durable="worker")) as jobs:
            assert (await anext(jobs)).delivery_count == 2
        assert await take_one(wormhole) == (1, 3)

    run(play())


def test_cancelled(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1)

    async def play() -> None:
        arrived = asyncio.Event()

        async def work() -> None:
            async for _ in wormhole.aio.queue("job", durable="worker"):
                arrived.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(work())
        await arrived.wait()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        del task
        gc.collect()
        assert await take_one(wormhole) == (1, 2)

    run(play())


def test_cancelled_while_it_waits(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        async with wormhole.aio.queue("job") as jobs:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await anext(jobs)
            wormhole["job"] = 1
            assert (await anext(jobs)).value == 1

    run(play())


def test_two_that_wait(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        async with wormhole.aio.queue("job") as jobs:
            first = asyncio.create_task(jobs.__anext__())
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError):
                await anext(jobs)
            wormhole["job"] = 1
            assert (await first).value == 1

    run(play())


def test_closing_the_wormhole_ends_it(tmp_path: pathlib.Path, run: Run) -> None:
    async def play() -> None:
        with crosstie.Wormhole("g", directory=tmp_path / "g") as wormhole:
            jobs = wormhole.aio.queue("job", durable="worker")
            waiting = asyncio.create_task(jobs.__anext__())
            await asyncio.sleep(0)
            await asyncio.to_thread(wormhole.close)
            with pytest.raises(StopAsyncIteration):
                await waiting

    run(play())


def test_being_replaced_ends_it(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        old, new = (wormhole.aio.queue("job", durable="worker") for _ in range(2))
        async with old, new:
            with pytest.raises(StopAsyncIteration):
                await anext(old)
            wormhole["job"] = 1
            assert (await anext(new)).value == 1

    run(play())


def test_nothing_piles_up(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path, run: Run) -> None:
    make_durable(wormhole, *range(200))

    async def play() -> None:
        with crosstie.Wormhole("test", directory=tmp_path / "group") as other:
            async with (
                wormhole.aio.queue("job", durable="worker") as one,
                other.aio.queue("job", durable="worker") as two,
            ):
                found = []
                for _ in range(100):
                    found.append((await anext(one)).value)
                    found.append((await anext(two)).value)
                assert sorted(found) == list(range(200))

    run(play())
