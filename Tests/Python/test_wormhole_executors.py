"""The executors of a wormhole's listeners, and listeners of members."""

import os
import pathlib
import queue
import threading

import crosstie
from conftest import WATCHDOG

Messages = queue.Queue[crosstie.Message]


def next_message(messages: Messages) -> crosstie.Message:
    return messages.get(timeout=WATCHDOG)


def test_in_a_loop(wormhole: crosstie.Wormhole) -> None:
    received: list[tuple[object, int]] = []
    with crosstie.Loop() as loop:
        listener = wormhole.add_queue(
            "job", lambda message: received.append((message.value, threading.get_ident())), loop=loop
        )
        wormhole.send_many([("job", 1), ("job", 2)])
        while len(received) < 2:
            loop.dispatch()
        assert received == [(1, threading.get_ident()), (2, threading.get_ident())]
        listener.remove()


def test_on_a_bus(wormhole: crosstie.Wormhole, bus: crosstie.Bus) -> None:
    threads: queue.Queue[str] = queue.Queue()
    wormhole.add_listener("a", lambda message: threads.put(threading.current_thread().name), bus=bus)
    assert threads.get(timeout=WATCHDOG) != threading.current_thread().name


def test_presence(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    messages: Messages = queue.Queue()
    listener = wormhole.add_members_listener(messages.put)
    first = next_message(messages)
    assert (first.kind, first.sender_name, first.sender_pid) == ("joined", "tester", os.getpid())
    with crosstie.Wormhole("test", directory=tmp_path / "group", name="guest"):
        second = next_message(messages)
        assert (second.kind, second.sender_name, second.identifier) == ("joined", "guest", "")
    third = next_message(messages)
    assert (third.kind, third.sender_name) == ("left", "guest")
    assert listener.identifier is None
    listener.remove()

    @wormhole.listen_members(initial_delivery=False)
    def receive(message: crosstie.Message) -> None:
        messages.put(message)

    with crosstie.Wormhole("test", directory=tmp_path / "group", name="late"):
        assert next_message(messages).sender_name == "late"
