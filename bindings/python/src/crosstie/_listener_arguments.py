"""The arguments of a wormhole's listeners."""

from __future__ import annotations

from collections.abc import Callable

from . import _crosstie
from ._callables import is_async

Callback = Callable[[_crosstie.Message], object]


def synchronous(callback: Callback) -> Callback:
    """Return the callback. Raises TypeError for an async function, which a thread cannot run."""
    if callable(callback) and is_async(callback):
        raise TypeError("an async function listens by wormhole.aio")
    return callback


def executor(
    loop: _crosstie.Loop | None = None, bus: _crosstie.Bus | None = None, dispatcher: str = ""
) -> tuple[_crosstie.Loop | _crosstie.Bus | None, str]:
    """Return the object that the listener's calls run on, and the dispatcher's name."""
    if loop is not None and bus is not None:
        raise ValueError("a listener runs in a loop or on a bus, not both")
    return loop if bus is None else bus, dispatcher


#: A flag for `Wormhole._listen()`: without an identifier, to the connection to the group's server.
CONNECTION = 1 << 31


def listen_flags(*, initial_delivery: bool) -> int:
    return 0 if initial_delivery else _crosstie.CTIE_LISTEN_NO_INITIAL_DELIVERY


def queue_flags(durable: str, name: str, *, manual: bool, from_oldest: bool) -> int:
    if durable and name:
        raise ValueError("a queue has either a durable consumer or a name, not both")
    flags = _crosstie.CTIE_LISTEN_QUEUE
    flags |= _crosstie.CTIE_LISTEN_DURABLE if durable else 0
    flags |= _crosstie.CTIE_LISTEN_MANUAL if manual else 0
    return flags | (_crosstie.CTIE_LISTEN_FROM_OLDEST if from_oldest else 0)
