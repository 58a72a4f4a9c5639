"""Steps of components, events, dispatchers, and the performer."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import crosstie
from data import Step, expect, expect_named, text, value
from requests import RequestSteps
from handlers import Handler, interceptors_of


class Barren(Exception):
    """The exception of a factory that makes nothing."""


def method(player: RequestSteps, bus: crosstie.Bus, step: Step, name: str) -> Callable[..., None]:
    """A method that does what a step says under `handler`; without it, replies its name."""
    handler = Handler(player, bus, step, otherwise=name)

    def run(self: object, request: crosstie.Request, **params: object) -> None:
        handler(request)

    run.__doc__ = text(step.get("doc", ""))
    worker_only = step.get("worker_only", False)
    if step.get("event"):
        return crosstie.event(name, worker_only=worker_only)(run)
    return crosstie.action(name, worker_only=worker_only)(run)


def methods(player: RequestSteps, bus: crosstie.Bus, step: Step) -> dict[str, Any]:
    """The methods of a component's class. Their own names do not matter, so they are numbers."""
    if "actions" not in step:
        only = {key: item for key, item in step.items() if key != "doc"}
        return {"method": method(player, bus, only, text(step.get("action", "run")))}
    return {
        f"method_{number}": method(player, bus, action, text(action["name"]))
        for number, action in enumerate(step["actions"])
    }


def make(player: RequestSteps, step: Step) -> Callable[[object], None]:
    """The action of a component's factory."""

    def init(self: object) -> None:
        with player.changed:
            player.notes.append(step["factory"])
        if step.get("barren"):
            raise Barren

    return init


def component_of(player: RequestSteps, bus: crosstie.Bus, step: Step) -> object:
    """An instance, or for a factory the class. Those of one type, or that are one instance, have one class."""
    known = step.get("type") or step.get("instance")
    found = player.look_up(type, known) if known else None
    if found is None:
        members = methods(player, bus, step)
        if "factory" in step:
            members["__init__"] = make(player, step)
        found = types.new_class(known or "Component", (), {}, lambda namespace: namespace.update(members))
        player.add(known or "", found)
    if "factory" in step:
        return found
    if "instance" not in step:
        return found()
    instance = player.look_up(found, step["instance"])
    if instance is None:
        instance = found()
        player.add(step["instance"], instance)
    return instance


def remove_component(player: RequestSteps, step: Step) -> str | None:
    bus = player.bus(step)
    if "component" in step:
        bus.components.remove(text(step["component"]))
        return None
    kind = player.find(type, step.get("type") or step["instance"])
    try:
        bus.components.remove(kind if "type" in step else player.find(kind, step["instance"]))
    except crosstie.NotFoundError:  # it takes Registrations, too
        return "NO_COMPONENT"
    return None


class ComponentSteps(RequestSteps):
    def step_component(self, step: Step) -> str | None:
        bus = self.bus(step)
        options: dict[str, Any] = {key: step[key] for key in ("replace", "lazy", "priority") if key in step}
        options |= {key: text(step.get(key, "")) for key in ("doc", "dispatcher")}
        options["interceptors"] = interceptors_of(self, bus, step)
        try:
            registration = bus.components.add(component_of(self, bus, step), text(step["name"]), **options)
        except Barren:
            return "NOT_COMPONENT"
        self.add(step.get("as", ""), registration)
        return None

    def step_components(self, step: Step) -> None:
        found = []
        for component in self.bus(step).components:
            row = component._asdict()
            expect("language", row.pop("language"), "python")
            del row["type"]
            expect("peer", row.pop("peer"), None)
            found.append(row | {"actions": [action._asdict() for action in component.actions]})
        expect("components", found, step["value"])

    def step_broadcast(self, step: Step) -> str | None:
        bus = self.bus(step)
        view = bus.with_options(**self.request_options(bus, step))
        try:
            result = view.broadcast(text(step["event"]), value(step.get("params")))
        except TypeError:  # what is of a wrong type in Python need not be an error of Crosstie's own
            return "TYPE"
        expect_named(step, count=result.count)
        expect("any", result.any, step.get("any", False))
        failures, expected = result.failures, step.get("failures", [])
        expect("failures", len(failures), len(expected))
        for failure, wanted in zip(failures, expected):
            expect_named(wanted, **failure._asdict() | {"status": failure.status.name})
        return None

    def step_stats(self, step: Step) -> None:
        rows = [row._asdict() for row in self.bus(step).stats()]
        keys = ("kind", "name", "count", "failures")
        expect("stats", [{key: row[key] for key in keys} for row in rows], step.get("value"))

    # Dispatchers

    def step_dispatcher(self, step: Step) -> None:
        workers, queued = step.get("max_workers", 0), step.get("max_queued", 0)
        self.bus(step).add_dispatcher(text(step["name"]), workers=workers, queued=queued)

    def step_cancel_all(self, step: Step) -> None:
        expect_named(step, count=self.bus(step).cancel_all(step.get("dispatcher", "")))

    # The performer

    def step_allow(self, step: Step) -> None:
        self.bus(step).performer.allow(text(step["target"]))

    def step_release(self, step: Step) -> None:
        self.bus(step).performer.release(text(step["target"]))
