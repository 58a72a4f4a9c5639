"""Objects and arguments of programs that mean no good, or think of nothing, do no harm beyond an exception."""

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import crosstie
from crosstie import _crosstie


class Touchy(str):
    """A text that can be put into a dict, and raises once somebody looks for it."""

    is_touched = False

    def __hash__(self) -> int:
        if Touchy.is_touched:
            raise RuntimeError("touched")
        return str.__hash__(self)


@pytest.fixture
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus("hostile") as bus:
        yield bus


@pytest.fixture
def touchy() -> Iterator[dict[str, int]]:
    params = {Touchy("a"): 1}
    Touchy.is_touched = True
    yield params  # type: ignore[misc]
    Touchy.is_touched = False


class Rest:
    @crosstie.action
    def rest(self, **rest: object) -> object:
        return rest


def test_a_name_whose_hash_raises_is_the_callers_failure(bus: crosstie.Bus, touchy: dict[str, int]) -> None:
    bus.component("home")(Rest)
    with pytest.raises(RuntimeError, match="touched"):
        bus.call("home", "rest", touchy)
    with pytest.raises(RuntimeError, match="touched"):
        bus.call("home", "rest", **touchy)


def test_a_types_long_name_is_cut_between_characters() -> None:
    thing = type("x" + "é" * 120, (), {})()
    with pytest.raises(crosstie.KindError, match="a xéé+ cannot leave Python"):
        crosstie.to_msgpack([thing])


class Interrupting(crosstie.Provider):
    name = "interrupting"
    endpoints = [crosstie.Endpoint.SYSTEM_ACTIVITY]
    question = ""

    def asked(self, question: str) -> bool:
        if question == self.question:
            raise KeyboardInterrupt
        return True

    def is_installed(self) -> bool:
        return self.asked("installed")

    def is_supported(self) -> bool:
        return self.asked("supported")

    def can_open_url(self, url: str) -> bool:
        return self.asked("url")

    def open_url(self, request: crosstie.Request, url: str) -> bool:
        return True

    def share(self, request: crosstie.Request, message: object, endpoint: str, options: object) -> int:
        return 1


MESSAGE = crosstie.SharedMessage.web_page("https://shop.example", title="Tea")
ASKING: list[tuple[str, Callable[[crosstie.Bus], object]]] = [
    ("installed", lambda bus: bus.share(crosstie.Endpoint.SYSTEM_ACTIVITY, MESSAGE)),
    ("supported", lambda bus: bus.share(crosstie.Endpoint.SYSTEM_ACTIVITY, MESSAGE)),
    ("url", lambda bus: bus.can_open("hostile://page")),
]


@pytest.mark.parametrize(("question", "ask"), ASKING, ids=[each[0] for each in ASKING])
def test_ctrl_c_in_a_question_to_a_provider_is_raised(
    bus: crosstie.Bus, question: str, ask: Callable[[crosstie.Bus], object]
) -> None:
    provider = Interrupting()
    provider.question = question
    bus.providers.add(provider)
    with pytest.raises(KeyboardInterrupt):
        ask(bus)


class Interrupted:
    def __init__(self) -> None:
        raise KeyboardInterrupt

    @crosstie.action
    def greet(self) -> None: ...


def test_ctrl_c_in_the_making_of_a_component_is_raised(bus: crosstie.Bus) -> None:
    bus.component("late", lazy=True)(Interrupted)
    with pytest.raises(KeyboardInterrupt):
        bus.call("late", "greet")


@pytest.mark.parametrize("kind", [-1, 2, 7, 8, 1_000_000])
def test_a_request_of_no_kind_is_refused(bus: crosstie.Bus, kind: int) -> None:
    with pytest.raises(ValueError, match="requests of the kind"):
        bus._make_request(kind, False, "a", "b", None, {}, 0)


@pytest.mark.parametrize("kind", [-1, 8, 1_000_000])
def test_a_capability_of_no_kind_is_refused(bus: crosstie.Bus, kind: int) -> None:
    capability = (kind, print, ((), False, (), frozenset[str](), frozenset[str](), False), None)
    description: Any = (Interrupting(), "p", (capability,), (), "", "", "", False)
    with pytest.raises(ValueError, match="a capability cannot"):
        _crosstie.Bus._add_provider(bus, description, None)


def test_a_value_may_replace_itself_while_it_is_shown(bus: crosstie.Bus) -> None:
    responses: list[crosstie.Response] = []

    class Shown:
        def __repr__(self) -> str:
            responses[0].replace(1)
            return "shown"

    @bus.route("app://shown")
    def show(request: crosstie.Request) -> Shown:
        request.on_return(look)
        return Shown()

    def look(response: crosstie.Response) -> None:
        responses.append(response)
        assert repr(response) == "<crosstie.Response value=shown>"

    assert bus.open("app://shown").value == 1


def test_options_may_close_the_bus() -> None:
    bus = crosstie.Bus("closing")

    class Closing:
        def __float__(self) -> float:
            bus.close()
            return 1.0

    with pytest.raises(crosstie.ClosedError):
        bus.open("app://a", timeout=Closing())  # type: ignore[arg-type]


def test_messages_may_close_the_wormhole() -> None:
    wormhole = crosstie.Wormhole("com.example.hostile", memory=True)

    def messages() -> Iterator[tuple[str, int]]:
        yield "a", 1
        wormhole.close()
        yield "b", 2

    with pytest.raises(crosstie.ClosedError):
        wormhole.send_many(messages())


def test_names_of_strangers_are_parameters(bus: crosstie.Bus) -> None:
    bus.component("home")(Rest)
    names = ["cls", "class", "url", "timeout", "component", "action", "params", "options", "bus", "target"]
    params: dict[str, Any] = dict.fromkeys(names, 1)
    assert bus.call("home", "rest", **params) == params
    assert bus.with_options(timeout=1).call("home", "rest", **params) == params
    assert bus.call_async("home", "rest", **params).result(10) == params


def test_a_failure_after_deferring_leaves_nothing_behind(bus: crosstie.Bus) -> None:
    failures: list[weakref.ref[Exception]] = []
    kept: list[crosstie.Request] = []

    class Failure(Exception):
        """One that can be looked after."""

    @bus.route("app://fail")
    def fail(request: crosstie.Request, keeps: bool = False) -> None:
        deferred = request.defer()
        failure = Failure()
        failures.append(weakref.ref(failure))
        if keeps:
            kept.append(deferred)
        raise failure

    for url in ("app://fail", "app://fail?keeps=true"):
        try:
            bus.open(url)
        except Failure:
            pass
    with pytest.raises(crosstie.Error, match="has been answered"):
        kept[0].reply(1)
    assert kept[0].is_ended
    gc.collect()
    assert [failure() for failure in failures] == [None, None]


class Node:
    """Something that a cycle goes through."""


def cycle(kind: str) -> weakref.ref[Node]:
    """Make a cycle through a registration of a bus or a listener of a wormhole, and release it."""
    node: Any = Node()
    node.bus = bus = crosstie.Bus("cycle")
    if kind == "route":
        bus.route("app://a")(lambda node=node: node)
    elif kind == "component":

        @bus.component("a")
        class Part:
            @crosstie.action
            def act(self, node: object = node) -> object:
                return node

    elif kind == "interceptor":
        bus.interceptor(lambda request, node=node: node)
    elif kind == "listener":
        node.wormhole = crosstie.Wormhole("com.example.cycle", memory=True)
        node.wormhole.listen("a")(lambda message, node=node: node)
    else:
        bus.route("app://a")(lambda request, node=node: request.on_return(lambda response: node) or 1)
        assert bus.open("app://a").value == 1
    return weakref.ref(node)


@pytest.mark.parametrize("kind", ["route", "component", "interceptor", "hook", "listener"])
def test_cycles_through_an_owner_are_collected(kind: str) -> None:
    ended = cycle(kind)
    gc.collect()
    assert ended() is None
