"""The table of steps, .ci/steps."""

import shlex
import sys
from pathlib import Path
from typing import NamedTuple


class Step(NamedTuple):
    name: str
    lanes: int
    after: frozenset[str]
    holds: frozenset[str]
    command: list[str]
    counts: bool
    """Whether its result is in the tally: a build is no test."""


def read(table: Path, sections: list[str]) -> list[Step]:
    """The steps of these sections. That a step comes after one of another section does not matter then."""
    steps, everywhere, section = list[Step](), set[str](), ""
    for line in table.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "==":
            section = words[1]
        elif words:
            everywhere.add(words[0])
            if section in sections:
                steps.append(parse(words))
    if unknown := frozenset[str]().union(*(step.after for step in steps)) - everywhere:
        sys.exit(f"{table.name} has no step {', '.join(sorted(unknown))}")
    names = {step.name for step in steps}
    return [step._replace(after=step.after & names) for step in steps]


def parse(words: list[str]) -> Step:
    name, lanes, *rest = words
    sets = {"after": frozenset[str](), "holds": frozenset[str]()}
    while (key := rest[0].partition("="))[0] in sets:
        sets[key[0]] = frozenset(key[2].split(","))
        rest = rest[1:]
    return Step(name, int(lanes), sets["after"], sets["holds"], rest, not name.startswith("build-"))
