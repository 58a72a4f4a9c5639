"""Descriptions of durable consumers, which are imported when a program reads or sets them."""

from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from ._homes import publish

#: Seconds since 1970, or a datetime.
Moment: TypeAlias = float | datetime

class Backoff(NamedTuple):
    """The time until a rejected message is redelivered: see `Wormhole.declare()`."""

    first: float = 0.1  # seconds after the first delivery
    most: float = 60.0  # seconds at most
    factor: float = 2.0  # the growth of the time with each delivery: 1 to 1,000
    jitter: float = 0.0  # the largest share of the time by which it is shortened at random: 0 to 1


class Holder(NamedTuple):
    """A process that has messages of a durable consumer in hand: not yet acknowledged or rejected."""

    pid: int
    name: str
    messages: int  # their number
    since: float  # the time of the first one's delivery: seconds since 1970


class Durable(NamedTuple):
    """A durable consumer and its backlog, from `Wormhole.durables()`. Times are seconds since 1970."""

    name: str
    identifier: str  # or a prefix
    waiting: int  # messages that can be delivered now
    waiting_size: int  # bytes of the values of those that were never delivered
    oldest: float | None  # the time of sending of the first one that was never delivered
    retrying: int  # rejected messages that wait for their redelivery
    next_retry: float | None  # the time of the first redelivery
    in_hand: list[Holder]
    deliveries: int  # deliveries so far
    dead: int  # dead letters
    missed: int  # lost messages of which no listener has been notified yet
    position: int  # the number of the last message that was delivered
    listened: float  # the last time at which a listener was bound, as far as it was recorded
    damaged: bool  # its record cannot be read; the numbers are 0
    options: dict[str, Any]  # those of `Wormhole.declare()`


publish(__name__, globals())
