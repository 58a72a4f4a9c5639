"""Calls: parameters, answers, failures, options, events, asynchronous calls."""

import builtins
import gc
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Annotated, Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable


class Home:
    @crosstie.action
    def echo(self, request: crosstie.Request) -> Any:
        return request.params

    @crosstie.action
    def greet(self, request: crosstie.Request, name: str = "you", *, times: int = 1) -> str:
        return " ".join([f"hello {name}"] * times)

    @crosstie.action
    def rest(self, request: crosstie.Request, a: object, **rest: Any) -> tuple[object, dict[str, Any]]:
        return a, rest

    @crosstie.action
    def kinds(
        self,
        i: int = 0,
        f: float = 0.0,
        b: bool = False,
        s: str = "",
        n: int | None = None,
        d: dict[str, int] | None = None,
        a: Annotated[int, "fine"] = 0,
        o: int = None,  # type: ignore[assignment]
    ) -> list[object]:
        return [i, f, b, s, n, d, a, o]

    @crosstie.action
    def fail(self) -> None:
        raise ZeroDivisionError("nothing")

    @crosstie.action
    def fail_with(self) -> None:
        raise crosstie.Error("no stock", code=42, value={"left": 0})

    @crosstie.action
    def nothing(self) -> None: ...

    @crosstie.action
    def parts(self, request: crosstie.Request) -> dict[str, Any]:
        names = ("kind", "target", "action", "origin", "user_info", "url", "pattern", "rule", "arguments")
        return {name: getattr(request, name) for name in names} | {"repr": repr(request)}

    @crosstie.action
    def decline(self, request: crosstie.Request) -> None:
        request.decline()

    @crosstie.action
    def reply(self, request: crosstie.Request) -> None:
        request.reply("replied")


@pytest.fixture
def home(bus: crosstie.Bus) -> crosstie.Bus:
    bus.components.add(Home, "home")
    return bus


def test_params_are_the_very_object(home: crosstie.Bus) -> None:
    params = {"a": [1], "b": object()}
    assert home.call("home", "echo", params) is params
    assert home.with_options(timeout=5).call("home", "echo", params) is params
    assert home.call("home", "echo", MappingProxyType(params)) == params
    assert home.call("home", "echo", a=1, self=2, component=3) == {"a": 1, "self": 2, "component": 3}
    assert home.call("home", "echo") == {}
    assert home.call("home", "echo", None) == {}
    assert home.call("home", "echo", {}) == {}


def test_arguments_by_name(home: crosstie.Bus) -> None:
    assert home.call("home", "greet") == "hello you"
    assert home.call("home", "greet", name="Ada", times=2) == "hello Ada hello Ada"
    assert home.call("home", "greet", {"name": "Ada", "times": "2"}) == "hello Ada hello Ada"
    thing = object()
    a, rest = home.call("home", "rest", a=thing, b=2)
    assert a is thing and rest == {"b": 2}


def test_kinds(home: crosstie.Bus) -> None:
    def kinds(**params: object) -> list[object]:
        values: list[object] = home.call("home", "kinds", params)
        return values

    values = kinds(i=1, f=2, b=True, s="s", n=None, d={"x": 1}, a=2, o=None)
    assert values == [1, 2.0, True, "s", None, {"x": 1}, 2, None]
    assert isinstance(values[1], float)
    assert kinds(i="-1", f="2.5", b="true", n="3", d=3) == [-1, 2.5, True, "", 3, 3, 0, None]
    for name, value, what in (
        ("i", 1.0, "an integer"),
        ("i", True, "an integer"),
        ("i", "x", "an integer"),
        ("i", None, "an integer"),
        ("f", "x", "a number"),
        ("f", True, "a number"),
        ("b", 1, "true or false"),
        ("s", 1, "a text"),
        ("n", [], "an integer"),
        ("a", "", "an integer"),
    ):
        with pytest.raises(crosstie.ParamError, match=f"the parameter '{name}' has to be {what}"):
            kinds(**{name: value})


def test_params_that_do_not_fit(home: crosstie.Bus) -> None:
    with pytest.raises(crosstie.ParamError, match="the parameter 'a' is missing"):
        home.call("home", "rest")
    with pytest.raises(crosstie.ParamError, match="there is no parameter 'nmae'"):
        home.call("home", "greet", nmae="Ada")
    with pytest.raises(crosstie.ParamError, match="there is no parameter 'x'"):
        home.call("home", "nothing", x=1)
    for wrong in (3, "text", [("a", 1)]):
        with pytest.raises(TypeError):
            home.call("home", "echo", wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        home.call("home", "echo", {"a": 1}, b=2)
    with pytest.raises(TypeError):
        home.with_options(timeout=1).call("home", "echo", {"a": 1}, b=2)


def test_answers(home: crosstie.Bus) -> None:
    assert home.call("home", "nothing") is None
    assert home.call("home", "reply") == "replied"
    with pytest.raises(crosstie.NoActionError):
        home.call("home", "decline")


def test_request(home: crosstie.Bus) -> None:
    info = {"who": "me"}
    parts = home.with_options(user_info=info, origin="remote").call("home", "parts")
    assert parts.pop("user_info") is info
    assert parts == {
        "kind": "call",
        "target": "home",
        "action": "parts",
        "origin": "remote",
        "url": "",
        "pattern": "",
        "rule": None,
        "arguments": None,
        "repr": "<crosstie.Request 'home' 'parts' remote>",
    }


def test_failures(home: crosstie.Bus) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        home.call("home", "fail")
    names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert names == ["test_failures", "fail"]
    with pytest.raises(crosstie.Error) as failed:
        home.call("home", "fail_with")
    assert (failed.value.code, failed.value.value) == (42, {"left": 0})


@pytest.mark.parametrize(
    ("component", "action", "error", "builtin", "code"),
    [
        ("none", "x", crosstie.NoComponentError, LookupError, 20001),
        ("home", "x", crosstie.NoActionError, LookupError, 30002),
        ("", "x", crosstie.ArgumentError, ValueError, 20002),
        ("a b", "x", crosstie.NoComponentError, LookupError, 20001),
        ("x" * 129, "x", crosstie.ArgumentError, ValueError, 40006),
    ],
)
def test_missing_components_and_actions(
    home: crosstie.Bus, component: str, action: str, error: type[crosstie.Error], builtin: type, code: int
) -> None:
    with pytest.raises(error) as caught:
        home.call(component, action)
    assert isinstance(caught.value, builtin)
    assert caught.value.code == code
    assert isinstance(caught.value, crosstie.CallError) == (builtin is LookupError)


def test_arguments_of_call(home: crosstie.Bus) -> None:
    wrong: list[Callable[[], object]] = [
        lambda: home.call(),  # type: ignore[call-arg]
        lambda: home.call("home"),  # type: ignore[call-arg]
        lambda: home.call("home", 3),  # type: ignore[arg-type]
        lambda: home.call(b"home", "echo"),  # type: ignore[arg-type]
        lambda: home.call("home", "echo", {}, {}),  # type: ignore[call-arg]
        lambda: home.with_options(nonsense=1).call("home", "echo"),  # type: ignore[call-arg]
        lambda: home.with_options(progress=3).call("home", "echo"),  # type: ignore[arg-type]
        lambda: home.with_options(loop=3).call("home", "echo"),  # type: ignore[arg-type]
        lambda: home.with_options(dispatcher=3).call("home", "echo"),  # type: ignore[arg-type]
    ]
    for call in wrong:
        with pytest.raises(TypeError):
            call()
    options: Any
    for options in ({"origin": "mars"}, {"priority": "urgent"}, {"timeout": -1}):
        with pytest.raises(ValueError):
            home.with_options(**options).call("home", "echo")


def test_closed_bus(home: crosstie.Bus) -> None:
    home.close()
    for bus in (home, home.with_options(timeout=1)):
        with pytest.raises(crosstie.ClosedError):
            bus.call("home", "echo")
        with pytest.raises(crosstie.ClosedError):
            bus.call_async("home", "echo")


def test_nested_calls_and_urls(home: crosstie.Bus) -> None:
    class Outer:
        @crosstie.action
        def act(self, request: crosstie.Request) -> Any:
            return home.call("home", "parts")["origin"], home.open("app://x").value

    home.routes.add("app://x", lambda request: request.origin, public=True)
    home.component("outer")(Outer)
    assert home.call("outer", "act") == ("local", "local")
    assert home.with_options(origin="remote").call("outer", "act") == ("remote", "remote")


def test_deferred(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []

    class Later:
        @crosstie.action
        def defer(self, request: crosstie.Request) -> None:
            threading.Thread(target=request.defer().reply, args=("later",)).start()

        @crosstie.action
        def keep(self, request: crosstie.Request) -> None:
            kept.append(request.defer())

        @crosstie.action
        def drop(self, request: crosstie.Request) -> None:
            request.defer()

    bus.component("later")(Later)
    assert bus.call("later", "defer") == "later"
    with pytest.raises(crosstie.HandlerError) as dropped:
        bus.call("later", "drop")
    assert dropped.value.status is crosstie.Status.NO_REPLY
    with pytest.raises(builtins.TimeoutError) as late:
        bus.with_options(timeout=0.001).call("later", "keep")
    assert isinstance(late.value, crosstie.TimeoutError)
    assert isinstance(late.value, crosstie.CallError)


# ---- Views -----------------------------------------------------------------------------------------------


def test_views(home: crosstie.Bus) -> None:
    home.routes.add("app://a", lambda request: request.user_info, public=True)
    view = home.with_options(user_info={"a": 1}).with_options(timeout=None)
    assert "View" in repr(view)
    assert view.open("app://a").value == {"a": 1}
    assert view.open_async("app://a").result().value == {"a": 1}
    assert view.call("home", "parts")["user_info"] == {"a": 1}
    assert view.call_async("home", "parts").result(WATCHDOG)["user_info"] == {"a": 1}
    assert view.with_options(user_info=None).call("home", "parts")["user_info"] == {}
    with pytest.raises(crosstie.NotFoundError):
        home.with_options(dispatcher="none").call("home", "echo")


# ---- Asynchronous calls ----------------------------------------------------------------------------------


def test_call_async(home: crosstie.Bus) -> None:
    params = {"a": 1}
    call = home.call_async("home", "echo", params)
    assert call.result(WATCHDOG) is params
    assert (call.target, call.action, call.url) == ("home", "echo", "")
    assert repr(call) == "<crosstie.Call 'home' 'echo' done>"
    assert call.done() and not call.cancelled() and not call.timed_out()
    assert isinstance(home.call_async("none", "x").exception(WATCHDOG), crosstie.NoComponentError)
    with pytest.raises(ZeroDivisionError):
        home.call_async("home", "fail").result(WATCHDOG)


def test_done_callbacks(home: crosstie.Bus, unraisable: Unraisable) -> None:
    go_on, received, all_received = threading.Event(), list[Any](), threading.Event()

    class Slow:
        @crosstie.action
        def act(self) -> str:
            go_on.wait(WATCHDOG)
            return "done"

    def fail(call: crosstie.Call[Any]) -> None:
        raise ZeroDivisionError

    home.component("slow")(Slow)
    call = home.call_async("slow", "act")
    call.add_done_callback(received.append)
    call.add_done_callback(fail)
    call.add_done_callback(lambda call: all_received.set())
    assert received == [] and not call.done()
    go_on.set()
    assert all_received.wait(WATCHDOG)
    assert received == [call]
    assert [type(error) for error, _ in unraisable] == [ZeroDivisionError]
    call.add_done_callback(received.append)
    assert received == [call, call]
    with pytest.raises(TypeError):
        call.add_done_callback(3)  # type: ignore[arg-type]


def test_failure_that_a_callback_received(home: crosstie.Bus, unraisable: Unraisable) -> None:
    received = threading.Event()
    home.call_async("home", "fail").add_done_callback(lambda call: received.set())
    assert received.wait(WATCHDOG)
    gc.collect()
    assert unraisable == []


# ---- Events ----------------------------------------------------------------------------------------------


def test_broadcast(bus: crosstie.Bus) -> None:
    received: list[tuple[str, Any]] = []

    def receives(name: str, answer: object, priority: int) -> None:
        class Receives:
            @crosstie.event("open-url")
            def open_url(self, request: crosstie.Request, url: str = "") -> object:
                received.append((name, url))
                assert request.kind == "event"
                if isinstance(answer, Exception):
                    raise answer
                return answer

        bus.components.add(Receives, name, priority=priority)

    receives("a", None, 0)
    receives("b", ValueError("wrong"), 5)
    assert bus.broadcast("open-url", url="app://x", source="test") == (
        2,
        False,
        (crosstie.Failure("b", crosstie.Status.HANDLER, -1, "ValueError: wrong"),),
    )
    assert received == [("b", "app://x"), ("a", "app://x")]
    receives("c", True, 0)
    outcome = bus.with_options(timeout=1).broadcast("open-url", {"url": "y"})
    assert (outcome.count, outcome.any, len(outcome.failures)) == (3, True, 1)
    assert bus.broadcast("nobody-receives") == (0, False, ())
    with pytest.raises(crosstie.ArgumentError):
        bus.broadcast("not a name")


# ---- Memory ----------------------------------------------------------------------------------------------


@pytest.fixture
def steady() -> Iterator[None]:
    """Nothing that is counted grows by what happens meanwhile."""
    gc.collect()
    before = sys.getrefcount(None), len(gc.get_objects())
    yield
    gc.collect()
    after = sys.getrefcount(None), len(gc.get_objects())
    assert abs(after[0] - before[0]) < 300 and after[1] - before[1] < 300


@pytest.mark.usefixtures("steady")
def test_nothing_leaks(home: crosstie.Bus) -> None:
    params = {"a": object()}
    view = home.with_options(user_info=params, timeout=1)
    counts = sys.getrefcount(params), sys.getrefcount(params["a"])
    for _ in range(2000):
        home.call("home", "echo", params)
        home.call("home", "greet", name="Ada", times=1)
        home.call("home", "nothing")
        view.call("home", "echo", params)
        for component, action in (("home", "fail"), ("none", "x"), ("home", "fail_with")):
            with pytest.raises(Exception):
                home.call(component, action)
        with pytest.raises(crosstie.ParamError):
            home.call("home", "greet", nmae=1)
    for _ in range(200):
        home.call_async("home", "echo", params).result(WATCHDOG)
    limit = time.monotonic() + WATCHDOG  # a worker releases the last one after it has answered
    while (sys.getrefcount(params), sys.getrefcount(params["a"])) != counts:
        assert time.monotonic() < limit
        time.sleep(0.001)


class Answer:
    """An answer that refers to the request that it answers."""

    def __init__(self, request: crosstie.Request) -> None:
        self.request = request


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("wraps", [lambda answer: answer, lambda answer: [answer], lambda answer: {"a": answer}])
def test_answer_that_refers_to_its_deferred_request_is_freed(
    bus: crosstie.Bus, fails: bool, wraps: Callable[[Answer], object]
) -> None:
    answers: list[weakref.ref[Answer]] = []

    @bus.route("app://refers")
    def refers(request: crosstie.Request) -> None:
        answer = Answer(request.defer())
        answers.append(weakref.ref(answer))
        if fails:
            request.fail("no", value=wraps(answer))
        else:
            request.reply(wraps(answer))

    if fails:
        with pytest.raises(crosstie.Error):
            bus.open("app://refers")
    else:
        assert bus.open("app://refers").value
    gc.collect()
    assert answers[0]() is None


def test_deferred_request_is_readable_after_a_plain_answer(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []

    @bus.route("app://plain")
    def plain(request: crosstie.Request) -> None:
        kept.append(request.defer())
        request.reply("plain")

    assert bus.open("app://plain").value == "plain"
    assert kept[0].url == "app://plain/"
