"""A signal ends what the main thread waits for in the library: interrupt_requests.py <what> [<exception>]."""

import asyncio
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import crosstie

# From 3.12 on Python warns of what is tried here.
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)

# A shell ignores SIGINT in what it starts in the background, and Python then sets no handler.
signal.signal(signal.SIGINT, signal.default_int_handler)

#: Seconds after which a wait ends that was not interrupted, so that a failing test ends.
LONG = 600


class Wanted(Exception):
    """Another exception that a signal handler may raise."""


bus = crosstie.Bus("interrupt")
waits = bus.with_options(timeout=None)
kept: list[crosstie.Request] = []
began = threading.Event()
cleaned = threading.Event()
go_on = threading.Event()


def keep(request: crosstie.Request) -> None:
    """Answers never."""
    kept.append(request.defer())
    began.set()


async def never(request: crosstie.Request) -> None:
    """The same on a loop, which is notified of the end."""
    kept.append(request)
    began.set()
    try:
        await asyncio.Event().wait()
    finally:
        cleaned.set()


def block(*_: object) -> None:
    """Occupy the thread until it is released."""
    began.set()
    go_on.wait(LONG)


class Home:
    @crosstie.action
    def keep(self, request: crosstie.Request) -> None:
        keep(request)

    @crosstie.action
    async def never(self, request: crosstie.Request) -> None:
        await never(request)

    @crosstie.event("tell")
    def report(self, request: crosstie.Request) -> None:
        keep(request)


class Provider(crosstie.Provider):
    name = "provider"
    platform = crosstie.Platform.QQ
    endpoints = {crosstie.Endpoint.QQ_FRIEND: {crosstie.ShareKind.TEXT}}
    app_id = "Tencent1"
    universal_link = "https://a.example/app"

    def share(self, request: crosstie.Request, message: Any, endpoint: str, options: Any) -> None:
        keep(request)

    def oauth(self, request: crosstie.Request, params: Any, options: Any) -> None:
        keep(request)

    def launch(self, request: crosstie.Request, program: Any, options: Any) -> None:
        keep(request)

    def open_url(self, request: crosstie.Request, url: str) -> None:
        keep(request)


class More:
    """A handler that a broadcast waits for, too."""

    @crosstie.event("tell")
    def report(self, request: crosstie.Request) -> None:
        keep(request)


bus.components.add(Home(), "home")
bus.components.add(More(), "more")
bus.components.add(More(), "most")
bus.providers.add(Provider())
bus.routes.add("app://keep", keep)
bus.routes.add("app://never", never)
blocking = bus.routes.add("app://block", block)
bus.routes.add("app://worker", lambda: block(), worker_only=True)
bus.routes.add("app://nested", lambda: waits.open("app://keep"))
bus.performer.allow("swift:none")
bus.performer.fallback(keep)
hole = crosstie.Wormhole("interrupt", directory=tempfile.mkdtemp() + "/group")


def while_blocked(end: Callable[[], object]) -> Callable[[], object]:
    """Ends something while a handler of it runs on another thread."""

    def run() -> None:
        call = bus.open_async("app://block", timeout=None)
        began.wait()
        assert not call.done()
        end()

    return run


def close_wormhole() -> None:
    hole.add_listener("a", block)
    hole["a"] = 1
    began.wait()
    hole.close()


def remove_listener() -> None:
    listener = hole.add_listener("a", block)
    hole["a"] = 1
    began.wait()
    listener.remove()


def remove_listeners() -> None:
    hole.add_listener("a", block)
    hole["a"] = 1
    began.wait()
    hole.listeners.clear()


def system_tool() -> None:
    """A program that is waited for by the library itself."""
    tool = pathlib.Path(tempfile.mkdtemp()) / "mail"
    tool.write_text(f'#!/bin/sh\nwhile [ ! -e "$0.go" ] && kill -0 {os.getpid()}; do sleep 0.1; done\n')
    tool.chmod(0o755)
    bus.providers.add_system(mail=str(tool))
    began.set()
    try:
        waits.share(crosstie.Endpoint.SYSTEM_ACTIVITY, crosstie.SharedMessage.text("x"))
    finally:
        tool.with_suffix(".go").touch()


def fork() -> None:
    """In a child of another thread that thread is the main one."""
    began.set()  # nobody interrupts the parent

    def run() -> None:
        child = os.fork()
        if child == 0:
            try:
                with crosstie.Bus() as own:
                    own.routes.add("app://keep", lambda request: kept.append(request.defer()))
                    pid = os.getpid()
                    if os.fork() == 0:
                        time.sleep(0.2)
                        os.kill(pid, signal.SIGINT)
                        os._exit(0)
                    own.open("app://keep", timeout=None)
            except KeyboardInterrupt:
                os._exit(7)
            finally:
                os._exit(1)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    statuses: list[int] = []
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert statuses == [7], statuses
    raise KeyboardInterrupt


def elsewhere() -> None:
    """A thread that is not the main one waits on; it is the main one that gets the signal."""
    thread = threading.Thread(target=lambda: answers.append(waits.open("app://keep").value))
    answers: list[object] = []
    thread.start()
    try:
        time.sleep(LONG)
    except KeyboardInterrupt:
        assert thread.is_alive()
        kept[0].reply("answer")
        thread.join()
        assert answers == ["answer"]
        raise


def open_by_deadline() -> None:
    """The deadline comes just when the signal does: whichever is first, the signal is not lost."""
    try:
        bus.with_options(timeout=0.05).open("app://never")
    except crosstie.TimeoutError:
        time.sleep(LONG)


CASES: dict[str, Callable[[], object]] = {
    "open": lambda: waits.open("app://keep"),
    "open_async_handler": lambda: waits.open("app://never"),
    "open_nested": lambda: waits.open("app://nested"),
    "open_worker": lambda: waits.open("app://worker"),
    "call": lambda: waits.call("home", "keep"),
    "call_async_handler": lambda: waits.call("home", "never"),
    "perform": lambda: waits.perform("swift:none", "keep"),
    "broadcast": lambda: waits.broadcast("tell"),
    "share": lambda: waits.share(crosstie.Endpoint.QQ_FRIEND, crosstie.SharedMessage.text("x")),
    "oauth": lambda: waits.oauth(crosstie.Platform.QQ),
    "launch": lambda: waits.launch(crosstie.Platform.QQ),
    "provider_open_url": lambda: waits.providers.open_url("tencent1://x"),
    "wait": lambda: bus.open_async("app://keep", timeout=None).wait(),
    "result": lambda: bus.open_async("app://keep", timeout=None).result(),
    "close": while_blocked(bus.close),
    "exit": while_blocked(lambda: bus.__exit__(None, None, None)),
    "remove": while_blocked(blocking.remove),
    "remove_route": while_blocked(lambda: bus.routes.remove("app://block")),
    "clear_routes": while_blocked(bus.routes.clear),
    "remove a function": while_blocked(lambda: bus.routes.remove(block)),
    "replace": while_blocked(lambda: bus.routes.add("app://block", block, replace=True)),
    "close_wormhole": close_wormhole,
    "remove_listener": remove_listener,
    "remove_listeners": remove_listeners,
    "system_tool": system_tool,
    "fork": fork,
    "elsewhere": elsewhere,
    "open_by_deadline": open_by_deadline,
}


def interrupt() -> None:
    began.wait()
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


def raise_wanted(*_: object) -> None:
    raise Wanted


def note(*_: object) -> None:
    """A handler that raises nothing ends no wait; it may let the others go on."""
    print("noted")
    for request in kept:
        request.reply("late")


def check(what: str, how: str) -> None:
    expected: type[BaseException] = KeyboardInterrupt
    if how == "wanted":
        expected = Wanted
        signal.signal(signal.SIGINT, raise_wanted)
    if what != "fork":
        threading.Thread(target=interrupt, daemon=True).start()
    try:
        CASES[what]()
        time.sleep(LONG if what == "replace" else 0)
    except expected:
        print("interrupted")
    if what == "open_by_deadline" or what.endswith("async_handler"):
        assert cleaned.wait(LONG)
    if what not in ("wait", "result") and kept:
        assert all(request.is_ended for request in kept), kept
    go_on.set()


if len(sys.argv) > 2 and sys.argv[2] == "note":
    signal.signal(signal.SIGINT, note)
    threading.Thread(target=interrupt, daemon=True).start()
    print(CASES[sys.argv[1]]().value)  # type: ignore[attr-defined]
else:
    check(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
