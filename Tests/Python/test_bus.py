"""Buses: making, sharing, closing, logging."""

import gc
import logging
import threading
import weakref

import pytest

import crosstie
from crosstie import _crosstie


def test_name_and_repr() -> None:
    bus = crosstie.Bus("shop")
    assert bus.name == "shop"
    assert repr(bus) == "<crosstie.Bus 'shop'>"
    bus.close()
    assert repr(bus) == "<crosstie.Bus 'shop' closed>"


def test_name_that_is_too_long() -> None:
    with pytest.raises(crosstie.ArgumentError) as caught:
        crosstie.Bus("x" * 129)
    assert caught.value.status is crosstie.Status.LIMIT


def test_options_of_the_wrong_type() -> None:
    with pytest.raises(TypeError):
        crosstie.Bus(name=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        crosstie.Bus("x", nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(crosstie.Error):
        crosstie.Bus("x", max_workers=5000)


def test_close_is_idempotent_and_use_after_it_raises() -> None:
    bus = crosstie.Bus()
    bus.close()
    bus.close()
    assert bus.closed
    for use in (
        lambda: bus.open("app://x"),
        lambda: bus.open_async("app://x"),
        lambda: bus.can_open("app://x"),
        lambda: bus.routes.add("app://x", lambda: None),
        lambda: bus.routes.remove("app://x"),
        lambda: bus.routes.generate("app://x"),
        lambda: list(bus.routes),
    ):
        with pytest.raises(crosstie.ClosedError):
            use()


def test_context_manager_closes() -> None:
    with crosstie.Bus() as bus:
        assert not bus.closed
    assert bus.closed


def test_shared_is_one_bus() -> None:
    first = crosstie.Bus.shared("python-test-shared")
    second = crosstie.Bus.shared("python-test-shared")
    assert first is second
    assert "shared" in repr(first)
    first.routes.add("app://here", lambda: "yes")
    assert second.open("app://here").value == "yes"
    first.close()
    third = crosstie.Bus.shared("python-test-shared")
    assert third is not first
    assert third.can_open("app://here") is None
    third.close()


def test_closed_shared_buses_are_forgotten() -> None:
    for i in range(10):
        bus = crosstie.Bus.shared(f"python-test-shared-{i}")
        ended = weakref.ref(bus)
        bus.close()
        del bus
        gc.collect()
        assert ended() is None
    # One that another language closes is forgotten by the next that is asked for.
    bus = crosstie.Bus.shared("python-test-shared-elsewhere")
    _crosstie.Bus.close(bus)
    ended = weakref.ref(bus)
    del bus
    crosstie.Bus.shared("python-test-shared-other").close()
    gc.collect()
    assert ended() is None


def test_default_scheme() -> None:
    with crosstie.Bus(default_scheme="app") as bus:
        bus.routes.add("/users/:id", lambda id: id)
        assert bus.open("app:///users/7").value == "7"
        assert bus.routes.generate("/users/:id", id=7) == "app:///users/7"


def test_unreferenced_bus_with_a_cycle_is_collected() -> None:
    bus = crosstie.Bus()
    reference = weakref.ref(bus)

    def handler() -> crosstie.Bus:
        return bus

    bus.routes.add("app://x", handler)
    handler_reference = weakref.ref(handler)
    del bus, handler
    gc.collect()
    assert reference() is None
    assert handler_reference() is None


def test_registration_keeps_its_bus() -> None:
    registration = crosstie.Bus().routes.add("app://x", lambda: None)
    gc.collect()
    assert registration.active


def test_close_inside_a_handler() -> None:
    bus = crosstie.Bus()

    @bus.route("app://close")
    def close() -> str:
        bus.close()
        return "closing"

    assert bus.open("app://close").value == "closing"
    assert bus.closed


def test_dropping_the_bus_inside_a_handler() -> None:
    buses = [crosstie.Bus()]
    reference = weakref.ref(buses[0])

    def handler() -> str:
        buses.clear()
        gc.collect()
        return "still here"

    buses[0].routes.add("app://drop", handler)
    opened = buses[0].open
    assert opened("app://drop").value == "still here"
    del opened, handler
    gc.collect()
    assert reference() is None


def test_close_waits_for_a_running_handler(bus: crosstie.Bus) -> None:
    started, go_on, order = threading.Event(), threading.Event(), []

    @bus.route("app://slow")
    def slow() -> None:
        started.set()
        go_on.wait()
        order.append("handler")

    call = bus.open_async("app://slow")
    started.wait()

    def close() -> None:
        bus.close()
        order.append("closed")

    closer = threading.Thread(target=close)
    closer.start()
    go_on.set()
    closer.join()
    assert order == ["handler", "closed"]
    call.exception()


def test_log_goes_to_the_logger(bus: crosstie.Bus, caplog: pytest.LogCaptureFixture) -> None:
    @bus.route("app://twice")
    def twice(request: crosstie.Request) -> None:
        request.reply(1)
        with pytest.raises(crosstie.Error) as caught:
            request.reply(2)
        assert caught.value.status is crosstie.Status.ALREADY

    with caplog.at_level(logging.DEBUG, logger="crosstie"):
        assert bus.open("app://twice").value == 1
        bus.close()
    assert {record.name for record in caplog.records} <= {"crosstie"}
    assert caplog.records, "a reply that came too late or a closing is logged"


def test_statuses_are_those_of_the_header() -> None:
    from crosstie import _crosstie

    header = {name.removeprefix("CTIE_").removeprefix("E_"): number for name, number in _crosstie._statuses.items()}
    assert {status.name: status.value for status in crosstie.Status} == header
