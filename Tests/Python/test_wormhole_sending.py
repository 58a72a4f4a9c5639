"""Sending with headers, an expiry, and a time."""

import datetime
import math
import pathlib
import queue
import time

import pytest

import crosstie
from conftest import WATCHDOG

Messages = queue.Queue[crosstie.Message]


def test_headers_come_with_a_message(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    headers = {crosstie.CORRELATION: "42", crosstie.REPLY_TO: "", "länge": "ünïcode"}
    wormhole.add_queue("ask", messages.put)
    assert wormhole.send("ask", 1, headers=headers).sequence == 1
    message = messages.get(timeout=WATCHDOG)
    assert (message.value, message.headers, message.expires) == (1, headers, None)
    wormhole.signal("ask", headers={"a": "b"})
    assert messages.get(timeout=WATCHDOG).headers == {"a": "b"}
    wormhole.send("ask", 2)
    assert messages.get(timeout=WATCHDOG).headers == {}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"headers": {1: "a"}}, TypeError),
        ({"headers": {"a": 1}}, TypeError),
        ({"headers": ["a"]}, TypeError),
        ({"headers": {"": "a"}}, crosstie.Error),
        ({"headers": {"a": "x" * 4096}}, crosstie.Error),
        ({"headers": {str(i): "" for i in range(33)}}, crosstie.Error),
        ({"headers": {"\ud800": ""}}, ValueError),
        ({"expires": -1}, ValueError),
        ({"expires": "soon"}, TypeError),
        ({"delay": -1}, ValueError),
        ({"delay": math.inf}, ValueError),
        ({"delay": math.nan}, ValueError),
        ({"delay": 1e14}, crosstie.Error),
        ({"delay": 1, "not_before": 1}, crosstie.Error),
        ({"not_before": "tomorrow"}, TypeError),
        ({"not_before": -1}, ValueError),
        ({"not_before": 1e300}, ValueError),
        ({"later": 1}, TypeError),
        ({"token": b"short"}, ValueError),
        ({"token": "0123456789abcdef"}, TypeError),
    ],
)
def test_refusals(wormhole: crosstie.Wormhole, options: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        wormhole.send("ask", 1, **options)  # type: ignore[arg-type]
    with pytest.raises(error):
        wormhole.signal("ask", **options)  # type: ignore[arg-type]
    assert "ask" not in wormhole
    assert wormhole.scheduled() == []


def test_expired_messages_are_invisible(wormhole: crosstie.Wormhole) -> None:
    wormhole.send("brief", 1, expires=0.001)
    wormhole.send("lasting", 2, expires=math.inf)
    wormhole.send("hour", 3, expires=3600)
    end = time.time() + WATCHDOG
    while "brief" in wormhole and time.time() < end:
        time.sleep(0.002)
    assert list(wormhole) == ["hour", "lasting"]
    stored = wormhole.message("hour")
    assert stored is not None and stored.expires is not None
    assert 3500 < stored.expires - stored.time < 3700


def test_the_first_member_sets_it_for_all(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "group"
    crosstie.Wormhole("test", directory=place, delay=3600, expires=60).close()
    with crosstie.Wormhole("test", directory=place, delay=1) as wormhole:
        wormhole["a"] = 1
        assert wormhole.send("b", 2, delay=0).sequence == 2
        assert list(wormhole) == ["b"]
        [waiting] = wormhole.scheduled("a")
        assert waiting.expires is not None
        assert 50 < waiting.expires - waiting.not_before < 70


def test_scheduled_messages_are_listed_and_cancelled(wormhole: crosstie.Wormhole) -> None:
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    year = wormhole.send("far.a", [1, 2], delay=365 * 86400, headers={"a": "b"})
    day = wormhole.signal("far.b", not_before=tomorrow)
    first, second = wormhole.scheduled()
    assert (first.number, first.identifier, first.kind, first.size) == (day.sequence, "far.b", "signal", 0)
    assert abs(first.not_before - tomorrow.timestamp()) < 1e-3
    assert (second.number, second.headers, second.expires, second.size) == (year.sequence, {"a": "b"}, None, 3)
    assert wormhole.scheduled("far.a") == [second]
    wormhole.cancel_scheduled(day.sequence)
    with pytest.raises(crosstie.NotFoundError):
        wormhole.cancel_scheduled(day.sequence)
    with pytest.raises(ValueError, match="number"):
        wormhole.cancel_scheduled(-1)
    assert wormhole.scheduled() == [second]


def test_its_time_comes(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    wormhole.add_queue("later", messages.put, durable="worker")
    before = time.time()
    sent = wormhole.send("later", 1, delay=0.05, expires=3600)
    assert sent.listeners == 0
    message = messages.get(timeout=WATCHDOG)
    assert time.time() >= before + 0.05
    assert message.sequence > sent.sequence and message.expires is not None
    assert wormhole.send("later", 2, not_before=1).sequence == messages.get(timeout=WATCHDOG).sequence


def test_expires_of_zero_for_the_whole_group(tmp_path: pathlib.Path) -> None:
    with crosstie.Wormhole("test", directory=tmp_path / "group", expires=0) as wormhole:
        wormhole["a"] = 1
        end = time.monotonic() + WATCHDOG
        while "a" in wormhole and time.monotonic() < end:
            time.sleep(0.001)
        assert "a" not in wormhole
