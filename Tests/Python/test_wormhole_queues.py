"""Queues of a wormhole: every message, durable consumers, acknowledging."""

import functools
import os
import pathlib
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable, run_isolated

Messages = queue.Queue[crosstie.Message]


def next_message(messages: Messages) -> crosstie.Message:
    return messages.get(timeout=WATCHDOG)


def next_values(messages: Messages, count: int) -> list[object]:
    return [next_message(messages).value for _ in range(count)]


def test_every_message_in_order(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    wormhole["job"] = "before"
    with wormhole.add_queue("job", messages.put) as listener:
        for i in range(500):
            wormhole["job"] = i
        assert next_values(messages, 500) == list(range(500))
        wormhole.signal("job")
        assert next_message(messages).kind == "signal"
        wormhole.destroy("job")
        last = next_message(messages)
        assert (last.kind, last.delivery_count, last.missed) == ("destroyed", 0, 0)
        assert (listener.identifier, listener.name) == ("job", "")
    wormhole["job"] = "after"
    assert messages.empty()


def test_decorator(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()

    @wormhole.queue("job.*", name="all")
    def work(message: crosstie.Message) -> None:
        messages.put(message)

    wormhole.send_many([("job.b", 1), ("job.a", 2), ("other", 3), ("job.b", 4)])
    assert next_values(messages, 3) == [1, 2, 4]
    assert work.__name__ == "work"
    wormhole.listeners.remove("job.*", "all")


def test_durable(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    with wormhole.add_queue("job", messages.put, durable="worker"):
        wormhole["job"] = 1
        first = next_message(messages)
        assert (first.value, first.delivery_count) == (1, 1)
    wormhole.send_many([("job", 2), ("job", 3)])
    with wormhole.add_queue("job", messages.put, durable="worker"):
        assert next_values(messages, 2) == [2, 3]
    wormhole.forget("job", "worker")
    with pytest.raises(crosstie.NotFoundError):
        wormhole.forget("job", "worker")
    assert messages.empty()


def test_workers_share(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    with crosstie.Wormhole("test", directory=tmp_path / "group") as second:
        wormhole.add_queue("job", messages.put, durable="worker")
        second.add_queue("job", messages.put, durable="worker")
        wormhole.send_many([("job", i) for i in range(300)])
        values = next_values(messages, 300)
        assert sorted(values, key=lambda value: int(str(value))) == list(range(300))
    assert messages.empty()


def test_raising_rejects(wormhole: crosstie.Wormhole, unraisable: Unraisable) -> None:
    messages: Messages = queue.Queue()

    @wormhole.queue("job", durable="worker")
    def work(message: crosstie.Message) -> None:
        messages.put(message)
        if message.delivery_count < 3:
            raise ValueError(message.delivery_count)

    wormhole["job"] = "hard"
    received = [next_message(messages) for _ in range(3)]
    assert [(message.value, message.delivery_count) for message in received] == [("hard", 1), ("hard", 2), ("hard", 3)]
    assert [str(error) for error, _ in unraisable] == ["1", "2"]
    assert unraisable[0][1] is work


def test_rejecting_in_the_callback(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()

    @wormhole.queue("job", durable="worker")
    def work(message: crosstie.Message) -> None:
        if message.delivery_count == 1:
            message.reject(delay=0)
        messages.put(message)

    wormhole["job"] = 1
    assert [next_message(messages).delivery_count for _ in range(2)] == [1, 2]


def test_manual(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    listener = wormhole.add_queue("job", messages.put, durable="worker", manual=True)
    wormhole.send_many([("job", i) for i in range(3)])
    first = next_message(messages)
    first.acknowledge()
    with pytest.raises(crosstie.Error) as again:
        first.acknowledge()
    assert again.value.status is crosstie.Status.ALREADY
    second = next_message(messages)
    assert (second.value, second.delivery_count) == (1, 1)
    second.reject(0)
    back = next_message(messages)
    assert (back.value, back.delivery_count) == (1, 2)
    listener.remove()
    with pytest.raises(crosstie.Error) as ended:
        back.acknowledge()
    assert ended.value.status is crosstie.Status.ALREADY
    wormhole.add_queue("job", messages.put, durable="worker", manual=True, max_unacknowledged=8)
    assert [next_message(messages).value for _ in range(2)] == [1, 2]


def test_messages_that_cannot_be_acknowledged(wormhole: crosstie.Wormhole) -> None:
    wormhole["a"] = 1
    message = wormhole.message("a")
    assert message is not None
    with pytest.raises(crosstie.ArgumentError):
        message.acknowledge()
    with pytest.raises(crosstie.ArgumentError):
        message.reject()
    with pytest.raises(ValueError):
        message.reject(delay=-1)


def test_options_that_do_not_fit(wormhole: crosstie.Wormhole, bus: crosstie.Bus) -> None:
    async def work(message: crosstie.Message) -> None: ...

    with pytest.raises(ValueError):
        wormhole.add_queue("job", print, durable="worker", name="other")
    with pytest.raises(ValueError), crosstie.Loop() as loop:
        wormhole.add_queue("job", print, loop=loop, bus=bus)
    with pytest.raises(crosstie.ArgumentError):
        wormhole.add_queue("job", print, max_unacknowledged=1025)
    with pytest.raises(TypeError):
        wormhole.add_queue("job", work)
    with pytest.raises(TypeError):
        wormhole.add_listener("job", work)
    with pytest.raises(TypeError):
        wormhole.add_queue("job", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        wormhole.add_listener("job", print, loop="x")  # type: ignore[arg-type]
    with pytest.raises(crosstie.NotFoundError):
        wormhole.add_listener("job", print, bus=bus, dispatcher="none")


def test_missed(tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    with crosstie.Wormhole("g", directory=tmp_path / "g", max_queued=10) as wormhole:
        wormhole.add_queue("job", messages.put, durable="worker").remove()
        for i in range(200):
            wormhole["job"] = i
        wormhole.add_queue("job", messages.put, durable="worker")
        position = missed = 0
        while position < 200:
            message = next_message(messages)
            if message.kind == "missed":
                missed += message.missed
                position += message.missed
            else:
                assert message.value == position
                position += 1
        assert position == 200 and missed > 100


@pytest.mark.parametrize("round_number", range(20))
def test_missed_beside_destroyed(tmp_path: pathlib.Path, round_number: int) -> None:
    """Delivered and missed messages add up to those that were sent, also if some were destroyed."""
    messages: Messages = queue.Queue()
    is_in_b, may_go = threading.Event(), threading.Event()

    def receive(message: crosstie.Message) -> None:
        messages.put(message)
        if message.identifier == "jobs.b":
            is_in_b.set()
            may_go.wait(WATCHDOG)

    with crosstie.Wormhole("g", directory=tmp_path / "g", max_queued=64) as wormhole:
        wormhole.add_queue("jobs.*", receive)
        wormhole.add_queue("jobs.*", print, durable="beside").remove()
        for _ in range(20):
            wormhole.send("jobs.a", 0)
        wormhole.send("jobs.b", 0)
        assert is_in_b.wait(WATCHDOG)
        wormhole.destroy("jobs.a")
        for _ in range(98):
            wormhole.send("jobs.b", 1)
        may_go.set()
        received = missed = 0
        while received + missed < 120:
            message = next_message(messages)
            received += message.kind != "missed"
            missed += message.missed
        assert received + missed == 120 and missed > 0


def test_limits_in_bytes(tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    options: dict[str, int] = {"max_queued_size": 1 << 20, "max_value_size": 100_100}
    with crosstie.Wormhole("g", directory=tmp_path / "g", **options) as wormhole:  # type: ignore[arg-type]
        with pytest.raises(crosstie.ArgumentError):
            wormhole["job"] = bytes(100_101)
        wormhole.add_queue("job", messages.put, durable="worker").remove()
        for _ in range(50):
            wormhole["job"] = bytes(100_000)
        wormhole["job"] = "last"
        wormhole.add_queue("job", messages.put, durable="worker")
        received = [next_message(messages)]
        while received[-1].kind == "missed" or received[-1].value != "last":
            received.append(next_message(messages))
        assert received[0].kind == "missed" and len(received) < 20


def test_from_oldest(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    wormhole.add_queue("job", print, durable="keeper").remove()
    wormhole.send_many([("job", 1), ("job", 2)])
    wormhole.add_queue("job", messages.put, from_oldest=True)
    assert next_values(messages, 2) == [1, 2]


def test_killed_worker(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    wormhole.add_queue("job", print, durable="worker").remove()
    wormhole["job"] = 1
    script = (
        "import crosstie, os, signal, sys, time\n"
        "wormhole = crosstie.Wormhole('test', directory=sys.argv[1])\n"
        "wormhole.add_queue('job', lambda message: os.kill(os.getpid(), signal.SIGKILL), durable='worker')\n"
        "time.sleep(60)\n"
    )
    process = subprocess.run([sys.executable, "-c", script, str(tmp_path / "group")], timeout=WATCHDOG, check=False)
    assert process.returncode == -9
    wormhole.add_queue("job", messages.put, durable="worker")
    message = next_message(messages)
    assert (message.value, message.delivery_count, message.sender_pid) == (1, 2, os.getpid())


def test_the_end_of_the_interpreter(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    result = run_isolated("exit_with_queues.py", str(tmp_path / "group"), str(tmp_path / "done"))
    assert (result.returncode, result.stdout) == (0, "")
    done = [int(line) for line in (tmp_path / "done").read_text().split()]
    wormhole["job"] = -1
    wormhole.add_queue("job", messages.put, durable="worker")
    rest = list(iter(lambda: int(next_message(messages).value), -1))
    assert done + rest == list(range(4000))


# ---- What does not run when it is called ------------------------------------------------------------------


async def in_a_loop(message: crosstie.Message) -> None: ...


class AsyncCall:
    async def __call__(self, message: crosstie.Message) -> None: ...


def generator(message: crosstie.Message) -> Iterator[int]:
    yield 1


async def async_generator(message: crosstie.Message) -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("callback", [in_a_loop, AsyncCall(), functools.partial(AsyncCall()), AsyncCall().__call__])
def test_async_functions_are_not_bound(
    wormhole: crosstie.Wormhole, callback: Callable[[crosstie.Message], object]
) -> None:
    with pytest.raises(TypeError, match="wormhole.aio"):
        wormhole.add_queue("job", callback)


def test_an_async_generator_is_not_bound(wormhole: crosstie.Wormhole) -> None:
    with pytest.raises(TypeError, match="async generator"):
        wormhole.add_queue("job", async_generator)


@pytest.mark.parametrize("function", [in_a_loop, generator, async_generator])
def test_callbacks_that_have_not_run_acknowledge_nothing(
    wormhole: crosstie.Wormhole, unraisable: Unraisable, function: Callable[[crosstie.Message], object]
) -> None:
    wormhole.declare("job", "worker", max_deliveries=1)
    wormhole["job"] = 1
    received: Messages = queue.Queue()
    with (
        wormhole.add_queue("job.dead", received.put),
        wormhole.add_queue("job", lambda message: function(message), durable="worker"),
    ):
        assert next_message(received).value == 1
    [letter] = wormhole.dead_letters("job", "worker")
    assert "must do its work when it is called" in letter.reason
    assert isinstance(unraisable[0][0], TypeError)
