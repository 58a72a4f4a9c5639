"""Trust: a URL that is opened for a remote request is remote, wherever Python's context goes."""

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import crosstie
from conftest import WATCHDOG


@pytest.fixture
def bus(bus: crosstie.Bus) -> Iterator[crosstie.Bus]:
    bus.routes.add("app://private", lambda: "secret")
    bus.routes.add("app://origin", lambda request: request.origin, public=True)
    yield bus


def origin_of(bus: crosstie.Bus) -> str:
    """With which trust this code opens."""
    seen = bus.open("app://origin").value
    may_open = bus.can_open("app://private") == "route"
    try:
        value = bus.open("app://private").value
    except crosstie.DeniedError:
        value = None
    assert (may_open, value) == ((True, "secret") if seen == "local" else (False, None))
    assert bus.open_async("app://origin").result().value == seen
    return str(seen)


def test_inside_the_handler(bus: crosstie.Bus) -> None:
    bus.routes.add("app://gate", lambda: origin_of(bus), public=True)
    for origin in ("local", "remote"):
        assert bus.open("app://gate", origin=origin).value == origin
        assert bus.open_async("app://gate", origin=origin).result().value == origin
        assert origin_of(bus) == "local"


def test_after_a_failure(bus: crosstie.Bus) -> None:
    bus.routes.add("app://fail", lambda: 1 / 0, public=True)
    with pytest.raises(ZeroDivisionError):
        bus.open("app://fail", origin="remote")
    assert origin_of(bus) == "local"


def test_nested(bus: crosstie.Bus) -> None:
    bus.routes.add("app://outer", lambda: (bus.open("app://inner").value, origin_of(bus)), public=True)
    bus.routes.add("app://inner", lambda: origin_of(bus), public=True)
    assert bus.open("app://outer", origin="remote").value == ("remote", "remote")
    assert bus.open("app://outer").value == ("local", "local")


@pytest.mark.parametrize("place", ["interceptor", "route interceptor", "own interceptor", "unmatched", "named"])
def test_every_callback(bus: crosstie.Bus, place: str) -> None:
    seen: list[str] = []
    contexts: list[contextvars.Context] = []

    def note(request: crosstie.Request) -> None:
        seen.append(origin_of(bus) if request.host == "a" else "")
        contexts.append(contextvars.copy_context())
        if "interceptor" in place:
            request.proceed()

    if place == "interceptor":
        bus.interceptors.add(note)
    elif place == "unmatched":
        bus.routes.unmatched(public=True)(note)
    if place == "named":
        bus.routes.add("app://a", note, public=True, name="a")
    elif place != "unmatched":
        bus.routes.add("app://a", lambda: None, public=True, interceptors=[note] if place.startswith("route") else ())
    own = [note] if place.startswith("own") else []
    try:
        bus.open("app://a", origin="remote", interceptors=own)
    except crosstie.NoRouteError:
        pytest.fail("the unmatched are public")
    assert "remote" in seen and "local" not in seen
    with ThreadPoolExecutor() as threads:
        assert threads.submit(contexts[0].run, origin_of, bus).result() == "remote"
    assert origin_of(bus) == "local"


# Python's ways out of a handler, each as a function that gets what it did there


def by_copied_context(work: Callable[[], str]) -> Callable[[], str]:
    context = contextvars.copy_context()
    result: list[str] = []
    thread = threading.Thread(target=lambda: result.append(context.run(work)))

    def finish() -> str:
        thread.start()
        thread.join()
        return result[0]

    return finish


def by_executor(work: Callable[[], str]) -> Callable[[], str]:
    context = contextvars.copy_context()

    async def run() -> str:
        return await asyncio.get_running_loop().run_in_executor(None, context.run, work)

    return lambda: asyncio.run(run())


def by_fresh_thread(work: Callable[[], str]) -> Callable[[], str]:
    result: list[str] = []
    thread = threading.Thread(target=lambda: result.append(work()))

    def finish() -> str:
        thread.start()
        thread.join()
        return result[0]

    return finish


@pytest.mark.parametrize("way", [by_copied_context, by_executor])
@pytest.mark.parametrize("origin", ["local", "remote"])
def test_after_the_handler_has_returned(
    bus: crosstie.Bus, way: Callable[[Callable[[], str]], Callable[[], str]], origin: str
) -> None:
    bus.routes.add("app://gate", lambda: way(lambda: origin_of(bus)), public=True)
    finish = bus.open("app://gate", origin=origin).value  # type: ignore[arg-type]
    assert finish() == origin


def test_a_fresh_thread_is_as_the_thread_is(bus: crosstie.Bus) -> None:
    bus.routes.add("app://gate", lambda: by_fresh_thread(lambda: origin_of(bus)), public=True)
    assert bus.open("app://gate", origin="remote").value() == "local"
    bus.routes.add("app://here", lambda: contextvars.Context().run(origin_of, bus), public=True)
    assert bus.open("app://here", origin="remote").value == "remote"


def test_a_task_outlives_the_handler(bus: crosstie.Bus) -> None:
    tasks: list[asyncio.Task[list[str]]] = []

    async def main(origin: str) -> list[str]:
        has_returned = asyncio.Event()

        async def work() -> list[str]:
            await has_returned.wait()
            here = origin_of(bus)
            there = await asyncio.to_thread(origin_of, bus)
            nested = await asyncio.create_task(asyncio.to_thread(origin_of, bus))
            return [here, there, nested]

        bus.routes.add("app://gate", lambda: tasks.append(asyncio.create_task(work())), public=True, replace=True)
        bus.open("app://gate", origin=origin)  # type: ignore[arg-type]
        has_returned.set()
        beside = origin_of(bus)
        return [beside, *(await tasks.pop())]

    assert asyncio.run(main("remote")) == ["local", "remote", "remote", "remote"]
    assert asyncio.run(main("local")) == ["local"] * 4


def test_a_completion_has_the_trust_of_its_request(bus: crosstie.Bus) -> None:
    seen: list[str] = []
    done = threading.Semaphore(0)

    def complete(response: crosstie.Response) -> None:
        seen.append(origin_of(bus))
        done.release()

    def ask() -> str:
        return bus.open_async("app://origin", completion=complete).url

    bus.routes.add("app://gate", lambda: by_copied_context(ask), public=True)
    bus.open("app://gate", origin="remote").value()
    done.acquire()
    bus.open_async("app://origin", origin="remote", completion=complete)
    done.acquire()
    assert seen == ["remote", "local"]


def test_a_completion_has_the_trust_of_the_parent(bus: crosstie.Bus) -> None:
    """In its context, too: in a thread that was given a copy of it."""
    contexts: queue.SimpleQueue[contextvars.Context] = queue.SimpleQueue()
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
    bus.routes.add("app://gate", lambda request: kept.put(request.defer()), public=True)
    for origin in ("remote", "local"):
        bus.open_async("app://gate", origin=origin)
        request = kept.get(timeout=WATCHDOG)
        bus.open_async("app://origin", parent=request, completion=lambda _: contexts.put(contextvars.copy_context()))
        context = contexts.get(timeout=WATCHDOG)
        request.reply()
        assert context.run(origin_of, bus) == origin


@pytest.mark.parametrize("origin", ["remote", "local"])
def test_callbacks_have_the_trust_of_their_request(bus: crosstie.Bus, origin: str) -> None:
    """Ended by any function, and continued on any thread."""
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
    seen: list[tuple[str, str, contextvars.Context]] = []

    def see(name: str) -> None:
        seen.append((name, origin_of(bus), contextvars.copy_context()))

    def keep(request: crosstie.Request) -> None:
        request.on_cancel(lambda: see("cancel"))
        request.on_return(lambda response: see("return"))
        kept.put(request.defer())

    bus.routes.add("app://gate", keep, public=True)
    call = bus.open_async("app://gate", origin=origin)  # type: ignore[arg-type]
    request = kept.get(timeout=WATCHDOG)
    assert call.cancel()
    request.on_cancel(lambda: see("late"))
    answered = bus.open_async("app://gate", origin=origin)  # type: ignore[arg-type]
    kept.get(timeout=WATCHDOG).reply()
    answered.result(WATCHDOG)
    assert [name for name, _, _ in seen] == ["return", "cancel", "late", "return"]
    assert {there for _, there, _ in seen} == {origin}
    assert {context.run(origin_of, bus) for _, _, context in seen} == {origin}


@pytest.mark.parametrize("origin", ["remote", "local"])
def test_progress_has_the_trust_of_its_request(bus: crosstie.Bus, origin: str) -> None:
    """Though the thread that tells of it is trusted."""
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
    seen: list[tuple[str, contextvars.Context]] = []

    def ask() -> str:
        receive = lambda value: seen.append((origin_of(bus), contextvars.copy_context()))  # noqa: E731
        return repr(bus.open_async("app://kept", progress=receive))

    def ask_twice() -> Callable[[], str]:
        ask()
        return by_copied_context(ask)

    bus.routes.add("app://kept", lambda request: kept.put(request.defer()), public=True)
    bus.routes.add("app://gate", ask_twice, public=True)
    bus.open("app://gate", origin=origin, timeout=None).value()  # type: ignore[arg-type]
    for count in (1, 2):
        request = kept.get(timeout=WATCHDOG)
        request.progress(1)
        request.reply()
        there, context = seen[-1]
        assert (len(seen), there, context.run(origin_of, bus)) == (count, origin, origin)


def test_rewriting_in_a_remote_context(bus: crosstie.Bus) -> None:
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()

    def keep(request: crosstie.Request) -> None:
        kept.put(request.defer())

    def move(request: crosstie.Request) -> str:
        try:
            request.rewrite("app://private")
        except crosstie.DeniedError:
            request.reply("refused")
            return "denied"
        return "moved"

    bus.routes.add("app://gate", lambda: by_copied_context(lambda: move(kept.get(timeout=WATCHDOG))), public=True)
    finish = bus.open("app://gate", origin="remote").value
    call = bus.open_async("app://origin", interceptors=[keep])
    assert finish() == "denied"
    assert call.result(WATCHDOG).value == "refused"


def test_proceeding_does_not_lend_trust(bus: crosstie.Bus) -> None:
    """The handler of a remote request that proceeds on a local thread is remote; the thread afterwards is not."""
    kept: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
    bus.routes.add("app://gate", lambda: origin_of(bus), public=True)
    call = bus.open_async("app://gate", origin="remote", interceptors=[lambda request: kept.put(request.defer())])
    kept.get(timeout=WATCHDOG).proceed()
    assert call.result(WATCHDOG).value == "remote"
    assert origin_of(bus) == "local"
