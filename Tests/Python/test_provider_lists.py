"""The providers of a bus as registrations: adding, removing, swapping them; their logs; the names that are built in."""

import gc
import pathlib
import re
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Unraisable
from crosstie import Endpoint, Provider, SharedMessage, ShareKind

ROOT = pathlib.Path(__file__).parent.parent.parent
TEXT = SharedMessage.text("hello")


class Sharer(Provider):
    endpoints = [Endpoint("e")]

    def __init__(self, name: str = "sharer", act: Callable[[crosstie.Request], object] | None = None) -> None:
        self.name = name
        self.act = act

    def share(self, request: crosstie.Request, message: Any, endpoint: str, options: Any) -> object:
        return self.name if self.act is None else self.act(request)


def names(bus: crosstie.Bus) -> list[str]:
    return [info.name for info in bus.providers]


# Registering


def test_registration(bus: crosstie.Bus) -> None:
    sharer = Sharer()
    with bus.providers.add(sharer) as registration:
        assert registration.kind == "provider"
        assert registration.name == "sharer"
        assert registration.handler is sharer
        assert repr(registration) == "<crosstie.Registration provider 'sharer'>"
        assert bus.share(Endpoint("e"), TEXT) == "sharer"
    assert not registration.active
    assert names(bus) == []


@pytest.mark.parametrize("how", [Sharer, "instance", "name", "registration"])
def test_removing(bus: crosstie.Bus, how: Any) -> None:
    sharer = Sharer()
    registration = bus.providers.add(sharer)
    if how == "name":
        bus.providers.remove("sharer")
    else:
        things: dict[Any, Any] = {"instance": sharer, "registration": registration}
        bus.providers.remove(things.get(how, how))
    assert not registration.active
    assert names(bus) == []
    registration.remove()


def test_one_provider_on_two_buses(bus: crosstie.Bus) -> None:
    sharer = Sharer(act=lambda request: request.bus)
    with crosstie.Bus("other") as other:
        bus.providers.add(sharer)
        other.providers.add(sharer)
        assert bus.share(Endpoint("e"), TEXT) is bus
        assert other.share(Endpoint("e"), TEXT) is other


def test_names_are_unique(bus: crosstie.Bus) -> None:
    bus.providers.add(Sharer())
    with pytest.raises(crosstie.ConflictError):
        bus.providers.add(Sharer())
    assert names(bus) == ["sharer"]
    assert len(bus._registrations()) == 1


class Launcher(Provider):
    name = "launcher"

    def launch(self, request: Any, program: Any, options: Any) -> None: ...


class Opener(Provider):
    name = "opener"

    def open_url(self, request: Any, url: str) -> None: ...

    def open_activity(self, request: Any, activity: Any) -> None: ...


@pytest.mark.parametrize(
    ("kind", "fields", "error"),
    [
        (Provider, {"name": "idle"}, crosstie.ArgumentError),
        (Launcher, {}, crosstie.ArgumentError),
        (Launcher, {"platform": "p", "name": ""}, crosstie.ArgumentError),
        (Launcher, {"platform": "p" * 129}, crosstie.ArgumentError),
        (Launcher, {"platform": 5}, TypeError),
        (Launcher, {"platform": "p", "launch": 5}, TypeError),
        (Launcher, {"platform": "p", "launch": lambda: None}, TypeError),
        (Opener, {"app_id": "no scheme", "universal_link": "https://a.example"}, crosstie.UrlError),
        (Opener, {"app_id": "a", "universal_link": "a://b"}, crosstie.UrlError),
        (Opener, {"can_open_url": lambda url: True}, crosstie.ArgumentError),
        (Sharer, {"endpoints": ()}, crosstie.ArgumentError),
        (Sharer, {"endpoints": "e"}, TypeError),
        (Sharer, {"endpoints": [5]}, TypeError),
        (Sharer, {"endpoints": {"e": "kind"}}, TypeError),
        (Sharer, {"endpoints": {"e": [5]}}, TypeError),
        (Sharer, {"endpoints": ["e", "e"]}, crosstie.ConflictError),
        (Sharer, {"endpoints": [f"e{number}" for number in range(65)]}, crosstie.ArgumentError),
    ],
)
def test_objects_that_are_no_providers(
    bus: crosstie.Bus, kind: type[Provider], fields: dict[str, Any], error: type[Exception]
) -> None:
    provider = kind()
    for name, field in fields.items():
        setattr(provider, name, field)
    with pytest.raises(error):
        bus.providers.add(provider)
    with pytest.raises(error):
        bus.providers.replace([Sharer("first"), provider])
    assert names(bus) == []
    assert not bus._registrations()


def test_async_questions_are_refused(bus: crosstie.Bus) -> None:
    class Patient(Sharer):
        async def is_installed(self) -> bool:  # type: ignore[override]
            return True

    with pytest.raises(TypeError, match="must not be async"):
        bus.providers.add(Patient())
    with pytest.raises(TypeError, match="a subclass of Provider"):
        bus.providers.add(object())  # type: ignore[arg-type]


def test_at_most_64(bus: crosstie.Bus) -> None:
    sharers = [Sharer(f"s{number}") for number in range(65)]
    with pytest.raises(crosstie.ArgumentError):
        bus.providers.replace(sharers)
    assert not bus._registrations()
    bus.providers.replace(sharers[:64])
    with pytest.raises(crosstie.ArgumentError):
        bus.providers.add(sharers[64])
    assert len(names(bus)) == len(bus._registrations()) == 64


# Swapping all


def test_setting_all(bus: crosstie.Bus) -> None:
    before = bus.providers.add(Sharer("before"))
    first, second = Sharer("first"), Sharer("second")
    bus.providers.replace([first, second])
    assert not before.active
    assert names(bus) == ["first", "second"]
    before.remove()
    with pytest.raises(crosstie.ConflictError):
        bus.providers.replace([Sharer("x"), Sharer("x")])
    assert names(bus) == ["first", "second"]
    bus.providers.remove(first)
    assert names(bus) == ["second"]
    (registration,) = bus._registrations()
    bus.providers.replace([second])
    registration.remove()  # it is of another list
    assert bus.share(Endpoint("e"), TEXT) == "second"
    bus.providers.replace([])
    assert names(bus) == []
    assert not bus._registrations()


def test_swapping_while_they_are_asked(bus: crosstie.Bus) -> None:
    lists = [[Sharer("a"), Sharer("b")], [Sharer("c"), Sharer("a")]]
    bus.providers.replace(lists[0])
    answers: set[object] = set()

    def ask() -> None:
        for _ in range(200):
            answers.add(bus.share(Endpoint("e"), TEXT))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for turn in range(100):
        bus.providers.replace(lists[turn % 2])
    for thread in threads:
        thread.join(WATCHDOG)
    assert answers <= {"a", "c"}
    assert len(bus._registrations()) == 2


def test_removing_while_it_runs(bus: crosstie.Bus) -> None:
    inside, goes_on = threading.Event(), threading.Event()

    def act(request: crosstie.Request) -> str:
        inside.set()
        assert goes_on.wait(WATCHDOG)
        return "done"

    registration = bus.providers.add(Sharer(act=act))
    call = bus.share_async(Endpoint("e"), TEXT)
    assert inside.wait(WATCHDOG)
    removing = threading.Thread(target=registration.remove)
    removing.start()
    while names(bus):
        call.wait(0.01)
    assert removing.is_alive()
    with pytest.raises(crosstie.NoHandlerError):
        bus.share(Endpoint("e"), TEXT)
    goes_on.set()
    removing.join(WATCHDOG)
    assert call.result(WATCHDOG) == "done"


@pytest.mark.parametrize("how", ["remove", "swap"])
def test_one_that_comes_while_others_go_stays(bus: crosstie.Bus, how: str) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def stay(request: crosstie.Request) -> None:
        entered.set()
        assert go_on.wait(WATCHDOG)

    bus.providers.add(Sharer("slow", stay))
    call = bus.share_async(Endpoint("e"), TEXT)
    assert entered.wait(WATCHDOG)
    leaving = threading.Thread(
        target=lambda: bus.providers.remove("slow") if how == "remove" else bus.providers.replace([])
    )
    leaving.start()
    while names(bus):
        call.wait(0.01)
    registration = bus.providers.add(Sharer("slow"))
    go_on.set()
    leaving.join(WATCHDOG)
    call.result(WATCHDOG)
    assert registration.active
    registration.remove()
    assert names(bus) == []


def test_removing_itself(bus: crosstie.Bus) -> None:
    def act(request: crosstie.Request) -> crosstie.Request:
        request.bus.providers.remove("sharer")
        return request.defer()

    bus.providers.replace([Sharer(act=lambda request: bus.providers.replace([]))])
    assert bus.share(Endpoint("e"), TEXT) is None
    bus.providers.add(Sharer(act=lambda request: act(request).reply("gone")))
    assert bus.share(Endpoint("e"), TEXT) == "gone"
    assert names(bus) == []
    assert not bus._registrations()


@pytest.mark.parametrize("how", ["set", "remove"])
def test_replacing_itself_by_one_of_its_name(bus: crosstie.Bus, how: str) -> None:
    def act(request: crosstie.Request) -> str:
        (before,) = bus._registrations()
        if how == "set":
            bus.providers.replace([Sharer(act=lambda request: "new")])
        else:
            bus.providers.remove("sharer")
            bus.providers.add(Sharer(act=lambda request: "new"))
        assert not before.active
        before.remove()
        return "old"

    bus.providers.replace([Sharer(act=act)])
    assert bus.share(Endpoint("e"), TEXT) == "old"
    assert bus.share(Endpoint("e"), TEXT) == "new"


def test_release_of_a_bus() -> None:
    kept: list[crosstie.Request] = []

    def act(request: crosstie.Request) -> None:
        kept.append(request.defer())
        request.reply()

    bus = crosstie.Bus("gone")
    sharer = Sharer(act=act)
    bus.providers.replace([sharer])
    bus.providers.set_log("sharer", lambda *line: print(bus, line))
    bus.share(Endpoint("e"), TEXT)
    (request,) = kept
    assert request.bus is bus
    reference = weakref.ref(bus)
    del bus
    gc.collect()
    assert reference() is None
    with pytest.raises(crosstie.ClosedError):
        _ = request.bus
    sharer.log("nobody receives it")


def test_shared_bus() -> None:
    with crosstie.Bus.shared("test-providers") as bus:
        bus.providers.replace([Sharer("a"), Sharer("b")])
        bus.providers.remove(bus._registrations()[0])
        (name,) = names(bus)
        assert bus.share(Endpoint("e"), TEXT) == name


# Logs


def test_logging(bus: crosstie.Bus, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "crosstie")
    sharer = Sharer()
    sharer.log("heard by nobody")
    bus.providers.add(sharer)
    sharer.log("ready")
    assert caplog.messages == ["sharer: ready"]
    lines: list[tuple[str, str, str, int]] = []
    bus.providers.set_log("sharer", lambda *line: lines.append(line))

    def shout() -> None:
        sharer.log("with its place ä")

    shout()
    line = shout.__code__.co_firstlineno + 1
    assert lines == [("with its place ä", __file__, shout.__qualname__, line)]
    sharer.log("\udc80")
    assert lines.pop()[0] == "\\udc80"
    bus.providers.set_log("sharer", None)
    sharer.log("back")
    assert caplog.messages == ["sharer: ready", "sharer: back"]
    (registration,) = bus._registrations()
    registration.remove()
    bus.providers.add(Sharer())
    sharer.log("gone")
    assert caplog.messages == ["sharer: ready", "sharer: back"]


def test_log_that_cannot_be_set(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    def fail(*line: object) -> None:
        raise error

    error = ValueError("log")
    with pytest.raises(crosstie.NotFoundError):
        bus.providers.set_log("nobody", print)
    assert not bus._registrations()
    sharer = Sharer()
    bus.providers.add(sharer)
    bus.providers.set_log("sharer", fail)
    sharer.log("text")
    assert unraisable == [(error, fail)]
    with pytest.raises(crosstie.ArgumentError):
        sharer.log("x" * 65537)
    bus.providers.set_log("sharer", print)
    bus.providers.remove("sharer")
    assert not bus._registrations()


# Built-in identifiers


def test_names_are_those_of_the_header() -> None:
    header = (ROOT / "include" / "crosstie" / "handoff_names.h").read_text()
    defined = dict(re.findall(r'#define CTIE_(\w+) "(.*)"', header))
    found = {
        f"{prefix}_{name}": text
        for prefix, kind in {
            "ENDPOINT": Endpoint,
            "PLATFORM": crosstie.Platform,
            "SHARE_KIND": ShareKind,
            "OPTION": crosstie.OptionKey,
            "SYSTEM_METHOD": crosstie.SystemMethod,
            "INFO": crosstie.InfoKey,
            "ACTIVITY": crosstie.ActivityType,
        }.items()
        for name, text in vars(kind).items()
        if name.isupper() and isinstance(text, kind)
    }
    assert found == defined


def test_names_of_a_host() -> None:
    class MyEndpoint(Endpoint):
        FAX = "my.fax"

    assert MyEndpoint.FAX == "my.fax"
    assert MyEndpoint.QQ_FRIEND is Endpoint.QQ_FRIEND
    assert Endpoint("my.fax") == MyEndpoint.FAX


LINK = "https://a.example/page"


@pytest.mark.parametrize(
    "message",
    [
        SharedMessage.text("hello"),
        SharedMessage.image(b"picture", title="t", description="d", thumbnail=b"small"),
        SharedMessage.audio(LINK, LINK + ".ogg"),
        SharedMessage.video(LINK, title=None),
        SharedMessage.web_page(LINK, title="t"),
        SharedMessage.file(b"content", "txt", "name.txt"),
        SharedMessage.mini_program("id", "/path", LINK, "preview", thumbnail=b"small"),
    ],
    ids=lambda message: str(message["identifier"]),
)
def test_messages(bus: crosstie.Bus, message: dict[str, Any]) -> None:
    class Friend(Sharer):
        endpoints = [Endpoint.QQ_FRIEND]

    bus.providers.add(Friend())
    assert None not in message.values()
    assert bus.share(Endpoint.QQ_FRIEND, message) == "sharer"
    for name in [name for name in message if name not in ("identifier", "title", "description", "thumbnail")]:
        if name not in ("dataLink", "fileName"):
            with pytest.raises(crosstie.ParamError, match=name):
                bus.share(Endpoint.QQ_FRIEND, {**message, name: 5})
