"""Joined buses: calls to a component in another process."""

import gc
import os
import pathlib
import queue
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator

import pytest

import crosstie
from conftest import ISOLATED, WATCHDOG, Run


class Callee:
    """A process that exports a component."""

    def __init__(self, directory: pathlib.Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ISOLATED / "join_callee.py"), str(directory), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.expect("ready")

    def expect(self, line: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == line

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(WATCHDOG) == 0


def meet(joined: crosstie.Join, count: int = 1) -> None:
    """Waits until a join knows so many peers: on a loaded machine their greetings may come after it has been made."""
    for _ in range(100 * WATCHDOG):
        if len(joined.peers()) == count:
            return
        time.sleep(0.01)
    pytest.fail(f"there are {len(joined.peers())} peers")


@pytest.fixture
def group(tmp_path: pathlib.Path) -> Iterator[crosstie.Wormhole]:
    with crosstie.Wormhole("test", directory=tmp_path / "group", name="tester") as wormhole:
        yield wormhole


@pytest.fixture
def callee(group: crosstie.Wormhole, tmp_path: pathlib.Path) -> Iterator[Callee]:
    callee = Callee(tmp_path / "group")
    yield callee
    callee.process.kill()
    callee.process.wait(WATCHDOG)


@pytest.fixture
def joined(bus: crosstie.Bus, group: crosstie.Wormhole, callee: Callee) -> Iterator[crosstie.Join]:
    with bus.join(group, name="caller", imports=["stock"]) as joined:
        meet(joined)
        yield joined


def test_a_call_goes_to_the_process_that_exports_the_component(bus: crosstie.Bus, joined: crosstie.Join) -> None:
    assert bus.call("stock", "count", name="wheel") == {"name": "wheel", "origin": "remote", "peer": "caller"}
    assert bus.call_async("stock", "count", name="wheel").result()["name"] == "wheel"


def test_peers(joined: crosstie.Join, callee: Callee) -> None:
    (peer,) = joined.peers()
    assert (peer.name, peer.pid, peer.exports) == ("callee", callee.process.pid, ("stock",))
    assert peer.compatible and peer.calls == 0


def test_a_trusting_callee_keeps_the_origin(bus: crosstie.Bus, group: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    callee = Callee(tmp_path / "group", "trusted")
    with bus.join(group, imports=["*"]) as joined:
        meet(joined)
        assert bus.call("stock", "count", name="wheel")["origin"] == "local"
        assert bus.with_options(origin="remote").call("stock", "count", name="wheel")["origin"] == "remote"
    callee.end()


def test_an_exception_arrives_with_its_text(bus: crosstie.Bus, joined: crosstie.Join) -> None:
    with pytest.raises(crosstie.HandlerError, match="no wheels left"):
        bus.call("stock", "fail")
    with pytest.raises(crosstie.NoActionError):
        bus.call("stock", "missing")


def test_progress_comes_in_order(bus: crosstie.Bus, joined: crosstie.Join) -> None:
    steps: list[object] = []
    assert bus.with_options(progress=steps.append).call("stock", "steps") == "done"
    assert steps == [0, 1, 2, 3, 4]


def open_files() -> int:
    return len(list(pathlib.Path("/proc/self/fd").iterdir()))


def test_descriptors_travel(bus: crosstie.Bus, joined: crosstie.Join, tmp_path: pathlib.Path) -> None:
    bus.call("stock", "give", text="")
    before = open_files()
    for number in range(20):
        path = tmp_path / f"file{number}"
        path.write_text(f"text {number}")
        with path.open() as file, crosstie.Descriptor(file) as one:
            assert bus.call("stock", "read", files=[one, one]) == [f"text {number}".encode(), b""]
        with bus.call("stock", "give", text=f"answer {number}") as given:
            assert os.read(given.fileno(), 100) == f"answer {number}".encode()
    # The join's thread may still hold an answer, also when the files are counted first.
    for _ in range(100 * WATCHDOG):
        if open_files() <= before:
            break
        time.sleep(0.01)
    else:
        pytest.fail(f"{open_files()} open files, {before} before")
    with crosstie.Descriptor(0) as one, pytest.raises(crosstie.Error, match="16 descriptors"):
        bus.call("stock", "read", files=[one] * 17)


def test_a_deadline_cancels_the_handler(bus: crosstie.Bus, joined: crosstie.Join, callee: Callee) -> None:
    with pytest.raises(crosstie.TimeoutError):
        bus.with_options(timeout=0.5).call("stock", "hang")
    callee.expect("hangs")
    callee.expect("cancelled")


def test_a_cancelled_task_cancels_the_handler(bus: crosstie.Bus, joined: crosstie.Join, callee: Callee, run: Run) -> None:
    call = bus.call_async("stock", "hang")
    callee.expect("hangs")
    call.cancel()
    callee.expect("cancelled")

    async def count() -> object:
        return await bus.aio.call("stock", "count", name="wheel")

    assert run(count())["name"] == "wheel"


def test_the_death_of_the_callee_ends_its_calls(bus: crosstie.Bus, joined: crosstie.Join) -> None:
    with pytest.raises(crosstie.PeerGoneError) as caught:
        bus.with_options(timeout=0).call("stock", "die")
    assert isinstance(caught.value, ConnectionError)
    with pytest.raises(crosstie.NoComponentError):
        bus.call("stock", "count", name="wheel")


def test_options_choose_where_a_call_goes(bus: crosstie.Bus, joined: crosstie.Join) -> None:

    @bus.component("till")
    class Till:
        @crosstie.action
        def open(self) -> str:
            return "here"

    assert bus.with_options(peer="callee").call("stock", "count", name="a")["name"] == "a"
    with pytest.raises(crosstie.NoComponentError):
        bus.with_options(peer="nobody").call("stock", "count", name="a")
    with pytest.raises(crosstie.NoComponentError):
        bus.with_options(reach="here").call("stock", "count", name="a")
    assert bus.with_options(reach="here").call("till", "open") == "here"
    with pytest.raises(crosstie.NoComponentError):
        bus.with_options(reach="elsewhere").call("till", "open")
    with pytest.raises(ValueError, match="reach"):
        bus.with_options(reach="far").call("till", "open")  # type: ignore[arg-type]


def test_a_call_that_stays_has_no_peer(bus: crosstie.Bus, joined: crosstie.Join) -> None:
    seen: list[object] = []

    @bus.interceptor
    def look(request: crosstie.Request) -> None:
        seen.append(request.is_leaving)
        request.proceed()

    @bus.component("own")
    class Own:
        @crosstie.action
        def peer(self, request: crosstie.Request) -> object:
            return request.peer

    assert bus.call("own", "peer") is None
    bus.call("stock", "count", name="wheel")
    assert seen == [False, True]


def test_exports_change(bus: crosstie.Bus, group: crosstie.Wormhole) -> None:
    with crosstie.Bus("other") as other, other.join(group, imports=["*"]), bus.join(group) as joined:

        @bus.component("own")
        class Own:
            @crosstie.action
            def open(self) -> int:
                return 5

        with pytest.raises(crosstie.NoComponentError):
            other.call("own", "open")
        joined.set_exports(["own.open"])
        for _ in range(10_000):
            try:
                assert other.call("own", "open") == 5
                break
            except crosstie.NoComponentError:
                continue
        else:
            pytest.fail("the new export does not arrive")
        with pytest.raises(crosstie.ArgumentError):
            joined.set_exports(["1"])
    assert joined.closed


def test_arguments_are_checked(bus: crosstie.Bus, group: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    with pytest.raises(crosstie.ArgumentError):
        bus.join(group, exports=["*"])
    with pytest.raises(crosstie.NotFoundError):
        bus.join(group, dispatcher="missing")
    with pytest.raises(crosstie.ArgumentError):
        bus.join(group, max_frame_size=5)
    with pytest.raises(TypeError):
        bus.join(5)  # type: ignore[arg-type]
    with crosstie.Wormhole("memory", memory=True) as memory, pytest.raises(crosstie.ArgumentError):
        bus.join(memory)


def test_a_url_goes_to_the_process_that_exports_it(bus: crosstie.Bus, group: crosstie.Wormhole) -> None:
    with crosstie.Bus("other") as other, other.join(group, name="other", exports=["app://items/*", "event:saved"]):
        received: list[object] = []

        @other.route("app://items/:id", public=True)
        def item(id: str, request: crosstie.Request) -> list[object]:
            return [id, request.origin, (request.peer or {})["name"]]

        @other.component("list")
        class List:
            @crosstie.event("saved")
            def saved(self, name: str) -> bool:
                received.append(name)
                raise ValueError("no list")

        with bus.join(group, name="own", imports=["app://", "event:saved"]) as joined:
            meet(joined)
            assert bus.open("app://items/5").value == ["5", "remote", "own"]
            assert bus.can_open("app://items/5", anywhere=True) == "peer"
            assert bus.can_open("app://items/5") is None
            with pytest.raises(crosstie.NoRouteError):
                bus.with_options(reach="here").open("app://items/5")
            result = bus.broadcast("saved", {"name": "a"})
            assert (result.count, result.failures[0].peer, result.failures[0].component) == (1, "other", "list")
            assert received == ["a"]


def test_components_anywhere(bus: crosstie.Bus, joined: crosstie.Join) -> None:

    @bus.component("own")
    class Own:
        @crosstie.action
        def open(self) -> None: ...

    found = bus.components.anywhere()
    assert [(each.name, each.peer and each.peer["name"]) for each in found] == [("own", None), ("stock", "callee")]
    assert [each.name for each in bus.components] == ["own"]


def test_components_export_themselves(bus: crosstie.Bus, group: crosstie.Wormhole) -> None:
    with crosstie.Bus("other") as other:

        @other.component("till", exported=True)
        class Till:
            @crosstie.action(idempotent=True)
            def open(self) -> str:
                return "there"

        with other.join(group), bus.join(group, imports=["till"]) as joined:
            meet(joined)
            assert bus.call("till", "open") == "there"


def test_peers_are_announced(bus: crosstie.Bus, group: crosstie.Wormhole) -> None:
    seen: queue.Queue[tuple[str, str, int]] = queue.Queue()
    with bus.join(group) as joined, crosstie.Bus("other") as other:

        @joined.on_peer
        def note(event: str, peer: crosstie.Peer) -> None:
            seen.put((event, peer.name, len(peer.exports)))

        with other.join(group, name="other") as theirs:
            assert seen.get(timeout=WATCHDOG) == ("joined", "other", 0)
            theirs.set_exports(["stock", "app://"])
            assert seen.get(timeout=WATCHDOG) == ("changed", "other", 2)
        assert seen.get(timeout=WATCHDOG) == ("left", "other", 2)
        joined.on_peer(None)
        with other.join(group, name="other"):
            meet(joined)
            assert [peer.name for peer in joined.peers()] == ["other"]
        joined.on_peer(lambda event, peer: seen.put((event, "another function", 0)))
    assert seen.empty()
    with pytest.raises(crosstie.ClosedError):
        joined.on_peer(note)


def test_a_join_keeps_its_wormhole(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    wormhole = crosstie.Wormhole("test", directory=tmp_path / "group")
    kept = weakref.ref(wormhole)
    joined = bus.join(wormhole)
    del wormhole
    gc.collect()
    assert kept() is not None
    joined.close()
    del joined
    gc.collect()
    assert kept() is None


def shares_memory() -> bool:
    return "memfd:crosstie-join" in pathlib.Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("shared", [True, False])
def test_calls_go_by_shared_memory_unless_the_host_refuses_that(
    bus: crosstie.Bus, group: crosstie.Wormhole, callee: Callee, shared: bool
) -> None:
    with bus.join(group, imports=["stock"], shared_memory=shared) as joined:
        meet(joined)
        assert shares_memory() == shared
        assert bus.call("stock", "count", name="wheel")["name"] == "wheel"
        assert bus.call_async("stock", "count", name="x" * 100_000).result()["name"] == "x" * 100_000
    assert not shares_memory()
