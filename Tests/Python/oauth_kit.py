"""Helpers of the sign-in tests: a browser that the test plays, endpoints that obey."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from werkzeug import Request, Response
from werkzeug.serving import make_server

import crosstie
from conftest import WATCHDOG
from crosstie.oauth import OAuthProvider, Preset
from oauth_server import Server, _SilentHandler

REDIRECT = "shop://oauth/callback"


class Browser:
    """Stands for the browser: gets the URLs that the bus opens."""

    def __init__(self, bus: crosstie.Bus) -> None:
        self._opened: queue.Queue[str] = queue.Queue()
        self._bus = bus
        bus.system_opener(self._open)

    def _open(self, request: crosstie.Request) -> None:
        self._opened.put(request.url)

    def opened(self, patience: float = WATCHDOG) -> str:
        """The next URL that was opened."""
        return self._opened.get(timeout=patience)

    def question(self) -> dict[str, str]:
        """The parameters of the next URL that was opened."""
        return dict(parse_qsl(urlsplit(self.opened()).query))

    def come_back(self, redirect: str = REDIRECT, **fields: str) -> None:
        """Bring a redirect from outside."""
        self._bus.open(f"{redirect}?{urlencode(fields)}", origin="remote", timeout=WATCHDOG)


@pytest.fixture
def browser(bus: crosstie.Bus) -> Browser:
    return Browser(bus)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


def preset_of(server: Server, **more: Any) -> Preset:
    """The test's own service."""
    return Preset(
        name="example",
        authorization_endpoint=f"{server.url}/authorize",
        token_endpoint=f"{server.url}/token",
        **{"issuer": server.url, **more},
    )


class Endpoint:
    """An HTTP endpoint that gives the answers it was set to, and keeps the requests."""

    def __init__(self) -> None:
        self.answer: Callable[[Request], Response] = lambda request: Response("", 500)
        self.asked: list[dict[str, list[str]]] = []
        self._http = make_server("127.0.0.1", 0, self._run, threaded=True, request_handler=_SilentHandler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def says(self, body: str | bytes, status: int = 200, **headers: str) -> None:
        """Answer this from now on."""
        self.answer = lambda request: Response(body, status, headers)

    def _run(self, environ: Any, start_response: Any) -> Any:
        request = Request(environ)
        body = request.get_data(as_text=True) or request.query_string.decode()
        self.asked.append({"method": [request.method], "path": [request.path], **parse_qs(body)})
        return self.answer(request)(environ, start_response)

    def close(self) -> None:
        """Answer no more."""
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    yield endpoint
    endpoint.close()


def service(endpoint: Endpoint | None = None, **more: Any) -> Preset:
    """A service whose endpoints the test plays."""
    url = endpoint.url if endpoint else "http://127.0.0.1:9"
    return Preset(
        name="example", authorization_endpoint=f"{url}/authorize", token_endpoint=f"{url}/token", **more
    )


def add(bus: crosstie.Bus, preset: Preset, **more: Any) -> OAuthProvider:
    """A provider for a service, with a redirect by custom scheme."""
    provider = OAuthProvider(preset, **{"client_id": "desktop", "redirect_uri": REDIRECT, **more})
    bus.providers.add(provider)
    return provider


def start(
    bus: crosstie.Bus, params: dict[str, Any] | None = None, platform: str = "example", **options: Any
) -> Any:
    """A sign-in that waits for its answer."""
    return bus.with_options(**options).oauth_async(crosstie.Platform(platform), params)


def start_with_deadline(bus: crosstie.Bus, browser: Browser) -> tuple[Any, str]:
    """A sign-in that will end by its deadline, after its URL was opened: if not this one, then the next."""
    for seconds in (0.2, 2, 20):
        call = start(bus, timeout=seconds)
        with contextlib.suppress(queue.Empty):
            return call, browser.opened(seconds)
    raise AssertionError("nothing is opened")


def info(call: Any) -> dict[str, str]:
    """Return the answer of a sign-in."""
    answer: dict[str, str] = call.result(WATCHDOG)
    return answer


def failure(call: Any) -> crosstie.Error:
    """Return the failure of a sign-in."""
    with pytest.raises(crosstie.Error) as caught:
        call.result(WATCHDOG)
    return caught.value
