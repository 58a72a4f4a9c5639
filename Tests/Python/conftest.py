"""What the tests share."""

import pathlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import crosstie

ISOLATED = pathlib.Path(__file__).parent / "isolated"

#: How long a test waits for what has to happen; nothing depends on it but the end of a hanging test.
WATCHDOG = 30


@pytest.fixture
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus("test") as bus:
        yield bus


@pytest.fixture
def wormhole(tmp_path: pathlib.Path) -> Iterator[crosstie.Wormhole]:
    with crosstie.Wormhole("test", directory=tmp_path / "group", name="tester") as wormhole:
        yield wormhole


class Unraisable(list[Any]):
    """What went to sys.unraisablehook, and a wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived = threading.Event()

    def __call__(self, what: Any) -> None:
        self.append((what.exc_value, what.object))
        self.arrived.set()


@pytest.fixture
def unraisable(monkeypatch: pytest.MonkeyPatch) -> Unraisable:
    hook = Unraisable()
    monkeypatch.setattr(sys, "unraisablehook", hook)
    return hook


def run_isolated(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a script of isolated/ in a process of its own."""
    command = [sys.executable, "-X", "faulthandler", str(ISOLATED / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=False)
