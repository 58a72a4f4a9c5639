"""Plays scenarios through the Python package.

    player.py DIRECTORY|FILE.json ...       plays every *.json below, and counts
    player.py --process DIRECTORY STEPS     plays the steps of another process; the player itself calls it so
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
from pathlib import Path

import crosstie
from components import ComponentSteps
from data import Step, Unexpected, expect, expect_named, expect_said, status_of, text, value
from joining import JoiningSteps
from messages import MessageSteps
from providers import ProviderSteps
from routes import RouteSteps
from rules import RuleSteps
from schema import check_step


class Player(ComponentSteps, RouteSteps, RuleSteps, ProviderSteps, JoiningSteps, MessageSteps):
    """Plays the steps of one scenario, up to the first that does not come out as expected."""

    def __init__(self, directory: str, steps: list[Step], in_memory: bool = False) -> None:
        super().__init__(directory, in_memory)
        self.steps = steps

    def play(self) -> None:
        try:
            for step in self.steps:
                check_step(step)
            for number, step in enumerate(self.steps, 1):
                self.play_step(f"step {number}", step)
        finally:
            self.end()
        if self.failure is not None:
            raise self.failure

    def play_step(self, name: str, step: Step) -> None:
        location = ""
        try:
            try:
                status = getattr(self, "step_" + step["do"])(step) or "OK"
            except crosstie.Error as error:
                status, location = status_of(error), error.location
                expect_said(step, error.message)
            expect("status", status, step.get("status", "OK"))
            expect_named(step, location=location)
            if self.failure is not None:
                raise self.failure
        except Unexpected as unexpected:
            raise Unexpected(f"{name}: {unexpected}") from unexpected

    def step_table(self, step: Step) -> None:
        for number, row in enumerate(step["rows"], 1):
            columns = dict(zip(step["columns"], row))
            for each in step["steps"]:
                self.play_step(f"row {number}, {each['do']}", {**each, **columns})

    def end(self) -> None:
        self.open_all_gates()
        for bus in [thing for _, thing in self.things if isinstance(thing, crosstie.Bus)]:
            bus.close()
        for thread in self.threads:
            thread.join()
        self.end_messages()
        self.end_providers()
        self.things.clear()

    def step_taken(self, step: Step) -> None:
        self.find(crosstie.Request, step["request"])

    def step_end(self, step: Step) -> None:
        self.find(crosstie.Request, step["request"]).reply(value(step.get("value")))

    def step_release_request(self, step: Step) -> None:
        self.give_up(self.find(crosstie.Request, step["request"]))
        gc.collect()

    # Values

    def step_from_json(self, step: Step) -> None:
        expect("value", crosstie.from_json(text(step["text"])), value(step.get("value")))

    def step_to_json(self, step: Step) -> None:
        expect_named(step, text=crosstie.to_json(value(step["value"])))

    def step_from_msgpack(self, step: Step) -> None:
        message = bytes.fromhex(text(step["hex"]))
        expect("value", crosstie.from_msgpack(message), value(step.get("value")))

    def step_to_msgpack(self, step: Step) -> None:
        expect_named(step, hex=crosstie.to_msgpack(value(step["value"])).hex())


def plays(paths: list[Path]) -> list[tuple[Path, bool]]:
    """The scenarios to play: each one, and those of wormholes a second time in memory, unless they need a directory."""
    both = [path for path in paths if path.parent.name == "wormhole" and "needs" not in json.loads(path.read_text())]
    return [(path, False) for path in paths] + [(path, True) for path in both]


def play_file(path: Path, in_memory: bool = False) -> None:
    """Plays one scenario; raises when something is not as it expects."""
    document = json.loads(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="crosstie-scenario-") as directory:
        Player(directory, document["steps"], in_memory).play()


def play_files(paths: list[Path]) -> int:
    played = plays(paths)
    passed = 0
    for path, in_memory in played:
        try:
            play_file(path, in_memory)
            passed += 1
        except Exception as failure:
            print(f"{path}{' in memory' if in_memory else ''}: {failure!r}", file=sys.stderr)
    print(f"scenarios: {len(played)} played, {passed} passed")
    print(f"{passed} passed, {len(played) - passed} failed")
    return 0 if played and passed == len(played) else 1


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--process"]:
        Player(arguments[1], json.loads(arguments[2])).play()
        return 0
    given = [Path(argument) for argument in arguments]
    return play_files(sorted(file for path in given for file in ([path] if path.is_file() else path.rglob("*.json"))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
