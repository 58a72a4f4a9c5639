"""Dead letters of a wormhole: messages that failed too often, their reasons, retrying and dropping."""

import os
import queue

import pytest

import crosstie
from conftest import WATCHDOG, Run, Unraisable

Messages = queue.Queue[crosstie.Message]

SOON = (0.001,)


class OrderError(Exception):
    pass


def fail(message: crosstie.Message) -> None:
    raise OrderError(f"order {message.value}\nhas no customer")


@pytest.fixture
def buried(wormhole: crosstie.Wormhole, unraisable: Unraisable) -> Messages:
    """The dead letters of three jobs that have failed twice."""
    messages: Messages = queue.Queue()
    wormhole.declare("jobs", "worker", max_deliveries=2, backoff=SOON)
    wormhole.add_queue("jobs.dead", messages.put)
    for number in range(3):
        wormhole.send("jobs", number)
    with wormhole.add_queue("jobs", fail, durable="worker"):
        for number in range(3):
            message = messages.get(timeout=WATCHDOG)
            assert (message.identifier, message.sender_name, message.sender_pid) == ("jobs.dead", "tester", os.getpid())
    assert len(unraisable) == 6
    return messages


def test_listed(wormhole: crosstie.Wormhole, buried: Messages) -> None:
    letters = wormhole.dead_letters("jobs", "worker")
    assert [letter.sequence for letter in letters] == [1, 2, 3]
    first = letters[0]
    assert (first.identifier, first.kind, first.deliveries, first.size) == ("jobs", "value", 2, 1)
    assert (first.sender_pid, first.sender_name) == (os.getpid(), "tester")
    assert first.reason == "OrderError: order 0\nhas no customer"
    assert first.time < first.dead
    assert isinstance(first, crosstie.DeadLetter)
    assert all(letter.sent_as is not None and letter.sent_as > 3 for letter in letters)
    assert [letter.sequence for letter in wormhole.dead_letters("jobs", "worker", after=1, limit=1)] == [2]
    assert buried.empty()


def test_read(wormhole: crosstie.Wormhole, buried: Messages) -> None:
    message = wormhole.dead_letter("jobs", "worker", 2)
    assert (message.value, message.sequence, message.delivery_count) == (1, 2, 2)
    assert message.reason == "OrderError: order 1\nhas no customer"
    with pytest.raises(crosstie.Error):
        message.acknowledge()
    with pytest.raises(crosstie.NotFoundError):
        wormhole.dead_letter("jobs", "worker", 4)


def test_retried_and_dropped(wormhole: crosstie.Wormhole, buried: Messages) -> None:
    messages: Messages = queue.Queue()
    assert wormhole.drop("jobs", "worker", 2) == 1
    assert wormhole.retry("jobs", "worker") == 2
    assert wormhole.dead_letters("jobs", "worker") == []
    wormhole.add_queue("jobs", messages.put, durable="worker")
    assert [messages.get(timeout=WATCHDOG).value for _ in range(2)] == [0, 2]
    with pytest.raises(crosstie.NotFoundError):
        wormhole.retry("jobs", "worker", 2)
    with pytest.raises(crosstie.NotFoundError):
        wormhole.retry("jobs", "worker", 0)
    with pytest.raises(crosstie.NotFoundError):
        wormhole.drop("jobs", "nobody")


def test_refused(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("jobs", "worker", max_deliveries=1)
    with pytest.raises(ValueError, match="limit"):
        wormhole.dead_letters("jobs", "worker", limit=0)
    with pytest.raises((ValueError, OverflowError)):
        wormhole.dead_letters("jobs", "worker", after=-1)
    with pytest.raises(crosstie.NotFoundError):
        wormhole.dead_letters("jobs", "nobody")


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        (None, ""),
        ("no stock", "no stock"),
        (KeyError("x"), "KeyError: 'x'"),
        (ValueError(), "ValueError"),
        ("€" * 500, "€" * 333),
    ],
)
def test_reasons(wormhole: crosstie.Wormhole, reason: str | Exception | None, kept: str) -> None:
    messages, dead = queue.Queue[crosstie.Message](), queue.Queue[crosstie.Message]()
    wormhole.declare("jobs", "worker", max_deliveries=1, dead_letter="graveyard")
    wormhole.add_queue("graveyard", dead.put)
    wormhole.add_queue("jobs", messages.put, durable="worker", manual=True)
    wormhole["jobs"] = 1
    messages.get(timeout=WATCHDOG).reject(reason=reason)
    assert dead.get(timeout=WATCHDOG).value == 1
    assert wormhole.dead_letters("jobs", "worker")[0].reason == kept


def test_a_reason_is_a_text(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    wormhole.add_queue("jobs", messages.put, durable="worker", manual=True)
    wormhole["jobs"] = 1
    with pytest.raises(TypeError):
        messages.get(timeout=WATCHDOG).reject(reason=5)  # type: ignore[arg-type]


def test_asyncio(wormhole: crosstie.Wormhole, run: Run) -> None:
    dead: Messages = queue.Queue()
    wormhole.declare("jobs", "worker", max_deliveries=1)
    wormhole.add_queue("jobs.dead", dead.put)
    wormhole["jobs"] = 1

    async def work() -> None:
        async with wormhole.aio.queue("jobs", durable="worker") as jobs:
            async for message in jobs:
                raise OrderError(f"order {message.value}")

    with pytest.raises(OrderError):
        run(work())
    dead.get(timeout=WATCHDOG)
    assert wormhole.dead_letters("jobs", "worker")[0].reason == "OrderError: order 1"
