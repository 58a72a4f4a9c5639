"""What a scenario calls by a name, what its handlers note, and the first failure."""

from __future__ import annotations

import threading
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

    def fail(self, failure: BaseException) -> None:
        with self.changed:
            self.failure = self.failure or failure
            self.changed.notify_all()

    def bus(self, step: Step) -> crosstie.Bus:
        return self.find(crosstie.Bus, step.get("bus", "bus"))
