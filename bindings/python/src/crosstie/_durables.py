"""Durable consumers: declaring, listing and moving them."""

from __future__ import annotations

import operator

from . import _crosstie
from ._messages import MessageMapping
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Literal

    from ._durable_info import Backoff, Durable, Moment

WHEN_FULL = {
    "drop": _crosstie.CTIE_FULL_DROP_OLDEST,
    "refuse": _crosstie.CTIE_FULL_REFUSE,
    "wait": _crosstie.CTIE_FULL_WAIT,
}


class DurableConsumers(MessageMapping):
    """The part of a wormhole that declares, lists and moves durable consumers."""

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
        """Declare a durable consumer without listening: from now on it keeps every message of an identifier or prefix.

        Any process may declare it, any number of times. Options that differ from the stored ones raise ConflictError,
        unless `change` is true.

        max_deliveries  deliveries after which a message becomes a dead letter, if each was rejected or lost; 0: never.
        dead_letter     the identifier of dead letters; empty: the message's own, followed by ".dead".
        backoff         the time until a rejected message is redelivered: a `Backoff`, or a tuple of its first fields;
                        None: 0.1 s at first, twice as long each time, a minute at most.
        max_messages    messages that wait for their first delivery, at most; 0: as many as the group keeps.
        max_size        bytes of their values, at most; 0: as many as the group keeps.
        when_full       the treatment of a message beyond these limits: "drop" the oldest one, "refuse" the new one, or let
                        its sender "wait".
        expires         seconds without a listener after which the durable consumer is removed; None: never.
        from_oldest     whether a new durable consumer begins with the oldest message that is still kept.
        change          whether the options replace the stored ones.
        """
        if not isinstance(backoff, (tuple, list, type(None))):
            raise TypeError("a backoff is a Backoff, or a tuple that begins as one: (first, most, factor, jitter)")
        first, most, factor, jitter = (None, None, 0.0, 0.0) if backoff is None else _backoff(*backoff)
        if when_full not in WHEN_FULL:
            raise ValueError(f"when_full must be 'drop', 'refuse' or 'wait', not {when_full!r}")
        flags = _crosstie.CTIE_DURABLE_FROM_OLDEST if from_oldest else 0
        flags |= _crosstie.CTIE_DURABLE_CHANGE if change else 0
        self._declare(
            identifier, name, flags, WHEN_FULL[when_full], dead_letter, first, most, factor, jitter,
            max_deliveries, max_messages, max_size, expires,
        )

    def durables(self) -> list[Durable]:
        """Return the durable consumers of the group with their backlogs, sorted. The call does not wait."""
        return [_durable(found) for found in self._durables()]

    def seek(
        self, identifier: str, name: str, /, *, sequence: int | None = None, time: Moment | None = None
    ) -> None:
        """Move a durable consumer to another message: earlier messages count as acknowledged, later ones as undelivered.

        sequence  the number of the first message to deliver; if it is not kept, delivery begins with the next kept one.
                  1: the oldest one; 2**64 - 1: the next one to be sent.
        time      instead: the time of sending of the first message to deliver, by the senders' clocks: seconds since
                  1970, to a microsecond, or a datetime; without a time zone it is local time.

        Earlier messages in hand stay in hand. Listeners continue from the new position. Raises NotFoundError.
        """
        if (sequence is None) == (time is None):
            raise TypeError("seek() takes a sequence or a time")
        start, moment = beginning(sequence, time)
        self._seek(identifier, name, start, moment)


def beginning(sequence: int | None, time: Moment | None) -> tuple[int, Moment | None]:
    """Check a number and a time for the extension, which takes 0 for no number."""
    if sequence is None:
        return 0, time
    if not hasattr(sequence, "__index__"):
        raise TypeError(f"a sequence is an integer, not {type(sequence).__name__}")
    number = operator.index(sequence)
    if not 1 <= number < 1 << 64:
        raise ValueError("a sequence is 1 to 2**64 - 1")
    return number, time


def _backoff(*fields: float) -> Backoff:
    from ._durable_info import Backoff

    return Backoff(*fields)


def _durable(found: dict[str, Any]) -> Durable:
    from ._durable_info import Durable, Holder

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
    backoff = _backoff(first * 1e-3, most * 1e-3, factor, jitter)
    return {**found, "backoff": backoff, "expires": expires * 1e-3 if expires else None}
