"""The completions for shells and the manual page, which the build makes from the tool's own declarations."""

import json
import os
import pathlib
import subprocess
from collections.abc import Iterator

import pytest

TOOL = pathlib.Path(os.environ["CROSSTIE"])
SHARE = TOOL.parent.parent / "share"
BASH = SHARE / "bash-completion/completions/crosstie"
WATCHDOG = 60

FILES = {
    "bash": BASH,
    "zsh": SHARE / "zsh/site-functions/_crosstie",
    "fish": SHARE / "fish/vendor_completions.d/crosstie.fish",
}


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=True).stdout


@pytest.mark.parametrize("shell", FILES)
def test_completions_are_those_of_the_tool(shell: str) -> None:
    text = FILES[shell].read_text()
    generated = run(str(TOOL), "--generate-completion-script", shell)
    assert text == generated.removeprefix("#!/bin/bash\n")  # a shell sources it
    assert "dry-run" in text
    assert "receive" not in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("crosstie sch", ["scheme"]),
        ("crosstie scheme ", ["check", "install", "list", "remove"]),
        ("crosstie scheme remove --dry", ["--dry-run"]),
    ],
)
def test_bash_completes(line: str, words: list[str]) -> None:
    parts = line.split(" ")
    script = f"""
        . {BASH}
        COMP_WORDS=({line} '') COMP_CWORD={len(parts) - 1} COMP_LINE='{line}' COMP_POINT={len(line)}
        _crosstie crosstie '{parts[-1]}' '{parts[-2]}'
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    found = [word.strip() for word in run("bash", "--norc", "-c", script).splitlines()]
    assert [word for word in sorted(found) if not word.startswith("-") or "-" in parts[-1]] == words


def commands(command: dict[str, object], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    below = command.get("subcommands") or []
    assert isinstance(below, list)
    shown = [each for each in below if each["shouldDisplay"] and each["commandName"] != "help"]
    if not shown:
        yield path
    for each in shown:
        yield from commands(each, (*path, each["commandName"]))


def test_the_manual_has_every_command() -> None:
    root = json.loads(run(str(TOOL), "--experimental-dump-help"))["command"]
    lines = (SHARE / "man/man1/crosstie.1").read_text().splitlines()
    found = [line.removeprefix(".SS ") for line in lines if line.startswith(".SS ")]
    assert found == [" ".join(path).replace("-", "\\-") for path in commands(root, ("crosstie",))]
    assert ".TH CROSSTIE 1" in lines[0]
    assert "\\fB\\-\\-scheme\\fR \\fIscheme\\fR" in lines
