"""Joined buses over a server: the tests and the scenarios of local groups, and what only a server can do."""

import os
import queue
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import WATCHDOG, eventually

import crosstie

ROOT = Path(__file__).parents[2]
CTESTS = Path(os.environ.get("CROSSTIE_PLAYER", str(ROOT / ".build/ctests/player"))).parent

#: The programs of Tests/C that open their group where CTIE_TEST_GROUP says.
PROGRAMS = ("test_join",)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_tests_of_local_groups(server, program):
    environment = {**os.environ, "CTIE_TEST_GROUP": f"{server.address}/test"}
    played = subprocess.run([CTESTS / program], env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert played.returncode == 0, played.stdout + played.stderr


def test_the_scenarios_of_local_groups(make_server):
    scenarios = sorted((ROOT / "Tests/Scenarios/joins").glob("*.json"))
    accounts = "\n".join(
        f"  A{number} {{ jetstream: enabled, users: [ {{ user: s{number}, password: s }} ] }}"
        for number in range(len(scenarios))
    )
    server = make_server(f"accounts {{\n{accounts}\n}}")
    command = [CTESTS / "player", "--group", f"nats://s{{}}:s@127.0.0.1:{server.port}", scenarios[0].parent]
    played = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert played.returncode == 0, played.stdout + played.stderr
    assert re.search(rf"scenarios: {len(scenarios)} played", played.stdout)


class Callee:
    """A process that exports a component."""

    def __init__(self, address: str) -> None:
        program = str(Path(__file__).with_name("join_callee.py"))
        self.process = subprocess.Popen([sys.executable, program, address], stdout=subprocess.PIPE, text=True)
        self.expect("ready")

    def expect(self, line: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == line

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(WATCHDOG)


@pytest.fixture
def callee(server) -> Iterator[Callee]:
    callee = Callee(f"{server.address}/shop")
    yield callee
    callee.kill()


@pytest.fixture
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus("caller") as bus:
        yield bus


def test_calls_from_several_machines(server, opened, bus, callee):
    with bus.join(opened(server.address), imports=["stock"]) as joined:
        (peer,) = joined.peers()
        assert (peer.name, peer.pid, peer.uid, peer.exports) == ("callee", 0, -1, ("stock",))
        assert bus.call("stock", "count", name="wheel") == 5
        assert bus.call("stock", "echo", value=b"x" * 900_000) == b"x" * 900_000
        with pytest.raises(crosstie.Error) as caught:
            bus.call("stock", "echo", value=b"x" * 1_100_000)
        assert caught.value.status == crosstie.Status.LIMIT
        assert bus.call("stock", "count", name="wheel") == 5


def test_a_peer_joins_with_its_exports(server, opened, bus):
    """No peer is ever there without the components that its bus had exported before it joined."""
    seen = queue.Queue()
    with bus.join(opened(server.address)) as joined, crosstie.Bus("other") as other:

        @other.component("till", exported=True)
        class Till:
            @crosstie.action
            def open(self) -> None: ...

        joined.on_peer(lambda event, peer: seen.put((event, peer.exports)))
        theirs = opened(server.address)
        for _ in range(100):
            other.join(theirs).close()
            assert seen.get(timeout=WATCHDOG) == ("joined", ("till",))
            assert seen.get(timeout=WATCHDOG) == ("left", ("till",))


def test_a_callee_is_killed(server, opened, bus, callee):
    with bus.join(opened(server.address), imports=["stock"]) as joined:
        for _ in range(5):
            call = bus.call_async("stock", "hang")
            callee.expect("hanging")
            callee.kill()
            with pytest.raises(crosstie.PeerGoneError):
                call.result(WATCHDOG)
            eventually(lambda: joined.peers() == ())
            with pytest.raises(crosstie.NoComponentError):
                bus.call("stock", "count", name="wheel")
            callee.__init__(f"{server.address}/shop")
            eventually(lambda: len(joined.peers()) == 1)
            assert bus.call("stock", "count", name="wheel") == 5


def test_the_server_is_killed(server, opened, bus, callee):
    with bus.join(opened(server.address), imports=["stock"]) as joined:
        events = []
        joined.on_peer(lambda event, peer: events.append((event, peer.name)))
        for _ in range(3):
            call = bus.call_async("stock", "hang")
            callee.expect("hanging")
            server.kill()
            with pytest.raises(crosstie.PeerGoneError):
                call.result(WATCHDOG)
            server.start()
            eventually(lambda: len(joined.peers()) == 1)
            assert bus.call("stock", "count", name="wheel") == 5
        eventually(lambda: len(events) == 7)
        assert events == [("joined", "callee"), ("left", "callee")] * 3 + [("joined", "callee")]


def test_the_network_takes_everything(server, proxy, opened, bus, callee):
    """The caller's connection is a black hole: its deadline holds, and all goes on when it is there again."""
    with bus.join(opened(proxy.address), imports=["stock"]):
        assert bus.call("stock", "count", name="wheel") == 5
        proxy.black_hole()
        with pytest.raises((crosstie.TimeoutError, crosstie.PeerGoneError)):
            bus.with_options(timeout=0.5).call("stock", "count", name="wheel")
        proxy.heal()
        eventually(lambda: answers(bus))


def answers(bus: crosstie.Bus) -> bool:
    """Whether a call is answered. One that is made before the loss is known ends with it."""
    try:
        return bus.with_options(timeout=WATCHDOG).call("stock", "count", name="wheel") == 5
    except (crosstie.PeerGoneError, crosstie.NoComponentError):
        return False


def test_a_wormhole_is_closed_first(server, bus, callee):
    wormhole = crosstie.Wormhole(f"{server.address}/shop", timeout=30)
    joined = bus.join(wormhole, imports=["stock"])
    call = bus.call_async("stock", "hang")
    callee.expect("hanging")
    wormhole.close()
    with pytest.raises((crosstie.PeerGoneError, crosstie.ClosedError)):
        call.result(WATCHDOG)
    with pytest.raises(crosstie.NoComponentError):
        bus.call("stock", "count", name="wheel")
    joined.close()
