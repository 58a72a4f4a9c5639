"""Methods of a request beside answering: progress, cancels, the way back."""

import gc
import threading
import weakref
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable


def component(bus: crosstie.Bus, action: Any) -> None:
    """A component "c" with one action "act"."""
    bus.components.add(type("C", (), {"act": crosstie.action("act")(staticmethod(action))}), "c", replace=True)


def test_progress(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    received: list[Any] = []
    thing = object()

    def act(request: crosstie.Request) -> str:
        request.progress(1)
        request.progress(thing)
        request.reply("done")
        with pytest.raises(crosstie.Error) as late:
            request.progress(2)
        assert late.value.status is crosstie.Status.ALREADY
        return "not this"

    component(bus, act)
    assert bus.with_options(progress=received.append).call("c", "act") == "done"
    assert received == [1, thing]
    assert bus.with_options(progress=received.append).call_async("c", "act").result(WATCHDOG) == "done"
    assert received == [1, thing] * 2
    assert bus.call("c", "act") == "done"
    bus.routes.add("app://a", act)
    assert bus.open("app://a", progress=received.append).value == "done"
    assert received == [1, thing] * 3
    assert bus.with_options(progress=lambda value: 1 / 0).call("c", "act") == "done"
    assert [type(error) for error, _ in unraisable] == [ZeroDivisionError] * 2


def test_cancel(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    kept: list[crosstie.Request] = []
    arrived, received = threading.Event(), list[str]()

    def act(request: crosstie.Request) -> None:
        request.on_cancel(lambda: received.append("cancelled"))
        request.on_cancel(lambda: 1 / 0)
        with pytest.raises(TypeError):
            request.on_cancel(3)  # type: ignore[arg-type]
        assert not request.is_cancelled
        kept.append(request.defer())
        arrived.set()

    component(bus, act)
    call = bus.call_async("c", "act")
    assert arrived.wait(WATCHDOG)
    assert call.cancel() and call.cancelled() and call.done() and not call.timed_out()
    assert received == ["cancelled"]
    assert kept[0].is_cancelled and kept[0].is_ended
    kept[0].on_cancel(lambda: received.append("at once"))
    assert received == ["cancelled", "at once"]
    assert [type(error) for error, _ in unraisable] == [ZeroDivisionError]
    with pytest.raises(crosstie.CancelledError):
        call.result()
    component(bus, lambda request: kept.append(request.defer()))
    late = bus.with_options(timeout=0.01).call_async("c", "act")
    assert late.wait(WATCHDOG) and late.timed_out() and not late.cancelled()


def test_on_cancel_of_what_is_answered(bus: crosstie.Bus) -> None:
    class Tracked:
        def __call__(self) -> None:
            raise AssertionError

    tracked = Tracked()
    ended = weakref.ref(tracked)

    def act(request: crosstie.Request) -> int:
        request.on_cancel(tracked)
        request.reply(1)
        with pytest.raises(crosstie.Error) as late:
            request.on_cancel(tracked)
        assert late.value.status is crosstie.Status.ALREADY
        return 2

    component(bus, act)
    assert bus.call("c", "act") == 1
    bus.close()
    del tracked, act
    gc.collect()
    assert ended() is None


def test_time_left(bus: crosstie.Bus) -> None:
    component(bus, lambda request: request.time_left)
    assert 0 <= bus.call("c", "act") <= 2.5
    assert 2.5 < bus.call_async("c", "act").result(WATCHDOG) <= 60
    assert bus.with_options(timeout=None).call("c", "act") is None
    assert bus.with_options(timeout=0).call("c", "act") is None
    bus.routes.add("app://left", lambda request: request.time_left)
    assert bus.open("app://left", timeout=0).value is None
    assert 0 < bus.open_async("app://left", timeout=1000).result(WATCHDOG).value <= 1000


def test_refuse(bus: crosstie.Bus) -> None:
    component(bus, lambda request: request.refuse(crosstie.Status.BUSY, "come back later"))
    with pytest.raises(crosstie.BusyError, match="come back later"):
        bus.call("c", "act")
    component(bus, lambda request: request.refuse(crosstie.Status.OK))
    with pytest.raises(crosstie.ArgumentError):
        bus.call("c", "act")


def test_request_kinds_of_an_interceptor(bus: crosstie.Bus) -> None:
    seen: list[str] = []
    bus.routes.add("app://a", lambda: None)
    component(bus, lambda: None)
    bus.add_dispatcher("slow")

    def see(name: str) -> Any:
        def interceptor(request: crosstie.Request, proceed: Any) -> None:
            seen.append(f"{name}:{request.kind}")
            proceed()

        return interceptor

    bus.interceptors.add(see("calls"), kinds={"call"})
    bus.interceptor(order=1, kinds=["open", "event"])(see("opens"))
    bus.interceptor(order=2)(see("all"))
    bus.interceptors.add(see("slow"), order=3, dispatcher="slow")
    bus.open("app://a")
    bus.call("c", "act")
    bus.with_options(dispatcher="slow").call_async("c", "act").result(WATCHDOG)
    assert seen == ["opens:open", "all:open", "calls:call", "all:call", "calls:call", "all:call", "slow:call"]
    for wrong in ({"window"}, set[str](), {3}):
        with pytest.raises(ValueError):
            bus.interceptors.add(see("x"), kinds=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        bus.interceptors.add(see("x"), kinds="open")  # type: ignore[arg-type]
    with pytest.raises(crosstie.NotFoundError):
        bus.interceptors.add(see("x"), dispatcher="none")


def test_other_params(bus: crosstie.Bus) -> None:
    mine: dict[str, Any] = {"b": 2}

    def change(request: crosstie.Request, proceed: Any) -> None:
        request.set_params(mine)
        request.set_user_info({"who": "interceptor"})
        proceed()

    component(bus, lambda request: (request.params, request.user_info))
    bus.routes.add("app://:a", lambda request: (dict(request.params), request.arguments, request.user_info))
    assert bus.open("app://x").value == ({"a": "x"}, None, {})
    bus.interceptors.add(change)
    params, info = bus.call("c", "act", a=1)
    assert params is mine and info == {"who": "interceptor"}
    own, extra, info = bus.open("app://x").value
    assert own == {"a": "x"} and extra is mine and info == {"who": "interceptor"}
    component(bus, lambda request: request.set_params({}))
    with pytest.raises(crosstie.Error) as late:
        bus.call("c", "act")
    assert late.value.status in (crosstie.Status.ALREADY, crosstie.Status.INVALID)


def test_on_return(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    seen: list[Any] = []
    outside: list[crosstie.Response] = []

    def see(request: crosstie.Request, proceed: Any) -> None:
        def back(response: crosstie.Response) -> None:
            seen.append((response.value, response.status.name, response.message))
            if response.status is crosstie.Status.OK:
                response.replace({"seen": response.value})
                assert response.value == {"seen": "answer"}
            else:
                response.fail("replaced", code=7, value=[1])
                assert (response.code, response.value, response.message) == (7, [1], "replaced")
            outside.append(response)

        request.on_return(back)
        proceed()

    answers = iter(["answer", ZeroDivisionError("nothing")])

    def act() -> Any:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    component(bus, act)
    bus.interceptors.add(see)
    assert bus.call("c", "act") == {"seen": "answer"}
    with pytest.raises(crosstie.HandlerError, match="replaced") as caught:
        bus.call("c", "act")
    assert (caught.value.code, caught.value.value) == (7, [1])
    assert seen == [("answer", "OK", ""), (None, "HANDLER", "ZeroDivisionError: nothing")]
    with pytest.raises(crosstie.ClosedError):
        outside[0].replace(1)
    with pytest.raises(crosstie.ClosedError):
        outside[0].fail("x")
    assert unraisable == []


def test_on_return_with_an_exception(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    error = KeyError("instead")
    component(bus, lambda request: request.on_return(lambda response: response.fail(error)))
    with pytest.raises(KeyError) as caught:
        bus.call("c", "act")
    assert caught.value is error
    component(bus, lambda request: request.on_return(lambda response: 1 / 0))
    assert bus.call("c", "act") is None
    assert [type(error) for error, _ in unraisable] == [ZeroDivisionError]


def test_dispatchers(bus: crosstie.Bus) -> None:
    started, go_on = threading.Semaphore(0), threading.Event()

    def act() -> str:
        started.release()
        go_on.wait(WATCHDOG)
        return "done"

    bus.add_dispatcher("narrow", workers=1, queued=2)
    component(bus, act)
    view = bus.with_options(dispatcher="narrow")
    running = view.call_async("c", "act")
    assert started.acquire(timeout=WATCHDOG)
    queued = [view.with_options(priority=name).call_async("c", "act") for name in ("low", "high")]
    with pytest.raises(crosstie.BusyError):
        view.call_async("c", "act")
    elsewhere = bus.call_async("c", "act")
    assert started.acquire(timeout=WATCHDOG)
    assert bus.cancel_all("narrow") == 3
    go_on.set()
    assert all(call.cancelled() for call in (running, *queued))
    assert elsewhere.result(WATCHDOG) == "done"
    assert bus.cancel_all() == 0
    with pytest.raises(crosstie.NotFoundError):
        bus.cancel_all("none")
    with pytest.raises(crosstie.ConflictError):
        bus.add_dispatcher("narrow")


def test_stats(bus: crosstie.Bus) -> None:
    with crosstie.Bus(stats=True) as counting:
        component(counting, lambda fails=False: 1 / 0 if fails else 1)
        for fails in (False, False, True):
            try:
                counting.call("c", "act", fails=fails)
            except ZeroDivisionError:
                pass
        (item,) = [item for item in counting.stats() if item.name]
        assert item[:4] == ("call", "c.act", 3, 1)
        assert item.nanoseconds >= item.longest > 0
    with pytest.raises(crosstie.ArgumentError):
        bus.stats()


def test_loops(bus: crosstie.Bus) -> None:
    threads: list[int] = []
    component(bus, lambda request: request.progress(1))
    with crosstie.Loop() as loop:
        view = bus.with_options(loop=loop, progress=lambda _: threads.append(threading.get_ident()))
        call = view.call_async("c", "act")
        call.add_done_callback(lambda _: threads.append(threading.get_ident()))
        assert call.wait(WATCHDOG) and threads == []
        assert loop.fileno() >= 0
        total = 0
        while total < 2:
            total += loop.dispatch()
        assert (total, loop.dispatch()) == (2, 0)
        assert threads == [threading.get_ident()] * 2
        assert repr(loop) == "<crosstie.Loop>"
    assert repr(loop) == "<crosstie.Loop closed>"
    loop.close()
    for use in (loop.fileno, loop.dispatch, lambda: view.call_async("c", "act")):
        with pytest.raises(crosstie.ClosedError):
            use()
