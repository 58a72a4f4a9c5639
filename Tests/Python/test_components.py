"""Components: registering, refusals and listings."""

import gc
import logging
import pathlib
import sys
import weakref
from typing import Any

import pytest

import crosstie
from conftest import Unraisable
from crosstie import _statics


class Clock:
    """Tells the time."""

    def __init__(self) -> None:
        self.received: list[Any] = []

    @crosstie.action
    def now(self, request: crosstie.Request, zone: str = "utc") -> str:
        """The time there."""
        return f"now in {zone}"

    @crosstie.action("set-to", worker_only=True)
    def set_to(self, hour: int) -> int:
        return hour

    @crosstie.event("will-terminate")
    def end(self) -> bool:
        self.received.append("end")
        return True

    @crosstie.action()
    @staticmethod
    def static(x: int = 1) -> int:
        return x

    @classmethod
    @crosstie.action("kind")
    def report_kind(cls) -> str:
        return cls.__name__

    def not_marked(self) -> None: ...


def test_class(bus: crosstie.Bus) -> None:
    assert bus.component("clock")(Clock) is Clock
    assert bus.call("clock", "now") == "now in utc"
    assert bus.call("clock", "now", zone="cet") == "now in cet"
    assert bus.call("clock", "set-to", hour=3) == 3
    assert bus.call("clock", "static", x=2) == 2
    assert bus.call("clock", "kind") == "Clock"
    for name in ("not_marked", "set_to", "report_kind"):
        with pytest.raises(crosstie.NoActionError):
            bus.call("clock", name)


def test_forms_of_the_decorator(bus: crosstie.Bus) -> None:
    assert bus.component(Clock) is Clock
    assert bus.component()(type("Second", (Clock,), {})).__name__ == "Second"
    instance = Clock()
    assert bus.component("third", instance) is instance
    assert bus.component(None, type("Fourth", (Clock,), {})()) is not None
    assert [item.name for item in bus.components] == ["Clock", "Fourth", "Second", "third"]


def test_each_bus_has_an_instance_of_its_own(bus: crosstie.Bus) -> None:
    made: list[object] = []

    class Counted:
        def __init__(self) -> None:
            made.append(self)

        @crosstie.action
        def me(self) -> object:
            return self

    with crosstie.Bus() as other:
        bus.component(Counted)
        other.component(Counted)
        assert len(made) == 2
        assert bus.call("Counted", "me") is made[0]
        assert other.call("Counted", "me") is made[1]


def test_listing(bus: crosstie.Bus) -> None:
    bus.add_dispatcher("slow")
    bus.components.add(Clock, "clock", priority=3, dispatcher="slow")
    (item,) = bus.components
    assert item[:2] == ("clock", "Tells the time.")
    assert item.language == "python"
    assert item.type == f"{__name__}.Clock"
    assert (item.dispatcher, item.priority, item.static) == ("slow", 3, False)
    assert item.actions == (
        crosstie.ActionInfo("kind", "", False, False),
        crosstie.ActionInfo("now", "The time there.", False, False),
        crosstie.ActionInfo("set-to", "", False, True),
        crosstie.ActionInfo("static", "", False, False),
        crosstie.ActionInfo("will-terminate", "", True, False),
    )
    bus.components.add(Clock(), "silent", doc="")
    assert list(bus.components)[1].doc == ""


def test_registration(bus: crosstie.Bus) -> None:
    with bus.components.add(Clock, "clock") as registration:
        assert repr(registration) == "<crosstie.Registration component 'clock'>"
        assert (registration.kind, registration.name, registration.handler) == ("component", "clock", Clock)
        assert registration.active
    assert not registration.active
    with pytest.raises(crosstie.NoComponentError):
        bus.call("clock", "now")
    registration.remove()


def test_conflicts_and_replacing(bus: crosstie.Bus) -> None:
    class Other:
        @crosstie.action
        def now(self) -> str:
            return "other"

    first = bus.components.add(Clock, "clock")
    with pytest.raises(crosstie.ConflictError):
        bus.components.add(Other, "clock")
    assert bus.call("clock", "now") == "now in utc"
    bus.components.add(Other, "clock", replace=True)
    assert bus.call("clock", "now") == "other"
    assert not first.active


def test_refusals(bus: crosstie.Bus) -> None:
    class Empty: ...

    class Twice:
        @crosstie.action("same")
        def one(self) -> None: ...

        @crosstie.action("same")
        def two(self) -> None: ...

    class AsyncOnWorker:
        @crosstie.action(worker_only=True)
        async def both(self) -> None: ...

    class Needs:
        def __init__(self, what: int) -> None: ...

        @crosstie.action
        def act(self) -> None: ...

    for component in (Empty, Empty(), 3, None):
        with pytest.raises(crosstie.KindError) as caught:
            bus.components.add(component, "x")
        assert (caught.value.status, caught.value.code) == (crosstie.Status.NOT_COMPONENT, 30001)
    with pytest.raises(crosstie.ConflictError):
        bus.components.add(Twice)
    for wrong in (AsyncOnWorker, Needs):
        with pytest.raises(TypeError):
            bus.components.add(wrong)
    for name in ("", "1a", "a b", "a" * 129):
        with pytest.raises(ValueError):
            bus.components.add(Clock, name)
    with pytest.raises(crosstie.NotFoundError):
        bus.components.add(Clock, dispatcher="none")
    with pytest.raises(TypeError):
        crosstie.action(3)  # type: ignore[call-overload]
    assert not bus.components
    assert bus._registrations() == []


def test_exceptions_of_a_class(bus: crosstie.Bus) -> None:
    class Fails:
        def __init__(self) -> None:
            raise ZeroDivisionError

        @crosstie.action
        def act(self) -> None: ...

    with pytest.raises(ZeroDivisionError):
        bus.component(Fails)
    assert not bus.components


def test_lazy(bus: crosstie.Bus) -> None:
    made: list[object] = []

    class Late:
        def __init__(self) -> None:
            made.append(self)

        @crosstie.action
        def add(self, a: int, b: int = 2) -> int:
            return a + b

        @crosstie.action
        @staticmethod
        def static() -> str:
            return "static"

    bus.components.add(Late, "late", lazy=True)
    assert made == []
    assert bus.call("late", "add", a=1) == 3
    assert bus.call("late", "static") == "static"
    assert len(made) == 1


def test_lazy_that_fails(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    class Late:
        def __init__(self) -> None:
            raise ZeroDivisionError

        @crosstie.action
        def act(self) -> None: ...

    bus.components.add(Late, "late", lazy=True)
    with pytest.raises(crosstie.KindError) as caught:
        bus.call("late", "act")
    assert caught.value.status is crosstie.Status.NOT_COMPONENT
    assert [type(error) for error, _ in unraisable] == [ZeroDivisionError]


def test_remove(bus: crosstie.Bus) -> None:
    instance = Clock()
    for what, component in (("clock", Clock), (Clock, Clock), (Clock, Clock()), (instance, instance)):
        bus.components.add(component, "clock")
        assert bus.call("clock", "now")
        bus.components.remove(what)
        with pytest.raises(crosstie.NoComponentError):
            bus.call("clock", "now")
        with pytest.raises(LookupError):
            bus.components.remove(what)
    registration = bus.components.add(Clock, "clock")
    bus.components.remove(registration)
    assert not registration.active and not bus.components


def test_remove_inside_an_action(bus: crosstie.Bus) -> None:
    class Once:
        @crosstie.action
        def act(self) -> str:
            bus.components.remove("once")
            return "done"

    bus.component("once")(Once)
    assert bus.call("once", "act") == "done"
    with pytest.raises(crosstie.NoComponentError):
        bus.call("once", "act")


def test_events_of_its_own_life(bus: crosstie.Bus) -> None:
    received: list[str] = []

    class Lives:
        @crosstie.event("created")
        def begin(self) -> None:
            received.append("created")

        @crosstie.event("destroyed")
        def end(self) -> None:
            received.append("destroyed")

    registration = bus.components.add(Lives)
    assert received == ["created"]
    registration.remove()
    assert received == ["created", "destroyed"]


def test_inherited_actions(bus: crosstie.Bus) -> None:
    class Swiss(Clock):
        @crosstie.action
        def now(self, request: crosstie.Request, zone: str = "cet") -> str:
            return "precisely " + super().now(request, zone)

    bus.component(Swiss)
    assert bus.call("Swiss", "now") == "precisely now in cet"
    assert bus.call("Swiss", "static") == 1


# ---- Static components -----------------------------------------------------------------------------------


@pytest.fixture
def statics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_statics, "_statics", [])


@pytest.mark.usefixtures("statics")
def test_static(bus: crosstie.Bus, caplog: pytest.LogCaptureFixture) -> None:
    @crosstie.component
    class Before:
        @crosstie.action
        def act(self) -> str:
            return "before"

    with crosstie.Bus(static=True) as static:
        assert static.call("Before", "act") == "before"
        static.components.add(Clock, "taken")

        @crosstie.component("after", priority=2)
        class After:
            @crosstie.action
            def act(self) -> str:
                return "after"

        assert static.call("after", "act") == "after"
        found = {info.name: info.static for info in static.components}
        assert found.items() >= {"Before": True, "after": True, "taken": False}.items()
        with caplog.at_level(logging.ERROR, "crosstie"):
            crosstie.component("taken")(type("Taken", (Before,), {}))
        assert "refuses the static component 'taken'" in caplog.text
    with pytest.raises(crosstie.ConflictError):
        crosstie.component("after")(Before)
    with pytest.raises(crosstie.KindError):
        crosstie.component("empty")(type("Empty", (), {}))
    with pytest.raises(crosstie.NoComponentError):
        bus.call("Before", "act")
    with crosstie.Bus.shared("test.static") as shared:
        assert shared.call("Before", "act") == "before"
        assert {info.name for info in shared.components} >= {"Before", "after", "taken"}
        assert all(info.static for info in shared.components)


# ---- From distributions ----------------------------------------------------------------------------------


def test_entry_points(bus: crosstie.Bus, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop_parts.py").write_text(
        "import crosstie\nclass Cart:\n    @crosstie.action\n    def total(self): return 7\ncart = Cart()\n"
    )
    information = tmp_path / "shop_parts-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-parts\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[crosstie.components]\ncart = shop_parts:Cart\nsame = shop_parts:cart\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registrations = bus.components.load_entry_points()
    assert sorted(item.name for item in registrations) == ["cart", "same"]
    assert bus.call("cart", "total") == bus.call("same", "total") == 7
    assert bus.components.load_entry_points("nothing.of.that.name") == []
    sys.modules.pop("shop_parts")


def test_plugins_that_are_none(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    with pytest.raises(OSError):
        bus.components.load_plugin(tmp_path / "none.so")
    with pytest.raises(crosstie.KindError):
        bus.components.load_plugin("libc.so.6")
    with pytest.raises(crosstie.NotFoundError):
        bus.components.unload_plugin("libc.so.6")


# ---- Memory ----------------------------------------------------------------------------------------------


def test_nothing_is_kept() -> None:
    bus = crosstie.Bus()
    eager, lazy = Clock(), weakref.WeakSet[Any]()

    class Late:
        def __init__(self) -> None:
            lazy.add(self)

        @crosstie.action
        def act(self) -> None: ...

    instance = weakref.ref(eager)
    registrations = [bus.components.add(eager, "eager"), bus.components.add(Late, "late", lazy=True)]
    bus.call("late", "act")
    bus.call("eager", "now")
    del eager
    for registration in registrations:
        registration.remove()
    del registrations, registration
    gc.collect()
    assert instance() is None and len(lazy) == 0
    bus.components.add(Clock)
    ended = weakref.ref(bus)
    del bus
    gc.collect()
    assert ended() is None
