"""Completions: each runs once, before closing returns; lost ones are reported."""

import asyncio
import logging
import sys
import threading
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, run_isolated
from crosstie._aio import _complete
from crosstie._crosstie import CTIE_REQUEST_KIND_OPEN as OPEN


def test_closing_waits_for_a_completion_behind_progress() -> None:
    bus = crosstie.Bus("test")
    kept, received, may_go_on = threading.Event(), threading.Event(), threading.Event()
    requests: list[crosstie.Request] = []
    reported: list[object] = []

    @bus.route("app://go")
    def go(request: crosstie.Request) -> None:
        requests.append(request.defer())
        kept.set()

    def receive(_: object) -> None:
        received.set()
        assert may_go_on.wait(WATCHDOG)

    def complete(response: crosstie.Response) -> None:
        reported.append(response.value)

    call = bus.with_options(progress=receive).open_async("app://go", completion=complete)
    assert kept.wait(WATCHDOG)
    reporter = threading.Thread(target=requests[0].progress, args=(1,))
    reporter.start()
    assert received.wait(WATCHDOG)
    requests[0].reply(2)
    assert call.wait(WATCHDOG)
    threading.Timer(0.05, may_go_on.set).start()  # closing that does not wait is over by then
    bus.close()
    assert reported == [2]
    reporter.join(WATCHDOG)


def test_the_end_waits_for_a_completion() -> None:
    result = run_isolated("exit_before_completion.py")
    assert (result.returncode, result.stdout, result.stderr) == (0, "completed with 2\n", "")


def test_the_end_after_closing() -> None:
    result = run_isolated("exit_before_completion.py", "close")
    assert (result.returncode, result.stdout, result.stderr) == (0, "completed with 2\nclosed\n", "")


def test_lost_completions_are_reported() -> None:
    result = run_isolated("exit_before_completion.py", "stuck")
    assert (result.returncode, result.stdout) == (0, "")
    assert "RuntimeError: the interpreter ends before the completion of <crosstie.Call 'app://go'" in result.stderr
    assert "Exception ignored in: <function complete" in result.stderr


def test_an_answer_to_a_closed_loop_is_reported(
    bus: crosstie.Bus, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    loop.close()
    bus.routes.add("app://go", lambda: "answer")
    with caplog.at_level(logging.ERROR, "crosstie"):
        _complete(future, OPEN, bus.open("app://go"))
    assert "the loop was closed before this answer came" in str(unraisable[0].exc_value)
    assert "the loop was closed before this answer came" in caplog.text
