"""Steps of handlers without a pattern, and of the notes of handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import crosstie
from crosstie._resolver import serve_python
from crosstie._signature import read_call_signature
from data import Step, expect, value
from handlers import Handler, interceptors_of
from things import WATCHDOG, Things


def handler_options(things: Things, bus: crosstie.Bus, step: Step) -> dict[str, Any]:
    options = {key: step[key] for key in ("public", "worker_only") if key in step}
    return options | {"interceptors": interceptors_of(things, bus, step)}


class NamedSteps(Things):
    def step_interceptor(self, step: Step) -> None:
        bus = self.bus(step)
        options = {key: step[key] for key in ("order", "kinds", "dispatcher") if key in step}
        registration = bus.interceptors.add(Handler(self, bus, step), **options)
        self.add(step.get("as", ""), registration)

    def step_unmatched(self, step: Step) -> None:
        bus = self.bus(step)
        set = bus.routes.unmatched(**handler_options(self, bus, step))
        self.set_handler(step, "unmatched", set, bus.routes.remove)

    def step_navigator(self, step: Step) -> None:
        bus = self.bus(step)
        set = bus.rules.navigator(**handler_options(self, bus, step))
        self.set_handler(step, "navigator", set, bus.rules.remove)

    def step_fallback(self, step: Step) -> None:
        bus = self.bus(step)
        set = bus.performer.fallback(**handler_options(self, bus, step))
        self.set_handler(step, "fallback", set, bus.performer.remove)

    def step_resolver(self, step: Step) -> None:
        """Python has one resolver of its own, which `allow()` sets if there is none. Its place is taken here."""
        bus = self.bus(step)
        expect("prefix", step["prefix"], "python")
        options = handler_options(self, bus, step)

        def set_resolver(handler: Handler) -> None:
            serve_python(bus)
            bus._set_resolver(handler, read_call_signature(handler), **options)

        def remove(_: Handler) -> None:
            for registration in bus._registrations():
                if registration.kind == "resolver":
                    registration.remove()

        self.set_handler(step, "resolver", set_resolver, remove)

    def set_handler(
        self, step: Step, place: str, set: Callable[[Handler], object], remove: Callable[[Handler], object]
    ) -> None:
        """Sets a handler; takes the one away that is there if the step has none."""
        bus = self.bus(step)
        name = f"{place} of {step.get('bus', 'bus')}"
        old = self.look_up(Handler, name)
        if "handler" in step:
            handler = Handler(self, bus, step)
            set(handler)
            self.add(name, handler)
        elif old is not None:
            remove(old)
        self.give_up(old)

    def step_system_opener(self, step: Step) -> None:
        bus = self.bus(step)
        bus.system_opener(
            Handler(self, bus, step) if "handler" in step else None,
            schemes=value(step.get("schemes", [])),
            remote=step.get("remote", False),
            enabled=not step.get("off", False),
        )

    def step_noted(self, step: Step) -> None:
        """As many as are expected are waited for: another thread may still be at it."""
        expected = value(step["value"])
        with self.changed:
            self.changed.wait_for(lambda: len(self.notes) >= len(expected) or self.failure, WATCHDOG)
            notes, self.notes = self.notes, []
        expect("noted", notes, expected)
