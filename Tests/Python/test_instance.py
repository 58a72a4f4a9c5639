"""The single instance: URLs that go to the process that runs already."""

import pathlib
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

import crosstie
from conftest import ISOLATED, WATCHDOG

APP = "com.example.app"


class First:
    """Another process, which claims the application."""

    def __init__(self, directory: pathlib.Path, mode: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ISOLATED / "instance_first.py"), str(directory), mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.expect("first")
        if mode == "ready":
            self.expect("ready")

    def expect(self, line: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == line

    def go(self) -> None:
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(WATCHDOG)


Start = Callable[[str], First]


@pytest.fixture
def start(tmp_path: pathlib.Path) -> Iterator[Start]:
    started: list[First] = []

    def start(mode: str = "ready") -> First:
        started.append(First(tmp_path, mode))
        return started[-1]

    yield start
    for first in started:
        first.kill()


@pytest.fixture
def claim(bus: crosstie.Bus, tmp_path: pathlib.Path) -> Callable[[], crosstie.Instance]:
    return lambda: bus.claim_instance(APP, directory=str(tmp_path))


Claim = Callable[[], crosstie.Instance]


def test_a_url_opens_in_the_first_instance(start: Start, claim: Claim) -> None:
    first = start("ready")
    with claim() as instance:
        assert not instance.is_first
        (handed,) = instance.hand(["app://items/1"], activation={"arguments": ["here"]})
        assert handed.url == "app://items/1"
        assert handed.status is crosstie.Status.OK
        assert handed.value == {"number": "1", "origin": "remote", "arguments": ["here"]}
        first.expect("opens 1")
        answers = instance.hand(["app://items/2", "app://items/3"], activation={})
        assert [each.value for each in answers] == [
            {"number": number, "origin": "remote", "arguments": None} for number in ("2", "3")
        ]
    assert instance.closed and not instance.is_first


def test_an_activation_without_urls(start: Start, claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_ACTIVATION_TOKEN", raising=False)
    monkeypatch.setenv("DESKTOP_STARTUP_ID", "start-1")
    first = start("ready")
    (handed,) = claim().hand()
    assert (handed.url, handed.value) == ("", {"count": 1, "any": False, "failures": []})
    first.expect("activated with ['arguments', 'cwd', 'desktop-startup-id']")


def test_urls_that_are_not_open_raise(start: Start, claim: Claim) -> None:
    start("ready")
    instance = claim()
    with pytest.raises(crosstie.HandlerError, match="no such item"):
        instance.hand(["app://fail"])
    with pytest.raises(crosstie.NoRouteError, match="app://nowhere"):
        instance.hand(["app://items/1", "app://nowhere"])
    with pytest.raises(crosstie.PeerGoneError, match="nobody opens it again"):
        instance.hand(["app://die"])
    with pytest.raises(crosstie.KindError):
        instance.hand([], activation=3)  # type: ignore[arg-type]
    with pytest.raises(crosstie.ArgumentError, match="UTF-8"):
        instance.hand(["\udcff"])


def test_a_first_instance_that_is_never_ready(start: Start, claim: Claim) -> None:
    start("never")
    with pytest.raises(crosstie.TimeoutError, match="is not opened"):
        claim().hand(["app://items/1"], timeout=0.1)


def test_a_first_instance_that_starts_is_waited_for(start: Start, claim: Claim) -> None:
    first = start("late")
    instance = claim()
    answers: list[tuple[crosstie.Handed, ...]] = []
    thread = threading.Thread(target=lambda: answers.append(instance.hand(["app://items/1"], timeout=None)))
    thread.start()
    first.go()
    thread.join(WATCHDOG)
    assert answers[0][0].status is crosstie.Status.OK


def test_the_hander_follows_a_first_instance_that_dies(bus: crosstie.Bus, start: Start, claim: Claim) -> None:
    first = start("never")
    instance = claim()
    killer = threading.Timer(0.05, first.kill)
    killer.start()
    (handed,) = instance.hand(["app://items/1"], timeout=None)
    assert handed.status is crosstie.Status.PENDING
    assert instance.is_first
    opened: queue.Queue[str] = queue.Queue()

    @bus.route("app://items/:number", public=True)
    def item(number: str) -> str:
        opened.put(number)
        return f"own {number}"

    instance.ready()
    assert opened.get(timeout=WATCHDOG) == "1"
    assert instance.hand(["app://items/2"])[0].value == "own 2"
    killer.join()


def test_a_signal_ends_the_wait(start: Start, tmp_path: pathlib.Path) -> None:
    start("never")
    code = (
        "import crosstie, sys, signal, threading, os\n"
        "signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))\n"
                "bus = crosstie.Bus('b')\n"
        f"instance = bus.claim_instance({APP!r}, directory={str(tmp_path)!r})\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "try:\n"
        "    instance.hand(['app://items/1'], timeout=None)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(5)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=WATCHDOG, check=False).returncode == 5


def test_names_are_checked(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    with pytest.raises(crosstie.ArgumentError):
        bus.claim_instance("../app", directory=str(tmp_path))
    with pytest.raises(crosstie.NotFoundError):
        bus.claim_instance(APP, directory=str(tmp_path), dispatcher="none")


def test_the_end_of_the_bus_ends_the_claim(claim: Claim, tmp_path: pathlib.Path) -> None:
    with crosstie.Bus("other") as other:
        first = other.claim_instance(APP, directory=str(tmp_path))
        assert first.is_first
    assert not first.is_first
    assert claim().is_first
    with pytest.raises(crosstie.ClosedError):
        first.hand()
