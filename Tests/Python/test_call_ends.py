"""Beginning and end of requests on Python's side: trust, time, received failures, leaks."""

import asyncio
import contextlib
import gc
import queue
import weakref

import pytest

import crosstie
from conftest import WATCHDOG, Run, Unraisable


class Echo:
    @crosstie.action
    def origin(self, request: crosstie.Request) -> str:
        return request.origin

    @crosstie.action
    def fail(self) -> None:
        raise ZeroDivisionError


@pytest.fixture
def home(bus: crosstie.Bus) -> crosstie.Bus:
    bus.components.add(Echo, "echo")
    return bus


def keep_requests(bus: crosstie.Bus) -> queue.SimpleQueue[crosstie.Request]:
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
    bus.routes.add("app://kept", lambda request: kept.put(request.defer()))
    return kept


# ---- What a caller says ----------------------------------------------------------------------------------


def test_origin_of_every_kind(home: crosstie.Bus) -> None:
    remote = home.with_options(origin="remote")
    assert remote.call("echo", "origin") == "remote"
    assert remote.call_async("echo", "origin").result(WATCHDOG) == "remote"
    assert home.call_async("echo", "origin").result(WATCHDOG) == "local"


def test_the_shortest_time_is_no_default(bus: crosstie.Bus) -> None:
    left: list[float | None] = []
    bus.routes.add("app://a", lambda request: left.append(request.time_left))
    with contextlib.suppress(crosstie.TimeoutError):
        bus.open("app://a", timeout=0.0001)
    assert left[0] is not None and left[0] <= 0.001


def test_waiting_ends_by_itself(bus: crosstie.Bus) -> None:
    """Also where it takes longer than the main thread goes without looking for signals."""
    kept = keep_requests(bus)
    call = bus.open_async("app://kept")
    request = kept.get(timeout=WATCHDOG)
    assert not call.wait(0.25)
    with pytest.raises(crosstie.TimeoutError):
        call.result(0.25)
    request.reply(1)
    assert call.wait(WATCHDOG)


# ---- Received failures ------------------------------------------------------------------------------------


def test_reading_the_status_of_another_end_receives_no_failure(home: crosstie.Bus, unraisable: Unraisable) -> None:
    call = home.call_async("echo", "fail")
    assert call.wait(WATCHDOG)
    assert not call.cancelled() and not call.timed_out()
    assert not call.cancel()
    del call
    assert unraisable.arrived.wait(WATCHDOG)
    assert isinstance(unraisable[0][0], ZeroDivisionError)


def test_the_end_of_its_bus_is_no_news(unraisable: Unraisable) -> None:
    bus = crosstie.Bus("short")
    kept = keep_requests(bus)
    call = bus.open_async("app://kept")
    request = kept.get(timeout=WATCHDOG)
    bus.close()
    assert call.wait(WATCHDOG)
    del call, request
    gc.collect()
    assert unraisable == []


def test_a_code_that_is_no_code(bus: crosstie.Bus) -> None:
    """A code that is no integer reaches other languages as a failure without a code."""
    seen: queue.SimpleQueue[int] = queue.SimpleQueue()
    for code in (2**40, -(2**31) - 1, "text", None):
        error = crosstie.Error("odd")
        error.code = code  # type: ignore[assignment]
        bus.routes.add("app://a", lambda request, error=error: request.fail(error), replace=True)
        bus.open_async("app://a", completion=lambda response: seen.put(response.code))
        assert seen.get(timeout=WATCHDOG) == -1


@pytest.mark.parametrize("start", ["", "a", "aa"])
def test_a_long_message_ends_with_a_whole_character(bus: crosstie.Bus, start: str) -> None:
    seen: queue.SimpleQueue[crosstie.Response] = queue.SimpleQueue()
    error = ValueError(start + "€" * 40_000)

    def fail() -> None:
        raise error

    bus.routes.add("app://a", fail)
    bus.open_async("app://a", completion=seen.put)
    response = seen.get(timeout=WATCHDOG)
    assert response.exception is error
    size = len(response.message.encode())
    assert f"ValueError: {error}".startswith(response.message) and 65_536 - 3 < size <= 65_536


def test_a_response_that_fails_on_its_way_back_has_that_exception(bus: crosstie.Bus) -> None:
    error, seen = ValueError("on the way"), list[object]()

    def back(response: crosstie.Response) -> None:
        assert response.exception is None
        response.fail(error)
        seen.append(response.exception)
        response.replace(1)
        seen.append(response.exception)

    bus.routes.add("app://a", lambda request: request.on_return(back))
    assert bus.open("app://a").value == 1
    assert seen == [error, None]


# ---- What is left over -----------------------------------------------------------------------------------


def test_a_refused_request_keeps_nothing(bus: crosstie.Bus) -> None:
    class Receive:
        def __call__(self, value: object) -> None: ...

    def calls() -> int:
        gc.collect()
        return sum(type(item) is crosstie.Call for item in gc.get_objects())

    receive, before = Receive(), calls()
    reference = weakref.ref(receive)
    with pytest.raises(TypeError):
        bus.open("app://a", progress=receive, interceptors=[3])  # type: ignore[list-item]
    with pytest.raises(crosstie.UrlError):
        bus.open_async("no URL", progress=receive)
    del receive
    assert reference() is None and calls() == before


def test_a_request_is_over_with_its_handler(bus: crosstie.Bus) -> None:
    requests: list[crosstie.Request] = []
    bus.routes.add("app://a", lambda request: requests.append(request))
    bus.open("app://a")
    assert repr(requests[0]) == "<crosstie.Request over>"
    with pytest.raises(crosstie.Error, match="defer"):
        _ = requests[0].url


def test_a_closed_loop_says_so() -> None:
    loop = crosstie.Loop()
    loop.close()
    loop.close()
    for use in (loop.fileno, loop.dispatch):
        with pytest.raises(crosstie.ClosedError):
            use()
    assert repr(loop) == "<crosstie.Loop closed>"


def test_the_path_comes_before_the_query(bus: crosstie.Bus) -> None:
    def handler(**params: str) -> dict[str, str]:
        return params

    bus.routes.add("app://a/:id", handler)
    assert bus.open("app://a/7?id=8&x=1").value == {"id": "7", "x": "1"}


# ---- On a loop -------------------------------------------------------------------------------------------


def test_a_request_that_proceeds_here_is_not_waited_for(bus: crosstie.Bus, run: Run) -> None:
    """A handler on the loop lets a request of somebody else go on, whose handler belongs to the same loop."""
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()

    async def main() -> object:
        async def later() -> str:
            await asyncio.sleep(0)
            return "later"

        def keep(request: crosstie.Request) -> None:
            kept.put(request.defer())

        bus.routes.add("app://later", later)
        bus.routes.add("app://go", lambda: kept.get(timeout=WATCHDOG).proceed())
        call = bus.open_async("app://later", interceptors=[keep])
        bus.open("app://go", timeout=None)
        return (await asyncio.to_thread(call.result, WATCHDOG)).value

    assert run(main()) == "later"
