"""Reading the data of scenarios, and comparing what came with what they expect."""

from __future__ import annotations

from typing import Any

import crosstie

Step = dict[str, Any]


class Unexpected(AssertionError):
    """Something did not come out as the scenario expects."""


def text(data: Any) -> str:
    """A text: itself, or the sum of its pieces."""
    if isinstance(data, str):
        return data
    return "".join(piece if isinstance(piece, str) else piece["repeat"] * piece["times"] for piece in data)


def value(data: Any) -> Any:
    """A value, with what JSON has no form for written out."""
    if isinstance(data, list):
        return [value(item) for item in data]
    if not isinstance(data, dict):
        return data
    match list(data.items()):
        case [("$bytes", hex)]:
            return bytes.fromhex(hex)
        case [("$double", number)]:
            return float(number)
        case [("$text", pieces)]:
            return text(pieces)
    return {key: value(item) for key, item in data.items()}


def same(left: Any, right: Any) -> bool:
    """Equality that tells True from 1 and 1 from 1.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(item, right[key]) for key, item in left.items())
    return bool(left == right)


def expect(what: str, found: Any, expected: Any) -> None:
    if not same(found, expected):
        raise Unexpected(f"{what}: {found!r} instead of {expected!r}")


def expect_named(step: Step, **found: Any) -> None:
    """Compares what the step names."""
    for name, item in found.items():
        if name in step:
            expect(name, item, text(step[name]) if isinstance(item, str) else step[name])


def expect_said(step: Step, message: str) -> None:
    """The message contains each of the texts that the step names."""
    for said in step.get("says", []):
        if said not in message:
            raise Unexpected(f"{said!r} is not in the message: {message}")


def status_of(error: crosstie.Error) -> str:
    return crosstie.Status(error.status).name
