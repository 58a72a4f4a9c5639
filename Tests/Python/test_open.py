"""Opening: requests, responses, origin, deferring, asynchronous calls, the GIL."""

import gc
import threading
import time
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable, past_its_deadline


def test_response(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda: {"x": 1})
    response = bus.open("app://a")
    assert response.value == {"x": 1}
    assert response.status is crosstie.Status.OK
    assert response.code == 1
    assert response.message == ""
    assert response.exception is None
    assert repr(response) == "<crosstie.Response value={'x': 1}>"


PARTS = (
    "url", "scheme", "host", "path", "query", "query_string", "fragment", "pattern", "unmatched", "rule", "origin",
    "user_info",
)  # fmt: skip


def test_request(bus: crosstie.Bus) -> None:
    seen: dict[str, Any] = {}

    @bus.route("app://:host/:id")
    def handler(request: crosstie.Request) -> None:
        for name in PARTS:
            seen[name] = getattr(request, name)
        seen["params"] = request.params
        seen["texts"] = [request.param(name) for name in ("host", "id", "a")]
        seen["all"] = [request.query_all(key) for key in ("b", "id", "host")]
        for wrong, error in (("b", crosstie.ParamError), ("zz", KeyError), (3, TypeError)):
            with pytest.raises(error):
                request.param(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            request.query_all(3)  # type: ignore[arg-type]
        seen["is_ended"] = request.is_ended
        seen["repr"] = repr(request)

    bus.open("APP://Users/%34?b=1&a=%20&b=2&id=9#frag", user_info={"who": "me"})
    params = seen.pop("params")
    assert seen == {
        "url": "app://users/4?b=1&a=%20&b=2&id=9#frag",
        "scheme": "app",
        "host": "users",
        "path": "/4",
        "query": (("b", "1"), ("a", " "), ("b", "2"), ("id", "9")),
        "query_string": "b=1&a=%20&b=2&id=9",
        "fragment": "frag",
        "unmatched": "",
        "rule": None,
        "texts": ["Users", "4", " "],
        "all": [["1", "2"], ["9"], []],
        "pattern": "app://:host/:id",
        "origin": "local",
        "user_info": {"who": "me"},
        "is_ended": False,
        "repr": "<crosstie.Request 'app://users/4?b=1&a=%20&b=2&id=9#frag' local>",
    }
    assert dict.fromkeys(params) == dict.fromkeys(["host", "id", "b", "a"])
    assert params["host"] == "Users"
    assert params["id"] == "4"
    assert params.all("b") == ["1", "2"]
    assert params.all("id") == ["4"]
    assert params.get("zz") is None
    assert "b" in params and "zz" not in params and len(params) == 4
    with pytest.raises(crosstie.ParamError):
        params["b"]
    with pytest.raises(KeyError):
        params["zz"]
    assert repr(params) == "<crosstie.Params {'host': 'Users', 'id': '4', 'b': ['1', '2'], 'a': ' '}>"


def test_request_without_query_and_fragment(bus: crosstie.Bus) -> None:
    @bus.route("app://a")
    def parts(request: crosstie.Request) -> Any:
        return request.query, request.query_string, request.fragment, dict(request.params)

    assert bus.open("app://a").value == ((), "", "", {})


def test_params_are_converted_by_the_pattern(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:i<int>/:u<uint>/:f<float>/:b<bool>/:w<word>", lambda request: dict(request.params))
    assert bus.open("app://a/-1/42/0.5/true/x?n=1").value == {
        "i": -1, "u": 42, "f": 0.5, "b": True, "w": "x", "n": "1"
    }  # fmt: skip


def test_request_is_over_when_the_handler_has_returned(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []
    bus.routes.add("app://a", lambda request: kept.append(request))
    bus.open("app://a")
    request = kept[0]
    assert repr(request) == "<crosstie.Request over>"
    for use in (lambda: request.url, lambda: request.reply(1), lambda: request.defer(), lambda: request.params):
        with pytest.raises(crosstie.ClosedError, match="defer"):
            use()
    with pytest.raises(crosstie.ClosedError):
        bus.open("app://a", parent=request)


def test_reply_and_none(bus: crosstie.Bus) -> None:
    bus.routes.add("app://reply", lambda request: request.reply([1]))
    bus.routes.add("app://reply-nothing", lambda request: request.reply())
    bus.routes.add("app://nothing", lambda: None)
    assert bus.open("app://reply").value == [1]
    assert bus.open("app://reply-nothing").value is None
    assert bus.open("app://nothing").value is None


def test_decline(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/b", lambda request: request.decline())
    bus.routes.add("app://a/:x", lambda x: f"second {x}")
    assert bus.open("app://a/b").value == "second b"
    bus.routes.remove("app://a/:x")
    with pytest.raises(crosstie.NoRouteError):
        bus.open("app://a/b")


def test_origin(bus: crosstie.Bus) -> None:
    bus.routes.add("app://private", lambda: "private")
    bus.routes.add("app://public", lambda request: request.origin, public=True)
    assert bus.open("app://private").value == "private"
    assert bus.open("app://public").value == "local"
    assert bus.open("app://public", origin="remote").value == "remote"
    with pytest.raises(PermissionError) as caught:
        bus.open("app://private", origin="remote")
    assert isinstance(caught.value, crosstie.DeniedError)
    with pytest.raises(ValueError, match="origin"):
        bus.open("app://public", origin="nowhere")  # type: ignore[arg-type]
    assert bus.can_open("app://private") == "route"
    assert bus.can_open("app://private", origin="remote") is None
    assert bus.can_open("not a url") is None
    # An equal text that is another object.
    assert bus.open("app://public", origin="".join(["rem", "ote"])).value == "remote"  # type: ignore[arg-type]


def test_nested_opens_inherit_trust(bus: crosstie.Bus) -> None:
    bus.routes.add("app://private", lambda: "secret")
    bus.routes.add("app://gate", lambda: bus.open("app://private").value, public=True)
    bus.routes.add("app://gate-async", lambda: bus.open_async("app://private").result().value, public=True)
    assert bus.open("app://gate").value == "secret"
    assert bus.open("app://gate-async").value == "secret"
    for url in ("app://gate", "app://gate-async"):
        with pytest.raises(crosstie.DeniedError):
            bus.open(url, origin="remote")


def test_parent_passes_trust_to_another_thread(bus: crosstie.Bus) -> None:
    bus.routes.add("app://private", lambda: "secret")

    @bus.route("app://gate", public=True)
    def gate(request: crosstie.Request) -> None:
        request.defer()

        def work() -> None:
            try:
                request.reply(bus.open("app://private", parent=request).value)
            except crosstie.DeniedError as error:
                request.fail(error)

        threading.Thread(target=work).start()

    assert bus.open("app://gate", timeout=WATCHDOG).value == "secret"
    with pytest.raises(crosstie.DeniedError):
        bus.open("app://gate", origin="remote", timeout=WATCHDOG)


def test_user_info_is_the_very_object(bus: crosstie.Bus) -> None:
    marker = object()
    info = {"marker": marker}
    bus.routes.add("app://a", lambda request: request.user_info)
    assert bus.open("app://a", user_info=info).value is info
    assert bus.open_async("app://a", user_info=info).result().value is info
    with pytest.raises(TypeError, match="user_info must be a dict"):
        bus.open("app://a", user_info=[1])  # type: ignore[arg-type]


def test_user_info_is_a_dict_in_any_case(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda request: request.user_info)
    either: tuple[dict[str, Any] | None, ...] = (None, {})
    for given in either:
        assert bus.open("app://a", user_info=given).value == {}
    assert bus.open("app://a").value is not bus.open("app://a").value


def test_arguments_of_open(bus: crosstie.Bus) -> None:
    for call in (
        lambda: bus.open(),  # type: ignore[call-arg]
        lambda: bus.open("a", "b"),  # type: ignore[call-arg, arg-type]
        lambda: bus.open(b"app://a"),  # type: ignore[arg-type]
        lambda: bus.open("app://a", nonsense=1),  # type: ignore[call-arg]
        lambda: bus.open("app://a", parent=3),  # type: ignore[arg-type]
        lambda: bus.open("app://a", timeout="soon"),  # type: ignore[arg-type]
        lambda: bus.open("app://a", completion=print),  # type: ignore[call-arg]
        lambda: bus.open_async("app://a", completion=3),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            call()
    for timeout in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="timeout"):
            bus.open("app://a", timeout=timeout)


# Deferring


def test_defer_and_reply_from_another_thread(bus: crosstie.Bus) -> None:
    @bus.route("app://later")
    def later(request: crosstie.Request) -> None:
        assert request.defer() is request.defer()
        assert "deferred" in repr(request)
        threading.Thread(target=lambda: request.reply(request.url)).start()

    assert bus.open("app://later?x=1", timeout=WATCHDOG).value == "app://later/?x=1"
    assert bus.open("app://later", timeout=None).value == "app://later/"


def test_deferred_and_dropped(bus: crosstie.Bus) -> None:
    bus.routes.add("app://drop", lambda request: request.defer() and None)
    with pytest.raises(crosstie.HandlerError) as caught:
        bus.open("app://drop")
    assert caught.value.status is crosstie.Status.NO_REPLY


def test_deferred_past_its_deadline(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []
    begun = threading.Event()

    @bus.route("app://never")
    def never(request: crosstie.Request) -> None:
        kept.append(request.defer())
        begun.set()

    past_its_deadline(lambda timeout: bus.open("app://never", timeout=timeout), begun)
    with pytest.raises(TimeoutError):
        bus.open("app://never", timeout=0.001)
    assert kept[0].is_ended
    with pytest.raises(crosstie.Error) as late:
        kept[0].reply(1)
    assert late.value.status is crosstie.Status.ALREADY


# Asynchronous calls


def test_call(bus: crosstie.Bus) -> None:
    go_on = threading.Event()
    bus.routes.add("app://slow", lambda: go_on.wait(WATCHDOG) and "done")
    call = bus.open_async("app://slow")
    assert call.url == "app://slow"
    assert repr(call) == "<crosstie.Call 'app://slow' pending>"
    assert not call.done()
    assert not call.wait(0)
    with pytest.raises(TimeoutError):
        call.result(timeout=0.001)
    go_on.set()
    assert call.wait(WATCHDOG)
    assert call.done()
    assert call.result().value == "done"
    assert call.result() is call.result(0)
    assert call.exception() is None
    assert not call.cancel()
    assert repr(call) == "<crosstie.Call 'app://slow' done>"


def test_call_runs_on_another_thread(bus: crosstie.Bus) -> None:
    bus.routes.add("app://who", lambda: threading.get_ident())
    assert bus.open("app://who").value == threading.get_ident()
    assert bus.open_async("app://who").result().value != threading.get_ident()


def test_completion(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:x", lambda x: x)
    arrived: list[crosstie.Response] = []
    event = threading.Event()

    def completion(response: crosstie.Response) -> None:
        arrived.append(response)
        event.set()

    call = bus.open_async("app://a/1", completion=completion)
    assert event.wait(WATCHDOG)
    assert arrived[0].value == "1"
    assert call.result() is arrived[0]


def test_completion_receives_a_failure(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    arrived: list[crosstie.Response] = []
    error = KeyError("x")

    def fail() -> None:
        raise error

    bus.routes.add("app://fail", fail)
    for url in ("app://fail", "app://nowhere"):
        event = threading.Event()

        def completion(response: crosstie.Response, event: threading.Event = event) -> None:
            arrived.append(response)
            event.set()

        bus.open_async(url, completion=completion)
        assert event.wait(WATCHDOG)
    assert arrived[0].exception is error
    assert arrived[0].status is crosstie.Status.HANDLER
    assert arrived[0].message == "KeyError: 'x'"
    assert arrived[0].code == -1
    assert arrived[0].value is None
    assert repr(arrived[0]) == '<crosstie.Response HANDLER code=-1 message="KeyError: \'x\'">'
    assert isinstance(arrived[1].exception, crosstie.NoRouteError)
    bus.close()
    gc.collect()
    assert unraisable == []


def test_malformed_url_is_refused_at_once(bus: crosstie.Bus) -> None:
    with pytest.raises(crosstie.UrlError, match=r"^a URL holds no space, control byte or backslash \(byte 7\)$"):
        bus.open("app://a b")
    with pytest.raises(crosstie.UrlError):
        bus.open_async("app://a b")


def test_cancel(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    kept: list[crosstie.Request] = []
    deferred = threading.Event()

    @bus.route("app://never")
    def never(request: crosstie.Request) -> None:
        kept.append(request.defer())
        deferred.set()

    call = bus.open_async("app://never")
    assert deferred.wait(WATCHDOG)
    assert call.cancel()
    assert call.wait(WATCHDOG)
    assert not call.cancel()
    with pytest.raises(crosstie.CancelledError):
        call.result()
    second = bus.open_async("app://never")
    second.cancel()
    second.wait(WATCHDOG)
    del call, second
    bus.close()
    gc.collect()
    assert unraisable == []


def test_waiting_for_oneself_is_a_deadlock(bus: crosstie.Bus) -> None:
    calls: list[crosstie.Call[crosstie.Response]] = []
    started = threading.Event()

    @bus.route("app://self")
    def wait_for_oneself() -> str:
        started.wait(WATCHDOG)
        with pytest.raises(crosstie.DeadlockError):
            calls[0].wait()
        assert not calls[0].done()
        return "survived"

    calls.append(bus.open_async("app://self"))
    started.set()
    assert calls[0].result(WATCHDOG).value == "survived"


def test_nesting_has_an_end(bus: crosstie.Bus) -> None:
    bus.routes.add("app://again", lambda: bus.open("app://again").value)
    with pytest.raises(crosstie.DeadlockError) as caught:
        bus.open("app://again")
    assert caught.value.status is crosstie.Status.DEPTH


def test_closing_ends_what_is_deferred(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []
    deferred = threading.Event()

    @bus.route("app://never")
    def never(request: crosstie.Request) -> None:
        kept.append(request.defer())
        deferred.set()

    call = bus.open_async("app://never")
    assert deferred.wait(WATCHDOG)
    bus.close()
    with pytest.raises(crosstie.ClosedError):
        call.result(WATCHDOG)


# The GIL


def test_a_wait_lets_other_threads_run(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []
    bus.routes.add("app://wait", lambda request: kept.append(request.defer()))

    def answer() -> None:
        while not kept:
            time.sleep(0.001)
        kept[0].reply("answered")

    for is_async in (False, True):
        kept.clear()
        thread = threading.Thread(target=answer)
        thread.start()
        if is_async:
            response = bus.open_async("app://wait").result(WATCHDOG)
        else:
            response = bus.open("app://wait", timeout=WATCHDOG)
        assert response.value == "answered"
        thread.join()


def test_many_threads(bus: crosstie.Bus) -> None:
    bus.routes.add("app://twice/:x", lambda x: bus.open(f"app://once/{x}").value * 2)

    @bus.route("app://once/:x")
    def once(x: int) -> int:
        return x

    results: list[list[int]] = []

    def work() -> None:
        results.append([bus.open(f"app://twice/{x}").value for x in range(300)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    calls = [bus.open_async(f"app://twice/{x}") for x in range(300)]
    for thread in threads:
        thread.join()
    expected = [2 * x for x in range(300)]
    assert results == [expected] * 4
    assert [call.result().value for call in calls] == expected


def test_register_and_open_at_once(bus: crosstie.Bus) -> None:
    bus.routes.add("app://fixed", lambda: 1)
    is_over = threading.Event()

    def churn() -> None:
        while not is_over.is_set():
            with bus.routes.add("app://moving/:x", lambda x: x):
                bus.open("app://moving/1")

    thread = threading.Thread(target=churn)
    thread.start()
    for _ in range(2000):
        assert bus.open("app://fixed").value == 1
    is_over.set()
    thread.join()


def test_recursion_error_is_only_an_exception(bus: crosstie.Bus) -> None:
    def deep() -> None:
        deep()

    bus.routes.add("app://deep", deep)
    with pytest.raises(RecursionError):
        bus.open("app://deep")
