"""Providers: what they are asked, in which order, what is checked before, and how they answer."""

import queue
import threading
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable, past_its_deadline
from crosstie import Endpoint, InfoKey, Platform, Provider, SharedMessage, ShareKind, Status

TEXT = SharedMessage.text("hello")


class Sharer(Provider):
    """Shares to a QQ friend, and keeps what it was given."""

    endpoints = [Endpoint.QQ_FRIEND]

    def __init__(self, name: str = "sharer", answer: Callable[[crosstie.Request], object] | None = None) -> None:
        self.name = name
        self.answer = answer
        self.given: list[tuple[Any, ...]] = []

    def share(
        self, request: crosstie.Request, message: dict[str, Any], endpoint: str, options: dict[str, Any]
    ) -> object:
        self.given.append((message, endpoint, options))
        return self.name if self.answer is None else self.answer(request)


class Whole(Provider):
    """Has every capability."""

    name = "whole"
    public = True
    platform = Platform.QQ
    endpoints = {Endpoint.QQ_FRIEND: {ShareKind.TEXT}, Endpoint("my.endpoint"): [ShareKind("my.kind")]}
    app_id = "Tencent1"
    universal_link = "https://a.example/app"

    def __init__(self) -> None:
        self.given: list[Any] = []

    def share(self, request: Any, message: Any, endpoint: str, options: Any) -> None:
        self.given.append(("share", message, endpoint, options))

    def oauth(self, request: Any, params: Any, options: Any) -> Any:
        self.given.append(("oauth", params, options))
        return {InfoKey.QQ_ACCESS_TOKEN: "token", InfoKey.QQ_OPEN_ID: "", "absent": None}

    def launch(self, request: Any, program: Any, options: Any) -> int:
        self.given.append(("launch", program, options))
        return 5

    def open_url(self, request: Any, url: str) -> str:
        self.given.append(("open", url))
        return "opened"

    def open_activity(self, request: Any, activity: Any) -> None:
        self.given.append(("activity", activity))


WEB = {"activityType": crosstie.ActivityType.BROWSING_WEB, "webpageURL": "https://a.example/app/page"}


def test_each_capability(bus: crosstie.Bus) -> None:
    whole = Whole()
    bus.providers.add(whole)
    program = {"program": 1}
    view = bus.with_options(user_info={"key": "value"})
    assert view.share(Endpoint.QQ_FRIEND, TEXT) is None
    assert view.oauth(Platform.QQ) == {InfoKey.QQ_ACCESS_TOKEN: "token"}
    assert view.launch(Platform.QQ, program) == 5
    assert bus.open("tencent1://page", origin="remote").value == "opened"
    assert bus.providers.open_url("TENCENT1://page/2")
    assert bus.providers.open_activity(WEB, origin="remote")
    options = {"key": "value"}
    assert whole.given == [
        ("share", TEXT, Endpoint.QQ_FRIEND, options),
        ("oauth", {}, options),
        ("launch", program, options),
        ("open", "tencent1://page/"),
        ("open", "tencent1://page/2"),
        ("activity", WEB),
    ]
    assert whole.given[0][1] is TEXT
    assert whole.given[2][1] is program


def test_listing(bus: crosstie.Bus) -> None:
    bus.providers.add(Whole())
    bus.providers.add(Sharer(), 0)
    sharer, whole = bus.providers
    assert whole == crosstie.ProviderInfo(
        name="whole",
        public=True,
        capabilities=("open", "share", "oauth", "launch", "activity"),
        endpoints={Endpoint.QQ_FRIEND: (ShareKind.TEXT,), Endpoint("my.endpoint"): (ShareKind("my.kind"),)},
        platform=Platform.QQ,
        app_id="tencent1",
        universal_link="https://a.example/app",
    )
    assert sharer.capabilities == ("share",)
    assert ShareKind.MINI_PROGRAM in sharer.endpoints[Endpoint.QQ_FRIEND]


def test_asking_in_the_background(bus: crosstie.Bus) -> None:
    bus.providers.add(Whole())
    call = bus.share_async(Endpoint.QQ_FRIEND, TEXT)
    assert call.result(WATCHDOG) is None
    assert repr(call) == f"<crosstie.Call '{Endpoint.QQ_FRIEND}' done>"
    assert bus.oauth_async(Platform.QQ).result(WATCHDOG) == {InfoKey.QQ_ACCESS_TOKEN: "token"}
    assert bus.with_options(timeout=None).launch_async(Platform.QQ).result(WATCHDOG) == 5


def test_awaiting(bus: crosstie.Bus, run: Callable[[Any], Any]) -> None:
    bus.providers.add(Whole())

    async def ask() -> None:
        assert await bus.aio.share(Endpoint.QQ_FRIEND, TEXT) is None
        assert await bus.aio.oauth(Platform.QQ, {"scope": "all"}) == {InfoKey.QQ_ACCESS_TOKEN: "token"}
        assert await bus.aio.launch(Platform.QQ) == 5
        with pytest.raises(crosstie.NoHandlerError):
            await bus.aio.share(Endpoint.QQ_TIMELINE, TEXT)

    run(ask())


# Requests that no provider can serve


def test_no_provider_can(bus: crosstie.Bus, caplog: pytest.LogCaptureFixture) -> None:
    for ask in (
        lambda: bus.share(Endpoint.QQ_FRIEND, TEXT),
        lambda: bus.oauth(Platform.QQ),
        lambda: bus.launch(Platform.QQ),
    ):
        caplog.clear()
        with pytest.raises(crosstie.NoHandlerError) as caught:
            ask()
        assert caught.value.status is Status.NO_HANDLER
        assert isinstance(caught.value, LookupError) and isinstance(caught.value, crosstie.CallError)
        assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_no_provider_claims(bus: crosstie.Bus, caplog: pytest.LogCaptureFixture) -> None:
    bus.providers.add(Whole())
    assert not bus.providers.open_url("other://page")
    assert not bus.providers.open_url("not a URL")
    assert not bus.providers.open_activity({**WEB, "webpageURL": "https://a.example.evil.example/app"})
    assert not bus.providers.open_activity({})
    assert not caplog.records


def test_remote_origins(bus: crosstie.Bus) -> None:
    class Hidden(Whole):
        name = "hidden"
        public = False

    bus.providers.add(Hidden())
    assert not bus.providers.open_url("tencent1://a", origin="remote")
    assert not bus.with_options(origin="remote").providers.open_activity(WEB)
    assert bus.with_options(origin="remote").providers.open_activity(WEB, origin="local")
    assert bus.can_open("tencent1://a", origin="remote") is None
    assert bus.can_open("tencent1://a") == "provider"


def test_failure_of_a_claiming_provider(bus: crosstie.Bus) -> None:
    class Failing(Whole):
        def open_url(self, request: Any, url: str) -> str:
            raise ValueError("no such page")

    bus.providers.add(Failing())
    with pytest.raises(ValueError):
        bus.open("tencent1://a")
    with pytest.raises(crosstie.HandlerError, match="ValueError: no such page"):
        bus.providers.open_url("tencent1://a")


# Checks before the method, in their order


class Doubtful(Sharer):
    installed = supported = False

    def is_installed(self) -> bool:
        return self.installed

    def is_supported(self) -> bool:
        return self.supported


def test_checks_and_their_order(bus: crosstie.Bus) -> None:
    doubtful = Doubtful()
    bus.providers.add(doubtful)
    message: dict[str, Any] = {"identifier": "my.kind"}

    def fails(status: Status, kind: type[crosstie.Error], builtin: type[Exception]) -> None:
        with pytest.raises(kind) as caught:
            bus.share(Endpoint.QQ_FRIEND, message)
        assert caught.value.status is status
        assert isinstance(caught.value, builtin)

    fails(Status.NOT_INSTALLED, crosstie.NotInstalledError, RuntimeError)
    doubtful.installed = True
    fails(Status.UNSUPPORTED_APP, crosstie.UnsupportedAppError, RuntimeError)
    doubtful.supported = True
    fails(Status.UNSUPPORTED_MESSAGE, crosstie.UnsupportedMessageError, ValueError)
    message["identifier"] = ShareKind.TEXT
    fails(Status.PARAM, crosstie.ParamError, ValueError)
    assert not doubtful.given
    message["text"] = "hello"
    doubtful.answer = lambda request: request.refuse(Status.USER_CANCELLED, "closed the window")
    fails(Status.USER_CANCELLED, crosstie.UserCancelledError, crosstie.CallError)
    doubtful.answer = lambda request: request.refuse(Status.UNKNOWN)
    fails(Status.UNKNOWN, crosstie.UnknownAnswerError, RuntimeError)
    doubtful.answer = None
    assert bus.share(Endpoint.QQ_FRIEND, message) == "sharer"


def test_sign_in_that_gives_nothing(bus: crosstie.Bus) -> None:
    class Empty(Provider):
        name = "empty"
        platform = Platform("p")
        info: object = None

        def oauth(self, request: Any, params: Any, options: Any) -> object:
            return self.info

    empty = Empty()
    bus.providers.add(empty)
    for info in (None, {}, {"token": ""}, "token", {"token": 1}):
        empty.info = info
        with pytest.raises(crosstie.UnknownAnswerError):
            bus.oauth(Platform("p"))
    empty.info = MappingProxyType({"token": "t"})
    assert bus.oauth(Platform("p")) == {"token": "t"}


def test_message_that_cannot_be_looked_into(bus: crosstie.Bus) -> None:
    bus.providers.add(Sharer())
    with pytest.raises(crosstie.Error):
        bus.share(Endpoint.QQ_FRIEND, {**TEXT, "text": object()})
    with pytest.raises(TypeError):
        bus.share(Endpoint.QQ_FRIEND, "hello")  # type: ignore[arg-type]


# Answers


def test_order_and_declining(bus: crosstie.Bus) -> None:
    names = "a", "b", "c"
    for name in names:
        bus.providers.add(Sharer(name))
    assert bus.share(Endpoint.QQ_FRIEND, TEXT) == "a"
    bus.providers.move("a")
    assert bus.share(Endpoint.QQ_FRIEND, TEXT) == "b"
    bus.providers.move("a", 1)
    assert [info.name for info in bus.providers] == ["b", "a", "c"]
    bus.providers.remove("b")
    bus.providers.add(Sharer("d", lambda request: request.decline()), 0)
    assert bus.share(Endpoint.QQ_FRIEND, TEXT) == "a"
    for change in (bus.providers.move, bus.providers.remove):
        with pytest.raises(crosstie.NotFoundError):
            change("b")
    with pytest.raises(ValueError):
        bus.providers.move("a", -1)


def test_all_decline(bus: crosstie.Bus) -> None:
    bus.providers.replace([Sharer(name, lambda request: request.decline()) for name in ("a", "b")])
    with pytest.raises(crosstie.NoHandlerError):
        bus.share(Endpoint.QQ_FRIEND, TEXT)


def test_can_methods_decide(bus: crosstie.Bus) -> None:
    asked: list[Any] = []

    class Picky(Whole):
        def can_share(self, endpoint: str) -> bool:
            asked.append(endpoint)
            return endpoint == "any.endpoint"

        def can_open_url(self, url: str) -> bool:
            asked.append(url)
            return url.endswith("/ours")

        def can_open_activity(self, activity: dict[str, Any]) -> bool:
            asked.append(activity)
            return "ours" in activity

    bus.providers.add(Picky())
    assert bus.share(Endpoint("any.endpoint"), TEXT) is None
    with pytest.raises(crosstie.NoHandlerError):
        bus.share(Endpoint.QQ_FRIEND, TEXT)
    assert bus.providers.open_url("what://ever/ours")
    assert not bus.providers.open_url("tencent1://page")
    assert bus.providers.open_activity({"ours": 1})
    assert asked == ["any.endpoint", Endpoint.QQ_FRIEND, "what://ever/ours", "tencent1://page/", {"ours": 1}]


def test_comparisons_beside_can_methods(bus: crosstie.Bus) -> None:
    class Picky(Whole):
        open_activity = None  # type: ignore[assignment]

        def can_launch(self, platform: str) -> bool:
            return False

    bus.providers.add(Picky())
    assert bus.share(Endpoint("my.endpoint"), {"identifier": "my.kind"}) is None
    assert bus.oauth(Platform.QQ)
    assert bus.providers.open_url("tencent1://page")
    assert not bus.providers.open_url("tencent2://page")
    for ask in (lambda: bus.launch(Platform.QQ), lambda: bus.oauth(Platform("p")), lambda: bus.share(Endpoint("e"), TEXT)):
        with pytest.raises(crosstie.NoHandlerError):
            ask()


@pytest.mark.parametrize("own", ["share", "oauth", "launch", "open_url", "open_activity"])
def test_comparisons_without_can_methods(bus: crosstie.Bus, own: str) -> None:
    asked: list[Any] = []

    def can(provider: Whole, what: Any) -> bool:
        asked.append(what)
        return True

    bus.providers.add(type("Own", (Whole,), {f"can_{own}": can})())
    ways: dict[str, Callable[[], object]] = {
        "share": lambda: bus.share(Endpoint("other"), TEXT),
        "oauth": lambda: bus.oauth(Platform("other")),
        "launch": lambda: bus.launch(Platform("other")),
        "open_url": lambda: bus.open("other://page"),
        "open_activity": lambda: bus.providers.open_activity({**WEB, "webpageURL": "https://b.example/"}),
    }
    for name, ask in ways.items():
        if name == own:
            ask()
        elif name == "open_activity":
            assert ask() is False
        else:
            with pytest.raises((crosstie.NoHandlerError, crosstie.NoRouteError)):
                ask()
    assert len(asked) == 1
    assert bus.oauth(Platform.QQ)
    assert bus.providers.open_activity(WEB)


# At once, and later


def test_two_at_once(bus: crosstie.Bus) -> None:
    meeting = threading.Barrier(2, timeout=WATCHDOG)

    def answer(request: crosstie.Request) -> object:
        meeting.wait()
        return request.params["text"]

    bus.providers.add(Sharer(answer=answer))
    calls = [bus.share_async(Endpoint.QQ_FRIEND, SharedMessage.text(text)) for text in ("one", "two")]
    assert [call.result(WATCHDOG) for call in calls] == ["one", "two"]


def test_answering_later_from_another_thread(bus: crosstie.Bus) -> None:
    later: queue.Queue[crosstie.Request] = queue.Queue()
    bus.providers.add(Sharer(answer=lambda request: later.put(request.defer())))
    first = bus.share_async(Endpoint.QQ_FRIEND, TEXT)
    request = later.get(timeout=WATCHDOG)
    second = bus.share_async(Endpoint.QQ_FRIEND, TEXT)
    assert request.bus is bus
    threading.Thread(target=later.get(timeout=WATCHDOG).reply, args=("second",)).start()
    assert second.result(WATCHDOG) == "second"
    assert not first.done()
    threading.Thread(target=request.reply, args=("first",)).start()
    assert first.result(WATCHDOG) == "first"


def test_deadline_and_cancel(bus: crosstie.Bus) -> None:
    reported = threading.Semaphore(0)
    kept: list[crosstie.Request] = []
    begun = threading.Event()

    def answer(request: crosstie.Request) -> None:
        kept.append(request.defer())
        request.on_cancel(reported.release)
        begun.set()

    bus.providers.add(Sharer(answer=answer))
    past_its_deadline(lambda timeout: bus.with_options(timeout=timeout).share(Endpoint.QQ_FRIEND, TEXT), begun)
    assert reported.acquire(timeout=WATCHDOG)
    begun.clear()
    call = bus.share_async(Endpoint.QQ_FRIEND, TEXT)
    assert begun.wait(WATCHDOG)
    assert call.cancel()
    assert reported.acquire(timeout=WATCHDOG)
    with pytest.raises(crosstie.CancelledError):
        call.result(WATCHDOG)
    for request in kept:
        with pytest.raises(crosstie.Error):
            request.reply()


@pytest.mark.parametrize(("options", "least"), [({}, 590), ({"timeout": 1000}, 990), ({"timeout": 0}, None)])
def test_a_person_has_ten_minutes(bus: crosstie.Bus, options: Any, least: float | None) -> None:
    left: list[float | None] = []
    bus.providers.add(Sharer(answer=lambda request: left.append(request.time_left)))
    bus.with_options(**options).share(Endpoint.QQ_FRIEND, TEXT)
    if least is None:
        assert left == [None]
    else:
        assert left[0] is not None and least <= left[0] <= least + 10


class Later(Provider):
    name = "later"
    endpoints = [Endpoint("e")]
    platform = Platform("p")

    async def share(self, request: Any, message: Any, endpoint: str, options: Any) -> object:
        import asyncio

        await asyncio.sleep(0)
        return message

    async def oauth(self, request: Any, params: Any, options: Any) -> Any:
        if not params:
            raise ZeroDivisionError
        return MappingProxyType(params)

    async def launch(self, request: Any, program: Any, options: Any) -> None:
        request.refuse(Status.NOT_INSTALLED, "no such program")


def test_async_methods(bus: crosstie.Bus) -> None:
    bus.providers.add(Later())
    assert bus.share(Endpoint("e"), TEXT) is TEXT
    assert bus.oauth(Platform("p"), {"a": "b", "c": ""}) == {"a": "b"}
    with pytest.raises(ZeroDivisionError):
        bus.oauth(Platform("p"))
    with pytest.raises(crosstie.NotInstalledError):
        bus.launch(Platform("p"))


# Interceptors


def test_interceptors(bus: crosstie.Bus) -> None:
    seen: list[tuple[str, str, object]] = []

    @bus.interceptor(kinds={"share", "oauth", "launch", "activity"})
    def see(request: crosstie.Request, proceed: Callable[[], None]) -> None:
        assert request.bus is bus
        seen.append((request.kind, request.target, request.params))
        if request.target == "denied":
            request.deny()
        else:
            proceed()

    bus.providers.add(Whole())
    bus.share(Endpoint.QQ_FRIEND, TEXT)
    bus.oauth(Platform.QQ)
    bus.launch(Platform.QQ, {"a": 1})
    bus.providers.open_activity(WEB)
    bus.open("tencent1://a")
    with pytest.raises(crosstie.DeniedError):
        bus.share(Endpoint("denied"), TEXT)
    assert seen == [
        ("share", Endpoint.QQ_FRIEND, TEXT),
        ("oauth", Platform.QQ, {}),
        ("launch", Platform.QQ, {"a": 1}),
        ("activity", "", WEB),
        ("share", "denied", TEXT),
    ]
    with pytest.raises(ValueError, match="'launch' or 'activity', not 'none'"):
        bus.interceptors.add(see, kinds=["none"])  # type: ignore[list-item]


def test_exceptions_of_questions(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    error = ZeroDivisionError("asked")

    class Failing(Sharer):
        def can_share(self, endpoint: str) -> bool:
            raise error

    class Broken(Sharer):
        def is_installed(self) -> bool:
            raise error

    failing, broken = Failing("failing"), Broken("broken")
    bus.providers.replace([failing, broken])
    with pytest.raises(crosstie.NotInstalledError):
        bus.share(Endpoint.QQ_FRIEND, TEXT)
    assert unraisable == [(error, failing), (error, broken)]
