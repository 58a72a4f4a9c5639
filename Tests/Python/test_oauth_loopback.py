"""The redirect to loopback: the listener, its requests and its lifetime."""

import contextlib
import http.client
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

import crosstie
from conftest import WATCHDOG
from crosstie import Status
from oauth_kit import (
    Browser,
    Endpoint,
    add,
    browser,
    endpoint,
    failure,
    info,
    service,
    start,
    start_with_deadline,
)

__all__ = ["browser", "endpoint"]

ANYWHERE = "http://127.0.0.1/callback"


class Waiting:
    """A sign-in that waits at a listener, and what its service was asked."""

    def __init__(self, call: Any, url: str) -> None:
        self.call = call
        asked = dict(parse_qsl(urlsplit(url).query))
        self.state, self.redirect_uri = asked["state"], asked["redirect_uri"]
        self.place = urlsplit(self.redirect_uri)
        self.host = self.place.hostname or ""
        self.port = self.place.port or 0

    def get(self, target: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, str]:
        """A request of a browser, and its answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=WATCHDOG)
        with contextlib.closing(connection):
            connection.request(method, target, headers=headers)
            answer = connection.getresponse()
            return answer, answer.read().decode()

    def come_back(self, **fields: str) -> tuple[http.client.HTTPResponse, str]:
        """The browser gets to the redirect."""
        return self.get("/callback?" + urlencode({"code": "c", "state": self.state, **fields}))

    def say(self, said: bytes) -> bytes:
        """Anything at all, and what is answered."""
        with socket.create_connection((self.host, self.port), WATCHDOG) as connection:
            connection.sendall(said)
            received = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := connection.recv(4096):
                    received += piece
            return received

    def is_received(self) -> bool:
        """Whether anybody listens there."""
        try:
            socket.create_connection((self.host, self.port), WATCHDOG).close()
        except ConnectionRefusedError:
            return False
        except ConnectionResetError:
            pass  # it has closed in this moment
        return True

    def await_silence(self) -> None:
        """Waits until nobody listens there any more."""
        end = time.monotonic() + WATCHDOG
        while self.is_received():
            assert time.monotonic() < end, "the listener does not end"


def wait(bus: crosstie.Bus, browser: Browser, **options: Any) -> Waiting:
    """A sign-in that waits."""
    call = start(bus, **options)
    return Waiting(call, browser.opened())


@pytest.fixture
def waiting(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> Iterator[Waiting]:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint), redirect_uri=ANYWHERE)
    yield wait(bus, browser, timeout=None)


def test_whole(waiting: Waiting, endpoint: Endpoint) -> None:
    assert waiting.redirect_uri == f"http://127.0.0.1:{waiting.port}/callback"
    answer, page = waiting.come_back()
    assert answer.status == 200 and "go back to the application" in page
    assert waiting.state not in page and waiting.state not in str(answer.headers)
    assert dict(answer.headers) == {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": "default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
        "Content-Length": str(len(page)),
    }
    assert info(waiting.call)["access_token"] == "t"
    assert endpoint.asked[0]["redirect_uri"] == [waiting.redirect_uri]
    waiting.await_silence()


JUNK = [
    b"\r\n\r\n",
    b"GET /callback\r\n\r\n",
    b"nonsense\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET /callback?code=c&state={state} HTTP/1.1\r\n\r\n",
    b"GET /callback?code=c&state={state} HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /callback?code=c&state={state} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n",
    b"GET /callback?code=c&state={state} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: x\r\n\r\n",
    b"POST /callback?code=c&state={state} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"HEAD /callback?code=c&state={state} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET http://127.0.0.1:{port}/callback?code=c&state={state} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET /callback/?code=c&state={state} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    b"GET /callback HTTP/1.1\r\nX: " + b"x" * 20_000,
]


@pytest.mark.parametrize("said", JUNK, ids=range(len(JUNK)))
def test_junk(waiting: Waiting, said: bytes) -> None:
    said = said.replace(b"{state}", waiting.state.encode()).replace(b"{port}", str(waiting.port).encode())
    received = waiting.say(said)
    assert received == b"" or received.startswith(b"HTTP/1.1 404 Not Found\r\n")
    assert waiting.come_back()[0].status == 200
    assert info(waiting.call)["access_token"] == "t"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "?code=c",
        "?code=c&state=foreign",
        "?code=c&state=%00",
        "?%zz",
        "?a#b",
        "?\\",
        "?" + "x" * 9000,
        "?\xe9",
    ],
)
def test_answers_that_the_application_does_not_take(waiting: Waiting, query: str) -> None:
    head = f"GET /callback{query} HTTP/1.1\r\nHost: 127.0.0.1:{waiting.port}\r\n\r\n"
    received = waiting.say(head.encode("latin-1"))
    assert received.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"does not take this answer" in received
    assert waiting.come_back()[0].status == 200
    assert info(waiting.call)["access_token"] == "t"


def test_connections_that_say_nothing(waiting: Waiting) -> None:
    with contextlib.ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection((waiting.host, waiting.port), WATCHDOG))
            for _ in range(40)
        ]
        with contextlib.suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""  # it has made room
        assert waiting.come_back()[0].status == 200
    assert info(waiting.call)["access_token"] == "t"


def test_a_request_that_does_not_end(waiting: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstie.oauth._listener.PATIENCE", 0.01)
    assert waiting.say(b"GET /callback HTTP/1.1\r\n").startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    monkeypatch.undo()
    assert waiting.come_back()[0].status == 200
    assert info(waiting.call)["access_token"] == "t"


def test_the_user_does_not_want_to(waiting: Waiting) -> None:
    answer, _ = waiting.get(f"/callback?error=access_denied&state={waiting.state}")
    assert answer.status == 200
    assert failure(waiting.call).status is Status.USER_CANCELLED
    waiting.await_silence()


def test_cancelling_ends_the_listener(waiting: Waiting) -> None:
    with socket.create_connection((waiting.host, waiting.port), WATCHDOG) as silent:
        waiting.call.cancel()
        assert failure(waiting.call).status is Status.CANCELLED
        waiting.await_silence()
        with contextlib.suppress(ConnectionResetError):
            assert silent.recv(1) == b""


def test_the_deadline_ends_the_listener(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, service(), redirect_uri=ANYWHERE)
    waiting = Waiting(*start_with_deadline(bus, browser))
    assert failure(waiting.call).status is Status.TIMEOUT
    waiting.await_silence()


def test_ten_minutes_end_it_all(bus: crosstie.Bus, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstie.oauth._provider.LIFE", 0.01)
    add(bus, service(), redirect_uri=ANYWHERE)
    waiting = wait(bus, browser, timeout=None)
    error = failure(waiting.call)
    assert (error.status, str(error)) == (Status.TIMEOUT, "no answer came within ten minutes")
    waiting.await_silence()


def test_closing_the_bus_ends_the_listener(waiting: Waiting, bus: crosstie.Bus) -> None:
    bus.close()
    waiting.await_silence()


def test_two_at_once(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    add(bus, service(endpoint), redirect_uri=ANYWHERE)
    first, second = wait(bus, browser), wait(bus, browser)
    assert first.port == second.port and first.state != second.state
    endpoint.says('{"access_token": "of the second"}')
    assert second.come_back()[0].status == 200
    assert info(second.call)["access_token"] == "of the second"
    endpoint.says('{"access_token": "of the first"}')
    assert first.come_back()[0].status == 200
    assert info(first.call)["access_token"] == "of the first"
    first.await_silence()
    again = wait(bus, browser)
    assert again.come_back()[0].status == 200


def test_one_too_many_leaves_no_listener(
    bus: crosstie.Bus, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosstie.oauth._pending.MAX_WAITING", 1)
    assert failure(start(bus)).status is Status.BUSY
    waiting.call.cancel()
    waiting.await_silence()


def test_another_port_is_not_this_redirect(bus: crosstie.Bus, waiting: Waiting) -> None:
    for place in (
        ANYWHERE,
        f"http://127.0.0.1:{waiting.port ^ 1}/callback",
        f"http://127.0.0.2:{waiting.port}/callback",
    ):
        with pytest.raises(crosstie.Error) as caught:
            bus.open(f"{place}?code=c&state={waiting.state}", origin="remote")
        assert caught.value.status in (Status.NO_ROUTE, Status.BLOCKED, Status.DENIED)
    assert waiting.come_back()[0].status == 200
    assert info(waiting.call)["access_token"] == "t"


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def test_port_of_ones_own(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, free_port: int) -> None:
    endpoint.says('{"access_token": "t"}')
    here = f"http://127.0.0.1:{free_port}/callback"
    add(bus, service(endpoint), redirect_uri=here)
    for _ in range(2):
        waiting = wait(bus, browser)
        assert waiting.redirect_uri == here
        assert waiting.come_back()[0].status == 200
        assert info(waiting.call)["access_token"] == "t"
        waiting.await_silence()


def test_port_that_is_taken(bus: crosstie.Bus, browser: Browser, free_port: int) -> None:
    add(bus, service(), redirect_uri=f"http://127.0.0.1:{free_port}/callback")
    with socket.create_server(("127.0.0.1", free_port)):
        error = failure(start(bus))
    assert error.status is Status.SYSTEM and "Address already in use" in str(error)
    waiting = wait(bus, browser)
    waiting.call.cancel()
    waiting.await_silence()


def test_loopback_of_ipv6(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint), redirect_uri="http://[::1]/callback")
    waiting = wait(bus, browser)
    assert waiting.redirect_uri == f"http://[::1]:{waiting.port}/callback"
    assert waiting.come_back()[0].status == 200
    assert info(waiting.call)["access_token"] == "t"
