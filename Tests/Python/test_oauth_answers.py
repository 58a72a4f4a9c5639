"""Answers that are refused: the redirect fails, and if a sign-in waits for its state, so does the sign-in."""

import pytest

import crosstie
from conftest import WATCHDOG
from crosstie import Status
from crosstie.oauth import WECHAT
from oauth_kit import REDIRECT, Browser, Endpoint, add, browser, endpoint, failure, info, service, start

__all__ = ["browser", "endpoint"]

ISSUER = "https://issuer.example"


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def refused(bus: crosstie.Bus, query: str, redirect: str = REDIRECT) -> crosstie.Error:
    """Return the failure of opening a redirect."""
    with pytest.raises(crosstie.Error) as caught:
        bus.open(f"{redirect}?{query}", origin="remote", timeout=WATCHDOG)
    return caught.value


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("code=c", "no state"),
        ("", "no state"),
        ("code=c&state=", "no state"),
        ("code=c&state=a&state=b", "more than one state"),
        ("&".join(f"a{i}=1" for i in range(128)) + "&state=s", "too many"),
    ],
)
def test_without_a_state(bus: crosstie.Bus, query: str, reason: str) -> None:
    add(bus, service())
    error = refused(bus, query)
    assert error.status is Status.PARAM or reason == "too many"
    assert reason in str(error) or error.status is Status.LIMIT


def test_a_foreign_state_ends_no_sign_in(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint))
    call = start(bus)
    asked = browser.question()
    for state in ("foreign", asked["state"][:-1], asked["state"] + "x", asked["state"].swapcase()):
        error = refused(bus, f"code=c&state={state}")
        assert (error.status, str(error)) == (Status.DENIED, "no sign-in waits for an answer with this state")
        assert refused(bus, f"error=access_denied&state={state}").status is Status.DENIED
    browser.come_back(code="c", state=asked["state"])
    assert info(call)["access_token"] == "t"


def test_repeated_state(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint))
    call = start(bus)
    state = browser.question()["state"]
    browser.come_back(code="c", state=state)
    assert info(call)["access_token"] == "t"
    error = refused(bus, f"code=c&state={state}")
    assert (error.status, str(error)) == (Status.DENIED, "the sign-in has had its answer")
    assert len(endpoint.asked) == 1


def test_late(bus: crosstie.Bus, browser: Browser) -> None:
    clock = Clock()
    add(bus, service(), clock=clock)
    call = start(bus, timeout=None)
    state = browser.question()["state"]
    clock.now += 600
    assert refused(bus, f"code=c&state={state}").status is Status.DENIED
    late = failure(call)
    assert late.status is Status.TIMEOUT and "ten minutes" in str(late)
    assert "had its answer" in str(refused(bus, f"code=c&state={state}"))


def test_in_the_last_moment(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    clock = Clock()
    add(bus, service(endpoint), clock=clock)
    call = start(bus)
    state = browser.question()["state"]
    clock.now += 599.9
    browser.come_back(code="c", state=state)
    assert info(call)["access_token"] == "t"


def test_after_the_sign_in_has_ended(bus: crosstie.Bus, browser: Browser) -> None:
    clock = Clock()
    add(bus, service(), clock=clock)
    call = start(bus)
    state = browser.question()["state"]
    call.cancel()
    error = refused(bus, f"code=c&state={state}")
    assert (error.status, str(error)) == (Status.DENIED, "the sign-in has ended")
    clock.now += 1200  # it is forgotten when another one begins
    start(bus)
    browser.question()
    assert "no sign-in waits" in str(refused(bus, f"code=c&state={state}"))


@pytest.mark.parametrize("answer", ["code=c", "error=access_denied"])
def test_wrong_issuer(bus: crosstie.Bus, browser: Browser, answer: str) -> None:
    add(bus, service(issuer=ISSUER))
    call = start(bus)
    state = browser.question()["state"]
    error = refused(bus, f"{answer}&state={state}&iss=https%3A%2F%2Fissuer.example%2F")
    assert error.status is Status.DENIED and "another service" in str(error)
    assert failure(call).status is Status.DENIED
    assert "had its answer" in str(refused(bus, f"code=c&state={state}&iss={ISSUER}"))


def test_issuer_that_is_needed(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint, issuer=ISSUER, requires_issuer=True))
    call = start(bus)
    error = refused(bus, f"code=c&state={browser.question()['state']}")
    assert error.status is Status.DENIED and "(iss)" in str(error)
    assert failure(call).status is Status.DENIED
    call = start(bus)
    browser.come_back(code="c", state=browser.question()["state"], iss=ISSUER)
    assert info(call)["access_token"] == "t"


def test_issuer_that_need_not_be_there(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint, issuer=ISSUER))
    call = start(bus)
    browser.come_back(code="c", state=browser.question()["state"])
    assert info(call)["access_token"] == "t"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "neither a code nor an error"),
        ("code=", "neither a code nor an error"),
        ("code=a&code=b", "more than once"),
        ("code=a&code=a", "more than once"),
        ("error=access_denied&error=x", "more than once"),
        ("code=a&iss=x&iss=y", "more than once"),
    ],
)
def test_no_answer(bus: crosstie.Bus, browser: Browser, answer: str, reason: str) -> None:
    add(bus, service())
    call = start(bus)
    error = refused(bus, f"{answer}&state={browser.question()['state']}")
    assert error.status is Status.PARAM and reason in str(error)
    reported = failure(call)
    assert reported.status is Status.UNKNOWN and reason in str(reported)


def test_user_cancelled(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, service())
    call = start(bus)
    browser.come_back(error="access_denied", error_description="no", state=browser.question()["state"])
    assert failure(call).status is Status.USER_CANCELLED


def test_wechat_says_nothing_when_the_user_does_not_want_to(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, WECHAT)
    call = start(bus, platform=WECHAT.platform)
    browser.come_back(state=browser.question()["state"])
    assert failure(call).status is Status.USER_CANCELLED


def test_other_error(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, service())
    call = start(bus)
    browser.come_back(
        error="server_error\x1b[31m",
        error_description="tea \u202e break" + "x" * 5000,
        state=browser.question()["state"],
    )
    reported = failure(call)
    assert reported.status is Status.UNKNOWN
    assert str(reported).startswith("the service refuses: server_error[31m (tea  breakxxx")
    assert len(str(reported)) < 300


@pytest.mark.parametrize(
    "other",
    [
        "shop://oauth/other", "shop://oauth/callback/", "shop://oauth/callback/more",
        "shop://elsewhere/callback", "shop://oauth:8080/callback", "shop://oauth/Callback",
        "shops://oauth/callback",
    ],
)  # fmt: skip
def test_redirect_to_somewhere_else(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, other: str
) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint))
    call = start(bus)
    state = browser.question()["state"]
    assert refused(bus, f"code=c&state={state}", other).status in (Status.NO_ROUTE, Status.BLOCKED)
    browser.come_back("SHOP://OAuth/callback", code="c", state=state)
    assert info(call)["access_token"] == "t"


def test_two_at_once(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    add(bus, service(endpoint))
    first, second = start(bus), None
    one = browser.question()
    second = start(bus)
    two = browser.question()
    assert one["state"] != two["state"] and one["code_challenge"] != two["code_challenge"]
    endpoint.says('{"access_token": "of the second"}')
    browser.come_back(code="2", state=two["state"])
    assert info(second)["access_token"] == "of the second"
    endpoint.says('{"access_token": "of the first"}')
    browser.come_back(code="1", state=one["state"])
    assert info(first)["access_token"] == "of the first"
    assert [asked["code"] for asked in endpoint.asked] == [["2"], ["1"]]
    assert endpoint.asked[0]["code_verifier"] != endpoint.asked[1]["code_verifier"]


def test_answers_reach_the_provider_whose_they_are(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint
) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint), name="one", redirect_uri="shop://one/callback")
    add(bus, service(endpoint, platform="other"), name="two", redirect_uri="shop://two/callback")
    call = start(bus, platform="other")
    state = browser.question()["state"]
    assert refused(bus, f"code=c&state={state}", "shop://one/callback").status is Status.DENIED
    browser.come_back("shop://two/callback", code="c", state=state)
    assert info(call)["access_token"] == "t"


def test_too_many_wait(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, service())
    calls = [start(bus) for _ in range(64)]
    for _ in calls:
        browser.question()
    assert failure(start(bus)).status is Status.BUSY
    calls[0].cancel()
    start(bus)
    browser.question()
