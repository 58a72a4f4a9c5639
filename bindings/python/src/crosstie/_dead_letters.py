"""Dead letters: messages that failed too often, kept with their reason."""

from typing import Any, Literal, NamedTuple
from ._homes import publish


class DeadLetter(NamedTuple):
    """A message that is no longer delivered to a durable consumer, from `Wormhole.dead_letters()`.

    Times are seconds since 1970.
    """

    sequence: int  # the message's number
    identifier: str  # the message's; empty for the notice that all messages were destroyed
    kind: Literal["value", "signal", "destroyed"]
    size: int  # bytes of its encoded value
    time: float  # the time of sending
    sender_pid: int
    sender_name: str
    deliveries: int  # the number of deliveries to listeners
    reason: str  # of its last rejection: a text, or the last line of an exception; empty without one
    dead: float  # the time at which it became a dead letter
    sent_as: int | None  # its number under the identifier for the consumer's dead letters; None: not sent there

    @classmethod
    def of(cls, found: dict[str, Any]) -> "DeadLetter":
        sender = found["sender"]
        return cls(
            sequence=found["sequence"],
            identifier=found["identifier"],
            kind=found["kind"],
            size=found["size"],
            time=found["time"] * 1e-9,
            sender_pid=sender["pid"],
            sender_name=sender["name"],
            deliveries=found["deliveries"],
            reason=found["reason"],
            dead=found["dead"] * 1e-9,
            sent_as=found["sent_as"] or None,
        )


publish(__name__, globals())
