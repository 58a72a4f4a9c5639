"""Nothing waits past its deadline, whatever the server does."""

import socket
import threading
import time

import crosstie
import pytest
from waiting import overshoot

LIMIT = 0.4
TRIES = 12
SLACK = 0.05  # the best of the tries is within this


def best(call) -> float:
    """The smallest time by which the call passes its limit. It has to fail."""
    times = []
    for _ in range(TRIES):
        with overshoot(LIMIT) as found, pytest.raises(crosstie.Error) as caught:
            call()
        assert isinstance(
            caught.value,
            (crosstie.UnavailableError, crosstie.UncertainError, crosstie.TimeoutError),
        ), repr(caught.value)
        times.append(found[0])
        if min(times) < SLACK:
            break
    return min(times)


CALLS = {
    "send": lambda it: it.send("x", 1),
    "signal": lambda it: it.signal("x"),
    "message": lambda it: it.message("x"),
    "identifiers": lambda it: it.identifiers(),
    "destroy": lambda it: it.destroy("x"),
    "destroy_all": lambda it: it.destroy_all(),
    "listen": lambda it: it.add_listener("x", print),
    "queue": lambda it: it.add_queue("x", print),
    "durable": lambda it: it.add_queue("x", print, durable="workers"),
    "durables": lambda it: it.durables(),
    "forget": lambda it: it.forget("x", "workers"),
}


@pytest.mark.parametrize("how", ["pause", "kill", "black_hole"])
def test_calls(server, proxy, opened, how):
    far = opened(proxy.address, timeout=LIMIT)
    if how == "black_hole":
        proxy.black_hole()
    else:
        getattr(server, how)()
    over = {name: best(lambda call=call: call(far)) for name, call in CALLS.items()}
    assert {name: time for name, time in over.items() if time >= SLACK} == {}
    begin = time.monotonic()
    far.close()
    assert time.monotonic() - begin < 20


def test_opening_with_nobody_who_answers():
    """A port that takes connections, and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        address = f"nats://127.0.0.1:{port}/shop"
        assert best(lambda: crosstie.Wormhole(address, timeout=LIMIT)) < SLACK
        assert best(lambda: crosstie.Wormhole(address.replace("nats:", "tls:"), timeout=LIMIT)) < SLACK


def test_opening_in_a_paused_server(server):
    server.pause()
    assert best(lambda: crosstie.Wormhole(f"{server.address}/shop", timeout=LIMIT)) < SLACK


def test_closing_wakes_those_that_wait(server, opened):
    shop = opened(server.address, timeout=60)
    server.pause()
    found = []

    def wait() -> None:
        try:
            shop.send("x", 1)
        except crosstie.Error as error:
            found.append(error)

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    shop.close()
    for thread in threads:
        thread.join(30)
    assert len(found) == 4
