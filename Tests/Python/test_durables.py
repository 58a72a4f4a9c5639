"""Durable consumers: declaring, listing and moving them."""

from __future__ import annotations

import asyncio
import datetime
import os
import pathlib
import queue
import time
from collections.abc import Iterator
from typing import Any

import pytest

import crosstie

WATCHDOG = 60


@pytest.fixture
def wormhole(tmp_path: pathlib.Path) -> Iterator[crosstie.Wormhole]:
    with crosstie.Wormhole("test", directory=tmp_path / "group", map_size=4 << 20) as opened:
        yield opened


def test_messages_wait_after_declaring(wormhole: crosstie.Wormhole) -> None:
    begin = time.time()
    wormhole.declare("jobs", "worker")
    for number in range(10):
        wormhole.send("jobs", number)
    [durable] = wormhole.durables()
    assert (durable.name, durable.identifier, durable.waiting, durable.waiting_size) == ("worker", "jobs", 10, 10)
    assert durable.oldest is not None and begin - 1 <= durable.oldest <= time.time() + 1
    assert begin - 1 <= durable.listened <= time.time() + 1
    assert durable.in_hand == [] and durable.next_retry is None and not durable.damaged
    received: queue.Queue[object] = queue.Queue()
    with wormhole.add_queue("jobs", lambda message: received.put(message.value), durable="worker"):
        assert [received.get(timeout=WATCHDOG) for _ in range(10)] == list(range(10))


def test_options_come_back_as_they_were_declared(wormhole: crosstie.Wormhole) -> None:
    options: dict[str, Any] = {
        "max_deliveries": 3,
        "dead_letter": "graves",
        "backoff": crosstie.Backoff(0.5, 20.0, 3.0, 0.25),
        "max_messages": 100,
        "max_size": 1 << 20,
        "when_full": "refuse",
        "expires": 86400.0,
    }
    wormhole.declare("jobs", "worker", **options)
    [durable] = wormhole.durables()
    assert durable.options == options
    wormhole.declare(durable.identifier, durable.name, **durable.options)
    with pytest.raises(crosstie.ConflictError, match="backoff"):
        wormhole.declare("jobs", "worker", **{**options, "backoff": crosstie.Backoff(0.5, 21.0, 3.0, 0.25)})
    wormhole.declare("jobs", "worker", change=True)
    assert wormhole.durables()[0].options["expires"] is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"when_full": "burst"}, ValueError),
        ({"max_deliveries": -1}, (ValueError, OverflowError)),
        ({"max_deliveries": 1 << 32}, (ValueError, OverflowError)),
        ({"max_messages": 1 << 64}, (ValueError, OverflowError)),
        ({"max_size": "much"}, TypeError),
        ({"expires": -1.0}, ValueError),
        ({"expires": "soon"}, (TypeError, ValueError)),
        ({"backoff": (1.0, 2.0, 0.5)}, crosstie.Error),
        ({"backoff": (3.0, 2.0)}, crosstie.Error),
        ({"dead_letter": "no identifier"}, crosstie.Error),
    ],
)
def test_refusals(
    wormhole: crosstie.Wormhole, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        wormhole.declare("jobs", "worker", **options)
    assert wormhole.durables() == []


def test_holders_are_listed(wormhole: crosstie.Wormhole) -> None:
    received: queue.Queue[crosstie.Message] = queue.Queue()
    wormhole.declare("jobs", "worker")
    for number in range(3):
        wormhole.send("jobs", number)
    with wormhole.add_queue("jobs", received.put, durable="worker", manual=True, max_unacknowledged=2):
        messages = [received.get(timeout=WATCHDOG) for _ in range(2)]
        [durable] = wormhole.durables()
        [holder] = durable.in_hand
        assert (holder.pid, holder.messages, durable.waiting) == (os.getpid(), 2, 1)
        assert abs(holder.since - time.time()) < 3600
        messages[0].reject(delay=3600)
        received.get(timeout=WATCHDOG)
        [durable] = wormhole.durables()
        assert durable.retrying == 1 and durable.next_retry is not None
        assert 3500 < durable.next_retry - time.time() < 3700
        assert durable.deliveries == 3


def test_a_name_is_moved(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("jobs", "keeper")
    wormhole.declare("jobs", "worker")
    sent = [wormhole.send("jobs", number) for number in range(5)]
    wormhole.seek("jobs", "worker", sequence=sent[3].sequence)
    assert [each.waiting for each in wormhole.durables()] == [5, 2]
    wormhole.seek("jobs", "worker", sequence=1)
    assert [each.waiting for each in wormhole.durables()] == [5, 5]
    wormhole.seek("jobs", "worker", time=time.time() + 3600)
    assert [each.waiting for each in wormhole.durables()] == [5, 0]
    wormhole.seek("jobs", "worker", time=1.0)
    assert [each.waiting for each in wormhole.durables()] == [5, 5]
    wormhole.seek("jobs", "worker", sequence=2**64 - 1)
    assert [each.waiting for each in wormhole.durables()] == [5, 0]
    with pytest.raises(crosstie.NotFoundError):
        wormhole.seek("jobs", "nobody", sequence=1)
    with pytest.raises(TypeError):
        wormhole.seek("jobs", "worker")
    with pytest.raises(TypeError):
        wormhole.seek("jobs", "worker", sequence=1, time=1.0)
    for sequence in (0, -1, 2**64):
        with pytest.raises(ValueError, match="sequence"):
            wormhole.seek("jobs", "worker", sequence=sequence)
    for moment in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="time"):
            wormhole.seek("jobs", "worker", time=moment)


def test_a_queue_begins_at_a_position(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("jobs", "keeper")
    sent = [wormhole.send("jobs", number) for number in range(5)]
    received: queue.Queue[object] = queue.Queue()
    with wormhole.add_queue("jobs", lambda message: received.put(message.value), from_sequence=sent[3].sequence):
        assert [received.get(timeout=WATCHDOG) for _ in range(2)] == [3, 4]
    with wormhole.add_queue("jobs", lambda message: received.put(message.value), from_time=1.0):
        assert [received.get(timeout=WATCHDOG) for _ in range(5)] == list(range(5))
    with pytest.raises(crosstie.Error):
        wormhole.add_queue("jobs", received.put, from_sequence=1, from_oldest=True)
    with pytest.raises(crosstie.Error):
        wormhole.add_queue("jobs", received.put, from_sequence=1, from_time=1.0)
    with pytest.raises(ValueError, match="sequence"):
        wormhole.add_queue("jobs", received.put, from_sequence=0)


def test_a_message_is_found_by_its_own_time(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("jobs", "keeper")
    for number in range(32):
        wormhole["jobs"] = number
    kept: queue.Queue[crosstie.Message] = queue.Queue()
    with wormhole.add_queue("jobs", kept.put, from_oldest=True):
        messages = [kept.get(timeout=WATCHDOG) for _ in range(32)]
    for message in messages:
        utc = datetime.datetime.fromtimestamp(message.time, datetime.UTC)
        for moment in (message.time, utc, utc.astimezone().replace(tzinfo=None)):
            received: queue.Queue[crosstie.Message] = queue.Queue()
            with wormhole.add_queue("jobs", received.put, from_time=moment):
                assert received.get(timeout=WATCHDOG).sequence <= message.sequence
            wormhole.seek("jobs", "keeper", time=moment)
            assert wormhole.durables()[0].waiting >= 32 - message.value


@pytest.mark.parametrize("moment", [-1, 9e9, 10**400, float("nan"), datetime.datetime.min, datetime.datetime.max])
def test_times_that_are_none(wormhole: crosstie.Wormhole, moment: float | datetime.datetime) -> None:
    wormhole.declare("jobs", "keeper")
    with pytest.raises(ValueError, match="time is a time from 1970"):
        wormhole.seek("jobs", "keeper", time=moment)
    with pytest.raises(ValueError, match="from_time is a time from 1970"):
        wormhole.add_queue("jobs", print, from_time=moment)
    with pytest.raises(ValueError, match="not_before is a time from 1970"):
        wormhole.send("jobs", 1, not_before=moment)


def test_options_of_another_type_are_named(wormhole: crosstie.Wormhole) -> None:
    wrong: Any = 5.5
    for options in ({"time": datetime.timedelta(1)}, {"time": "now"}, {"sequence": wrong}, {"sequence": "1"}):
        with pytest.raises(TypeError, match=next(iter(options))):
            wormhole.seek("jobs", "keeper", **options)
    with pytest.raises(TypeError, match="a backoff is"):
        wormhole.declare("jobs", "keeper", backoff=wrong)
    with pytest.raises(TypeError, match="dead_letter must be"):
        wormhole.declare("jobs", "keeper", dead_letter=wrong)
    with pytest.raises(TypeError, match="identifier must be"):
        wormhole.dead_letters(wrong, "keeper")


def test_an_asyncio_queue_begins_at_a_position(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("jobs", "keeper")
    sent = [wormhole.send("jobs", number) for number in range(5)]

    async def walk() -> list[object]:
        found: list[object] = []
        async with wormhole.aio.queue("jobs", from_sequence=sent[2].sequence) as jobs:
            async for message in jobs:
                found.append(message.value)
                if len(found) == 3:
                    break
        return found

    assert asyncio.run(asyncio.wait_for(walk(), WATCHDOG)) == [2, 3, 4]


def test_a_durable_consumer_without_listeners_expires(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("jobs", "worker", expires=0.001)
    end = time.monotonic() + WATCHDOG
    while wormhole.durables() and time.monotonic() < end:
        wormhole.send("other", 1)
        time.sleep(0.01)
    assert wormhole.durables() == []


def test_in_a_closed_wormhole_there_are_none(tmp_path: pathlib.Path) -> None:
    wormhole = crosstie.Wormhole("test", directory=tmp_path / "group")
    wormhole.close()
    with pytest.raises(crosstie.ClosedError):
        wormhole.durables()
    with pytest.raises(crosstie.ClosedError):
        wormhole.declare("jobs", "worker")
    with pytest.raises(crosstie.ClosedError):
        wormhole.seek("jobs", "worker", sequence=1)
