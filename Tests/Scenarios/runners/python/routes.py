"""Steps of buses and routes, of opening and generating."""

from __future__ import annotations

from typing import Any

import crosstie
from components import remove_component
from data import Step, expect, expect_named, text, value
from handlers import Handler, interceptors_of
from things import Things


class RouteSteps(Things):
    def step_bus(self, step: Step) -> None:
        keys = ("max_workers", "max_queued", "match", "count_hits", "stats")
        options: dict[str, Any] = {key: step[key] for key in keys if key in step}
        options |= {key: text(step[key]) for key in ("name", "default_scheme") if key in step}
        bus = crosstie.Bus.shared(text(step["shared"])) if "shared" in step else crosstie.Bus(**options)
        self.add(step.get("as", "bus"), bus)

    def step_close(self, step: Step) -> None:
        thing = self.find(crosstie.Wormhole, step["wormhole"]) if "wormhole" in step else self.bus(step)
        thing.close()
        self.give_up(thing)

    def step_route(self, step: Step) -> None:
        bus = self.bus(step)
        registration = bus.routes.add(
            text(step["pattern"]),
            Handler(self, bus, step, otherwise=text(step["pattern"])),
            remark=text(step.get("remark", "")),
            name=text(step.get("name", "")),
            rule=text(step["rule"]) if "rule" in step else None,
            interceptors=interceptors_of(self, bus, step),
            **{key: step[key] for key in ("public", "replace", "worker_only") if key in step},
        )
        self.add(step.get("as", ""), registration)

    def step_remove(self, step: Step) -> str | None:
        if "registration" in step:
            self.find(crosstie.Registration, step["registration"]).remove()
        elif "pattern" in step:
            self.bus(step).routes.remove(text(step["pattern"]))
        else:
            return remove_component(self, step)
        return None

    def step_clear(self, step: Step) -> None:
        self.bus(step).routes.clear()

    def step_routes(self, step: Step) -> None:
        rows = [route._asdict() for route in self.bus(step).routes]
        found = [{key: item for key, item in row.items() if item is not None} for row in rows]
        expect("routes", found, step["value"])

    def step_can_open(self, step: Step) -> None:
        origin, mode = step.get("origin", "local"), step.get("mode")
        anywhere = step.get("anywhere", False)
        opener = self.bus(step).can_open(text(step["url"]), origin=origin, mode=mode, anywhere=anywhere)
        expect("opener", opener or "none", step["opener"])

    def step_generate(self, step: Step) -> str | None:
        bus = self.bus(step) if "bus" in step else crosstie.Bus()
        return expect_url(step, lambda: bus.routes.generate(text(step["pattern"]), value(step.get("params"))))

    def step_generate_named(self, step: Step) -> str | None:
        params, query = value(step.get("params")), value(step.get("query"))
        return expect_url(step, lambda: self.bus(step).url_for(text(step["name"]), params, query=query))


def expect_url(step: Step, generate: Any) -> str | None:
    try:
        expect_named(step, url=generate())
    except crosstie.Error:
        raise
    except (TypeError, ValueError):  # what is of a wrong type in Python need not be an error of Crosstie's own
        return "TYPE"
    return None
