"""`crosstie ps`: the processes of this user's groups."""

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

TOOL = os.environ["CROSSTIE"]
WATCHDOG = 60

MEMBER = """\
import sys
import crosstie

held = []
for text in sys.argv[2:]:
    durability = "system" if text.startswith("system:") else "process"
    held.append(crosstie.Wormhole(text.removeprefix("system:"), name=sys.argv[1], durability=durability))
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


class Members:
    """Processes that have groups open."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, name: str, *groups: str) -> int:
        process = subprocess.Popen(
            [sys.executable, "-c", MEMBER, name, *groups], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process.pid

    def end(self) -> None:
        for process in self.processes:
            process.communicate(timeout=WATCHDOG)
        self.processes = []


@pytest.fixture
def members() -> Iterator[Members]:
    members = Members()
    yield members
    members.end()


def run(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run([TOOL, "ps", *arguments], capture_output=True, text=True, timeout=WATCHDOG, check=False)
    return done.returncode, done.stdout, done.stderr


def processes(*arguments: str) -> list[dict[str, object]]:
    status, output, complaint = run("--json", *arguments)
    assert status == 0, complaint
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines:
        assert isinstance(line.pop("since"), int)
    return lines


def test_no_groups() -> None:
    assert run() == (0, "", "")
    assert run("none") == (69, "", "crosstie: there is no group 'none'\n")


def test_processes_of_groups(members: Members) -> None:
    first = members.start("first", "chat", "jobs", "system:jobs")
    second = members.start("second", "chat")
    one = {"pid": first, "name": "first", "uid": os.getuid(), "groups": ["chat", "jobs"], "system_groups": ["jobs"]}
    two = {"pid": second, "name": "second", "uid": os.getuid(), "groups": ["chat"], "system_groups": []}
    assert processes() == sorted([one, two], key=lambda line: str(line["pid"]).zfill(9))
    assert processes("jobs") == [one | {"groups": ["jobs"]}]
    members.end()
    assert processes() == []
    assert processes("chat") == []


def test_text(members: Members) -> None:
    pid = members.start("a\x1b[2Jb", "chat", "system:jobs")
    status, output, complaint = run()
    assert (status, complaint) == (0, "")
    heading, line = output.splitlines()
    assert heading.split() == ["PID", "UID", "SINCE", "NAME", "GROUPS"]
    words = line.split()
    assert words[:2] == [str(pid), str(os.getuid())]
    assert words[4:] == ["a\ufffd[2Jb", "chat,", "jobs", "(system)"]
    assert "\\u001b" in run("--json")[1]


def test_a_group_that_cannot_be_read(members: Members, tmp_path: pathlib.Path) -> None:
    pid = members.start("first", "chat")
    (tmp_path / "runtime/crosstie/open").mkdir()
    (tmp_path / "runtime/crosstie/open").chmod(0o777)
    (tmp_path / "runtime/crosstie/empty").mkdir(mode=0o700)
    status, output, complaint = run("--json")
    assert status == 1
    assert json.loads(output)["pid"] == pid
    assert complaint.startswith("crosstie: open: ")
