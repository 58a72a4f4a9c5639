"""The named objects of a scenario, the notes of its handlers, and the first failure."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any, TypeVar

import crosstie
from data import Step, Unexpected

WATCHDOG = 30.0  # seconds for anything that has to come by itself; only a failure takes so long
Thing = TypeVar("Thing")


class Things:
    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.things: list[tuple[str, Any]] = []
        self.threads: list[threading.Thread] = []
        self.notes: list[Any] = []
        self.waiting: Counter[str] = Counter()  # the number of handlers at a gate
        self.open_gates: set[str] = set()
        self.failure: BaseException | None = None

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

    def note(self, what: Any) -> None:
        with self.changed:
            self.notes.append(what)
            self.changed.notify_all()

    def fail(self, failure: BaseException) -> None:
        with self.changed:
            self.failure = self.failure or failure
            self.changed.notify_all()

    # Gates, where handlers wait until a step opens them

    def wait_there(self, gate: str) -> None:
        with self.changed:
            self.waiting[gate] += 1
            self.changed.notify_all()
            if not self.changed.wait_for(lambda: gate in self.open_gates or self.failure, WATCHDOG):
                self.failure = Unexpected(f"nobody opened {gate}")
            self.waiting[gate] -= 1

    def step_blocked(self, step: Step) -> None:
        gate, count = step.get("gate", "gate"), step.get("count", 1)
        with self.changed:
            if not self.changed.wait_for(lambda: self.waiting[gate] >= count, WATCHDOG):
                raise Unexpected(f"{self.waiting[gate]} handlers stand at {gate}")

    def step_unblock(self, step: Step) -> None:
        with self.changed:
            self.open_gates.add(step.get("gate", "gate"))
            self.changed.notify_all()

    def open_all_gates(self) -> None:
        with self.changed:
            self.open_gates.update(self.waiting)
            self.changed.notify_all()

    def bus(self, step: Step) -> crosstie.Bus:
        return self.find(crosstie.Bus, step.get("bus", "bus"))
