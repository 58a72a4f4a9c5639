"""Interceptors: of a bus, a route, a handler and one open; proceeding now and later."""

import functools
import gc
import threading
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable

Proceed = Callable[[], None]


def test_an_interceptor_proceeds(bus: crosstie.Bus) -> None:
    seen: list[str] = []

    @bus.interceptor(order=10)
    def log(request: crosstie.Request, proceed: Proceed) -> None:
        seen.append(request.url)
        proceed()

    bus.routes.add("app://a/:x", lambda x: x)
    assert bus.open("app://a/1").value == "1"
    assert bus.open_async("app://a/2").result().value == "2"
    with pytest.raises(crosstie.NoRouteError):
        bus.open("app://nowhere")
    assert seen == ["app://a/1", "app://a/2", "app://nowhere/"]


def test_order_and_positions(bus: crosstie.Bus) -> None:
    seen: list[str] = []

    def named(name: str) -> Callable[[crosstie.Request], None]:
        def interceptor(request: crosstie.Request) -> None:
            seen.append(name)
            request.proceed()

        return interceptor

    for name, order in (("late", 5), ("early", -5), ("first", 0), ("second", 0)):
        bus.interceptors.add(named(name), order=order)
    bus.routes.add("app://a", lambda: seen.append("handler"), interceptors=[named("route 1"), named("route 2")])
    bus.open("app://a", interceptors=(named("own 1"), named("own 2")))
    assert seen == [
        "own 1", "own 2", "early", "first", "second", "late", "route 1", "route 2", "handler"
    ]  # fmt: skip
    seen.clear()
    bus.open_async("app://a", interceptors=[named("own")]).result()
    assert seen == ["own", "early", "first", "second", "late", "route 1", "route 2", "handler"]


class Counting:
    """Interceptors of all shapes."""

    def method(self, request: crosstie.Request, proceed: Proceed) -> None:
        proceed()

    def method_without(self, request: crosstie.Request) -> None:
        request.proceed()

    def __call__(self, request: crosstie.Request, proceed: Proceed) -> Any:
        return proceed()


def with_more(level: int, request: crosstie.Request, proceed: Proceed) -> None:
    proceed()


def with_keyword_only(request: crosstie.Request, *, level: int = 3) -> None:
    request.proceed()


def with_args(*args: Any) -> None:
    (request,) = args
    request.proceed()


@functools.wraps(Counting.method)
def wrapping(*args: Any) -> None:
    Counting.method(Counting(), *args[-2:])


@pytest.mark.parametrize(
    "interceptor",
    [
        lambda request: request.proceed(),
        lambda request, proceed: proceed(),
        Counting().method,
        Counting().method_without,
        Counting(),
        functools.partial(with_more, 3),
        with_keyword_only,
        with_args,
        functools.partial(wrapping, None),
    ],
)
def test_shapes(bus: crosstie.Bus, interceptor: Callable[..., object]) -> None:
    bus.routes.add("app://a", lambda: "answer")
    assert bus.open("app://a", interceptors=[interceptor]).value == "answer"
    bus.interceptors.add(interceptor)
    assert bus.open("app://a").value == "answer"


def test_objects_that_are_no_interceptors(bus: crosstie.Bus) -> None:
    async def generator(request: crosstie.Request) -> AsyncIterator[None]:
        yield

    bus.routes.add("app://a", lambda: "answer")
    fine = weakref.ref(ok := Tracked())
    for wrong in (generator, 3, None):
        for call in (
            lambda: bus.interceptors.add(wrong),  # type: ignore[arg-type]
            lambda: bus.open("app://a", interceptors=[ok, wrong]),  # type: ignore[list-item]
            lambda: bus.open_async("app://a", interceptors=[ok, wrong]),  # type: ignore[list-item]
            lambda: bus.routes.add("app://b", lambda: None, interceptors=[ok, wrong]),  # type: ignore[list-item]
        ):
            with pytest.raises(TypeError):
                call()
    with pytest.raises(TypeError):
        bus.open("app://a", interceptors=3)  # type: ignore[arg-type]
    with pytest.raises(crosstie.ArgumentError):
        bus.open("app://a", interceptors=[ok] * 65)
    with pytest.raises(crosstie.ArgumentError):
        bus.routes.add("app://b", lambda: None, interceptors=[ok] * 65)
    assert [route.pattern for route in bus.routes] == ["app://a"]
    bus.routes.remove("app://a")
    del ok, wrong, call
    gc.collect()
    assert fine() is None


def test_ending_the_request(bus: crosstie.Bus) -> None:
    started: list[int] = []
    bus.routes.add("app://a", lambda: started.append(1))

    def answer(request: crosstie.Request) -> object:
        return {"from": "interceptor"}

    def reply(request: crosstie.Request) -> None:
        request.reply(5)

    def deny(request: crosstie.Request) -> None:
        request.deny("not today")

    def refuse(request: crosstie.Request) -> None:
        raise KeyError("no key")

    def proceed_and_raise(request: crosstie.Request, proceed: Proceed) -> None:
        proceed()
        raise KeyError("after all")

    assert bus.open("app://a", interceptors=[answer]).value == {"from": "interceptor"}
    assert bus.open("app://a", interceptors=[reply]).value == 5
    for denying in (deny, lambda request: request.deny()):
        with pytest.raises(PermissionError) as caught:
            bus.open("app://a", interceptors=[denying])
        assert isinstance(caught.value, crosstie.DeniedError)
    with pytest.raises(crosstie.DeniedError, match="not today"):
        bus.open_async("app://a", interceptors=[deny]).result()
    for raising, text in ((refuse, "no key"), (proceed_and_raise, "after all")):
        with pytest.raises(KeyError, match=text):
            bus.open("app://a", interceptors=[raising])
    with pytest.raises(crosstie.HandlerError) as missing:
        bus.open("app://a", interceptors=[lambda request: None])
    assert missing.value.status is crosstie.Status.NO_REPLY
    assert started == []


def test_deny_in_a_handler(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda request: request.deny("closed on Sundays"))
    with pytest.raises(crosstie.DeniedError, match="^closed on Sundays$"):
        bus.open("app://a")
    for wrong in (lambda request: request.deny(3), lambda request: request.deny("a", "b")):
        bus.routes.add("app://b", wrong, replace=True)
        with pytest.raises(TypeError):
            bus.open("app://b")


def test_twice_or_without_an_interceptor(bus: crosstie.Bus) -> None:
    statuses: list[crosstie.Status | int] = []

    def attempt(action: Callable[[], object]) -> None:
        try:
            action()
        except crosstie.Error as error:
            statuses.append(error.status)

    def twice(request: crosstie.Request, proceed: Proceed) -> None:
        proceed()
        attempt(proceed)
        attempt(lambda: request.rewrite("app://b"))

    def handler(request: crosstie.Request) -> None:
        attempt(request.proceed)
        attempt(lambda: request.rewrite("app://b"))

    bus.routes.add("app://a", handler)
    bus.open("app://a", interceptors=[twice])
    assert statuses == [crosstie.Status.ALREADY] * 4
    statuses.clear()
    bus.open("app://a")
    assert statuses == [crosstie.Status.INVALID] * 2


def test_rewriting(bus: crosstie.Bus) -> None:
    seen: list[str] = []

    @bus.interceptor()
    def move(request: crosstie.Request, proceed: Proceed) -> None:
        seen.append(request.url)
        if request.host == "old":
            request.rewrite("app://new" + request.path + "?" + request.query_string)
        else:
            proceed()

    bus.routes.add("app://new/:x", lambda request, x: (request.url, x))
    assert bus.open("app://old/7?y=%20").value == ("app://new/7?y=%20", "7")
    assert seen == ["app://old/7?y=%20", "app://new/7?y=%20"]
    with pytest.raises(crosstie.UrlError):
        bus.open("app://new/1", interceptors=[lambda request: request.rewrite("app://a b")])
    with pytest.raises(crosstie.ArgumentError):  # the ninth rewrite
        bus.open("app://new/1", interceptors=[lambda request: request.rewrite("app://new/1")])


def test_rewriting_never_raises_trust(bus: crosstie.Bus) -> None:
    bus.routes.add("app://private", lambda: "secret")
    bus.routes.add("app://public", lambda request: request.origin, public=True)

    def redirect(request: crosstie.Request) -> None:
        if request.host == "gate":
            request.rewrite("app://" + request.query_string)
        else:
            request.proceed()

    bus.interceptors.add(redirect)
    assert bus.open("app://gate?private").value == "secret"
    assert bus.open("app://gate?public", origin="remote").value == "remote"
    with pytest.raises(crosstie.DeniedError):
        bus.open("app://gate?private", origin="remote")


def test_parameters_of_an_interceptor(bus: crosstie.Bus) -> None:
    seen: dict[str, Any] = {}

    def ask(request: crosstie.Request) -> None:
        for name in ("url", "scheme", "host", "path", "query", "query_string", "pattern", "unmatched", "rule"):
            seen[name] = getattr(request, name)
        seen["params"] = dict(request.params)
        seen["origin"] = request.origin
        seen["user_info"] = request.user_info
        request.proceed()

    bus.routes.add("app://a/:x", lambda x: x, public=True)
    bus.open("app://a/1?y=2", interceptors=[ask], origin="remote", user_info={"k": 1})
    assert seen == {
        "url": "app://a/1?y=2", "scheme": "app", "host": "a", "path": "/1", "query": (("y", "2"),),
        "query_string": "y=2", "pattern": "", "unmatched": "", "rule": None, "params": {"y": "2"},
        "origin": "remote", "user_info": {"k": 1},
    }  # fmt: skip


# Later


def in_thread(work: Callable[[], object]) -> None:
    threading.Thread(target=work).start()


def test_parameters_that_are_set_too_often(bus: crosstie.Bus) -> None:
    @bus.interceptor()
    def set_often(request: crosstie.Request, proceed: Callable[[], None]) -> None:
        for setter, name in ((request.set_params, "parameters"), (request.set_user_info, "user info")):
            for _ in range(64):
                setter({"a": 1})
            with pytest.raises(crosstie.Error, match=f"the {name} cannot be set more than 64 times") as caught:
                setter({"a": 1})
            assert caught.value.status == crosstie.Status.LIMIT
        proceed()

    bus.route("app://a")(lambda: None)
    bus.open("app://a")


def test_proceeding_from_another_thread(bus: crosstie.Bus) -> None:
    @bus.interceptor()
    def later(request: crosstie.Request, proceed: Proceed) -> None:
        request.defer()
        in_thread(proceed)

    bus.routes.add("app://a", lambda: None)
    bus.routes.add("app://value", lambda: "value")
    assert bus.open("app://a", timeout=WATCHDOG).value is None
    assert bus.open_async("app://a").result(WATCHDOG).value is None
    assert bus.open("app://value", timeout=WATCHDOG).value == "value"


def test_every_end_later(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda: "a")
    bus.routes.add("app://b", lambda: "b")

    def later(action: Callable[[crosstie.Request], object]) -> Callable[[crosstie.Request], None]:
        def interceptor(request: crosstie.Request) -> None:
            request.defer()
            in_thread(lambda: action(request))

        return interceptor

    def opened(action: Callable[[crosstie.Request], object]) -> Any:
        return bus.open("app://a", timeout=WATCHDOG, interceptors=[later(action)]).value

    def move(request: crosstie.Request) -> None:
        if request.host == "a":
            request.rewrite("app://b")
        else:
            request.proceed()

    assert opened(move) == "b"
    assert opened(lambda request: request.reply(7)) == 7
    with pytest.raises(crosstie.DeniedError, match="later"):
        opened(lambda request: request.deny("later"))
    with pytest.raises(ValueError, match="bad"):
        opened(lambda request: request.fail(ValueError("bad")))
    with pytest.raises(crosstie.HandlerError):  # nobody lets it go on
        bus.open("app://a", timeout=WATCHDOG, interceptors=[lambda request: request.defer() and None])


def test_a_chain_of_deferring_interceptors(bus: crosstie.Bus) -> None:
    def later(request: crosstie.Request, proceed: Proceed) -> None:
        request.defer()
        in_thread(proceed)

    def now(request: crosstie.Request, proceed: Proceed) -> None:
        proceed()

    @bus.route("app://a", interceptors=[later, now, later])
    def handler(request: crosstie.Request) -> None:
        request.defer()
        in_thread(lambda: request.reply("at last"))

    for _ in range(20):
        assert bus.open("app://a", timeout=WATCHDOG, interceptors=[later, now]).value == "at last"


def test_the_gil_is_free_while_a_deferred_request_goes_on(bus: crosstie.Bus) -> None:
    entered, may_leave = threading.Event(), threading.Event()

    def later(request: crosstie.Request, proceed: Proceed) -> None:
        request.defer()
        in_thread(proceed)

    def handler() -> str:
        entered.set()
        assert may_leave.wait(WATCHDOG)
        return "left"

    bus.routes.add("app://a", handler, interceptors=[later])
    call = bus.open_async("app://a")
    assert entered.wait(WATCHDOG)
    may_leave.set()
    assert call.result(WATCHDOG).value == "left"


# Registering


def test_registration(bus: crosstie.Bus) -> None:
    def stop(request: crosstie.Request) -> str:
        return "stopped"

    bus.routes.add("app://a", lambda: "handled")
    with bus.interceptors.add(stop) as registration:
        assert registration.kind == "interceptor"
        assert (registration.handler, registration.pattern, registration.name) == (stop, "", "")
        assert repr(registration) == "<crosstie.Registration interceptor>"
        assert bus.open("app://a").value == "stopped"
    assert not registration.active
    assert repr(registration) == "<crosstie.Registration interceptor removed>"
    assert bus.open("app://a").value == "handled"
    assert bus.interceptor(order=-1)(stop) is stop
    bus.interceptors.add(stop)
    assert bus.open("app://a").value == "stopped"
    bus.interceptors.remove(stop)
    assert bus.open("app://a").value == "handled"
    with pytest.raises(ValueError, match="order is an integer of 32 bits"):
        bus.interceptors.add(stop, order=2**31)


def test_an_interceptor_may_remove_itself(bus: crosstie.Bus) -> None:
    registrations: list[crosstie.Registration] = []

    def once(request: crosstie.Request, proceed: Proceed) -> None:
        registrations[0].remove()
        proceed()

    registrations.append(bus.interceptors.add(once))
    bus.routes.add("app://a", lambda: "handled")
    assert bus.open("app://a").value == "handled"
    assert not registrations[0].active
    assert [item for item in bus._registrations() if item.kind == "interceptor"] == []


class Tracked:
    """An interceptor whose end can be seen."""

    ended = 0

    def __call__(self, request: crosstie.Request, proceed: Proceed) -> None:
        proceed()

    def __del__(self) -> None:
        Tracked.ended += 1


def test_interceptors_are_released_once() -> None:
    Tracked.ended = 0
    bus = crosstie.Bus()
    bus.routes.add("app://a", lambda: None, interceptors=[Tracked(), Tracked()])
    for _ in range(10):
        bus.open("app://a", interceptors=[Tracked(), Tracked()])
        bus.open_async("app://a", interceptors=[Tracked()]).result()
    with pytest.raises(crosstie.UrlError):
        bus.open("app://a b", interceptors=[Tracked()])
    with pytest.raises(crosstie.UrlError):
        bus.open_async("app://a b", interceptors=[Tracked()])
    with pytest.raises(crosstie.PatternError):
        bus.routes.add("app://:", lambda: None, interceptors=[Tracked()])
    gc.collect()
    assert Tracked.ended == 33
    bus.routes.remove("app://a")
    gc.collect()
    assert Tracked.ended == 35
    bus.interceptors.add(Tracked())
    bus.routes.unmatched(interceptors=[Tracked()])(lambda: None)
    bus.close()
    gc.collect()
    assert Tracked.ended == 37
    with pytest.raises(crosstie.ClosedError):
        bus.open("app://a", interceptors=[Tracked()])
    with pytest.raises(crosstie.ClosedError):
        bus.interceptors.add(Tracked())
    gc.collect()
    assert Tracked.ended == 39


def test_a_forgotten_bus_with_interceptors_is_collected() -> None:
    bus = crosstie.Bus()

    def nested(request: crosstie.Request, proceed: Proceed) -> None:
        assert bus is not None
        proceed()

    bus.routes.add("app://a", lambda: bus, interceptors=[nested])
    bus.interceptors.add(nested)
    bus.routes.unmatched(lambda: bus)
    released = weakref.ref(bus)
    del bus
    gc.collect()
    assert released() is None



def test_request_kinds(bus: crosstie.Bus) -> None:
    seen: list[str] = []

    def note(request: crosstie.Request) -> None:
        seen.append(request.kind)
        request.proceed()

    bus.routes.add("app://a", lambda: None)
    bus.interceptors.add(note, kinds={"open", "call"})
    bus.interceptors.add(note, kinds=["event"])
    bus.open("app://a")
    bus.broadcast("nothing")
    assert seen == ["open"]
    with pytest.raises(ValueError, match="at least one"):
        bus.interceptors.add(note, kinds=())
    with pytest.raises(ValueError, match="window"):
        bus.interceptors.add(note, kinds=["window"])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        bus.interceptors.add(note, kinds="open")  # type: ignore[arg-type]


def test_a_failure_after_the_end_is_reported(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    def answer_and_raise(request: crosstie.Request) -> None:
        request.reply(1)
        raise ValueError("too late")

    bus.routes.add("app://a", lambda: None)
    assert bus.open("app://a", interceptors=[answer_and_raise]).value == 1
    assert [str(exception) for exception, _ in unraisable] == ["too late"]
