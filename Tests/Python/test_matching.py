"""URLs that no route matches as a whole: nearest mode, the unmatched, the system opener; and worker-only."""

import os
import pathlib
import threading
from typing import Any, Literal

import pytest

import crosstie
from conftest import WATCHDOG

# Nearest


def where(request: crosstie.Request) -> Any:
    return request.pattern, request.unmatched


def test_nearest(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:x", where)
    assert bus.open("app://a/b").value == ("app://a/:x", "")
    assert bus.open("app://a/b/c%20d/e?q=1", mode="nearest").value == ("app://a/:x", "/c%20d/e")
    assert bus.open_async("app://a/b/c", mode="nearest").result().value == ("app://a/:x", "/c")
    modes: tuple[Literal["exact"] | None, ...] = (None, "exact")
    for mode in modes:
        with pytest.raises(crosstie.NoRouteError):
            bus.open("app://a/b/c", mode=mode)
        assert bus.can_open("app://a/b/c", mode=mode) is None
    assert bus.can_open("app://a/b/c", mode="nearest") == "route"
    for wrong in ("near", 3, b"exact"):
        with pytest.raises(ValueError, match="match mode"):
            bus.open("app://a/b", mode=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="match mode"):
            bus.can_open("app://a/b", mode=wrong)  # type: ignore[arg-type]


def test_a_bus_that_matches_the_nearest() -> None:
    with crosstie.Bus(match="nearest") as bus:
        bus.routes.add("app://a", where, public=True)
        bus.routes.add("app://a/b", where)
        assert bus.open("app://a/c").value == ("app://a", "/c")
        assert bus.open("app://a/c", origin="remote").value == ("app://a", "/c")
        assert bus.can_open("app://a/c") == "route"
        with pytest.raises(crosstie.NoRouteError):
            bus.open("app://a/c", mode="exact")
        with pytest.raises(crosstie.DeniedError):
            bus.open("app://a/b/c", origin="remote")
    with crosstie.Bus(match="exact") as bus:
        bus.routes.add("app://a", where)
        assert bus.can_open("app://a/c") is None
    with pytest.raises(ValueError, match="match mode"):
        crosstie.Bus(match="closest")  # type: ignore[arg-type]


# The unmatched


def test_unmatched(bus: crosstie.Bus) -> None:
    @bus.routes.unmatched
    def nothing(request: crosstie.Request, x: int = 0) -> Any:
        return request.url, x

    bus.routes.add("app://a", lambda: "a")
    assert bus.open("app://a").value == "a"
    assert bus.open("app://b?x=3").value == ("app://b/?x=3", 3)
    assert bus.open("other://b").value == ("other://b/", 0)
    assert bus.can_open("other://b") == "route"
    with pytest.raises(crosstie.NoRouteError):
        bus.open("other://b", origin="remote")
    assert bus.routes.unmatched(public=True)(nothing) is nothing
    assert bus.open("other://b", origin="remote").value == ("other://b/", 0)
    bus.routes.unmatched(lambda request: request.decline())
    with pytest.raises(crosstie.NoRouteError):
        bus.open("app://b")


def test_the_last_of_a_kind_counts(bus: crosstie.Bus) -> None:
    def first() -> str:
        return "first"

    def second() -> str:
        return "second"

    bus.routes.unmatched(first)
    [registration] = bus._registrations()
    assert (registration.kind, registration.active) == ("unmatched", True)
    bus.routes.unmatched(second)
    assert not registration.active
    registration.remove()
    with pytest.raises(crosstie.NotFoundError):
        bus.routes.remove(first)
    assert bus.open("app://a").value == "second"
    bus.routes.remove(second)
    with pytest.raises(crosstie.NoRouteError):
        bus.open("app://a")


def test_replaced_by_itself(bus: crosstie.Bus) -> None:
    """The one that runs stays until it has returned, and cannot take its successor away."""

    def first() -> Any:
        [registration] = bus._registrations()
        bus.routes.unmatched(lambda: "second")
        registration.remove()
        return registration.active

    bus.routes.unmatched(first)
    assert bus.open("app://a").value is False
    assert bus.open("app://a").value == "second"
    assert len(bus._registrations()) == 1


# The system opener


def test_a_function_opens(bus: crosstie.Bus) -> None:
    @bus.system_opener
    def show(request: crosstie.Request) -> Any:
        return request.url, request.origin

    bus.routes.add("app://a", lambda: None)
    assert bus.can_open("https://example.com/x") == "system"
    assert bus.open("HTTPS://Example.com/x").value == ("https://example.com/x", "local")
    for url in ("mailto:a@b", "app://nowhere", "file:///etc/passwd"):
        with pytest.raises(crosstie.NoRouteError):
            bus.open(url)
        assert bus.can_open(url) is None
    with pytest.raises(crosstie.NoRouteError):
        bus.open("https://example.com", origin="remote")
    assert bus.can_open("https://example.com", origin="remote") is None
    assert bus.system_opener(schemes=["mailto"], remote=True)(show) is show
    assert bus.open("mailto:a@b", origin="remote").value == ("mailto:a@b", "remote")
    assert bus.system_opener(show, enabled=False) is show
    assert bus.can_open("https://example.com") is None
    bus.system_opener(show)
    bus.system_opener(enabled=False)
    assert bus.can_open("https://example.com") is None
    bus.system_opener(lambda request: request.decline())
    with pytest.raises(crosstie.NoRouteError):
        bus.open("https://example.com")


def test_the_trust_of_a_system_opener(bus: crosstie.Bus) -> None:
    bus.routes.add("app://private", lambda: "secret")
    bus.system_opener(lambda: bus.open("app://private").value, remote=True)
    assert bus.open("https://example.com").value == "secret"
    with pytest.raises(crosstie.DeniedError):
        bus.open("https://example.com", origin="remote")


def test_a_program_opens(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    pipe, program = tmp_path / "pipe", tmp_path / "program"
    os.mkfifo(pipe)
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >{pipe}\n')
    program.chmod(0o700)
    bus.system_opener(program=str(program), schemes=("tel",))
    opened: list[str] = []
    reader = threading.Thread(target=lambda: opened.append(pipe.read_text()))
    reader.start()
    assert bus.open("tel:+1;ext=2").value is None
    reader.join(WATCHDOG)
    assert opened == ["tel:+1;ext=2|"]
    bus.system_opener(program=str(tmp_path / "missing"))
    with pytest.raises(OSError, match="missing") as caught:
        bus.open("https://example.com")
    assert isinstance(caught.value, crosstie.StoreError)


def test_options_of_the_system_opener(bus: crosstie.Bus) -> None:
    for call, error in (
        (lambda: bus.system_opener(schemes="mailto"), TypeError),
        (lambda: bus.system_opener(schemes=[3]), TypeError),  # type: ignore[list-item]
        (lambda: bus.system_opener(schemes=["java script"]), crosstie.UrlError),
        (lambda: bus.system_opener(schemes=["javascript"]), crosstie.UrlError),
        (lambda: bus.system_opener(schemes=[f"a{i}" for i in range(65)]), crosstie.ArgumentError),
        (lambda: bus.system_opener(program="a\0b"), crosstie.ArgumentError),
        (lambda: bus.system_opener(program=3), TypeError),  # type: ignore[call-overload]
        (lambda: bus.system_opener(3), TypeError),  # type: ignore[call-overload]
    ):
        with pytest.raises(error):
            call()
    assert bus._registrations() == []


# Worker-only


def test_worker_only(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda: threading.get_ident(), worker_only=True)
    bus.routes.add("app://fail", lambda: 1 / 0, worker_only=True)
    bus.routes.add("app://nested", lambda: bus.open("app://a").value, worker_only=True)
    assert bus.open("app://a").value != threading.get_ident()
    assert bus.open_async("app://a").result().value != threading.get_ident()
    assert bus.open("app://nested").value != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        bus.open("app://fail")


def test_the_caller_of_a_worker_only_handler_lets_the_gil_go(bus: crosstie.Bus) -> None:
    started, may_end = threading.Event(), threading.Event()

    def handler() -> str:
        started.set()
        assert may_end.wait(WATCHDOG)
        return "ended"

    bus.routes.add("app://a", handler, worker_only=True)
    def let_end() -> None:
        if started.wait(WATCHDOG):
            may_end.set()

    release = threading.Thread(target=let_end)
    release.start()
    assert bus.open("app://a", timeout=WATCHDOG).value == "ended"
    release.join()


def test_the_deadline_of_a_worker_only_handler(bus: crosstie.Bus) -> None:
    may_end = threading.Event()
    bus.routes.add("app://a", lambda: may_end.wait(WATCHDOG), worker_only=True)
    with pytest.raises(TimeoutError):
        bus.open("app://a", timeout=0.01)
    may_end.set()
