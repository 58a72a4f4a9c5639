"""Durable consumers: declaring, listing and moving them."""

import operator
from datetime import datetime
from types import NoneType
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias

from . import _crosstie
from ._messages import MessageMapping

#: Seconds since 1970, or a datetime.
Moment: TypeAlias = float | datetime

WHEN_FULL = {
    "drop": _crosstie.CTIE_FULL_DROP_OLDEST,
    "refuse": _crosstie.CTIE_FULL_REFUSE,
    "wait": _crosstie.CTIE_FULL_WAIT,
}


class Backoff(NamedTuple):
    """How long a rejected message rests: see `Wormhole.declare()`."""

    first: float = 0.1  # seconds after the first delivery
    most: float = 60.0  # seconds at most
    factor: float = 2.0  # by which that grows with each delivery: 1 to 1,000
    jitter: float = 0.0  # by which share of itself it is shortened at random at most: 0 to 1


class Holder(NamedTuple):
    """Somebody who has messages of a durable consumer that are not answered."""

    pid: int
    name: str
    messages: int  # how many
    since: float  # when the first of them was handed out: seconds since 1970


class Durable(NamedTuple):
    """A durable consumer, and how far it is behind: one line of `Wormhole.durables()`. Times are seconds since 1970."""

    name: str
    identifier: str  # or a prefix
    waiting: int  # messages to be handed out now
    waiting_size: int  # bytes of the values of those that nobody has had yet
    oldest: float | None  # when the first one was passed that nobody has had yet
    retrying: int  # rejected ones that wait for their next try
    next_retry: float | None  # when the first of them is due
    in_hand: list[Holder]
    deliveries: int  # how many times a message has been handed out
    dead: int  # dead letters
    missed: int  # messages that are gone and that no listener has been told of yet
    position: int  # what comes after this number nobody has had
    listened: float  # when somebody last listened, as far as that has been noted
    damaged: bool  # what is kept for it cannot be read; the numbers are 0
    options: dict[str, Any]  # as `Wormhole.declare()` takes them


class DurableNames(MessageMapping):
    """What a wormhole does with durable consumers, apart from listening."""

    def declare(
        self,
        identifier: str,
        name: str,
        /,
        *,
        max_deliveries: int = 0,
        dead_letter: str = "",
        backoff: Backoff | tuple[float, ...] | None = None,
        max_messages: int = 0,
        max_size: int = 0,
        when_full: Literal["drop", "refuse", "wait"] = "drop",
        expires: float | None = None,
        from_oldest: bool = False,
        change: bool = False,
    ) -> None:
        """Make a durable consumer without listening to it: from now on it gets every message of an identifier or prefix.

        Any process may do it, any number of times. With options other than the stored ones it raises ConflictError,
        unless `change` says that they replace those.

        max_deliveries  a message that was handed out so often, and rejected or lost each time, is a dead letter; 0: never.
        dead_letter     the identifier of dead letters; empty: the message's own, followed by ".dead".
        backoff         how long a rejected message rests: a `Backoff`, or a tuple that begins as one; None: 0.1 s at
                        first, twice as long each time, at most a minute.
        max_messages    messages that wait to be handed out for the first time, at most; 0: as many as the group keeps.
        max_size        bytes of their values, at most; 0: as many as the group keeps.
        when_full       what happens to a message beyond these: "drop" the oldest, "refuse" it, or have its sender "wait".
        expires         the name is forgotten when nobody has listened for so many seconds; None: never.
        from_oldest     whether a new name begins with the oldest message that is still kept.
        """
        if not isinstance(backoff, (tuple, list, NoneType)):
            raise TypeError("a backoff is a Backoff, or a tuple that begins as one: (first, most, factor, jitter)")
        first, most, factor, jitter = (None, None, 0.0, 0.0) if backoff is None else Backoff(*backoff)
        if when_full not in WHEN_FULL:
            raise ValueError(f"when_full must be 'drop', 'refuse' or 'wait', not {when_full!r}")
        flags = _crosstie.CTIE_DURABLE_FROM_OLDEST if from_oldest else 0
        flags |= _crosstie.CTIE_DURABLE_CHANGE if change else 0
        self._declare(
            identifier, name, flags, WHEN_FULL[when_full], dead_letter, first, most, factor, jitter,
            max_deliveries, max_messages, max_size, expires,
        )

    def durables(self) -> list[Durable]:
        """The durable consumers of the group, sorted, and how far each is behind. It waits for nobody."""
        return [_durable(found) for found in self._durables()]

    def seek(
        self, identifier: str, name: str, /, *, sequence: int | None = None, time: Moment | None = None
    ) -> None:
        """Move a durable consumer: what comes before the new place is done, what comes after it is handed out as if anew.

        sequence  the number of the first message to be handed out, as far as kept: 1 for the oldest, 2**64 - 1 for the
                  next one to come.
        time      instead: the first one that is kept and was not sent before, by the senders' clocks: seconds since
                  1970, to a microsecond, or a datetime; without a time zone it is local time.

        What somebody has in hand stays there when it lies before the new place. Listeners go on from there. Raises
        NotFoundError.
        """
        if (sequence is None) == (time is None):
            raise TypeError("seek() takes a sequence or a time")
        start, moment = beginning(sequence, time)
        self._seek(identifier, name, start, moment)


def beginning(sequence: int | None, time: Moment | None) -> tuple[int, Moment | None]:
    """A number and a time as the extension takes them; 0 for a number that is None."""
    if sequence is None:
        return 0, time
    if not isinstance(sequence, SupportsIndex):
        raise TypeError(f"a sequence is an integer, not {type(sequence).__name__}")
    number = operator.index(sequence)
    if not 1 <= number < 1 << 64:
        raise ValueError("a sequence is 1 to 2**64 - 1")
    return number, time


def _durable(found: dict[str, Any]) -> Durable:
    for key in ("oldest", "next_retry"):
        if found[key] is not None:
            found[key] *= 1e-9
    found["listened"] *= 1e-9
    found["in_hand"] = [
        Holder(each["pid"], each["name"], each["count"], each["since"] * 1e-9) for each in found["in_hand"]
    ]
    found["options"] = _options(found["options"])
    return Durable(**found)


def _options(found: dict[str, Any]) -> dict[str, Any]:
    first, most, factor, jitter = (found.pop(f"backoff_{key}") for key in ("first_ms", "most_ms", "factor", "jitter"))
    expires = found.pop("expires_ms")
    backoff = Backoff(first * 1e-3, most * 1e-3, factor, jitter)
    return {**found, "backoff": backoff, "expires": expires * 1e-3 if expires else None}
