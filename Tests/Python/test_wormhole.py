"""The wormhole: messages, listeners, closing."""

import gc
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time
import weakref

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable

Messages = queue.Queue[crosstie.Message]


def next_message(messages: Messages) -> crosstie.Message:
    return messages.get(timeout=WATCHDOG)


def test_abilities(wormhole: crosstie.Wormhole) -> None:
    every = ~crosstie.Abilities(0)
    assert wormhole.abilities == every & ~crosstie.Abilities.SURVIVES_POWER
    assert crosstie.Abilities.TOKENS in wormhole.abilities
    with crosstie.Wormhole("abilities", memory=True) as memory:
        assert wormhole.abilities ^ memory.abilities == crosstie.Abilities.JOINS_BUSES
    with pytest.raises(crosstie.ClosedError):
        memory.abilities  # noqa: B018


def test_message(wormhole: crosstie.Wormhole) -> None:
    assert wormhole.message("a") is None
    before = time.time() - 1
    sent = wormhole.send("a", [1, "é", b"\0", None, True, 1.5, {"k": {}}])
    message = wormhole.message("a")
    assert message is not None
    assert message.kind == "value"
    assert message.value == [1, "é", b"\0", None, True, 1.5, {"k": {}}]
    assert message.value is message.value
    assert message.status is crosstie.Status.OK
    assert message.identifier == "a"
    assert message.sequence == sent.sequence
    assert before < message.time < time.time() + 1
    assert message.time == pytest.approx(message.time_ns / 1e9)
    assert message.sender_pid == os.getpid()
    assert message.sender_name == "tester"
    assert repr(message) == f"<crosstie.Message 'a' value sequence={sent.sequence}>"


def test_sequences_rise(wormhole: crosstie.Wormhole) -> None:
    first = wormhole.send("a", 1)
    second = wormhole.signal("a")
    destroyed = wormhole.destroy("a")
    third = wormhole.send("b", 1)
    assert first.sequence < second.sequence < destroyed.sequence < third.sequence
    assert wormhole.destroy_all() == (third.sequence + 1, 1)
    assert first == (first.sequence, 0)
    assert repr(first) == f"crosstie.Sent(sequence={first.sequence}, listeners=0)"


def test_destroy_all(wormhole: crosstie.Wormhole) -> None:
    wormhole["a"] = 1
    wormhole["b"] = 2
    wormhole.destroy_all()
    assert "a" not in wormhole
    assert "b" not in wormhole
    wormhole.destroy("a")


def test_a_listener_receives_every_kind_of_message(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    listener = wormhole.add_listener("a", messages.put)
    first = next_message(messages)
    assert (first.kind, first.value, first.sequence) == ("none", None, 0)
    assert wormhole.send("a", {"x": 1}).listeners == 1
    second = next_message(messages)
    assert (second.kind, second.value) == ("value", {"x": 1})
    wormhole.signal("a")
    third = next_message(messages)
    assert (third.kind, third.value) == ("signal", None)
    wormhole.destroy("a")
    assert next_message(messages).kind == "destroyed"
    assert listener.active
    assert (listener.identifier, listener.name) == ("a", "")
    assert repr(listener) == "<crosstie.Listener 'a' name=''>"
    listener.remove()
    listener.remove()
    assert not listener.active
    assert repr(listener) == "<crosstie.Listener 'a' name='' removed>"
    assert wormhole.send("a", 2).listeners == 0
    assert messages.empty()


def test_late_listener_finds_the_message(wormhole: crosstie.Wormhole) -> None:
    wormhole["a"] = "waiting"
    messages: Messages = queue.Queue()

    @wormhole.listen("a", name="late")
    def late(message: crosstie.Message) -> None:
        messages.put(message)

    assert next_message(messages).value == "waiting"
    assert late.__name__ == "late"


def test_without_initial_delivery(wormhole: crosstie.Wormhole) -> None:
    wormhole["a"] = "old"
    messages: Messages = queue.Queue()
    with wormhole.add_listener("a", messages.put, initial_delivery=False):
        wormhole["a"] = "new"
        assert next_message(messages).value == "new"


def test_prefix(wormhole: crosstie.Wormhole) -> None:
    wormhole["chat.b"] = 2
    wormhole["chat.a"] = 1
    messages: Messages = queue.Queue()
    wormhole.add_listener("chat.*", messages.put)
    received = [next_message(messages), next_message(messages)]
    assert [(message.identifier, message.value) for message in received] == [("chat.a", 1), ("chat.b", 2)]


def test_a_name_replaces(wormhole: crosstie.Wormhole) -> None:
    first: Messages = queue.Queue()
    second: Messages = queue.Queue()
    one = wormhole.add_listener("a", first.put, name="badge")
    next_message(first)
    two = wormhole.add_listener("a", second.put, name="badge")
    next_message(second)
    assert not one.active
    assert two.active
    wormhole["a"] = 1
    assert next_message(second).value == 1
    assert first.empty()
    wormhole.listeners.remove("a", "badge")
    assert not two.active
    with pytest.raises(crosstie.NotFoundError):
        wormhole.listeners.remove("a", "badge")


def test_remove_all(wormhole: crosstie.Wormhole) -> None:
    listeners = [wormhole.add_listener("a", lambda message: None) for _ in range(3)]
    wormhole.listeners.clear()
    assert not any(listener.active for listener in listeners)


def test_listener_removes_itself(wormhole: crosstie.Wormhole) -> None:
    messages: Messages = queue.Queue()
    listeners: list[crosstie.Listener] = []

    def once(message: crosstie.Message) -> None:
        listeners[0].remove()
        messages.put(message)

    listeners.append(wormhole.add_listener("a", once, initial_delivery=False))
    wormhole["a"] = 1
    assert next_message(messages).value == 1
    wormhole.listeners.clear()
    wormhole["a"] = 2
    assert messages.empty()


def test_listener_closes_the_wormhole(tmp_path: pathlib.Path) -> None:
    wormhole = crosstie.Wormhole("g", directory=tmp_path / "g")
    closed = threading.Event()

    def close(message: crosstie.Message) -> None:
        wormhole.close()
        closed.set()

    wormhole.add_listener("a", close)
    assert closed.wait(WATCHDOG)
    assert wormhole.closed


def test_exceptions_of_a_listener(wormhole: crosstie.Wormhole, unraisable: Unraisable) -> None:
    def fail(message: crosstie.Message) -> None:
        raise ValueError(message.kind)

    wormhole.add_listener("a", fail)
    assert unraisable.arrived.wait(WATCHDOG)
    assert isinstance(unraisable[0][0], ValueError)
    assert unraisable[0][1] is fail


def test_close(tmp_path: pathlib.Path) -> None:
    wormhole = crosstie.Wormhole("g", directory=tmp_path / "g")
    assert repr(wormhole) == "<crosstie.Wormhole 'g'>"
    assert wormhole.group == "g"
    listener = wormhole.add_listener("a", lambda message: None)
    wormhole.close()
    wormhole.close()
    assert wormhole.closed
    assert not listener.active
    assert repr(wormhole) == "<crosstie.Wormhole 'g' closed>"
    for use in (
        lambda: wormhole.send("a", 1),
        lambda: wormhole.signal("a"),
        lambda: wormhole.message("a"),
        lambda: "a" in wormhole,
        lambda: wormhole.destroy("a"),
        lambda: wormhole.destroy_all(),
        lambda: wormhole.add_listener("a", lambda message: None),
        lambda: wormhole.listeners.remove("a", "n"),
        lambda: wormhole.listeners.clear(),
    ):
        with pytest.raises(crosstie.ClosedError):
            use()


def test_unreferenced_wormhole_with_a_cycle_is_collected(tmp_path: pathlib.Path) -> None:
    wormhole = crosstie.Wormhole("g", directory=tmp_path / "g")
    received = threading.Event()
    reference = weakref.ref(wormhole)

    def callback(message: crosstie.Message) -> None:
        assert wormhole.group == "g"
        received.set()

    wormhole.add_listener("a", callback)
    received.wait(WATCHDOG)
    del wormhole, callback
    deadline = time.monotonic() + WATCHDOG
    while reference() is not None and time.monotonic() < deadline:
        gc.collect()
    assert reference() is None


def test_refusals(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    for identifier in ("", "a b", ".a", "a..b", "x" * 129):
        with pytest.raises(crosstie.ArgumentError) as caught:
            wormhole.send(identifier, 1)
        assert caught.value.status is crosstie.Status.IDENTIFIER
    with pytest.raises(crosstie.KindError) as kind:
        wormhole["a"] = {"x": [object()]}
    assert kind.value.location == "$.x[0]"
    with pytest.raises(crosstie.ArgumentError) as limit:
        wormhole["a"] = b"x" * (1 << 20)
    assert limit.value.status is crosstie.Status.LIMIT
    assert "a" not in wormhole
    for arguments in ((), ("a",), ("a", 1, 2)):
        with pytest.raises(TypeError):
            wormhole.send(*arguments)
    with pytest.raises(TypeError):
        wormhole.send(3, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="callable"):
        wormhole.add_listener("a", 3)  # type: ignore[arg-type]
    with pytest.raises(crosstie.ArgumentError):
        crosstie.Wormhole("a b", directory=tmp_path / "g")
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(OSError):
        crosstie.Wormhole("a", directory=tmp_path / "file")


def test_any_filesystem(tmp_path: pathlib.Path) -> None:
    with crosstie.Wormhole("t", directory=tmp_path / "g", any_filesystem=True) as wormhole:
        wormhole["kept"] = 1
        assert dict(wormhole) == {"kept": 1}


def test_existing(tmp_path: pathlib.Path) -> None:
    with pytest.raises(crosstie.NotFoundError):
        crosstie.Wormhole("t", directory=tmp_path / "g", existing=True)
    assert not (tmp_path / "g").exists()
    with crosstie.Wormhole("t", directory=tmp_path / "g") as maker:
        maker["kept"] = 1
        with crosstie.Wormhole("t", directory=tmp_path / "g", existing=True) as wormhole:
            assert dict(wormhole) == {"kept": 1}


def test_in_memory() -> None:
    with crosstie.Wormhole("python.memory", memory=True, name="one") as one:
        with crosstie.Wormhole("python.memory", memory=True, name="two") as two:
            messages: Messages = queue.Queue()
            two.add_queue("job", messages.put, durable="worker")
            one.send_many([("job", 1), ("job", 2)])
            assert [next_message(messages).value for _ in range(2)] == [1, 2]
            assert [member.name for member in one.members()] == ["one", "two"]
        assert one["job"] == 2
    with crosstie.Wormhole("python.memory", memory=True) as later:
        assert len(later) == 0


def test_durability(tmp_path: pathlib.Path) -> None:
    with crosstie.Wormhole("g", directory=tmp_path / "system", durability="system", max_map_size=64 << 20) as wormhole:
        wormhole["a"] = 1
    with crosstie.Wormhole("g", directory=tmp_path / "system", durability="system") as wormhole:
        assert wormhole["a"] == 1
    with pytest.raises(ValueError):
        crosstie.Wormhole("g", directory=tmp_path / "x", durability="no")  # type: ignore[arg-type]
    with pytest.raises(crosstie.ArgumentError):
        crosstie.Wormhole("g", directory=tmp_path / "x", durability="system", fast=True)
    crosstie.Wormhole("g", directory=tmp_path / "process").close()
    with pytest.raises(crosstie.ConflictError):
        crosstie.Wormhole("g", directory=tmp_path / "process", durability="system")


def test_another_process(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    wormhole["question"] = {"n": 20}
    wormhole.add_listener("answer", messages.put, initial_delivery=False)
    script = (
        "import crosstie, sys\n"
        "with crosstie.Wormhole('test', directory=sys.argv[1], name='other') as wormhole:\n"
        "    wormhole['answer'] = wormhole['question']['n'] + 1\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "group")], check=True, timeout=WATCHDOG)
    message = next_message(messages)
    assert (message.value, message.sender_name) == (21, "other")
    assert message.sender_pid != os.getpid()


def test_senders_in_many_threads(wormhole: crosstie.Wormhole) -> None:
    last: Messages = queue.Queue()
    wormhole.add_listener("a", lambda message: last.put(message) if message.value == "end" else None)

    def send() -> None:
        for i in range(200):
            wormhole["a"] = i

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wormhole["a"] = "end"
    assert next_message(last).value == "end"
