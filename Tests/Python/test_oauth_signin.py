"""Whole sign-ins with a real authorization server, which demands PKCE. The test plays the person."""

import logging
import threading
from typing import Any

import pytest
import requests

import crosstie
from conftest import WATCHDOG
from crosstie import Status
from crosstie.oauth import OAuthProvider
from oauth_kit import REDIRECT, Browser, add, browser, failure, info, preset_of, server, start
from oauth_server import SECRET, Server, visit

__all__ = ["browser", "server"]

LOOPBACK = "http://127.0.0.1/callback"


@pytest.mark.parametrize("secret", ["", SECRET])
def test_custom_scheme(bus: crosstie.Bus, browser: Browser, server: Server, secret: str) -> None:
    add(
        bus,
        preset_of(server, requires_issuer=True),
        client_id="shop" if secret else "desktop",
        client_secret=secret,
    )
    call = start(bus, {"scope": "profile"})
    location = visit(browser.opened())
    assert location.startswith(REDIRECT)
    bus.open(location, origin="remote")
    answer, given = info(call), server.record.tokens[0]
    assert answer["access_token"] == given["access_token"]
    assert answer["refresh_token"] == given["refresh_token"]
    assert (answer["token_type"], answer["scope"]) == ("Bearer", "profile")
    assert answer["expires_at"].isdecimal()


def test_loopback(bus: crosstie.Bus, browser: Browser, server: Server) -> None:
    add(bus, preset_of(server), redirect_uri=LOOPBACK)
    call = start(bus, {"scope": "profile"})
    page = requests.get(visit(browser.opened()), timeout=WATCHDOG)
    assert page.status_code == 200 and "go back to the application" in page.text
    assert info(call)["access_token"] == server.record.tokens[0]["access_token"]


def test_secrets_by_post(bus: crosstie.Bus, browser: Browser, server: Server) -> None:
    preset = preset_of(server, client_auth="client_secret_post")
    add(bus, preset, client_id="shop", client_secret=SECRET)
    call = start(bus, {"scope": "profile"})
    bus.open(visit(browser.opened()), origin="remote")
    assert info(call)["access_token"]


@pytest.mark.parametrize("redirect", [REDIRECT, LOOPBACK])
def test_the_user_denies(bus: crosstie.Bus, browser: Browser, server: Server, redirect: str) -> None:
    add(bus, preset_of(server, requires_issuer=True), redirect_uri=redirect)
    call = start(bus, {"scope": "profile"})
    location = visit(browser.opened(), allow=False)
    assert "error=access_denied" in location
    if redirect == REDIRECT:
        bus.open(location, origin="remote")
    else:
        assert requests.get(location, timeout=WATCHDOG).status_code == 200
    assert failure(call).status is Status.USER_CANCELLED


def test_the_wrong_secret(bus: crosstie.Bus, browser: Browser, server: Server) -> None:
    add(bus, preset_of(server), client_id="shop", client_secret="wrong")
    call = start(bus, {"scope": "profile"})
    bus.open(visit(browser.opened()), origin="remote")
    error = failure(call)
    assert error.status is Status.UNKNOWN and str(error).startswith(
        "the service refuses the code: invalid_client"
    )


def test_a_stolen_code_is_of_no_use(bus: crosstie.Bus, browser: Browser, server: Server) -> None:
    """The purpose of PKCE: a code brought with the state of another sign-in has the wrong verifier."""
    add(bus, preset_of(server))
    alice = start(bus, {"scope": "profile"})
    hers = visit(browser.opened()).partition("code=")[2].partition("&")[0]
    thief = start(bus, {"scope": "profile"})
    location = visit(browser.opened())
    bus.open(location.replace(location.partition("code=")[2].partition("&")[0], hers), origin="remote")
    error = failure(thief)
    assert error.status is Status.UNKNOWN
    assert str(error) == "the service refuses the code: invalid_grant (Code challenge failed.)"
    alice.cancel()


def test_the_server_demands_pkce(bus: crosstie.Bus, browser: Browser, server: Server) -> None:
    add(bus, preset_of(server))
    start(bus, {"scope": "profile"})
    url = browser.opened().replace("S256", "plain")
    with pytest.raises((AssertionError, requests.RequestException)):
        visit(url)


def test_two_at_once(bus: crosstie.Bus, browser: Browser, server: Server) -> None:
    add(bus, preset_of(server), redirect_uri=LOOPBACK)
    calls = [start(bus, {"scope": scope}) for scope in ("one", "two")]
    locations = [visit(browser.opened()) for _ in calls]
    browsers = [
        threading.Thread(target=requests.get, args=(location,), kwargs={"timeout": WATCHDOG})
        for location in reversed(locations)
    ]
    for thread in browsers:
        thread.start()
    assert [info(call)["scope"] for call in calls] == ["one", "two"]
    for thread in browsers:
        thread.join()


def test_synchronously(bus: crosstie.Bus, server: Server) -> None:
    """A system opener that brings the answer before it returns."""
    add(bus, preset_of(server))

    @bus.system_opener
    def browse(request: crosstie.Request) -> None:
        bus.open(visit(request.url), origin="remote")

    assert bus.oauth(crosstie.Platform("example"), {"scope": "profile"})["scope"] == "profile"


def is_ours(record: logging.LogRecord) -> bool:
    """Whether neither the browser nor the server has logged this, which are in this process, too."""
    is_browser = record.name.startswith("urllib3") and record.thread == threading.get_ident()
    return not is_browser and not record.name.startswith("authlib.oauth2.rfc6749")


def every_text(provider: OAuthProvider, caplog: pytest.LogCaptureFixture, *more: object) -> str:
    """All that was logged, or can be seen of the provider."""
    records = filter(is_ours, caplog.records)
    logged = [f"{record.name} {record.getMessage()} {record.exc_text}" for record in records]
    return "\n".join([*logged, repr(provider), str(provider), *map(repr, more)])


@pytest.mark.parametrize("redirect", [REDIRECT, LOOPBACK])
@pytest.mark.parametrize("client_auth", ["client_secret_basic", "client_secret_post", "query"])
@pytest.mark.parametrize("is_good", [True, False])
def test_secrets_are_nowhere(
    bus: crosstie.Bus,
    browser: Browser,
    server: Server,
    caplog: pytest.LogCaptureFixture,
    redirect: str,
    client_auth: Any,
    is_good: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = SECRET if is_good else SECRET + "x"
    preset = preset_of(server, client_auth=client_auth)
    provider = add(bus, preset, client_id="shop", client_secret=secret, redirect_uri=redirect)
    call = start(bus, {"scope": "profile"})
    url = browser.opened()
    location = visit(url)
    if redirect == REDIRECT:
        bus.open(location, origin="remote")
    else:
        requests.get(location, timeout=WATCHDOG)
    try:
        answer: dict[str, str] = call.result(WATCHDOG)
        reported = ""
    except crosstie.Error as error:
        answer, reported = {}, f"{error!r} {error.__cause__!r} {error.__context__!r}"
    assert bool(answer) == (is_good and client_auth != "query")  # this server takes no secrets in a query
    hidden = [secret, *server.record.verifiers, *(answer[name] for name in answer if name.endswith("_token"))]
    for part in (location.partition("?")[2]).split("&"):
        name, _, value = part.partition("=")
        if name in ("code", "state"):
            hidden.append(value)
    seen = every_text(provider, caplog, call) + reported
    assert "signing in with example" in seen
    assert len(hidden) >= 3
    for text in hidden:
        assert text and text not in seen
