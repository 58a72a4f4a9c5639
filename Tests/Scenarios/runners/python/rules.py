"""Steps of rule tables, and of the handlers without a pattern."""

from __future__ import annotations

import json
from typing import Any

import crosstie
from data import Step, expect, text, value
from handlers import Handler
from named import NamedSteps, handler_options
from routes import expect_url

LISTS = ("public_schemes", "private_schemes", "route_hosts", "web_hosts")


def document_of(step: Step) -> Any:
    """The document of a step, with what the step changes of it; or its text as it is."""
    if "json" not in step:
        return text(step.get("text", ""))
    document = value(step["json"])
    if "change_rule" in step:
        document["rules"][-1] = changed(document["rules"][-1], value(step["change_rule"]))
    return changed(document, value(step.get("change", {})))


def changed(entries: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Other entries in the place of some; None takes one away."""
    return {key: item for key, item in (entries | changes).items() if changes.get(key, ...) is not None}


def rules_options(step: Step) -> dict[str, Any]:
    options: dict[str, Any] = {key: value(step[key]) for key in LISTS if key in step}
    return options | {"platform": step.get("platform", "")}


def load_rules(bus: crosstie.Bus, step: Step) -> None:
    document = document_of(step)
    source = json.dumps(document) if "json" in step else document
    bus.rules.load(source, **rules_options(step), rollback=step.get("rollback", False))


class RuleSteps(NamedSteps):
    def step_rules(self, step: Step) -> None:
        load_rules(self.bus(step), step)

    def step_unload_rules(self, step: Step) -> None:
        self.bus(step).rules.unload()

    def step_rules_document(self, step: Step) -> str | None:
        document = self.bus(step).rules.document
        if document is None:
            return "NOT_FOUND"
        expect("document", document, step["value"])
        return None

    def step_rules_convert(self, step: Step) -> None:
        document = document_of(step)
        source = json.dumps(document) if "json" in step else document
        found = crosstie.convert_rules(source, **rules_options(step))
        if "value" in step:
            expect("document", found, value(step["value"]))
        if "first_rule" in step:
            expect("first rule", found["rules"][0], value(step["first_rule"]))

    def step_rule(self, step: Step) -> None:
        bus = self.bus(step)
        handler = Handler(self, bus, step, otherwise=text(step["id"]))
        self.add(step.get("as", ""), bus.rules.add(text(step["id"]), handler, **handler_options(self, bus, step)))

    def step_generate_rule(self, step: Step) -> str | None:
        params = value(step.get("params"))
        flags = {key: step[key] for key in ("web", "private", "by_target") if key in step}
        return expect_url(step, lambda: self.bus(step).rules.url_for(text(step["name"]), params, **flags))
