"""Tests in processes of their own: the end, forks, subinterpreters, signals, memory."""

import subprocess
import sys
import sysconfig

import pytest

from conftest import WATCHDOG, run_isolated

SUBCLASSES = ("dropped", "collected", "overridden", "resurrected", "wormholes", "at_exit")

#: Everything that the main thread may wait in.
INTERRUPTED = (
    *("open", "open_async_handler", "open_nested", "open_worker", "open_by_deadline", "call", "call_async_handler"),
    *("perform", "broadcast", "share", "oauth", "launch", "provider_open_url", "wait", "result"),
    *("close", "exit", "remove", "remove_route", "clear_routes", "remove a function", "replace"),
    *("close_wormhole", "remove_listener", "remove_listeners", "system_tool"),
)


@pytest.mark.parametrize(
    ("script", "arguments", "status", "output"),
    [
        ("exit_with_workers.py", (), 0, ""),
        ("exit_with_workers.py", ("raise",), 3, ""),
        ("exit_with_stuck_handler.py", (), 0, ""),
        ("exit_with_worker_only.py", (), 0, ""),
        ("exit_with_worker_only.py", ("stuck",), 0, ""),
        ("exit_with_interceptors.py", (), 0, ""),
        ("exit_with_async_handlers.py", (), 0, ""),
        ("exit_with_daemon_thread.py", (), 0, ""),
        ("exit_inside_handler.py", (), 7, ""),
        ("exit_uses_bus.py", (), 0, "answer\nrefused\n"),
        ("fork_under_load.py", ("20",), 0, ""),
        ("fork.py", (), 0, "child ends\nparent ends\n"),
        ("multiprocess.py", (), 0, ""),
        ("subinterpreter.py", (), 0, ""),
        ("memory.py", (), 0, ""),
        ("thread_states.py", (), 0, ""),
        ("closed_loops.py", ("2000",), 0, ""),
        *[("subclasses.py", (case,), 0, "") for case in SUBCLASSES],
        *[("interrupt_requests.py", (case,), 0, "interrupted\n") for case in INTERRUPTED],
        *[("interrupt_requests.py", (case, "wanted"), 0, "interrupted\n") for case in ("open", "close", "remove")],
        ("interrupt_requests.py", ("open", "note"), 0, "noted\nlate\n"),
        ("interrupt_requests.py", ("fork",), 0, "interrupted\n"),
        ("interrupt_requests.py", ("elsewhere",), 0, "interrupted\n"),
    ],
)
def test_script(script: str, arguments: tuple[str, ...], status: int, output: str) -> None:
    result = run_isolated(script, *arguments)
    assert (result.returncode, result.stdout, result.stderr) == (status, output, "")


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="of free-threaded interpreters")
def test_nothing_runs_without_the_gil() -> None:
    command = [sys.executable, "-X", "gil=0", "-c", "import crosstie; crosstie.Bus('a')"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=False)
    assert result.returncode == 1
    assert "ImportError: crosstie needs the GIL" in result.stderr


def test_unraisable() -> None:
    result = run_isolated("unraisable.py")
    assert result.returncode == 0
    assert "ValueError: nobody receives" in result.stderr
    assert "app://fail" in result.stderr


def test_ends_again_and_again() -> None:
    for _ in range(10):
        result = run_isolated("exit_with_workers.py")
        assert (result.returncode, result.stderr) == (0, "")
