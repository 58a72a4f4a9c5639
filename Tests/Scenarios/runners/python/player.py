"""Plays scenarios through the Python package.

    player.py DIRECTORY|FILE.json ...       plays every *.json below, and counts
    player.py --process DIRECTORY STEPS     plays the steps of another process; the player itself calls it so
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, TypeVar

import crosstie
import messages
from data import Step, Unexpected, expect, expect_named, status_of, text, value
from handlers import Handler

WATCHDOG = 30.0  # seconds for anything that has to come by itself; only a failure takes so long
Thing = TypeVar("Thing")


class Pending:
    """An asynchronous request, and the responses that its completion was given."""

    def __init__(self) -> None:
        self.responses: list[crosstie.Response] = []
        self.completed = threading.Event()

    def start(self, bus: crosstie.Bus, step: Step) -> None:
        self.call = bus.open_async(
            text(step["url"]),
            origin=step.get("origin", "local"),
            user_info=value(step.get("user_info")),
            completion=self.complete,
        )

    def complete(self, response: crosstie.Response) -> None:
        self.responses.append(response)
        self.completed.set()


class Player(messages.MessageSteps):
    """Plays the steps of one scenario, up to the first that does not come out as expected."""

    def __init__(self, directory: str, steps: list[Step]) -> None:
        super().__init__(directory)
        self.steps = steps
        self.changed = threading.Condition()
        self.things: list[tuple[str, Any]] = []
        self.threads: list[threading.Thread] = []
        self.failure: BaseException | None = None

    def play(self) -> None:
        try:
            for number, step in enumerate(self.steps, 1):
                self.play_step(f"step {number}", step)
        finally:
            self.end()
        if self.failure is not None:
            raise self.failure

    def play_step(self, name: str, step: Step) -> None:
        where = ""
        try:
            try:
                status = getattr(self, "step_" + step["do"])(step) or "OK"
            except crosstie.Error as error:
                status, where = status_of(error), error.where
            expect("status", status, step.get("status", "OK"))
            expect_named(step, where=where)
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
        for bus in [thing for _, thing in self.things if isinstance(thing, crosstie.Bus)]:
            bus.close()
        for thread in self.threads:
            thread.join()
        self.end_messages()
        self.things.clear()

    # What a scenario calls by a name

    def add(self, name: str, thing: object) -> None:
        with self.changed:
            self.things.append((name, thing))
            self.changed.notify_all()

    def find(self, kind: type[Thing], name: str) -> Thing:
        """The newest thing of that name; waits for one that another thread will add."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.look_up(kind, name) is not None, WATCHDOG):
                raise Unexpected(f"there is no {kind.__name__} {name}")
            found = self.look_up(kind, name)
            assert found is not None
            return found

    def look_up(self, kind: type[Thing], name: str) -> Thing | None:
        return next((it for known, it in reversed(self.things) if known == name and isinstance(it, kind)), None)

    def give_up(self, thing: object) -> None:
        self.things = [entry for entry in self.things if entry[1] is not thing]

    def fail(self, failure: BaseException) -> None:
        with self.changed:
            self.failure = self.failure or failure
            self.changed.notify_all()

    def bus(self, step: Step) -> crosstie.Bus:
        return self.find(crosstie.Bus, step.get("bus", "bus"))

    # Buses and routes

    def step_bus(self, step: Step) -> None:
        options = {key: step[key] for key in ("max_workers", "max_queued") if key in step}
        options |= {key: text(step[key]) for key in ("name", "default_scheme") if key in step}
        bus = crosstie.Bus.shared(text(step["shared"])) if "shared" in step else crosstie.Bus(**options)
        self.add(step.get("as", "bus"), bus)

    def step_close(self, step: Step) -> None:
        thing = self.find(crosstie.Wormhole, step["wormhole"]) if "wormhole" in step else self.bus(step)
        thing.close()
        self.give_up(thing)

    def step_route(self, step: Step) -> None:
        bus = self.bus(step)
        flags = {key: step[key] for key in ("public", "replace") if key in step}
        handler = Handler(self, bus, step)
        registration = bus.add_route(
            text(step["pattern"]), handler, remark=text(step.get("remark", "")), **flags
        )
        self.add(step.get("as", ""), registration)

    def step_remove(self, step: Step) -> None:
        if "registration" in step:
            self.find(crosstie.Registration, step["registration"]).remove()
        else:
            self.bus(step).remove_route(text(step["pattern"]))

    def step_routes(self, step: Step) -> None:
        expect("routes", [route._asdict() for route in self.bus(step).routes()], step["value"])

    def step_open(self, step: Step) -> None:
        try:
            response = self.bus(step).open(
                text(step["url"]),
                origin=step.get("origin", "local"),
                user_info=value(step.get("user_info")),
                timeout=step.get("timeout_ms", WATCHDOG * 1000) / 1000,
            )
        except crosstie.Error as error:
            expect_named(step, code=error.code, message=error.message)
            expect("value", error.value, value(step.get("value")))
            raise
        self.expect_response(step, response)

    def expect_response(self, step: Step, response: crosstie.Response) -> str:
        expect_named(step, code=response.code, message=response.message)
        expect("value", response.value, value(step.get("value")))
        return response.status.name

    def step_can_open(self, step: Step) -> None:
        opener = self.bus(step).can_open(text(step["url"]), origin=step.get("origin", "local"))
        expect("opener", opener or "none", step["opener"])

    def step_generate(self, step: Step) -> str | None:
        bus = self.bus(step) if "bus" in step else crosstie.Bus()
        try:
            expect_named(step, url=bus.generate(text(step["pattern"]), value(step.get("params"))))
        except TypeError as error:  # what is of a wrong type in Python need not be an error of Crosstie's own
            return status_of(error) if isinstance(error, crosstie.Error) else "TYPE"
        return None

    # Asynchronous requests, and requests that a handler has kept

    def step_open_async(self, step: Step) -> str | None:
        pending = Pending()
        if step.get("refused"):
            pending.start(self.bus(step), step)
            raise Unexpected("the URL was not refused")
        try:
            pending.start(self.bus(step), step)
        except crosstie.Error as error:
            raise Unexpected(f"refused: {error}") from error
        self.add(step.get("as", ""), pending)
        return None if "as" in step else self.finish(step, pending)

    def finish(self, step: Step, pending: Pending) -> str:
        if not pending.call.wait(WATCHDOG) or not pending.completed.wait(WATCHDOG):
            raise Unexpected("the request did not end")
        [response] = pending.responses
        try:
            status = pending.call.result().status.name
        except crosstie.Error as error:
            status = status_of(error)
        expect("the completion's status", response.status.name, status)
        return self.expect_response(step, response)

    def step_wait(self, step: Step) -> str | None:
        pending = self.find(Pending, step["call"])
        if not step.get("given_up"):
            return self.finish(step, pending)
        expect("waiting", pending.call.wait(step["timeout_ms"] / 1000), False)
        return None

    def step_cancel(self, step: Step) -> str:
        return "OK" if self.find(Pending, step["call"]).call.cancel() else "ALREADY"

    def step_taken(self, step: Step) -> None:
        self.find(crosstie.Request, step["request"])

    def step_end(self, step: Step) -> None:
        self.find(crosstie.Request, step["request"]).reply(value(step.get("value")))

    def step_let_go(self, step: Step) -> None:
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


def play_file(path: Path) -> None:
    """Plays one scenario; raises when something is not as it expects."""
    document = json.loads(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="crosstie-scenario-") as directory:
        Player(directory, document["steps"]).play()


def play_files(paths: list[Path]) -> int:
    passed = 0
    for path in paths:
        try:
            play_file(path)
            passed += 1
        except Exception as failure:
            print(f"{path}: {failure!r}", file=sys.stderr)
    print(f"scenarios: {len(paths)} played, {passed} passed")
    print(f"{passed} passed, {len(paths) - passed} failed")
    return 0 if paths and passed == len(paths) else 1


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--process"]:
        Player(arguments[1], json.loads(arguments[2])).play()
        return 0
    given = [Path(argument) for argument in arguments]
    return play_files(sorted(file for path in given for file in ([path] if path.is_file() else path.rglob("*.json"))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
