"""What can be said beside a request, and what comes of an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypedDict

from . import _crosstie
from ._status import Status


class RequestOptions(TypedDict, total=False):
    """What can be said beside a request; see `Bus.with_options()`."""

    timeout: float | None
    origin: Literal["local", "remote"]
    user_info: dict[str, Any] | None
    interceptors: Sequence[Callable[..., object]]
    parent: _crosstie.Request | None
    dispatcher: str
    priority: Literal["low", "normal", "high"]
    progress: Callable[[Any], object] | None
    loop: _crosstie.Loop | None


class Failure(NamedTuple):
    """A component that failed at an event."""

    component: str
    status: Status
    code: int
    message: str


class Broadcast(NamedTuple):
    """What became of an event."""

    count: int  # type: ignore[assignment]  # how many components hear it
    any: bool  # whether one of them answered True
    failures: tuple[Failure, ...]


def given(params: Mapping[str, Any] | None, keywords: dict[str, Any]) -> Mapping[str, Any] | None:
    """Parameters in a mapping or by keywords."""
    if keywords and params is not None:
        raise TypeError("params go either in a mapping or by keywords")
    return keywords or params


def performer_flags(cache: bool) -> int:
    """The flags of a request to the performer."""
    return _crosstie.CTIE_REQUEST_CACHED if cache else 0


def broadcast_of(outcome: dict[str, Any]) -> Broadcast:
    """What a broadcast gives in C."""
    failures = (Failure(**{**item, "status": Status(item["status"])}) for item in outcome["failures"])
    return Broadcast(outcome["count"], outcome["any"], tuple(failures))
