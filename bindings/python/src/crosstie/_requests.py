"""The options and parameters of requests, and the outcome of an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from . import _crosstie
from ._homes import publish
from ._status import Status
from ._typing import TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    from typing import Any, Literal


class RequestOptions(TypedDict, total=False):
    """The options of a request; see `Bus.with_options()`."""

    timeout: float | None
    origin: Literal["local", "remote"]
    user_info: dict[str, Any] | None
    interceptors: Sequence[Callable[..., object]]
    parent: _crosstie.Request | None
    dispatcher: str
    priority: Literal["low", "normal", "high"]
    progress: Callable[[Any], object] | None
    loop: _crosstie.Loop | None
    peer: str | None
    reach: Literal["any", "here", "elsewhere"]


class Params(_crosstie._Params, Mapping[str, "Any"]):
    """Parameters by name: those of the path, then those of the query, which never overwrite them.

    Parameters with a type in the pattern or the rule are converted, and a rule's defaults fill in missing ones; the
    rest is text. Reading one value of a key that occurs several times in the query raises ParamError; `all()` returns
    them all. In JSON, and for another language, a Params is a map, in which such a key has a list. It remains valid after
    the request has ended.
    """

    __slots__ = ()


class Failure(NamedTuple):
    """A component that failed at an event."""

    component: str  # empty for another process that gave no outcome
    status: Status
    code: int
    message: str
    peer: str = ""  # the name of the component's process, if it is another one


class Broadcast(NamedTuple):
    """The outcome of an event."""

    count: int  # type: ignore[assignment]  # the number of components with a handler for it
    any: bool  # whether one of them answered True
    failures: tuple[Failure, ...]


def call_arguments(params: Mapping[str, Any] | None, keywords: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return the parameters, from a mapping or from keywords."""
    if keywords and params is not None:
        raise TypeError("params must be either a mapping or keywords, not both")
    return keywords or params


def performer_flags(cache: bool) -> int:
    """Return the flags of a request to the performer."""
    return _crosstie.CTIE_REQUEST_CACHED if cache else 0


def broadcast_of(outcome: dict[str, Any]) -> Broadcast:
    """Convert the extension's outcome of an event."""
    failures = (Failure(**{**item, "status": Status(item["status"])}) for item in outcome["failures"])
    return Broadcast(outcome["count"], outcome["any"], tuple(failures))


publish(__name__, globals())
