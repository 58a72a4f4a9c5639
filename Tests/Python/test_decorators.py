"""Decorators: bare where that says enough, and refused at once where it does not."""

from collections.abc import Callable
from typing import Any

import pytest

import crosstie


def test_a_bare_interceptor_sees_requests(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda: "let in")

    @bus.interceptor
    def check(request: crosstie.Request) -> None:
        request.deny("nobody may")

    with pytest.raises(crosstie.DeniedError, match="nobody may"):
        bus.open("app://a")
    bus.interceptors.remove(check)
    assert bus.open("app://a").value == "let in"


def test_an_interceptor_with_options(bus: crosstie.Bus) -> None:
    seen: list[str] = []

    def see(name: str) -> Callable[..., None]:
        def interceptor(request: crosstie.Request, proceed: Callable[[], None]) -> None:
            seen.append(name)
            proceed()

        return interceptor

    last, call = see("last"), see("call")
    assert bus.interceptor(last, order=1) is last
    assert bus.interceptor(call, kinds=["call"]) is call
    assert bus.interceptor()(see("first")) is not None
    bus.routes.add("app://a", lambda: 1)
    bus.open("app://a")
    assert seen == ["first", "last"]


def test_bare_decorators_of_what_needs_no_name(bus: crosstie.Bus, memory: crosstie.Wormhole) -> None:
    @bus.routes.unmatched
    def nothing() -> str:
        return "nothing"

    @bus.rules.navigator
    def navigate() -> str:
        return "page"

    @bus.performer.fallback
    def missing() -> str:
        return "missing"

    @bus.system_opener
    def browse() -> str:
        return "browsed"

    received: list[str] = []

    @memory.listen_members
    def receive(message: crosstie.Message) -> None:
        received.append(message.kind)

    assert bus.open("app://x").value == "nothing"
    assert bus.open("https://example.com/").value == "browsed"
    assert (nothing(), navigate(), missing(), browse()) == ("nothing", "page", "missing", "browsed")
    assert callable(receive)


def test_bare_decorators_for_asyncio(memory: crosstie.Wormhole, run: Callable[[Any], Any]) -> None:
    async def listen() -> None:
        import asyncio

        reported = asyncio.Event()

        @memory.aio.listen_members
        async def receive(message: crosstie.Message) -> None:
            reported.set()

        assert callable(receive)
        await reported.wait()

    run(listen())


@pytest.fixture
def memory() -> crosstie.Wormhole:
    return crosstie.Wormhole("decorators", memory=True)


WAYS: dict[str, Callable[[crosstie.Bus, crosstie.Wormhole], Any]] = {
    "@bus.route": lambda bus, wormhole: bus.route,
    "@bus.rule": lambda bus, wormhole: bus.rule,
    "@crosstie.event": lambda bus, wormhole: crosstie.event,
    "@wormhole.listen": lambda bus, wormhole: wormhole.listen,
    "@wormhole.queue": lambda bus, wormhole: wormhole.queue,
    "@wormhole.aio.listen": lambda bus, wormhole: wormhole.aio.listen,
}


@pytest.mark.parametrize("written", WAYS)
def test_bare_decorators_that_need_a_text(bus: crosstie.Bus, memory: crosstie.Wormhole, written: str) -> None:
    decorator = WAYS[written](bus, memory)
    with pytest.raises(TypeError, match=rf'{written} needs the \w+: write {written}\("\w+"\)'):
        decorator(lambda *_: None)
    with pytest.raises(TypeError, match="is a str, not int"):
        decorator(3)


def test_arguments_that_are_no_functions(bus: crosstie.Bus, memory: crosstie.Wormhole) -> None:
    def function() -> None: ...

    wrong: Any
    for wrong in (bus.component, crosstie.component, memory.aio.queue):
        for thing in (function, 3):
            with pytest.raises(TypeError):
                wrong(thing)
    for decorator in (bus.interceptor, bus.routes.unmatched, bus.rules.navigator, bus.performer.fallback, bus.system_opener, memory.listen_members):
        wrong = decorator
        with pytest.raises(TypeError, match="decorates a function; its options are keywords, not int"):
            wrong(3)
    wrong = crosstie.component("named")
    with pytest.raises(TypeError, match="a static component must be a class"):
        wrong(function)
    assert not bus.components
