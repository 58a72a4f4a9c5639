"""Listeners of the wormhole in asyncio, in the loop that asks for them."""

import asyncio
import pathlib
import threading

import crosstie
from conftest import Run, Unraisable, make_durable, take_one

Messages = asyncio.Queue[crosstie.Message]


def test_function(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        messages: asyncio.Queue[tuple[crosstie.Message, int]] = asyncio.Queue()

        @wormhole.aio.listen("a", name="n")
        def receive(message: crosstie.Message) -> None:
            messages.put_nowait((message, threading.get_ident()))

        message, thread = await messages.get()
        assert (message.kind, thread) == ("none", threading.get_ident())
        await asyncio.to_thread(wormhole.send, "a", 1)
        message, thread = await messages.get()
        assert (message.value, thread) == (1, threading.get_ident())
        wormhole.listeners.remove("a", "n")
        assert receive.__name__ == "receive"
        assert "WormholeAio" in repr(wormhole.aio)

    run(play())


def test_async_function(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        messages: Messages = asyncio.Queue()
        go_on = asyncio.Event()
        running = 0

        async def receive(message: crosstie.Message) -> None:
            nonlocal running
            running += 1
            assert running == 1
            messages.put_nowait(message)
            await go_on.wait()
            running -= 1

        with wormhole.aio.add_listener("*", receive, initial_delivery=False):
            wormhole["a"] = "first"
            assert (await messages.get()).value == "first"
            for i in range(100):
                wormhole["a"] = i
                wormhole["b"] = i
            wormhole.signal("b")
            wormhole.aio.add_listener("a", lambda message: go_on.set())
            received: dict[tuple[str, str], crosstie.Message] = {}
            while len(received) < 3 or received["a", "value"].value != 99 or received["b", "value"].value != 99:
                message = await messages.get()
                key = (message.identifier, message.kind)
                assert key not in received or received[key].sequence < message.sequence
                received[key] = message

    run(play())


def test_exceptions_of_an_async_function(wormhole: crosstie.Wormhole, run: Run, unraisable: Unraisable) -> None:
    async def play() -> None:
        messages: Messages = asyncio.Queue()

        @wormhole.aio.listen("a")
        async def fail(message: crosstie.Message) -> None:
            messages.put_nowait(message)
            raise ValueError(message.kind)

        await messages.get()
        wormhole["a"] = 1
        await messages.get()
        wormhole.listeners.clear()

    run(play())
    assert [str(error) for error, _ in unraisable] == ["none", "value"]


def test_removed_while_it_runs(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        received: list[object] = []
        arrived, go_on, over = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def receive(message: crosstie.Message) -> None:
            received.append(message.value)
            arrived.set()
            await go_on.wait()
            over.set()

        listener = wormhole.aio.add_listener("a", receive)
        await arrived.wait()
        wormhole["a"] = 1
        await asyncio.sleep(0.01)
        listener.remove()
        await asyncio.sleep(0)
        go_on.set()
        await over.wait()
        await asyncio.sleep(0)
        assert received == [None]

    run(play())


def test_members(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path, run: Run) -> None:
    async def play() -> None:
        names: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

        @wormhole.aio.listen_members()
        async def receive(message: crosstie.Message) -> None:
            names.put_nowait((message.kind, message.sender_name))

        assert await names.get() == ("joined", "tester")
        with crosstie.Wormhole("test", directory=tmp_path / "group", name="guest"):
            assert await names.get() == ("joined", "guest")
        assert await names.get() == ("left", "guest")
        wormhole.listeners.clear()

    run(play())


def test_listeners_of_a_closed_loop(
    wormhole: crosstie.Wormhole, run: Run, unraisable: Unraisable
) -> None:
    make_durable(wormhole, 1)
    received: list[object] = []
    queues: list[object] = []

    async def leave() -> None:
        async def receive_later(message: crosstie.Message) -> None:
            received.append(message)

        wormhole.aio.add_listener("*", received.append, initial_delivery=False)
        wormhole.aio.add_listener("*", receive_later, initial_delivery=False)
        queues.append(await wormhole.aio.queue("job").__aenter__())

    async def play() -> None:
        wormhole["job"] = 2
        assert await take_one(wormhole) == (1, 1)

    run(leave())
    run(play())
    wormhole.close()
    assert received == []
    assert unraisable == []


def test_an_object_with_an_async_call(wormhole: crosstie.Wormhole, run: Run) -> None:
    async def play() -> None:
        class Ear:
            async def __call__(self, message: crosstie.Message) -> None:
                await messages.put(message)

        messages: Messages = asyncio.Queue()
        wormhole.aio.add_listener("a", Ear(), initial_delivery=False)
        wormhole["a"] = 1
        assert (await messages.get()).value == 1

    run(play())


def test_something_cancelled_that_it_waits_for(
    wormhole: crosstie.Wormhole, run: Run, unraisable: Unraisable
) -> None:
    """Only that one message fails: those that have come meanwhile are delivered."""

    async def play() -> None:
        received: Messages = asyncio.Queue()
        waits_for = asyncio.get_running_loop().create_future()

        async def receive(message: crosstie.Message) -> None:
            await received.put(message)
            if message.value == 1:
                await waits_for

        seen: Messages = asyncio.Queue()
        wormhole.aio.add_listener("a.*", receive, initial_delivery=False)
        wormhole.aio.add_listener("a.*", seen.put_nowait, initial_delivery=False)
        wormhole["a.first"] = 1
        assert (await received.get()).value == 1
        wormhole["a.second"] = 2
        while (await seen.get()).value != 2:
            pass
        waits_for.cancel()
        assert (await received.get()).value == 2

    run(play())
    assert isinstance(unraisable[0][0], asyncio.CancelledError)
