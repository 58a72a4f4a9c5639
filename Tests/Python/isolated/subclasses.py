"""Buses and wormholes whose classes have a `__del__`, or do what else a class may do: subclasses.py <case>."""

import gc
import sys
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

import crosstie

deleted: list[str] = []
kept: list[Any] = []
directory = tempfile.mkdtemp() + "/group"


class Deleted(crosstie.Bus):
    def __del__(self) -> None:
        assert not self.closed
        deleted.append(self.name)


class Slotted(crosstie.Bus):
    __slots__ = ("extra",)
    extra: object

    def __del__(self) -> None:
        deleted.append(self.name)


class Closing(crosstie.Bus):
    """It never lets the bus be closed, as far as it can."""

    def close(self) -> None:
        deleted.append("close")

    def __del__(self) -> None:
        self.close()


class Resurrecting(crosstie.Bus):
    def __del__(self) -> None:
        kept.append(self)


class Hole(crosstie.Wormhole):
    def receive(self, message: crosstie.Message) -> None: ...

    def __del__(self) -> None:
        assert not self.closed
        deleted.append(self.group)


class Raising(crosstie.Bus):
    def __del__(self) -> None:
        super().close()
        deleted.append("closed")


def add_handler(bus: crosstie.Bus) -> Callable[[], object]:
    """One that has the bus, which has it: a cycle."""

    def handler() -> object:
        return bus

    bus.routes.add("app://a", handler)
    return handler


def dropped() -> None:
    """By its last reference."""
    for i in range(3):
        Deleted(str(i))
    crosstie.Bus("other")
    assert deleted == ["0", "1", "2"], deleted
    Raising("x")
    assert deleted[3:] == ["closed"]


def collected() -> None:
    """In a cycle, as every bus with a handler is."""
    ended: list[int] = []
    for i in range(3):
        bus = Deleted(str(i))
        weakref.finalize(add_handler(bus), ended.append, i)
        slotted = Slotted("slotted")
        slotted.extra = slotted
    del bus, slotted
    gc.collect()
    assert sorted(deleted) == ["0", "1", "2", *["slotted"] * 3], deleted
    assert sorted(ended) == [0, 1, 2], ended


def overridden() -> None:
    """The end does not depend on a subclass's close()."""
    bus = Closing("x")
    released = weakref.ref(add_handler(bus))
    del bus
    gc.collect()
    assert released() is None
    assert deleted == ["close"]


def resurrected() -> None:
    Resurrecting("dropped")
    kept[0].routes.add("app://a", lambda: "alive")
    assert kept.pop().open("app://a").value == "alive"
    gc.collect()
    bus = Resurrecting("collected")
    add_handler(bus)
    del bus
    gc.collect()
    (bus,) = kept
    assert bus.closed
    try:
        bus.open("app://a")
    except crosstie.ClosedError:
        pass
    kept.clear()


def wormholes() -> None:
    for _ in range(3):
        Hole("test", directory=directory)
    hole = Hole("test", directory=directory)
    hole.add_listener("a", hole.receive)
    del hole
    gc.collect()
    assert deleted == ["test"] * 4, deleted


def at_exit() -> None:
    """A thousand of them are alive at the end of the interpreter; some end with it."""
    for i in range(1000):
        bus = Closing(str(i)) if i % 2 else Slotted(str(i))
        add_handler(bus)
        kept.append(bus)
        if i % 5 == 0:
            kept.append(crosstie.Wormhole("test", directory=directory, memory=True))
    del kept[::3]


globals()[sys.argv[1]]()
