"""Params by keywords: no handler can distinguish them from params in a dict."""

import gc
import queue
import time
import weakref
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG


class Thing:
    """An object that can be referred to weakly."""


class Name(str):
    """A text of a class of its own, as an enum of texts has."""


class Home:
    kept: queue.Queue[crosstie.Request] = queue.Queue()

    @crosstie.action
    def echo(self, request: crosstie.Request) -> Any:
        return request.params

    @crosstie.action
    def twice(self, request: crosstie.Request, a: object) -> bool:
        return request.params is request.params and a is request.params["a"]

    @crosstie.action
    def two(self, a: object, b: object = "default") -> tuple[object, object]:
        return a, b

    @crosstie.action
    def rest(self, a: object, **rest: object) -> tuple[object, dict[str, object]]:
        return a, rest

    @crosstie.action
    def keep(self, request: crosstie.Request, a: object) -> None:
        Home.kept.put(request.defer())


@pytest.fixture
def bus() -> Any:
    with crosstie.Bus() as bus:
        bus.component("home")(Home)
        yield bus


def test_keywords_read_as_a_whole_are_a_dict(bus: crosstie.Bus) -> None:
    thing = Thing()
    params = bus.call("home", "echo", a=1, thing=thing)
    assert type(params) is dict
    assert list(params) == ["a", "thing"]
    assert params["thing"] is thing


def test_the_dict_is_always_the_same(bus: crosstie.Bus) -> None:
    assert bus.call("home", "twice", a=[])


def test_more_than_are_kept_without_a_dict(bus: crosstie.Bus) -> None:
    for count in (1, 15, 16, 17, 60):
        given = {f"name{i}": i for i in range(count)}
        assert bus.call("home", "echo", **given) == given
        assert bus.call("home", "rest", a=0, **given) == (0, given)


def test_names_are_compared_by_what_they_say(bus: crosstie.Bus) -> None:
    made = {"".join(["a"]): 1, "xb"[1:]: 2}
    assert bus.call("home", "two", **made) == (1, 2)
    long = "".join(["long", "name"])
    assert bus.call("home", "rest", **{"a": 1, long: 2}) == (1, {"longname": 2})


def test_surplus_and_missing_ones(bus: crosstie.Bus) -> None:
    with pytest.raises(crosstie.ParamError, match="there is no parameter 'c'"):
        bus.call("home", "two", a=1, c=3)
    with pytest.raises(crosstie.ParamError, match="'a' is missing"):
        bus.call("home", "two", b=1)
    assert bus.call("home", "two", a=None) == (None, "default")


def test_they_live_as_long_as_the_request(bus: crosstie.Bus) -> None:
    thing = Thing()
    alive = weakref.ref(thing)
    call = bus.call_async("home", "keep", a=thing)
    del thing
    kept = Home.kept.get(timeout=WATCHDOG)
    gc.collect()
    assert alive() is not None
    assert kept.params["a"] is alive()
    kept.reply()
    call.result(WATCHDOG)
    del kept, call
    limit = time.monotonic() + WATCHDOG  # the worker releases the request in its own time
    while alive() is not None and time.monotonic() < limit:
        gc.collect()
        time.sleep(0.001)
    assert alive() is None


def test_no_reference_is_lost_or_kept(bus: crosstie.Bus) -> None:
    things = [Thing() for _ in range(40)]
    alive = [weakref.ref(thing) for thing in things]
    for thing in things:
        bus.call("home", "two", a=thing, b=thing)
        bus.call("home", "rest", a=thing, more=thing)
        with pytest.raises(crosstie.ParamError):
            bus.call("home", "two", a=thing, surplus=thing)
    del thing, things
    gc.collect()
    assert [reference() for reference in alive] == [None] * 40


def test_an_interceptor_sees_them(bus: crosstie.Bus) -> None:
    seen: list[Any] = []

    @bus.interceptor()
    def look(request: crosstie.Request, proceed: Any) -> None:
        seen.append(request.params)
        proceed()

    assert bus.call("home", "two", a=1, b=2) == (1, 2)
    assert seen == [{"a": 1, "b": 2}]


def test_names_of_options_may_be_of_a_subclass_of_str(bus: crosstie.Bus) -> None:
    bus.route("app://echo", public=True)(lambda request: request.origin)
    options: dict[str, Any] = {Name("origin"): "remote"}
    assert bus.open("app://echo").value == "local"
    assert bus.open("app://echo", **options).value == "remote"
    unknown: dict[str, Any] = {Name("orig"): "remote"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'orig'"):
        bus.open("app://echo", **unknown)
