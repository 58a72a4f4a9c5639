"""Numbers of options: a number that does not fit is refused by the option's name, and none is cut."""

import fractions
import threading
from collections.abc import Callable
from typing import Any

import pytest

import crosstie

HUGE = 10**5000  # longer than Python writes in digits

Ask = Callable[[Any], object]


def bus_with(**options: Any) -> crosstie.Bus:
    return crosstie.Bus(**options)


def wormhole_with(**options: Any) -> crosstie.Wormhole:
    return crosstie.Wormhole("numbers", memory=True, **options)


class Part:
    @crosstie.action
    def go(self) -> None: ...


BUS = crosstie.Bus("numbers")
BUS.routes.add("app://a", lambda: 1)

#: Options that count: their bits.
COUNTS: dict[str, tuple[int, Ask]] = {
    "max_workers": (32, lambda number: bus_with(max_workers=number)),
    "max_queued": (32, lambda number: bus_with(max_queued=number)),
    "workers": (32, lambda number: bus_with().add_dispatcher("d", workers=number)),
    "queued": (32, lambda number: bus_with().add_dispatcher("d", queued=number)),
    "map_size": (64, lambda number: wormhole_with(map_size=number)),
    "max_map_size": (64, lambda number: wormhole_with(max_map_size=number)),
    "max_value_size": (64, lambda number: wormhole_with(max_value_size=number)),
    "max_queued of messages": (64, lambda number: wormhole_with(max_queued=number)),
    "max_queued_size": (64, lambda number: wormhole_with(max_queued_size=number)),
    "max_unacknowledged": (32, lambda number: wormhole_with().add_queue("a", print, max_unacknowledged=number)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    bits, ask = COUNTS[name]
    option = name.split()[0]
    for number in (-1, -(2**63), 2**bits, 2**bits + 2**24, 2**64, HUGE, -HUGE):
        with pytest.raises(ValueError, match=rf"^{option} is an integer from 0 to {2**bits - 1}$"):
            ask(number)
    for wrong in (1.0, "1", None, fractions.Fraction(1)):
        with pytest.raises(TypeError, match=rf"^{option} is an integer"):
            ask(wrong)
    ask(0)


def by_response(code: Any) -> object:
    bus = crosstie.Bus()
    refused: list[Exception] = []

    def change(response: crosstie.Response) -> None:
        try:
            response.fail("x", code=code)
        except Exception as error:
            refused.append(error)

    def handle(request: crosstie.Request) -> None:
        request.on_return(change)

    bus.routes.add("app://a", handle)
    try:
        return bus.open("app://a")
    except crosstie.HandlerError as error:
        return error
    finally:
        for each in refused:
            raise each


def by_request(answer: Callable[[crosstie.Request], object]) -> object:
    bus = crosstie.Bus()
    bus.routes.add("app://a", lambda request: answer(request))
    try:
        return bus.open("app://a")
    except crosstie.CallError as error:
        return error


SIGNED: dict[str, Ask] = {
    "order": lambda number: BUS.interceptors.add(lambda request, proceed: proceed(), order=number).remove(),
    "priority": lambda number: BUS.components.add(Part(), "part", priority=number, replace=True),
    "code": lambda number: by_request(lambda request: request.fail("x", code=number)),
    "code of a response": by_response,
}


@pytest.mark.parametrize("name", SIGNED)
def test_signed(name: str) -> None:
    ask = SIGNED[name]
    option = name.split()[0]
    for number in (2**31, -(2**31) - 1, 2**32 + 1, HUGE, -HUGE):
        with pytest.raises(ValueError, match=rf"^{option} is an integer of 32 bits$"):
            ask(number)
    with pytest.raises(TypeError, match=rf"^{option} is an integer"):
        ask(1.5)
    for number in (2**31 - 1, -(2**31)):
        ask(number)


def test_status() -> None:
    with pytest.raises(ValueError, match="^status is an integer of 32 bits$"):
        by_request(lambda request: request.refuse(2**32 + crosstie.Status.DENIED))


TIMES: dict[str, Ask] = {
    "timeout": lambda seconds: BUS.open("app://a", timeout=seconds),
    "timeout of a view": lambda seconds: BUS.with_options(timeout=seconds).open("app://a"),
    "timeout of a wait": lambda seconds: BUS.open_async("app://a").wait(seconds),
    "timeout of a result": lambda seconds: BUS.open_async("app://a").result(seconds),
    "timeout of a wormhole": lambda seconds: wormhole_with(timeout=seconds),
}


@pytest.mark.parametrize("name", TIMES)
def test_times(name: str) -> None:
    ask = TIMES[name]
    for seconds in (-1, -1e-9, float("nan"), float("inf"), float("-inf"), 1e15, 10**400, HUGE, -HUGE):
        with pytest.raises(ValueError, match="^timeout is a number of seconds from 0 to below 1e15, or None$"):
            ask(seconds)
    for wrong in ("1", 1j, [1]):
        with pytest.raises(TypeError, match="^timeout is a number of seconds"):
            ask(wrong)
    right: tuple[Any, ...] = (1e14, 10**14, fractions.Fraction(10**14), None)
    for seconds in right:
        ask(seconds)


def test_delay() -> None:
    received: list[BaseException] = []
    reported = threading.Event()
    wormhole = wormhole_with()
    queue = wormhole.add_queue("a", print, durable="worker", manual=True)
    queue.remove()
    wormhole.send("a", 1)

    def receive(message: crosstie.Message) -> None:
        for seconds in (-1, float("nan"), 10**400):
            try:
                message.reject(seconds)
            except ValueError as error:
                received.append(error)
        message.acknowledge()
        reported.set()

    with wormhole.add_queue("a", receive, durable="worker", manual=True):
        assert reported.wait(30)
    assert [str(error).split(" is ")[0] for error in received] == ["delay"] * 3
