"""`crosstie call`, `open` and `emit`: requests to joined buses."""

import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

TOOL = os.environ["CROSSTIE"]
WATCHDOG = 60

PROGRAM = """\
import sys
import crosstie

bus = crosstie.Bus("shop")
kept = []

@bus.component("stock")
class Stock:
    @crosstie.action
    def count(self, request: crosstie.Request) -> object:
        return request.arguments

    @crosstie.action
    def steps(self, request: crosstie.Request) -> str:
        request.progress("half \\x1b[1m")
        return "whole"

    @crosstie.action
    def fail(self) -> None:
        raise ValueError("no wheels \\x1b[1mleft")

    @crosstie.action
    def hang(self, request: crosstie.Request) -> None:
        request.on_cancel(lambda: print("cancelled", flush=True))
        kept.append(request.defer())
        print("hangs", flush=True)

    @crosstie.event("saved")
    def saved(self, name: str = "") -> bool:
        if name == "bad":
            raise ValueError("no name")
        return name == "good"

@bus.route("app://items/:id", public=True)
def item(id: str, request: crosstie.Request) -> list[str]:
    return [id, request.origin]

@bus.route("app://private")
def private() -> str:
    return "private"

wormhole = crosstie.Wormhole("desk", directory=sys.argv[1] if len(sys.argv) > 1 else None)
with bus.join(wormhole, name="shop", exports=["stock", "app://", "event:saved"], trusted=True):
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def directories(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    for name in ("runtime", "state"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def start(*arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def shop() -> Iterator[subprocess.Popen[str]]:
    process = start()
    yield process
    process.communicate(timeout=WATCHDOG)


def run(*arguments: str, text: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [TOOL, *arguments], input=text, capture_output=True, text=True, timeout=WATCHDOG, check=False
    )
    return done.returncode, done.stdout, done.stderr


def answer(*arguments: str, text: str = "") -> object:
    status, output, complaint = run(*arguments, text=text)
    assert status == 0, complaint
    return json.loads(output)


def test_call(shop: subprocess.Popen[str]) -> None:
    assert answer("call", "stock", "count") is None
    assert answer("call", "stock", "count", "name=a=b", "other=") == {"name": "a=b", "other": ""}
    assert answer("call", "stock", "count", "--json", '{"n": [1]}') == {"n": [1]}
    assert answer("call", "stock", "count", "--json", "-", "b=2", text='{"a": 1}') == {"a": 1, "b": "2"}
    assert answer("call", "stock", "count", "--peer", "shop", "--group", "desk") is None


def test_progress_and_failures_are_harmless_to_a_terminal(shop: subprocess.Popen[str]) -> None:
    status, output, complaint = run("call", "stock", "steps")
    assert (status, output, complaint) == (0, '"whole"\n', '"half \\u001b[1m"\n')
    status, output, complaint = run("call", "stock", "fail")
    assert status == 1 and output == ""
    assert "no wheels" in complaint and "\x1b" not in complaint


def test_exit_statuses(shop: subprocess.Popen[str]) -> None:
    assert run("call", "nobody", "count")[0] == 69
    assert run("call", "stock", "count", "--peer", "nobody")[0] == 69
    assert run("call", "stock", "count", "--group", "missing")[0] == 69
    assert run("call", "stock", "missing")[0] == 1
    assert run("call", "stock", "hang", "--timeout", "0.2")[0] == 75
    assert run("call", "stock")[0] == 64
    assert run("call", "stock", "count", "pair")[0] == 64
    assert run("call", "stock", "count", "--timeout", "0")[0] == 64
    assert run("call", "stock", "count", "--json", "[1]")[0] == 1
    assert run("call", "stock", "count", "--json", "{")[0] == 1


def test_nothing_is_there() -> None:
    status, output, complaint = run("call", "stock", "count")
    assert (status, output) == (69, "") and "no group" in complaint
    assert run("open", "app://items/5")[0] == 69
    assert run("emit", "saved")[0] == 69


def test_an_interrupt_cancels_the_call(shop: subprocess.Popen[str]) -> None:
    call = subprocess.Popen([TOOL, "call", "stock", "hang"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert shop.stdout is not None
    assert shop.stdout.readline() == "hangs\n"
    call.send_signal(signal.SIGINT)
    assert call.wait(WATCHDOG) == -signal.SIGINT
    assert shop.stdout.readline() == "cancelled\n"


def test_open(shop: subprocess.Popen[str]) -> None:
    assert answer("open", "app://items/5") == ["5", "local"]
    assert answer("open", "app://items/5", "--remote") == ["5", "remote"]
    assert answer("open", "app://private", "--peer", "shop") == "private"
    status, output, complaint = run("open", "app://private", "--remote")
    assert (status, output) == (1, "") and "not public" in complaint
    assert run("open", "app://missing")[0] == 1
    assert run("open", "far://away")[0] == 69
    assert run("open", "app://a b")[0] == 1


def test_emit(shop: subprocess.Popen[str]) -> None:
    assert answer("emit", "saved") == {"count": 1, "any": False, "failures": []}
    assert answer("emit", "saved", "name=good") == {"count": 1, "any": True, "failures": []}
    status, output, _ = run("emit", "saved", "name=bad")
    assert status == 1
    failure = json.loads(output)["failures"][0]
    assert (failure["component"], failure["peer"]) == ("stock", "shop")
    assert run("emit", "unknown")[0] == 69
    assert run("emit", "1")[0] == 1


def test_a_directory_of_ones_own(tmp_path: pathlib.Path) -> None:
    directory = str(tmp_path / "own")
    process = start(directory)
    assert run("call", "stock", "count")[0] == 69
    assert answer("call", "stock", "count", "--group", "desk", "--directory", directory) is None
    assert run("call", "stock", "count", "--directory", directory)[0] == 64
    process.communicate(timeout=WATCHDOG)
