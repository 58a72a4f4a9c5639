"""asyncio: awaiting requests, async handlers, and which loop does what. On asyncio's own loops and on uvloop's."""

import asyncio
import contextvars
import functools
import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG, Run, Unraisable, past_its_deadline
from crosstie import _traffic as traffic


class Home:
    def __init__(self) -> None:
        self.kept: list[crosstie.Request] = []
        self.arrived = threading.Event()
        self.go_on = threading.Event()

    @crosstie.action
    def echo(self, request: crosstie.Request) -> Any:
        return request.params

    @crosstie.action
    def thread(self) -> int:
        return threading.get_ident()

    @crosstie.action
    def fail(self) -> None:
        raise ZeroDivisionError("nothing")

    @crosstie.action
    def stop(self) -> None:
        raise StopIteration

    @crosstie.action
    def keep(self, request: crosstie.Request) -> None:
        self.kept.append(request.defer())
        self.arrived.set()

    @crosstie.action
    def steps(self, request: crosstie.Request, count: int) -> str:
        for step in range(count):
            request.progress(step)
        return "done"


@pytest.fixture
def home(bus: crosstie.Bus) -> Home:
    return bus.component("home", Home())


# ---- Awaiting --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_awaiting(bus: crosstie.Bus, run: Run) -> None:
    bus.routes.add("app://a/:id<int>", lambda id: {"id": id})
    params = {"a": object()}

    async def ask() -> None:
        assert await bus.aio.call("home", "echo", params) is params
        assert await bus.aio.call("home", "echo", a=1) == {"a": 1}
        assert await bus.aio.call("home", "echo") == {}
        assert await bus.aio.call("home", "thread") != threading.get_ident()
        response = await bus.aio.open("app://a/3")
        assert response.value == {"id": 3}
        with pytest.raises(ZeroDivisionError):
            await bus.aio.call("home", "fail")
        with pytest.raises(RuntimeError):
            await bus.aio.call("home", "stop")
        with pytest.raises(crosstie.NoComponentError):
            await bus.aio.call("none", "x")
        with pytest.raises(crosstie.NoRouteError):
            await bus.aio.open("app://none")
        with pytest.raises(TypeError):
            await bus.aio.call("home", "echo", {"a": 1}, b=2)
        answers = await asyncio.gather(*(bus.aio.call("home", "echo", n=n) for n in range(200)))
        assert answers == [{"n": n} for n in range(200)]

    run(ask())


def test_options(bus: crosstie.Bus, run: Run) -> None:
    bus.routes.add("app://who", lambda request: [request.origin, request.user_info], public=True)

    async def ask() -> None:
        for view in (
            bus.with_options(origin="remote", user_info={"a": 1}).aio,
            bus.aio.with_options(origin="remote").with_options(user_info={"a": 1}),
        ):
            assert (await view.open("app://who")).value == ["remote", {"a": 1}]
            assert "Aio" in repr(view)

    run(ask())


def test_cancelling_the_task(bus: crosstie.Bus, home: Home, run: Run) -> None:
    async def ask() -> None:
        task = asyncio.create_task(bus.aio.call("home", "keep"))
        await asyncio.to_thread(home.arrived.wait, WATCHDOG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(ask())
    assert home.kept[0].is_cancelled
    with pytest.raises(crosstie.Error) as late:
        home.kept[0].reply()
    assert late.value.status is crosstie.Status.ALREADY


@pytest.mark.usefixtures("home")
def test_deadline(bus: crosstie.Bus, run: Run) -> None:
    async def ask() -> None:
        with pytest.raises(TimeoutError) as caught:
            await bus.aio.with_options(timeout=0.01).call("home", "keep")
        assert isinstance(caught.value, crosstie.TimeoutError)

    run(ask())


def test_cancel_all_is_no_cancel_of_the_task(bus: crosstie.Bus, home: Home, run: Run) -> None:
    async def ask() -> None:
        task = asyncio.create_task(bus.aio.call("home", "keep"))
        await asyncio.to_thread(home.arrived.wait, WATCHDOG)
        assert bus.cancel_all() == 1
        with pytest.raises(crosstie.CancelledError):
            await task

    run(ask())


@pytest.mark.usefixtures("home")
def test_progress(bus: crosstie.Bus, run: Run) -> None:
    received: list[Any] = []
    variable = contextvars.ContextVar("variable", default=0)

    def receive(step: int) -> None:
        received.append((step, threading.get_ident(), variable.get()))

    async def ask() -> None:
        await bus.aio.call("home", "echo")  # from here on the loop is watched, in a context of its own
        variable.set(7)
        assert await bus.aio.with_options(progress=receive).call("home", "steps", count=3) == "done"
        assert received == [(step, threading.get_ident(), 7) for step in range(3)]

    run(ask())


def test_two_loops_never_take_each_others_work(
    bus: crosstie.Bus, home: Home, factory: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    failures: list[BaseException] = []

    async def ask() -> None:
        thread = threading.get_ident()
        seen: set[int] = set()
        for n in range(100):
            progress = bus.aio.with_options(progress=lambda _: seen.add(threading.get_ident()))
            assert await progress.call("home", "steps", count=1) == "done"
        assert seen == {thread}

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=factory) as runner:
                runner.run(ask())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WATCHDOG)
    assert failures == []


@pytest.mark.usefixtures("home")
def test_a_closed_loop_is_forgotten(bus: crosstie.Bus, run: Run) -> None:
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def ask() -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        await bus.aio.call("home", "echo")

    for _ in range(3):
        run(ask())
    gc.collect()
    assert [loop() for loop in loops] == [None] * 3
    assert len(traffic._traffics) == 0


def test_cancelled_while_the_answer_is_on_its_way(bus: crosstie.Bus, home: Home, run: Run) -> None:
    async def ask() -> None:
        task = asyncio.create_task(bus.aio.call("home", "keep"))
        await asyncio.to_thread(home.arrived.wait, WATCHDOG)
        home.kept[0].reply(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await bus.aio.call("home", "echo")

    run(ask())


# ---- Async handlers --------------------------------------------------------------------------------------


class Async:
    """Its actions run on a loop."""

    @crosstie.action
    async def thread(self) -> int:
        await asyncio.sleep(0)
        return threading.get_ident()

    @crosstie.action
    async def add(self, request: crosstie.Request, a: int, *, b: int = 1) -> int:
        await asyncio.sleep(0)
        return a + b

    @crosstie.action
    async def nothing(self) -> None:
        await asyncio.sleep(0)

    @crosstie.action
    async def fail(self) -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError("nothing")

    @crosstie.action
    async def reply(self, request: crosstie.Request) -> None:
        request.reply("replied")


def check_async_answers(bus: crosstie.Bus, thread: int | None = None) -> None:
    bus.component(Async)
    assert (bus.call("Async", "thread") == thread) == (thread is not None)
    assert bus.call("Async", "add", a=2) == 3
    assert bus.call_async("Async", "add", a=2, b="2").result(WATCHDOG) == 4
    assert bus.call("Async", "nothing") is None
    assert bus.call("Async", "reply") == "replied"
    with pytest.raises(ZeroDivisionError):
        bus.call("Async", "fail")
    with pytest.raises(crosstie.ParamError):
        bus.call("Async", "add")
    bus.components.remove(Async)


@pytest.fixture
def elsewhere(
    factory: Callable[[], asyncio.AbstractEventLoop],
) -> Iterator[tuple[asyncio.AbstractEventLoop, int]]:
    """A loop that runs on a thread of its own, and that thread."""
    loop = factory()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop, thread.ident or 0
    loop.call_soon_threadsafe(loop.stop)
    thread.join(WATCHDOG)
    loop.close()


def test_on_a_thread_of_the_bus(bus: crosstie.Bus) -> None:
    check_async_answers(bus)
    assert any(thread.name == "crosstie test" for thread in threading.enumerate())
    bus.close()
    assert not any(thread.name == "crosstie test" for thread in threading.enumerate())


def test_on_the_attached_loop(
    bus: crosstie.Bus, elsewhere: tuple[asyncio.AbstractEventLoop, int]
) -> None:
    loop, thread = elsewhere
    with pytest.raises(RuntimeError):
        bus.attach()
    bus.attach(loop)
    check_async_answers(bus, thread)


def test_on_the_loop_of_its_registration(
    bus: crosstie.Bus, elsewhere: tuple[asyncio.AbstractEventLoop, int], run: Run
) -> None:
    loop, thread = elsewhere

    async def register() -> None:
        bus.components.add(Async, "there")

    asyncio.run_coroutine_threadsafe(register(), loop).result(WATCHDOG)

    async def ask() -> None:
        bus.attach()
        bus.components.add(Async, "here")
        assert await bus.aio.call("there", "thread") == thread
        assert await bus.aio.call("here", "thread") == threading.get_ident()
        assert bus.call("there", "thread") == thread  # it waits for another loop than its own

    run(ask())


def test_deadlock_fails_at_once(bus: crosstie.Bus, run: Run) -> None:
    async def ask() -> None:
        bus.components.add(Async, "here")

        @bus.route("app://here")
        async def here() -> str:
            return await asyncio.sleep(0, "here")

        for wait in (
            lambda: bus.call("here", "thread"),
            lambda: bus.open("app://here"),
            lambda: bus.with_options(timeout=None).call("here", "nothing"),
        ):
            with pytest.raises(crosstie.DeadlockError) as caught:
                wait()
            assert caught.value.status is crosstie.Status.DEADLOCK
        assert (await bus.aio.open("app://here")).value == "here"
        assert await bus.aio.call("here", "thread") == threading.get_ident()

    run(ask())


def test_deadlock_inside_an_async_handler(bus: crosstie.Bus) -> None:
    class Calls:
        @crosstie.action
        async def itself(self) -> Any:
            with pytest.raises(crosstie.DeadlockError):
                bus.call("Async", "nothing")
            return await bus.aio.call("Async", "add", a=1)

    bus.component(Async)
    bus.component(Calls)
    assert bus.call("Calls", "itself") == 2


def test_async_routes(bus: crosstie.Bus) -> None:
    @bus.route("app://users/:id<int>", public=True)
    async def user(request: crosstie.Request, id: int) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"id": id, "origin": request.origin, "nested": (await bus.aio.open("app://who")).value}

    bus.routes.add("app://who", lambda request: request.origin, public=True)

    @bus.route("app://nothing")
    async def nothing() -> None: ...

    assert bus.open("app://users/3").value == {"id": 3, "origin": "local", "nested": "local"}
    assert bus.open("app://users/3", origin="remote").value["nested"] == "remote"
    assert bus.open("app://nothing").value is None
    bus.routes.remove(user)
    with pytest.raises(crosstie.NoRouteError):
        bus.open("app://users/3")


@pytest.mark.filterwarnings("error")
def test_a_plain_wrapper_of_an_async_handler(bus: crosstie.Bus) -> None:
    async def load() -> int:
        return 1

    @bus.route("app://load")
    @functools.wraps(load)
    def wrapper() -> object:
        return load()

    for _ in range(2):
        with pytest.raises(TypeError, match="returned a coroutine.*async def"):
            bus.open("app://load")
    gc.collect()  # a coroutine that was not closed would warn


def test_async_interceptors(bus: crosstie.Bus) -> None:
    seen: dict[str, list[str]] = {}

    @bus.interceptor()
    async def see(request: crosstie.Request, proceed: Callable[[], Awaitable[None]]) -> None:
        mine = seen.setdefault(request.url, [])
        mine.append("before")
        await asyncio.sleep(0)
        await proceed()
        mine.append("after")  # while the caller goes on

    @bus.interceptor(order=1)
    async def judge(request: crosstie.Request) -> str | None:
        if "answer" in request.url:
            return "by the interceptor"
        if "deny" in request.url:
            request.deny("no")
        elif "forgets" not in request.url:
            request.proceed()
        return None

    bus.routes.add("app://:which", lambda which: which)
    assert bus.open("app://route").value == "route"
    assert bus.open("app://answer").value == "by the interceptor"
    with pytest.raises(crosstie.DeniedError):
        bus.open("app://deny")
    with pytest.raises(crosstie.HandlerError) as forgotten:
        bus.open("app://forgets")
    assert forgotten.value.status is crosstie.Status.NO_REPLY
    bus.close()
    assert list(seen.values()) == [["before", "after"]] * 4


def test_the_task_is_cancelled_with_its_request(bus: crosstie.Bus) -> None:
    started, ended = threading.Event(), list[str]()
    released = threading.Event()

    class Slow:
        @crosstie.action
        async def act(self) -> None:
            started.set()
            try:
                await asyncio.sleep(10 * WATCHDOG)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            finally:
                released.set()

    bus.component(Slow)
    call = bus.call_async("Slow", "act")
    assert started.wait(WATCHDOG)
    assert call.cancel()
    assert released.wait(WATCHDOG)
    started.clear()
    released.clear()
    past_its_deadline(lambda timeout: bus.with_options(timeout=timeout).call("Slow", "act"), started)
    assert released.wait(WATCHDOG)
    assert ended == ["cancelled", "cancelled"]


def test_a_task_that_cancels_itself(bus: crosstie.Bus) -> None:
    class Odd:
        @crosstie.action
        async def act(self) -> None:
            raise asyncio.CancelledError

    bus.component(Odd)
    with pytest.raises(crosstie.CancelledError):
        bus.call("Odd", "act")


def test_closing_ends_what_runs(bus: crosstie.Bus) -> None:
    started, ended = threading.Event(), threading.Event()

    class Slow:
        @crosstie.action
        async def act(self) -> None:
            started.set()
            try:
                await asyncio.sleep(10 * WATCHDOG)
            finally:
                ended.set()

    bus.component(Slow)
    call = bus.call_async("Slow", "act")
    assert started.wait(WATCHDOG)
    bus.close()
    assert ended.wait(WATCHDOG)
    assert isinstance(call.exception(WATCHDOG), crosstie.ClosedError)


def test_failure_that_comes_too_late(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    started = threading.Event()

    class Stubborn:
        @crosstie.action
        async def act(self) -> None:
            started.set()
            try:
                await asyncio.sleep(10 * WATCHDOG)
            except asyncio.CancelledError:
                raise ZeroDivisionError("too late") from None

    bus.component(Stubborn)
    call = bus.call_async("Stubborn", "act")
    assert started.wait(WATCHDOG)
    call.cancel()
    assert unraisable.arrived.wait(WATCHDOG)
    assert [str(error) for error, _ in unraisable] == ["too late"]


def test_nested_requests(bus: crosstie.Bus) -> None:
    class Parts:
        @crosstie.action
        def left(self, request: crosstie.Request) -> float | None:
            return request.time_left

        @crosstie.action
        async def ask(self, request: crosstie.Request) -> Any:
            return await bus.aio.call("Parts", "left")

    bus.component(Parts)
    assert 0 < bus.with_options(timeout=WATCHDOG).call("Parts", "ask") <= WATCHDOG


def test_async_handlers_leak_nothing(bus: crosstie.Bus) -> None:
    class Tracked(dict[str, Any]): ...

    class Echo:
        @crosstie.action
        async def act(self, request: crosstie.Request, what: object) -> object:
            await asyncio.sleep(0)
            return what

    bus.component(Echo)
    things: weakref.WeakSet[Any] = weakref.WeakSet()

    class Thing: ...

    for _ in range(300):
        thing = Thing()
        things.add(thing)
        assert bus.call("Echo", "act", what=thing) is thing
    del thing
    bus.close()
    gc.collect()
    assert len(things) == 0


# ---- What ends a loop, and what does not -----------------------------------------------------------------


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt()])
def test_a_handlers_exception_ends_no_loop(bus: crosstie.Bus, ending: BaseException) -> None:
    """The caller gets it; the loop goes on, with the other tasks on it."""
    started = threading.Event()

    class Home:
        def __init__(self) -> None:
            self.go_on = asyncio.Event()

        @crosstie.action
        async def wait(self) -> str:
            started.set()
            await self.go_on.wait()
            return "innocent"

        @crosstie.action
        async def leave(self) -> None:
            raise ending

        @crosstie.action
        async def release(self) -> None:
            self.go_on.set()

    bus.components.add(Home(), "home")
    waiting = bus.call_async("home", "wait")
    assert started.wait(WATCHDOG)
    for _ in range(2):
        with pytest.raises(type(ending)):
            bus.call("home", "leave")
    bus.call("home", "release")
    assert waiting.result(WATCHDOG) == "innocent"


def test_another_tasks_exception_ends_no_loop(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    class Home:
        @crosstie.action
        async def leave(self) -> None:
            async def leave() -> None:
                raise SystemExit(3)

            self.task = asyncio.create_task(leave())

        @crosstie.action
        async def stop(self) -> None:
            asyncio.get_running_loop().stop()

        @crosstie.action
        async def answer(self) -> int:
            return threading.get_ident()

    bus.component(Home)
    thread = bus.call("Home", "answer")
    bus.call("Home", "leave")
    assert unraisable.arrived.wait(WATCHDOG)
    assert isinstance(unraisable[0][0], SystemExit)
    bus.call("Home", "stop")
    assert bus.call("Home", "answer") == thread


def test_a_loop_that_was_closed_is_replaced(bus: crosstie.Bus) -> None:
    class Home:
        @crosstie.action
        async def answer(self) -> bool:
            return asyncio.get_running_loop().is_closed()

    bus.component(Home)
    assert bus.call("Home", "answer") is False
    first = bus._handler_loops._own
    assert first is not None
    first.stop(waits=True)
    assert first.loop.is_closed()
    assert bus.call("Home", "answer") is False
    assert bus._handler_loops._own is not first


def test_a_loop_that_closes_leaves_no_handler_behind(bus: crosstie.Bus) -> None:
    """The task of a request on the program's own loop is released with the loop; the request ends."""
    started = threading.Event()
    ended: list[int] = []

    class Noticed:
        def __del__(self) -> None:
            ended.append(1)

    async def register() -> None:
        async def never() -> None:
            noticed = Noticed()
            started.set()
            await asyncio.Event().wait()
            del noticed

        bus.routes.add("app://never", never, replace=True)

    calls = []
    for count in range(1, 4):
        started.clear()
        loop = asyncio.new_event_loop()
        loop.run_until_complete(register())
        calls.append(bus.open_async("app://never", timeout=None))
        while not started.is_set():
            loop.run_until_complete(asyncio.sleep(0))
        assert len(ended) < count
        loop.close()
        del loop
    bus.routes.clear()
    asyncio.run(asyncio.sleep(0))

    @bus.route("app://other")
    async def other() -> str:
        return "other"

    assert bus.open("app://other").value == "other"  # the first one on another loop looks after those that are closed
    gc.collect()
    assert len(ended) == 3
    for call in calls:
        assert isinstance(call.exception(WATCHDOG), crosstie.Error)


# ---- Contexts --------------------------------------------------------------------------------------------


def test_each_request_has_a_context_of_its_own() -> None:
    """The variables of one handler are not visible to the next on that worker, nor those of completions and progress."""
    variable = contextvars.ContextVar("variable", default="nothing")
    seen: list[object] = []

    def look(where: str) -> None:
        seen.append((where, variable.get()))
        variable.set(where)

    def see(request: crosstie.Request, proceed: Callable[[], None]) -> None:
        look("interceptor")
        proceed()

    def handle(request: crosstie.Request) -> None:
        seen.append(("handler", variable.get()))
        variable.set("handler")
        request.on_return(lambda response: look("return"))

    with crosstie.Bus(max_workers=1) as bus:
        bus.routes.add("app://a", handle)
        bus.interceptors.add(see)
        for _ in range(3):
            received = threading.Event()

            def complete(response: crosstie.Response, received: threading.Event = received) -> None:
                look("completion")
                received.set()

            bus.open_async("app://a", completion=complete)
            assert received.wait(WATCHDOG)
    assert set(seen) == {(where, "nothing") for where in ("interceptor", "handler", "return", "completion")}


def test_a_synchronous_handler_is_in_its_callers_context(bus: crosstie.Bus) -> None:
    variable = contextvars.ContextVar("variable", default=0)

    @bus.route("app://a")
    def handle() -> int:
        before = variable.get()
        variable.set(before + 1)
        return before

    variable.set(5)
    assert bus.open("app://a").value == 5
    assert variable.get() == 6


# ---- Failures --------------------------------------------------------------------------------------------


def test_failures_leak_nothing(bus: crosstie.Bus) -> None:
    """A traceback leads to the frames that have the request and the call, and these keep the exception."""

    class Failure(Exception): ...

    class Home:
        @crosstie.action
        async def plain(self) -> None:
            raise Failure

        @crosstie.action
        async def asked(self, request: crosstie.Request) -> None:
            raise Failure

        @crosstie.action
        def kept(self, request: crosstie.Request) -> None:
            request.defer()
            try:
                raise Failure
            except Failure as error:
                request.fail(error)
            assert request.is_ended
            assert not request.is_cancelled
            with pytest.raises(crosstie.Error) as late:
                request.reply()
            assert late.value.status is crosstie.Status.ALREADY

        @crosstie.action
        def simple(self) -> None:
            raise Failure

    def result(name: str) -> None:
        call = bus.call_async("home", name)
        call.result(WATCHDOG)

    def exception(name: str) -> None:
        call = bus.call_async("home", name)
        error = call.exception(WATCHDOG)
        assert error is not None
        raise error

    async def awaited(name: str) -> None:
        await bus.aio.call("home", name)

    bus.components.add(Home(), "home")
    asks: list[Callable[[str], object]] = [
        result,
        exception,
        lambda name: asyncio.run(awaited(name)),
        lambda name: bus.call("home", name),
    ]
    for name in ("plain", "asked", "kept", "simple"):
        for ask in asks:
            for _ in range(5):
                with pytest.raises(Failure):
                    ask(name)
    bus.close()  # completions have run
    gc.collect()
    assert [thing for thing in gc.get_objects() if isinstance(thing, Failure)] == []


# ---- Async actions on the calling thread -------------------------------------------------------------------


class Asked:
    """An async action, and what it saw."""

    marker: contextvars.ContextVar[str] = contextvars.ContextVar("marker", default="none")

    def __init__(self) -> None:
        self.seen: list[str] = []

    @crosstie.action
    async def see(self) -> int:
        self.seen.append(self.marker.get())
        self.marker.set("changed inside")
        return threading.get_ident()


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))


def test_an_async_action_of_the_same_loop_needs_no_worker(bus: crosstie.Bus, run: Run) -> None:
    async def ask() -> None:
        asked = Asked()
        bus.components.add(asked, "asked")
        view = bus.aio.with_options(timeout=None)
        before = thread_count()
        for _ in range(100):
            assert await view.call("asked", "see") == threading.get_ident()
        assert thread_count() == before
    run(ask())


def test_an_async_action_has_a_copy_of_the_callers_context(bus: crosstie.Bus, run: Run) -> None:
    async def ask() -> None:
        asked = Asked()
        bus.components.add(asked, "asked")
        Asked.marker.set("caller's")
        await bus.aio.call("asked", "see")
        assert Asked.marker.get() == "caller's"
        with bus.interceptors.add(lambda request: request.proceed()):
            await bus.aio.call("asked", "see")
        assert asked.seen == ["caller's", "none"]

    run(ask())


def test_an_async_action_may_be_started_inside_a_call_that_waits(bus: crosstie.Bus, run: Run) -> None:
    """The thread waits for the outer request, and not for the one that it starts."""
    calls: list[crosstie.Call[Any]] = []

    class Outer:
        @crosstie.action
        def start(self) -> None:
            calls.append(bus.call_async("asked", "see"))

    async def ask() -> None:
        bus.components.add(Asked(), "asked")
        bus.components.add(Outer(), "outer")
        bus.call("outer", "start")
        assert await asyncio.to_thread(calls[0].result, WATCHDOG) == threading.get_ident()

    run(ask())


def test_wrong_parameters_of_an_async_action(bus: crosstie.Bus, run: Run) -> None:
    class Picky:
        @crosstie.action
        async def take(self, count: int) -> int:
            return count

    async def ask() -> None:
        bus.components.add(Picky(), "picky")
        assert await bus.aio.call("picky", "take", count=3) == 3
        with pytest.raises(crosstie.ParamError):
            await bus.aio.call("picky", "take", count="many")

    run(ask())


# ---- The way of an answer on its own loop ----------------------------------------------------------------


async def rounds_of(awaitable: Callable[[], Awaitable[Any]]) -> int:
    """The rounds of the running loop until an awaitable ends."""
    loop = asyncio.get_running_loop()
    count = 0
    handle: asyncio.Handle

    def count_round() -> None:
        nonlocal count, handle
        count += 1
        handle = loop.call_soon(count_round)

    handle = loop.call_soon(count_round)
    await awaitable()
    handle.cancel()
    return count


def test_the_answer_of_an_async_action_takes_no_round_of_its_own(bus: crosstie.Bus, run: Run) -> None:
    class Failing:
        @crosstie.action
        async def fail(self) -> None:
            raise ZeroDivisionError

    async def nothing() -> None:
        pass

    async def fail() -> None:
        with pytest.raises(ZeroDivisionError):
            await bus.aio.call("failing", "fail")

    async def ask() -> None:
        bus.components.add(Asked(), "asked")
        bus.components.add(Failing(), "failing")
        await bus.aio.call("asked", "see")
        least = await rounds_of(lambda: asyncio.create_task(nothing()))
        assert await rounds_of(lambda: bus.aio.call("asked", "see")) == least
        assert await rounds_of(fail) == least

    run(ask())


def test_progress_runs_inside_no_other_task(bus: crosstie.Bus, home: Home, run: Run) -> None:
    """It waits for the loop's next round, although an async action has an answer before that."""
    tasks: list[asyncio.Task[Any] | None] = []

    async def ask() -> None:
        bus.components.add(Asked(), "asked")
        view = bus.aio.with_options(progress=lambda _: tasks.append(asyncio.current_task()))
        kept = asyncio.ensure_future(view.call("home", "keep"))
        await asyncio.to_thread(home.arrived.wait, WATCHDOG)
        home.kept[0].progress(1)
        await bus.aio.call("asked", "see")
        assert tasks == [None]
        home.kept[0].reply(2)
        assert await kept == 2
        with pytest.raises(ValueError):
            await view.with_options(priority="none").call("home", "echo")  # type: ignore[arg-type]
        assert traffic.traffic_of(asyncio.get_running_loop()).watched == 0

    run(ask())


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_a_task_that_never_begins_is_forgotten(bus: crosstie.Bus, run: Run) -> None:
    async def ask() -> None:
        bus.components.add(Asked(), "asked")
        known = traffic.traffic_of(asyncio.get_running_loop())
        call = bus.call_async("asked", "see")
        (task,) = known.tasks
        task.cancel()
        await asyncio.wait([task])
        del task
        assert known.tasks == set()
        gc.collect()
        assert await asyncio.to_thread(call.wait, WATCHDOG)
        assert isinstance(call.exception(), crosstie.Error)
        await bus.aio.call("asked", "see")
        assert known.tasks == set()

    run(ask())


FORKING = """
import asyncio, os, crosstie

class Asked:
    @crosstie.action
    async def see(self): return os.getpid()

async def ask():
    with crosstie.Bus() as bus:
        bus.components.add(Asked(), "asked")
        assert await bus.aio.call("asked", "see") == os.getpid()

async def main():
    await ask()
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(ask())
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    await ask()

asyncio.run(main())
"""


def test_a_forked_child_awaits_in_loops_of_its_own() -> None:
    program = [sys.executable, "-W", "ignore", "-c", FORKING]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=WATCHDOG, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
