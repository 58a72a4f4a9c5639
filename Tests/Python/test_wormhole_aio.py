"""The wormhole in asyncio: listeners and queues in the loop that asks for them."""

import asyncio
import contextlib
import gc
import pathlib
import threading

import pytest

import crosstie
from conftest import Run, Unraisable

Messages = asyncio.Queue[crosstie.Message]

# ---- Listeners -------------------------------------------------------------------------------------------


def test_function(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        messages: asyncio.Queue[tuple[crosstie.Message, int]] = asyncio.Queue()

        @wormhole.aio.listen("a", name="n")
        def hear(message: crosstie.Message) -> None:
            messages.put_nowait((message, threading.get_ident()))

        message, thread = await messages.get()
        assert (message.kind, thread) == ("none", threading.get_ident())
        await asyncio.to_thread(wormhole.send, "a", 1)
        message, thread = await messages.get()
        assert (message.value, thread) == (1, threading.get_ident())
        wormhole.remove("a", "n")
        assert hear.__name__ == "hear"
        assert "WormholeAio" in repr(wormhole.aio)

    run(play())


def test_async_function(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        messages: Messages = asyncio.Queue()
        go_on = asyncio.Event()
        running = 0

        async def hear(message: crosstie.Message) -> None:
            nonlocal running
            running += 1
            assert running == 1
            messages.put_nowait(message)
            await go_on.wait()
            running -= 1

        with wormhole.aio.add_listener("*", hear, first_fire=False):
            wormhole["a"] = "first"
            assert (await messages.get()).value == "first"
            for i in range(100):
                wormhole["a"] = i
                wormhole["b"] = i
            wormhole.signal("b")
            wormhole.aio.add_listener("a", lambda message: go_on.set())
            heard: dict[tuple[str, str], crosstie.Message] = {}
            while len(heard) < 3 or heard["a", "value"].value != 99 or heard["b", "value"].value != 99:
                message = await messages.get()
                key = (message.identifier, message.kind)
                assert key not in heard or heard[key].sequence < message.sequence
                heard[key] = message

    run(play())


def test_what_an_async_function_raises(wormhole: crosstie.Wormhole, run: Run, unraisable: Unraisable) -> None:
    async def play() -> None:
        messages: Messages = asyncio.Queue()

        @wormhole.aio.listen("a")
        async def fail(message: crosstie.Message) -> None:
            messages.put_nowait(message)
            raise ValueError(message.kind)

        await messages.get()
        wormhole["a"] = 1
        await messages.get()
        wormhole.remove_all()

    run(play())
    assert [str(error) for error, _ in unraisable] == ["none", "value"]


def test_removed_while_it_runs(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        heard: list[object] = []
        arrived, go_on, over = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def hear(message: crosstie.Message) -> None:
            heard.append(message.value)
            arrived.set()
            await go_on.wait()
            over.set()

        listener = wormhole.aio.add_listener("a", hear)
        await arrived.wait()
        wormhole["a"] = 1
        await asyncio.sleep(0.01)
        listener.remove()
        await asyncio.sleep(0)
        go_on.set()
        await over.wait()
        await asyncio.sleep(0)
        assert heard == [None]

    run(play())


def test_members(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path, run: Run) -> None:
    async def play() -> None:
        names: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

        @wormhole.aio.listen_members()
        async def hear(message: crosstie.Message) -> None:
            names.put_nowait((message.kind, message.sender_name))

        assert await names.get() == ("joined", "tester")
        with crosstie.Wormhole("test", directory=tmp_path / "group", name="guest"):
            assert await names.get() == ("joined", "guest")
        assert await names.get() == ("left", "guest")
        wormhole.remove_all()

    run(play())


def test_what_is_bound_to_a_loop_that_has_closed(
    wormhole: crosstie.Wormhole, run: Run, unraisable: Unraisable
) -> None:
    make_durable(wormhole, 1)
    heard: list[object] = []
    queues: list[object] = []

    async def leave() -> None:
        async def hear_later(message: crosstie.Message) -> None:
            heard.append(message)

        wormhole.aio.add_listener("*", heard.append, first_fire=False)
        wormhole.aio.add_listener("*", hear_later, first_fire=False)
        queues.append(await wormhole.aio.queue("job").__aenter__())

    async def play() -> None:
        wormhole["job"] = 2
        assert await take_one(wormhole) == (1, 1)

    run(leave())
    run(play())
    wormhole.close()
    assert heard == []
    assert unraisable == []


# ---- Queues ----------------------------------------------------------------------------------------------


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


def make_durable(wormhole: crosstie.Wormhole, *values: object) -> None:
    wormhole.add_queue("job", print, durable="worker").remove()
    wormhole.send_many([("job", value) for value in values])


async def take_one(wormhole: crosstie.Wormhole) -> tuple[object, int]:
    """The next message of the durable name, and how often it was delivered."""
    async with wormhole.aio.queue("job", durable="worker") as jobs:
        message = await anext(jobs)
        return message.value, message.delivery


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
                    assert message.delivery == 1
                    1 / 0  # noqa: B018
        assert await take_one(wormhole) == (1, 2)

    run(play())


def test_settled_by_hand(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1, 2)

    async def play() -> None:
        async with wormhole.aio.queue("job", durable="worker") as jobs:
            async for message in jobs:
                if message.delivery == 1 and message.value == 1:
                    message.reject(delay=0)
                elif message.value == 2:
                    message.acknowledge()
                    break
        assert (message.value, message.delivery) == (2, 1)
        wormhole["job"] = 3
        async with wormhole.aio.queue("job", durable="worker") as jobs:
            rest = [(await anext(jobs)).value for _ in range(1)]
        assert rest in ([1], [3])

    run(play())


def test_without_with(wormhole: crosstie.Wormhole, run: Run) -> None:
    make_durable(wormhole, 1)

    async def play() -> None:
        async for message in wormhole.aio.queue("job", durable="worker"):
            assert message.delivery == 1
            break
        del message
        gc.collect()
        async with contextlib.aclosing(wormhole.aio.queue("job", durable="worker")) as jobs:
            assert (await anext(jobs)).delivery == 2
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
