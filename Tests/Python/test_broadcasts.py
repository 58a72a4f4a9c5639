"""Asynchronous events, and events that a loop waits for whose components have async handlers."""

import asyncio
import threading
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Run

RECEIVED = crosstie.Broadcast(2, True, (crosstie.Failure("b", crosstie.Status.HANDLER, -1, "ValueError: wrong"),))


def test_on_a_worker(bus: crosstie.Bus) -> None:
    threads: list[int] = []

    def receives(name: str, answer: object) -> None:
        class Receives:
            @crosstie.event("open-url")
            def open_url(self, url: str = "") -> object:
                threads.append(threading.get_ident())
                if isinstance(answer, Exception):
                    raise answer
                return answer

        bus.components.add(Receives, name)

    receives("a", True)
    receives("b", ValueError("wrong"))
    call = bus.broadcast_async("open-url", url="x")
    assert call.result(WATCHDOG) == RECEIVED
    assert call.action == "open-url"
    assert threading.get_ident() not in threads
    assert bus.with_options(timeout=None).broadcast_async("nobody-receives").result(WATCHDOG) == (0, False, ())
    with pytest.raises(crosstie.ArgumentError):
        bus.broadcast_async("not a name")


def test_async_listeners_of_the_loop_that_asks(bus: crosstie.Bus, run: Run) -> None:
    order: list[str] = []

    async def ask() -> crosstie.Broadcast:
        loop = asyncio.get_running_loop()

        def receives(name: str, answer: object) -> None:
            class Receives:
                @crosstie.event("open-url")
                async def open_url(self, request: crosstie.Request, url: str = "") -> object:
                    assert asyncio.get_running_loop() is loop
                    assert (request.kind, url) == ("event", "x")
                    order.append(f"{name} begins")
                    await asyncio.sleep(0)
                    order.append(f"{name} ends")
                    request.progress(name)
                    if isinstance(answer, Exception):
                        raise answer
                    return answer

            bus.components.add(Receives, name)

        receives("a", True)
        receives("b", ValueError("wrong"))
        # Of a plain broadcast the loop waits for itself.
        assert {failure.status for failure in bus.broadcast("open-url", url="x").failures} == {crosstie.Status.DEADLOCK}
        assert order == []
        return await bus.aio.with_options(progress=order.append).broadcast("open-url", url="x")

    assert run(ask()) == RECEIVED
    assert order == ["a begins", "a ends", "a", "b begins", "b ends", "b"]


def test_cancelling_the_task_stops_before_the_next(bus: crosstie.Bus, run: Run) -> None:
    received: list[str] = []
    requests: list[crosstie.Request] = []

    async def ask() -> None:
        started = asyncio.Event()
        loop = asyncio.get_running_loop()

        class First:
            @crosstie.event("open-url")
            def open_url(self, request: crosstie.Request) -> None:
                requests.append(request.defer())
                loop.call_soon_threadsafe(started.set)

        class Second:
            @crosstie.event("open-url")
            def open_url(self) -> None:
                received.append("second")

        bus.components.add(First, "a")
        bus.components.add(Second, "b")
        task = asyncio.create_task(bus.aio.broadcast("open-url"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(ask())
    requests[0].reply(None)
    bus.close()
    assert received == []


def test_the_timeout_is_for_the_whole(bus: crosstie.Bus, run: Run) -> None:
    requests: list[crosstie.Request] = []

    class Never:
        @crosstie.event("open-url")
        def open_url(self, request: crosstie.Request) -> None:
            requests.append(request.defer())

    bus.components.add(Never, "a")
    bus.components.add(Never, "b")

    async def ask() -> Any:
        with pytest.raises(TimeoutError):
            await bus.aio.with_options(timeout=0.05).broadcast("open-url")

    run(ask())
    bus.close()
    assert len(requests) <= 1


def test_the_arguments_and_the_outcome(bus: crosstie.Bus) -> None:
    received: list[dict[str, Any]] = []

    class Receives:
        @crosstie.event("saved")
        def saved(self, **params: Any) -> bool:
            received.append(params)
            return True

    bus.components.add(Receives, "a")
    for outcome in (
        bus.broadcast("saved"),
        bus.broadcast("saved", None),
        bus.broadcast("saved", {"name": 1}),
        bus.broadcast("saved", None, name=1),
        bus.with_options(timeout=None).broadcast("saved", name=1),
    ):
        assert outcome == crosstie.Broadcast(1, True, ())
        assert type(outcome) is crosstie.Broadcast
        assert repr(outcome) == "Broadcast(count=1, any=True, failures=())"
    assert received == [{}, {}, {"name": 1}, {"name": 1}, {"name": 1}]
    assert bus.broadcast("nobody-hears") == (0, False, ())
    with pytest.raises(TypeError, match="either a mapping or keywords"):
        bus.broadcast("saved", {"name": 1}, name=1)
    with pytest.raises(TypeError, match="mapping"):
        bus.broadcast("saved", 1)  # type: ignore[arg-type]
    for wrong in ((), ("saved", None, None)):
        with pytest.raises(TypeError, match="expected an event"):
            bus.broadcast(*wrong)
    with pytest.raises(TypeError, match="event must be a str"):
        bus.broadcast(1)  # type: ignore[arg-type]
    with pytest.raises(crosstie.ArgumentError):
        bus.broadcast("not a name")
