"""Limits of durable consumers, and what a group keeps for queues that nobody has yet."""

import pathlib
import queue
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import crosstie


@pytest.fixture
def wormhole(tmp_path: pathlib.Path) -> Iterator[crosstie.Wormhole]:
    with crosstie.Wormhole("t", directory=tmp_path / "g", timeout=60) as wormhole:
        yield wormhole


def received(wormhole: crosstie.Wormhole, identifier: str, count: int, **options: Any) -> list[object]:
    """Return the first messages of a listener: values, and the number of missed messages, negative."""
    found: list[object] = []
    enough = threading.Event()

    def receive(message: crosstie.Message) -> None:
        found.append(-message.missed if message.kind == "missed" else message.value)
        if len(found) == count:
            enough.set()

    listener = wormhole.add_queue(identifier, receive, **options)
    assert enough.wait(60)
    listener.remove()
    return found


def test_the_oldest_go(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("tick", "gauge", max_messages=2)
    wormhole.send_many([("tick", number) for number in range(5)])
    assert received(wormhole, "tick", 3, durable="gauge") == [-3, 3, 4]


def test_a_full_name_refuses(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("job", "worker", max_messages=2, when_full="refuse")
    wormhole.send("job", 1)
    wormhole.send("job", 2)
    with pytest.raises(crosstie.FullError, match="worker") as caught:
        wormhole.send("job", 3)
    assert isinstance(caught.value, queue.Full)
    assert caught.value.status is crosstie.Status.FULL
    with pytest.raises(queue.Full):
        wormhole.send_many([("other", 1), ("job", 3)])
    assert wormhole["job"] == 2 and "other" not in wormhole
    with pytest.raises(crosstie.ArgumentError):
        wormhole.send_many([("job", number) for number in range(3)])
    assert received(wormhole, "job", 2, durable="worker") == [1, 2]
    wormhole.send("job", 3)


def test_a_sender_waits_for_room(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("job", "worker", max_messages=1, when_full="wait")
    wormhole.send("job", 0)
    sender = threading.Thread(target=lambda: [wormhole.send("job", number) for number in range(1, 20)])
    sender.start()
    assert received(wormhole, "job", 20, durable="worker") == list(range(20))
    sender.join(60)
    assert not sender.is_alive()


def test_there_is_an_end_to_waiting(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    wormhole.declare("job", "worker", max_messages=1, when_full="wait")
    wormhole.send("job", 0)
    with crosstie.Wormhole("t", directory=tmp_path / "g", timeout=0.05) as hasty:
        with pytest.raises(crosstie.FullError):
            hasty.send("job", 1)


def test_a_signal_ends_the_wait(wormhole: crosstie.Wormhole) -> None:
    wormhole.declare("job", "worker", max_messages=1, when_full="wait")
    wormhole.send("job", 0)

    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        with pytest.raises(Stop):
            wormhole.send("job", 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert wormhole["job"] == 0


def test_retained_messages_wait_for_later_queues(tmp_path: pathlib.Path) -> None:
    with crosstie.Wormhole("t", directory=tmp_path / "g", retain=3600, retain_count=1000) as wormhole:
        wormhole.send_many([("news.a", 1), ("other", 2), ("news.b", 3)])
        assert received(wormhole, "news.*", 2, from_oldest=True) == [1, 3]
        assert received(wormhole, "news.*", 2, durable="late", from_oldest=True) == [1, 3]


@pytest.mark.parametrize("options", [{"retain": -1}, {"retain": "long"}, {"retain_count": -1}, {"retain_size": 1.5}])
def test_numbers_that_are_none(tmp_path: pathlib.Path, options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        crosstie.Wormhole("t", directory=tmp_path / "g", **options)
