"""The first instance on a session bus of the test's own: what the desktop's tools call."""

import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import crosstie
from conftest import ISOLATED, WATCHDOG

APP = "com.example.app"
CONFIGURATION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={directory}/bus</listen><servicedir>{directory}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


@pytest.fixture
def session(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """A session bus in the test's directory, which starts the services of that directory."""
    configuration = tmp_path / "bus.conf"
    configuration.write_text(CONFIGURATION.format(directory=tmp_path))
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address=1"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert bus.stdout is not None
    address = bus.stdout.readline().strip()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    yield bus
    bus.kill()
    bus.wait(WATCHDOG)
    bus.stdout.close()


def wait_for(instance: crosstie.Instance, status: crosstie.Status) -> None:
    end = time.monotonic() + WATCHDOG
    while instance.dbus_status is not status and time.monotonic() < end:
        time.sleep(0.001)
    assert instance.dbus_status is status


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG, check=False)


@pytest.mark.usefixtures("session")
def test_the_desktop_opens_urls(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    opened: list[tuple[str, str, object]] = []

    @bus.route("app://items/:number", public=True)
    def item(number: str, request: crosstie.Request) -> None:
        opened.append((number, request.origin, request.user_info["activation"]))

    with bus.claim_instance(APP, directory=str(tmp_path)) as instance:
        wait_for(instance, crosstie.Status.OK)
        instance.ready()
        assert tool("gapplication", "launch", APP, "app://items/1", "app://items/2").returncode == 0
        assert [(number, origin) for number, origin, _ in opened] == [("1", "remote"), ("2", "remote")]
        failed = tool("gapplication", "launch", APP, "app://nowhere")
        assert failed.returncode != 0 and "app://nowhere" in failed.stderr
    assert instance.dbus_status is crosstie.Status.HANDLE
    assert tool("gapplication", "launch", APP, "app://items/3").returncode != 0
    assert len(opened) == 2


@pytest.mark.usefixtures("session")
def test_a_claim_without_dbus(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    with bus.claim_instance(APP, directory=str(tmp_path), dbus=False) as instance:
        assert instance.is_first
        assert instance.dbus_status is crosstie.Status.NOT_FOUND
        assert tool("gapplication", "launch", APP).returncode != 0


def test_the_end_of_the_session_bus(
    bus: crosstie.Bus, session: subprocess.Popen[str], tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="crosstie"), bus.claim_instance(APP, directory=str(tmp_path)) as instance:
        wait_for(instance, crosstie.Status.OK)
        session.kill()
        wait_for(instance, crosstie.Status.PEER_GONE)
        instance.ready()
        bus.route("app://items/:number", public=True)(lambda number: number)
        assert instance.hand(["app://items/4"])[0].value == "4"
    assert "the session bus has ended" in caplog.text


@pytest.mark.usefixtures("session")
def test_the_session_bus_starts_the_application(tmp_path: pathlib.Path) -> None:
    """The first call starts the program, which gets it as soon as it is ready; the next one opens in it."""
    opened = tmp_path / "opened"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {ISOLATED}/instance_dbus.py {tmp_path} >>{opened}\n")
    program.chmod(0o755)
    (tmp_path / f"{APP}.service").write_text(f"[D-BUS Service]\nName={APP}\nExec={program}\n")
    try:
        for number in ("1", "2"):
            assert tool("gapplication", "launch", APP, f"app://items/{number}").returncode == 0
        end = time.monotonic() + WATCHDOG
        while opened.read_text().count("opens") < 2 and time.monotonic() < end:
            time.sleep(0.001)
        assert sorted(opened.read_text().splitlines()[1:]) == ["opens 1", "opens 2"]
    finally:
        os.kill(int(opened.read_text().split()[0]), 9)
