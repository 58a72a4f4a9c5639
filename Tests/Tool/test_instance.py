"""`crosstie open --hand-off` and `crosstie instance`: URLs that open in the instance of an application that runs."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from scheme_kit import APP, TOOL, WATCHDOG, Desktop

#: An application that writes down its starts, and the URLs that it opens.
APPLICATION = """\
#!{python}
import os
import sys
import time

import crosstie

def note(text):
    with open({opened!r}, "a") as file:
        print(text, file=file, flush=True)

bus = crosstie.Bus("application")
instance = bus.claim_instance({app!r})
instance.hand(sys.argv[1:])
if not instance.is_first:
    sys.exit()
note("starts")

@bus.route("my-app://items/*rest", public=True)
def item(rest, request):
    note(f"{{request.url}} of {{request.origin}}")
    return rest

@bus.route("my-app://private")
def private():
    note("private")

@bus.component("window")
class Window:
    @crosstie.event("activate")
    def activate(self):
        note("activated")

{before}
instance.ready()
while True:
    time.sleep(60)
"""


class Application:
    """A desktop with an application that claims its id."""

    def __init__(self, desktop: Desktop, before: str = "") -> None:
        self.desktop = desktop
        self.program = desktop.path / "application"
        self.program.write_text(
            APPLICATION.format(python=sys.executable, opened=str(desktop.opened), app=APP, before=before)
        )
        self.program.chmod(0o755)

    def run(self, *arguments: str, **variables: str) -> tuple[int, str]:
        """Returns the exit status and the complaints. A program that it starts goes on with its output."""
        return self.end(self.start(*arguments, **variables))

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        environment = {name: text for name, text in (self.desktop.environment | variables).items() if text}
        complaints = (self.desktop.path / f"complaints-{time.monotonic_ns()}").open("w+")
        process = subprocess.Popen(
            [TOOL, *arguments], stdout=subprocess.DEVNULL, stderr=complaints, text=True, env=environment
        )
        process.complaints = complaints  # type: ignore[attr-defined]
        return process

    @staticmethod
    def end(process: "subprocess.Popen[str]") -> tuple[int, str]:
        status = process.wait(WATCHDOG)
        with process.complaints as complaints:  # type: ignore[attr-defined]
            complaints.seek(0)
            return status, complaints.read()

    def hand(self, *arguments: str, **variables: str) -> tuple[int, str]:
        return self.run("open", "--hand-off", APP, *arguments, **variables)

    def first(self, *arguments: str) -> tuple[int, dict[str, object]]:
        status, output, _ = self.desktop.command(TOOL, "instance", APP, "--json", *arguments)
        return status, json.loads(output) if output else {}

    def pid(self) -> int:
        pid = self.first()[1]["pid"]
        assert isinstance(pid, int)
        return pid

    def kill(self) -> None:
        pid = self.first()[1].get("pid")
        if isinstance(pid, int):
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def application(tmp_path: pathlib.Path) -> Iterator[Application]:
    application = Application(Desktop(tmp_path))
    yield application
    application.kill()


def test_nobody_is_there(application: Application) -> None:
    assert application.first() == (69, {})
    status, complaint = application.hand("my-app://items/1")
    assert status == 69
    assert complaint.startswith(f"crosstie: no instance of {APP} runs, and no desktop file {APP}.desktop is installed")
    assert application.run("open", "my-app://items/1", "my-app://items/2")[0] == 64
    assert application.run("open", "my-app://items/1", "--exec", "/bin/true")[0] == 64
    assert application.hand("--timeout", "-1")[0] == 64


def test_the_first_url_starts_the_program_and_the_next_ones_do_not(application: Application) -> None:
    program = ["--exec", str(application.program), "--timeout", "0"]
    assert application.hand("my-app://items/1", *program) == (0, "")
    assert application.hand("my-app://items/2", "my-app://items/3") == (0, "")
    assert application.hand() == (0, "")
    lines = application.desktop.arrived(6)
    assert [line for line in lines if line.startswith("my-app")] == [f"my-app://items/{i} of remote" for i in (1, 2, 3)]
    # Its own start, without arguments, is an activation, too.
    assert [line for line in lines if not line.startswith("my-app")] == ["starts", "activated", "activated"]
    status, first = application.first()
    assert status == 0
    assert first["app"] == APP and first["ready"] is True and first["dbus"] is False
    assert abs(float(str(first["since"])) / 1e9 - time.time()) < 3600
    status, output, _ = application.desktop.command(TOOL, "instance", APP)
    assert (status, output.split()[0], output.split()[-1]) == (0, str(first["pid"]), "ready")


def test_a_url_that_is_not_open_is_reported(application: Application) -> None:
    application.hand("my-app://items/1", "--exec", str(application.program), "--timeout", "0")
    status, complaint = application.hand("my-app://private")
    assert status == 1
    assert complaint.startswith("crosstie: my-app://private: ")
    status, complaint = application.hand("my-app://private", "my-app://nowhere", "my-app://items/2")
    assert status == 1
    assert "2 of 3 URLs are not open" in complaint
    status, output, _ = application.desktop.command(
        TOOL, "open", "--hand-off", APP, "--json", "my-app://items/4", "my-app://nowhere"
    )
    opened, missing = (json.loads(line) for line in output.splitlines())
    assert status == 1
    assert opened == {"url": "my-app://items/4", "status": 0, "code": 1, "message": "", "value": "4"}
    assert missing["url"] == "my-app://nowhere" and missing["message"]


def test_an_instance_that_hangs_is_reported(application: Application) -> None:
    application.hand("--exec", str(application.program), "--timeout", "0")
    pid = application.pid()
    os.kill(pid, signal.SIGSTOP)
    status, complaint = application.hand("my-app://items/1", "--timeout", "0.3")
    assert status == 75
    first_one = f"process {pid}, the first instance of {APP}"
    assert complaint == f"crosstie: my-app://items/1: {first_one}, did not take the URL; it is not opened\n"
    status, first = application.first("--timeout", "0.1")
    assert (status, first["pid"], first["ready"]) == (75, pid, None)
    os.kill(pid, signal.SIGCONT)
    assert application.hand("my-app://items/2", "--timeout", "0") == (0, "")
    lines = application.desktop.arrived(4)
    assert [line for line in lines if line.startswith("my-app")] == ["my-app://items/2 of remote"]


def test_programs_that_do_not_run(application: Application, tmp_path: pathlib.Path) -> None:
    status, complaint = application.hand("my-app://items/1", "--exec", str(tmp_path / "missing"))
    assert status == 69
    assert "missing could not be started" in complaint
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\nexit 3\n")
    failing.chmod(0o755)
    status, complaint = application.hand("my-app://items/1", "--exec", str(failing), "--timeout", "0")
    assert status == 69
    assert complaint.endswith(f"{failing} ended with status 3\n")
    failing.write_text("#!/bin/sh\nexit 0\n")
    status, complaint = application.hand("my-app://items/1", "--exec", str(failing), "--timeout", "0.3")
    assert status == 75


def test_no_runtime_directory(application: Application, tmp_path: pathlib.Path) -> None:
    """Without one, the temporary directory serves; with one that is missing, the reason is printed."""
    own = {"XDG_RUNTIME_DIR": "", "TMPDIR": str(tmp_path)}
    application.desktop.environment |= own
    assert application.hand("my-app://items/1", "--exec", str(application.program), "--timeout", "0") == (0, "")
    assert (tmp_path / f"crosstie-{os.getuid()}/.instances/{APP}/lock").exists()
    status, complaint = application.hand("my-app://items/1", XDG_RUNTIME_DIR=str(tmp_path / "none"))
    assert status == 69
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "crosstie").mkdir(mode=0o777)
    (shared / "crosstie").chmod(0o777)
    status, complaint = application.hand("my-app://items/1", XDG_RUNTIME_DIR=str(shared))
    assert status == 1
    assert "is not a directory that only its owner, this user, can write" in complaint


def test_many_clicks_at_once_start_one_instance(application: Application) -> None:
    """Each URL is opened once, by whichever program became the first instance."""
    clicks = [
        application.start(
            "open", "--hand-off", APP, f"my-app://items/{i}", "--exec", str(application.program), "--timeout", "0"
        )
        for i in range(8)
    ]
    assert [application.end(click) for click in clicks] == [(0, "")] * 8
    lines = application.desktop.arrived(10)
    urls = sorted(line for line in lines if line.startswith("my-app"))
    assert urls == [f"my-app://items/{i} of remote" for i in range(8)]
    assert lines.count("starts") == 1


@pytest.mark.parametrize("opener", [["xdg-open"], ["gio", "open"]])
def test_links_of_the_desktop(application: Application, opener: list[str]) -> None:
    """The first link starts the application, the next one opens in it."""
    desktop = application.desktop
    desktop.install("--hand-off", "--exec", str(application.program))
    entry = (desktop.applications / f"{APP}.desktop").read_text()
    assert f"Exec={TOOL} open --hand-off {APP} %u\n" in entry
    assert f"X-Crosstie-Program={application.program}\n" in entry
    for number in (1, 2):
        process = subprocess.Popen(
            [*opener, f"my-app://items/{number}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=desktop.environment,
        )  # fmt: skip
        assert process.wait(WATCHDOG) == 0
        desktop.arrived(number + 2)
    lines = desktop.arrived(4)
    assert [line for line in lines if line.startswith("my-app")] == [f"my-app://items/{i} of remote" for i in (1, 2)]
    assert lines.count("starts") == 1
    assert desktop.lines("check") == []
    desktop.remove()


#: A session bus that starts the services of a user.
SESSION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={path}/bus</listen>
<servicedir>{home}/.local/share/dbus-1/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


def test_links_over_the_session_bus(application: Application) -> None:
    """The first link starts the application as a service, the next one opens in it, and no tool runs for them."""
    desktop = application.desktop
    desktop.install("--dbus", "--exec", str(application.program))
    configuration = desktop.path / "bus.conf"
    configuration.write_text(SESSION.format(path=desktop.path, home=desktop.home))
    session = subprocess.Popen(
        ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address=1"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=desktop.environment,
    )  # fmt: skip
    try:
        assert session.stdout is not None
        desktop.environment["DBUS_SESSION_BUS_ADDRESS"] = session.stdout.readline().strip()
        for number in (1, 2):
            assert desktop.command("gio", "open", f"my-app://items/{number}")[0] == 0
            desktop.arrived(number + 2)
        lines = desktop.arrived(4)
        assert [line for line in lines if line.startswith("my-app")] == [f"my-app://items/{i} of remote" for i in (1, 2)]
        assert lines.count("starts") == 1
        status, first = application.first()
        assert (status, first["dbus"]) == (0, True)
        status, output, _ = desktop.command(TOOL, "instance", APP)
        assert output.endswith("ready, on the session bus\n")
    finally:
        # The application has inherited the bus's output, so that no end of it comes.
        session.kill()
        session.wait(WATCHDOG)
