"""Fixtures and helpers of the tests."""

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import uvloop

import crosstie

ISOLATED = pathlib.Path(__file__).parent / "isolated"

#: The time that a test waits for an event; nothing depends on it but the end of a hanging test.
WATCHDOG = 120


@pytest.fixture
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus("test") as bus:
        yield bus


@pytest.fixture
def wormhole(tmp_path: pathlib.Path) -> Iterator[crosstie.Wormhole]:
    with crosstie.Wormhole("test", directory=tmp_path / "group", name="tester") as wormhole:
        yield wormhole


Run = Callable[[Awaitable[Any]], Any]


@pytest.fixture(params=["asyncio", "uvloop"])
def factory(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    return asyncio.new_event_loop if request.param == "asyncio" else uvloop.new_event_loop


@pytest.fixture
def run(factory: Callable[[], asyncio.AbstractEventLoop]) -> Run:
    """Runs a coroutine on a loop of its own, under a watchdog."""

    def run(coroutine: Awaitable[Any]) -> Any:
        async def watched() -> Any:
            return await asyncio.wait_for(coroutine, WATCHDOG)

        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(watched())

    return run


def make_durable(wormhole: crosstie.Wormhole, *values: object) -> None:
    """Makes a durable consumer, *worker*, and messages that wait for it."""
    wormhole.add_queue("job", print, durable="worker").remove()
    wormhole.send_many([("job", value) for value in values])


async def take_one(wormhole: crosstie.Wormhole) -> tuple[object, int]:
    """The next message of the durable consumer, and how often it was delivered."""
    async with wormhole.aio.queue("job", durable="worker") as jobs:
        message = await anext(jobs)
        return message.value, message.delivery_count


def past_its_deadline(ask: Callable[[float], object], begun: threading.Event) -> None:
    """A request that ends by its deadline after its handler has begun: if not this one, then one that has more time."""
    for timeout in (0.01, 0.1, 1, 10):
        with pytest.raises(crosstie.TimeoutError):
            ask(timeout)
        if begun.is_set():
            return
    raise AssertionError("the handler does not begin")


class Unraisable(list[Any]):
    """The exceptions that sys.unraisablehook received, with a method that waits."""

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
    """Runs a script of isolated/ in a process of its own, and removes what it has left in its temporary directory."""
    command = [sys.executable, "-X", "faulthandler", str(ISOLATED / name), *arguments]
    with tempfile.TemporaryDirectory(prefix="crosstie-isolated-") as scratch:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=WATCHDOG,
            check=False,
            env=os.environ | {"TMPDIR": scratch},
        )
