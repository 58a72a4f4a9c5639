"""The keys that a step may have: an unknown key is a mistake of the scenario, such as `staus`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from data import Step, Unexpected

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "steps.schema").read_text(encoding="utf-8"))

#: Keys that hold an action or a list of them, in a step and in a part of one.
ACTIONS = ("handler", "interceptors", "then", "share", "oauth", "launch", "open_url", "open_activity")


def known(kind: str, name: str) -> set[str]:
    """The keys of a step, an action or a part. A name with `@` stands for a group."""
    if name not in SCHEMA[kind]:
        raise Unexpected(f"no such thing among {kind}: {name}")
    keys: set[str] = set()
    for key in SCHEMA[kind][name]:
        keys |= set(SCHEMA["groups"][key[1:]]) if key.startswith("@") else {key}
    return keys


def check_keys(where: str, keys: Iterable[str], allowed: set[str]) -> None:
    for key in keys:
        if key not in allowed:
            raise Unexpected(f"{where} has no key {key!r}")


def check_step(step: Step) -> None:
    verb = step["do"]
    check_keys(verb, step, known("steps", verb) | {"do"})
    check_nested(verb, step)
    if verb == "table":
        check_table(step)
    elif verb == "process":
        for each in step["steps"]:
            check_step(each)


def check_table(table: Step) -> None:
    for each in table["steps"]:
        check_step(each)
    check_keys("table", table["columns"], set().union(*(known("steps", each["do"]) for each in table["steps"])))


def check_nested(name: str, step: Step) -> None:
    """Actions and parts that a step, an action or a part has."""
    for key, inner in step.items():
        if key in ACTIONS:
            check_actions(inner)
        elif f"{name}.{key}" in SCHEMA["parts"]:
            for part in inner if isinstance(inner, list) else [inner]:
                check_keys(f"{name}.{key}", part, known("parts", f"{name}.{key}"))
                check_nested(f"{name}.{key}", part)


def check_actions(data: Any) -> None:
    if isinstance(data, list):
        for each in data:
            check_actions(each)
    elif isinstance(data, dict):
        verb = data.get("do", "")
        check_keys(verb, data, known("actions", verb) | known("groups", "action") | {"do"})
        check_nested(verb, data)
