"""The listeners of a wormhole: listed, and removed by identifier, by name, by function and as themselves."""

import asyncio
import functools
import logging
import pathlib
import queue
import threading

import pytest

import crosstie
from conftest import WATCHDOG

Messages = queue.Queue[crosstie.Message]


def identifiers(wormhole: crosstie.Wormhole) -> list[str | None]:
    return [listener.identifier for listener in wormhole.listeners]


def nothing(message: crosstie.Message) -> None: ...


# ---- Listing ---------------------------------------------------------------------------------------------


def test_listeners_are_listed_in_their_order(wormhole: crosstie.Wormhole) -> None:
    assert list(wormhole.listeners) == []
    one = wormhole.add_listener("a", nothing, name="one")
    two = wormhole.add_queue("a.*", nothing)
    three = wormhole.add_queue("jobs", nothing, durable="worker")
    four = wormhole.add_members_listener(nothing)
    assert list(wormhole.listeners) == [one, two, three, four]
    assert [(each.identifier, each.name, each.delivery, each.executor) for each in wormhole.listeners] == [
        ("a", "one", "state", "wormhole"),
        ("a.*", "", "queue", "wormhole"),
        ("jobs", "worker", "durable", "wormhole"),
        (None, "", "members", "wormhole"),
    ]
    assert all(each.callback is nothing and each.dispatcher == "" for each in wormhole.listeners)
    two.remove()
    five = wormhole.add_listener("a", nothing, name="one")
    assert list(wormhole.listeners) == [three, four, five]
    assert not one.active
    wormhole.close()
    assert list(wormhole.listeners) == []


def test_view_of_listeners(wormhole: crosstie.Wormhole) -> None:
    assert not wormhole.listeners and len(wormhole.listeners) == 0
    one = wormhole.add_listener("a", nothing)
    two = wormhole.add_queue("b", print)
    assert len(wormhole.listeners) == 2 and two in wormhole.listeners
    assert nothing in wormhole.listeners and print in wormhole.listeners and len not in wormhole.listeners
    assert "a" not in wormhole.listeners
    assert repr(wormhole.listeners) == f"<crosstie.Listeners of {wormhole!r}>"
    one.remove()
    assert one not in wormhole.listeners and nothing not in wormhole.listeners
    wormhole.listeners.clear()
    assert not two.active and list(wormhole.listeners) == []
    wormhole.listeners.clear()


def test_where_listeners_are_called(wormhole: crosstie.Wormhole) -> None:
    with crosstie.Loop() as loop, crosstie.Bus("executors") as bus:
        bus.add_dispatcher("slow")
        looped = wormhole.add_listener("a", nothing, loop=loop)
        worked = wormhole.add_listener("a", nothing, bus=bus, dispatcher="slow")
        assert (looped.executor, looped.dispatcher) == ("loop", "")
        assert (worked.executor, worked.dispatcher) == ("dispatcher", "slow")
        wormhole.listeners.clear()
        assert list(wormhole.listeners) == []


def test_a_listener_that_is_replaced_while_it_runs_is_not_listed(wormhole: crosstie.Wormhole) -> None:
    inside, listed, seen = threading.Event(), threading.Event(), []

    def first(message: crosstie.Message) -> None:
        second = wormhole.add_listener("a", nothing, name="n")
        seen.append((list(wormhole.listeners) == [second], old[0].active))
        inside.set()
        listed.wait(WATCHDOG)

    old: list[crosstie.Listener] = []
    old.append(wormhole.add_listener("a", first, name="n", initial_delivery=False))
    wormhole["a"] = 1
    assert inside.wait(WATCHDOG)
    assert seen == [(True, False)]
    old[0].remove()  # does nothing, and so waits for nothing
    listed.set()


# ---- Removing --------------------------------------------------------------------------------------------


def test_a_decorated_function_is_removed(wormhole: crosstie.Wormhole) -> None:
    received: Messages = queue.Queue()

    @wormhole.listen("a", initial_delivery=False)
    @wormhole.queue("b")
    def receive(message: crosstie.Message) -> None:
        received.put(message)

    @wormhole.listen_members
    def see(message: crosstie.Message) -> None: ...

    wormhole["b"] = 1
    assert received.get(timeout=WATCHDOG).identifier == "b"
    wormhole.listeners.remove(receive)
    assert identifiers(wormhole) == [None]
    assert wormhole.send("b", 2).listeners == 0
    with pytest.raises(crosstie.NotFoundError, match="does not listen") as caught:
        wormhole.listeners.remove(receive)
    assert caught.value.status is crosstie.Status.NOT_FOUND
    wormhole.listeners.remove(see)
    assert list(wormhole.listeners) == []
    assert received.empty()


def test_a_method_is_removed(wormhole: crosstie.Wormhole) -> None:
    class Ear:
        def receive(self, message: crosstie.Message) -> None: ...

    ear, other = Ear(), Ear()
    wormhole.add_listener("a", ear.receive)
    wormhole.add_listener("b", other.receive)
    wormhole.listeners.remove(ear.receive)
    assert identifiers(wormhole) == ["b"]
    wormhole.add_listener("c", functools.partial(nothing))
    with pytest.raises(crosstie.NotFoundError):
        wormhole.listeners.remove(nothing)


def test_all_of_one_identifier_are_removed(wormhole: crosstie.Wormhole) -> None:
    wormhole.add_listener("a", nothing, name="one")
    listener = wormhole.add_queue("a", nothing)
    wormhole.add_listener("a.*", nothing)
    wormhole.listeners.remove("a")
    assert not listener.active
    assert identifiers(wormhole) == ["a.*"]
    with pytest.raises(crosstie.NotFoundError):
        wormhole.listeners.remove("a")
    wormhole.listeners.remove("a.*")
    assert list(wormhole.listeners) == []


def test_presence_is_removed(wormhole: crosstie.Wormhole) -> None:
    wormhole.add_listener("a", nothing)
    wormhole.add_members_listener(nothing, name="n")
    wormhole.add_members_listener(nothing)
    wormhole.listeners.remove(None, "n")
    assert identifiers(wormhole) == ["a", None]
    wormhole.listeners.remove(None)
    assert identifiers(wormhole) == ["a"]
    with pytest.raises(crosstie.NotFoundError):
        wormhole.listeners.remove(None)


def test_a_listener_is_removed_as_itself(wormhole: crosstie.Wormhole) -> None:
    listener = wormhole.add_listener("a", nothing)
    wormhole.add_listener("a", nothing)
    wormhole.listeners.remove(listener)
    wormhole.listeners.remove(listener)
    assert identifiers(wormhole) == ["a"]
    with pytest.raises(TypeError, match="a name goes with an identifier"):
        wormhole.listeners.remove(listener, "n")
    with pytest.raises(TypeError, match="a name goes with an identifier"):
        wormhole.listeners.remove(nothing, "n")


def test_inside_its_own_call(wormhole: crosstie.Wormhole) -> None:
    done = threading.Event()
    seen: list[list[str | None]] = []

    @wormhole.listen("a", initial_delivery=False)
    def receive(message: crosstie.Message) -> None:
        wormhole.listeners.remove("a")
        seen.append(identifiers(wormhole))
        done.set()

    wormhole["a"] = 1
    assert done.wait(WATCHDOG)
    assert seen == [[]]


def test_after_closing(wormhole: crosstie.Wormhole) -> None:
    wormhole.close()
    with pytest.raises(crosstie.ClosedError):
        wormhole.listeners.remove("a")
    with pytest.raises(crosstie.ClosedError):
        wormhole.listeners.remove("a", "n")
    with pytest.raises(crosstie.NotFoundError):
        wormhole.listeners.remove(nothing)


# ---- In asyncio ------------------------------------------------------------------------------------------


def test_those_of_a_loop_are_removed_by_their_function(wormhole: crosstie.Wormhole) -> None:
    async def run() -> None:
        received: asyncio.Queue[int] = asyncio.Queue()

        @wormhole.aio.listen("a", initial_delivery=False)
        async def receive(message: crosstie.Message) -> None:
            await received.put(message.value)

        @wormhole.aio.listen("b")
        def plain(message: crosstie.Message) -> None: ...

        assert [each.callback for each in wormhole.listeners] == [receive, plain]
        wormhole["a"] = 1
        assert await asyncio.wait_for(received.get(), WATCHDOG) == 1
        wormhole.listeners.remove(receive)
        wormhole.listeners.remove(plain)
        assert list(wormhole.listeners) == []

    asyncio.run(run())


def test_a_queue_whose_listener_is_removed_ends(wormhole: crosstie.Wormhole) -> None:
    async def run() -> list[int]:
        received = []
        async with wormhole.aio.queue("jobs") as jobs:
            wormhole["jobs"] = 1
            async for message in jobs:
                received.append(message.value)
                wormhole.listeners.remove("jobs")
        return received

    assert asyncio.run(asyncio.wait_for(run(), WATCHDOG)) == [1]


# ---- Logging ---------------------------------------------------------------------------------------------


def test_a_store_that_is_set_aside_is_logged(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "g"
    with crosstie.Wormhole("g", directory=directory) as wormhole:
        wormhole["a"] = 1
    (directory / "wakeups").unlink()
    with caplog.at_level(logging.DEBUG, "crosstie"), crosstie.Wormhole("g", directory=directory) as wormhole:
        assert "a" not in wormhole
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("crosstie", logging.WARNING)
    assert f"the store in {directory} has no file wakeups" in record.getMessage()
    assert "data.mdb.stale-" in record.getMessage()
    assert capfd.readouterr().err == ""


def test_a_listener_of_another_wormhole_is_not_removed(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    with crosstie.Wormhole("test", directory=tmp_path / "group") as other:
        listener = other.add_listener("a", nothing)
        with pytest.raises(crosstie.NotFoundError, match="another wormhole"):
            wormhole.listeners.remove(listener)
        assert listener.active
        other.listeners.remove(listener)
        other.listeners.remove(listener)  # it is removed already
