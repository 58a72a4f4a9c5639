"""Errors: exceptions of handlers, of Crosstie, and those that no caller receives."""

import builtins
import contextlib
import copy
import gc
import pickle
import queue
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable


def test_exception_arrives_as_itself(bus: crosstie.Bus) -> None:
    error = ValueError("text")

    @bus.route("app://fail")
    def fail() -> None:
        raise error

    with pytest.raises(ValueError) as caught:
        bus.open("app://fail")
    assert caught.value is error
    functions = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert functions == ["test_exception_arrives_as_itself", "fail"]


def test_exception_chains(bus: crosstie.Bus) -> None:
    @bus.route("app://inner")
    def inner() -> None:
        raise KeyError("inner")

    @bus.route("app://outer")
    def outer() -> None:
        try:
            bus.open("app://inner")
        except KeyError as error:
            raise ValueError("outer") from error

    try:
        raise OSError("what came before")
    except OSError as before:
        with pytest.raises(ValueError) as caught:
            bus.open("app://outer")
        assert isinstance(caught.value.__cause__, KeyError)
        assert caught.value.__cause__.__context__ is before


def test_exception_is_chained_to_what_is_being_handled(bus: crosstie.Bus) -> None:
    error = ValueError("x")

    def fail() -> None:
        raise error

    bus.routes.add("app://fail", fail)
    call = bus.open_async("app://fail")
    call.wait(WATCHDOG)
    try:
        raise OSError("before")
    except OSError as before:
        with pytest.raises(ValueError) as caught:
            call.result()
        assert caught.value is error
        assert caught.value.__context__ is before


def test_base_exceptions_pass(bus: crosstie.Bus) -> None:
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit):

        def fail(kind: type[BaseException] = kind) -> None:
            raise kind("x")

        registration = bus.routes.add("app://fail", lambda: fail())
        with pytest.raises(kind):
            bus.open("app://fail")
        registration.remove()


def test_own_error_with_code_and_value(bus: crosstie.Bus) -> None:
    error = crosstie.Error("no such user", code=404, value={"id": 7})

    def fail() -> None:
        raise error

    bus.routes.add("app://fail", fail)
    with pytest.raises(crosstie.Error) as caught:
        bus.open("app://fail")
    assert caught.value is error
    responses: queue.Queue[crosstie.Response] = queue.Queue()
    call = bus.open_async("app://fail", completion=responses.put)
    assert call.exception(WATCHDOG) is error
    response = responses.get(timeout=WATCHDOG)
    assert response.code == 404
    assert response.value == {"id": 7}
    assert response.message == "no such user"


def test_request_fail(bus: crosstie.Bus) -> None:
    value = {"why": ["so"]}
    bus.routes.add("app://fail", lambda request: request.fail("not today", code=7, value=value))
    with pytest.raises(crosstie.HandlerError, match="^not today$") as caught:
        bus.open("app://fail")
    assert caught.value.status is crosstie.Status.HANDLER
    assert caught.value.code == 7
    assert caught.value.value == value
    assert isinstance(caught.value, RuntimeError)


def test_request_fail_with_an_exception(bus: crosstie.Bus) -> None:
    error = LookupError("x")
    bus.routes.add("app://fail", lambda request: request.fail(error))
    bus.routes.add("app://bad", lambda request: request.fail(3))
    with pytest.raises(LookupError) as caught:
        bus.open("app://fail")
    assert caught.value is error
    with pytest.raises(TypeError, match="reason must be a str"):
        bus.open("app://bad")


def test_long_and_strange_messages(bus: crosstie.Bus) -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    for error in (ValueError("é" * 70000), ValueError("\ud800"), Silent()):

        def fail(error: Exception = error) -> None:
            raise error

        registration = bus.routes.add("app://fail", lambda: fail())
        with pytest.raises(type(error)) as caught:
            bus.open("app://fail")
        assert caught.value is error
        registration.remove()


@pytest.mark.parametrize(
    ("url", "kind", "builtin", "status"),
    [
        ("app://a b", crosstie.UrlError, ValueError, crosstie.Status.URL),
        ("app:opaque", crosstie.UrlError, ValueError, crosstie.Status.PATH),
        ("app://nowhere", crosstie.NoRouteError, LookupError, crosstie.Status.NO_ROUTE),
        ("other://nowhere", crosstie.NoRouteError, LookupError, crosstie.Status.BLOCKED),
        ("app://" + "x/" * 70, crosstie.ArgumentError, ValueError, crosstie.Status.LIMIT),
    ],
)
def test_refusals(
    bus: crosstie.Bus, url: str, kind: type[crosstie.Error], builtin: type[Exception], status: crosstie.Status
) -> None:
    bus.routes.add("app://here", lambda: None)
    with pytest.raises(builtin) as caught:
        bus.open(url)
    assert type(caught.value) is kind
    assert caught.value.status is status
    assert caught.value.code == 40000 - status
    assert caught.value.message


@pytest.mark.parametrize("name", [name for name in crosstie.__all__ if name.endswith("Error")])
def test_classes(name: str) -> None:
    kind = getattr(crosstie, name)
    assert issubclass(kind, crosstie.Error)
    assert kind.__doc__
    error = kind("text", status=crosstie.Status.DENIED, code=5, value=[1], location="byte 3")
    assert (error.message, error.status, error.code, error.value, error.location) == ("text", -12, 5, [1], "byte 3")
    assert str(error) == "text (byte 3)"
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), copy.code, copy.value) == ("text (byte 3)", 5, [1])


def test_builtin_bases() -> None:
    for kind, base in (
        (crosstie.TimeoutError, builtins.TimeoutError),
        (crosstie.DeniedError, PermissionError),
        (crosstie.NotFoundError, KeyError),
        (crosstie.KindError, TypeError),
        (crosstie.StoreError, OSError),
        (crosstie.NoMemoryError, MemoryError),
    ):
        assert issubclass(kind, base)


def test_every_status_has_a_class_or_is_a_plain_error() -> None:
    from crosstie._failures import make_error

    plain = {status for status in crosstie.Status if type(make_error(status, 0, "", "", None)) is crosstie.Error}
    names = {status.name for status in plain}
    assert names == {"OK", "PENDING", "ABI", "ALREADY"}
    assert type(make_error(-9999, 0, "", "", None)) is crosstie.Error


# With nobody to tell


def test_failure_of_a_dropped_call(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    error = ValueError("lost")

    def fail() -> None:
        raise error

    bus.routes.add("app://fail", fail)
    bus.open_async("app://fail")
    assert unraisable.arrived.wait(WATCHDOG)
    assert unraisable[0][0] is error
    assert "app://fail" in repr(unraisable[0][1])


def test_failure_of_a_call_whose_result_was_taken(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    bus.routes.add("app://fail", lambda: 1 / 0)
    call = bus.open_async("app://fail")
    with pytest.raises(ZeroDivisionError):
        call.result(WATCHDOG)
    del call
    bus.close()
    gc.collect()
    assert unraisable == []


def test_exception_of_a_completion(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    def completion(response: crosstie.Response) -> None:
        raise ValueError(response.value)

    bus.routes.add("app://a", lambda: "text")
    bus.open_async("app://a", completion=completion)
    assert unraisable.arrived.wait(WATCHDOG)
    assert isinstance(unraisable[0][0], ValueError)
    assert unraisable[0][1] is completion


def test_exception_after_the_reply(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    @bus.route("app://a")
    def handler(request: crosstie.Request) -> None:
        request.reply("answered")
        raise ValueError("afterwards")

    assert bus.open("app://a").value == "answered"
    assert str(unraisable[0][0]) == "afterwards"
    assert unraisable[0][1] is handler


def test_exception_after_the_cancel(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    started, go_on = threading.Event(), threading.Event()

    @bus.route("app://a")
    def handler() -> None:
        started.set()
        go_on.wait(WATCHDOG)
        raise ValueError("too late")

    call = bus.open_async("app://a")
    started.wait(WATCHDOG)
    assert call.cancel()
    go_on.set()
    assert unraisable.arrived.wait(WATCHDOG)
    assert str(unraisable[0][0]) == "too late"


def test_failing_handlers_leave_no_cycle(bus: crosstie.Bus) -> None:
    class Marker:
        pass

    references: list[weakref.ref[Marker]] = []

    @bus.route("app://fail")
    def fail() -> None:
        marker = Marker()
        references.append(weakref.ref(marker))
        raise ValueError

    gc.disable()
    try:
        try:
            bus.open("app://fail")
        except ValueError:
            pass
        assert references[0]() is None
    finally:
        gc.enable()


def test_words_name_the_thing() -> None:
    bus = crosstie.Bus()

    @bus.route("app://users/:id")
    def show(id: str) -> str:
        return id

    with pytest.raises(crosstie.NoRouteError) as missed:
        bus.open("app://user/1?secret=1")
    assert str(missed.value) == "no route matches app://user/1; the nearest pattern is app://users/:id"
    with pytest.raises(crosstie.DeniedError, match="matches app://users/:id, which is not public") as denied:
        bus.open("app://users/1", origin="remote")
    assert "CTIE_ROUTE_PUBLIC" in denied.value.message
    with pytest.raises(crosstie.ArgumentError, match="keeps no statistics: make it with .*stats=True"):
        bus.stats()


def unread(bus: crosstie.Bus, url: str = "app://users/x") -> crosstie.Error:
    """An exception whose text nobody has asked for."""
    with pytest.raises(crosstie.Error) as caught:
        bus.open(url)
    return caught.value


@pytest.mark.parametrize(
    "read",
    [
        lambda error: error.message,
        lambda error: error.args[0],
        str,
        lambda error: repr(error).split("'", 1)[1][:-2].replace("\\'", "'"),
        lambda error: pickle.loads(pickle.dumps(error)).message,
        lambda error: copy.copy(error).message,
    ],
)
def test_a_text_is_made_when_it_is_read(bus: crosstie.Bus, read: Callable[[crosstie.Error], str]) -> None:
    bus.routes.add("app://users/me", lambda: None)
    text = "no route matches app://users/x; the nearest pattern is app://users/me"
    error = unread(bus)
    assert read(error) == text
    assert read(error) == error.message == text
    assert type(error) is crosstie.NoRouteError and error.status == crosstie.Status.NO_ROUTE


def test_a_text_outlives_its_bus() -> None:
    bus = crosstie.Bus()
    bus.routes.add("app://users/me", lambda: None)
    first, second = unread(bus), unread(bus)
    assert first.message.endswith("app://users/me")
    bus.close()
    del bus
    gc.collect()
    assert second.message.startswith("no route matches app://users/x")


def test_a_message_of_ones_own_replaces_an_unread_text(bus: crosstie.Bus) -> None:
    error = unread(bus)
    error.message = "mine"
    assert (error.message, str(error), error.args) == ("mine", "mine", ("mine",))
    error = unread(bus)
    error.args = ("other", 1)
    assert error.args == ("other", 1)


# ---- Exceptions that the extension makes itself ----------------------------------------------------------


def failed(bus: crosstie.Bus, url: str) -> crosstie.Error:
    with pytest.raises(crosstie.Error) as failure:
        bus.open(url)
    return failure.value


@pytest.mark.parametrize("url", ["app://nobody", "app://:", "no url", "app://denied"])
def test_they_are_as_if_their_class_had_been_called(bus: crosstie.Bus, url: str) -> None:
    bus.routes.add("app://denied", lambda request: request.deny("not you"))
    made = failed(bus, url)
    called = type(made)(made.message, status=made.status, code=made.code, value=made.value, location=made.location)
    for error in (failed(bus, url), pickle.loads(pickle.dumps(failed(bus, url))), copy.copy(failed(bus, url))):
        assert type(error) is type(called)
        assert isinstance(error.status, crosstie.Status)
        for name in ("message", "status", "code", "value", "location", "args"):
            assert getattr(error, name) == getattr(called, name), name
        assert (str(error), repr(error)) == (str(called), repr(called))
    for name in ("message", "status", "code", "value", "location"):
        before = getattr(made, name)
        setattr(made, name, "other")
        assert getattr(made, name) == "other" != before


def test_failures_events_and_params_leave_nothing(bus: crosstie.Bus) -> None:
    class Home:
        @crosstie.event("saved")
        def saved(self, **params: Any) -> bool:
            return True

    def rounds(count: int) -> int:
        for _ in range(count):
            with contextlib.suppress(crosstie.NoRouteError):
                bus.open("app://nobody")
            bus.broadcast("saved", name="x")
            bus.open("app://read/text?name=x&name=y")
        gc.collect()
        return sys.getallocatedblocks()

    bus.components.add(Home(), "home")
    bus.routes.add("app://read/:id", lambda request: request.params)
    before = rounds(1000)
    assert rounds(100_000) - before < 1000
