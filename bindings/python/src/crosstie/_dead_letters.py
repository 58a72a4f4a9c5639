"""Dead letters: messages that a durable consumer was given too often in vain."""

from typing import Any, Literal, NamedTuple


class DeadLetter(NamedTuple):
    """A message that a durable consumer is not given any more: one line of `Wormhole.dead_letters()`.

    Times are seconds since 1970.
    """

    sequence: int  # the message's number
    identifier: str  # what it was sent under; empty for the destroying of everything
    kind: Literal["value", "signal", "destroyed"]
    size: int  # bytes of its encoded value
    time: float  # when it was sent
    sender_pid: int
    sender_name: str
    deliveries: int  # how often it was handed to a listener
    reason: str  # why it was rejected the last time: of an exception its last line; empty if nothing was said
    dead: float  # when it became a dead letter
    passed: int | None  # the number under which it was passed on to where the name's dead letters go

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
            passed=found["passed"] or None,
        )
