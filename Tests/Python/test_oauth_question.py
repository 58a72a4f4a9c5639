"""The page that is opened: what a service is asked, and what is refused before."""

import base64
import hashlib
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import crosstie
from crosstie import Status
from crosstie.oauth import GITHUB, GOOGLE, QQ, WECHAT, WEIBO, OAuthProvider, Preset
from oauth_kit import Browser, Endpoint, add, browser, endpoint, failure, info, service, start

__all__ = ["browser", "endpoint"]


def test_question(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint), scope=["read", "write"], parameters={"audience": "a b&c"})
    call = start(bus, {"login_hint": "alice+tea", "max_age": 60, "fresh": True})
    asked = browser.question()
    state, challenge = asked.pop("state"), asked.pop("code_challenge")
    assert asked == {
        "client_id": "desktop",
        "redirect_uri": "shop://oauth/callback",
        "response_type": "code",
        "scope": "read write",
        "code_challenge_method": "S256",
        "audience": "a b&c",
        "login_hint": "alice+tea",
        "max_age": "60",
        "fresh": "true",
    }
    assert len(base64.urlsafe_b64decode(state + "=")) == 32  # 128 bits are asked for
    browser.come_back(code="c", state=state)
    info(call)
    digest = hashlib.sha256(endpoint.asked[0]["code_verifier"][0].encode()).digest()
    assert challenge == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@pytest.mark.parametrize("scope", ["read", ["read"], ("read",)])
def test_scope_of_one_sign_in(bus: crosstie.Bus, browser: Browser, scope: object) -> None:
    add(bus, service(), scope="everything")
    start(bus, {"scope": scope})
    assert browser.question()["scope"] == "read"
    start(bus)
    assert browser.question()["scope"] == "everything"


def test_states_are_new(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, service())
    seen = set()
    for _ in range(20):
        call = start(bus)
        asked = browser.question()
        seen |= {asked["state"], asked["code_challenge"]}
        call.cancel()
    assert len(seen) == 40


PAGES = [
    (GITHUB, "https://github.com/login/oauth/authorize", "a b"),
    (GOOGLE, "https://accounts.google.com/o/oauth2/v2/auth", "a b"),
    (WECHAT, "https://open.weixin.qq.com/connect/qrconnect", "a,b"),
    (QQ, "https://graph.qq.com/oauth2.0/authorize", "a,b"),
    (WEIBO, "https://api.weibo.com/oauth2/authorize", "a,b"),
]


@pytest.mark.parametrize(("preset", "page", "scope"), PAGES, ids=[preset.name for preset, _, _ in PAGES])
def test_presets(bus: crosstie.Bus, browser: Browser, preset: Preset, page: str, scope: str) -> None:
    provider = add(bus, preset, client_id="7", scope=["a", "b"])
    assert provider.name == f"oauth.{preset.name}"
    start(bus, platform=preset.platform or preset.name)
    url = browser.opened()
    assert url.split("?")[0] == page
    asked = dict(parse_qsl(urlsplit(url).query))
    assert asked["code_challenge_method"] == "S256" and asked["state"] and asked["response_type"] == "code"
    assert asked["scope"] == scope


def test_wechat_page(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, WECHAT, client_id="wx1", redirect_uri="https://shop.example/wechat")
    start(bus, platform=crosstie.Platform.WECHAT)
    url = browser.opened()
    assert url.startswith(
        "https://open.weixin.qq.com/connect/qrconnect?appid=wx1"
        "&redirect_uri=https%3A%2F%2Fshop.example%2Fwechat&response_type=code&scope=snsapi_login&state="
    )
    assert url.endswith("&code_challenge_method=S256#wechat_redirect")
    assert "client_id" not in url


@pytest.mark.parametrize(
    "params",
    [
        {name: "x"}
        for name in (
            "state", "client_id", "appid", "client_secret", "redirect_uri", "response_type", "response_mode",
            "code_challenge", "code_challenge_method", "request", "request_uri",
        )
    ]
    + [{"prompt": None}, {"prompt": ["login"]}, {"scope": [1]}, {"prompt": {}}],
)  # fmt: skip
def test_params_that_are_no_good(bus: crosstie.Bus, browser: Browser, params: dict[str, Any]) -> None:
    add(bus, service())
    error = failure(start(bus, params))
    assert error.status is Status.PARAM and str(error).startswith(next(iter(params)))
    with pytest.raises(ValueError):
        OAuthProvider(service(), client_id="x", parameters=params)


def test_page_that_cannot_be_opened(bus: crosstie.Bus) -> None:
    add(bus, service())

    @bus.system_opener
    def fail(request: crosstie.Request) -> None:
        raise RuntimeError(f"no browser for {request.url}")

    error = failure(start(bus))
    assert (error.status, str(error)) == (Status.SYSTEM, "the page of example could not be opened")


def test_opening_goes_by_the_bus(bus: crosstie.Bus, browser: Browser) -> None:
    add(bus, service())

    @bus.interceptor(kinds={"open"})
    def deny(request: crosstie.Request) -> None:
        request.deny("no pages today")

    error = failure(start(bus))
    assert (error.status, str(error)) == (Status.DENIED, "the page of example could not be opened")


@pytest.mark.parametrize(
    "url",
    [
        "http://service.example/token", "http://localhost/token", "ftp://service.example/", "service.example",
        "", "https://", "https:///token", "https://user@service.example/", "https://service.example/#x",
        "https://service.example/a b", "https://service.example:0/", "https://service.example:x/",
        "https://[::1/",
    ],
)  # fmt: skip
def test_endpoints_that_are_no_good(url: str) -> None:
    good = "https://service.example/"
    with pytest.raises(ValueError, match="authorization_endpoint"):
        Preset(name="x", authorization_endpoint=url, token_endpoint=good)
    with pytest.raises(ValueError, match="token_endpoint"):
        Preset(name="x", authorization_endpoint=good, token_endpoint=url)
    if url:
        with pytest.raises(ValueError, match="user_endpoint"):
            Preset(name="x", authorization_endpoint=good, token_endpoint=good, user_endpoint=url)


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "[::1]:8080", "127.0.0.1"])
def test_endpoints_on_loopback(host: str) -> None:
    Preset(name="x", authorization_endpoint=f"http://{host}/a", token_endpoint=f"http://{host}/t")


def test_issuer_that_is_required_has_to_be_named() -> None:
    with pytest.raises(ValueError, match="issuer"):
        service(requires_issuer=True)


@pytest.mark.parametrize(
    "uri",
    [
        "http://service.example/callback", "http://localhost/callback",
        "http://127.0.0.1.evil.example/callback", "http://127.0.0.1:80/callback",
        "http://127.0.0.1:99999/callback", "https://shop.example:443/callback", "https:///callback",
        "shop:callback", "shop://oauth/callback?x=1", "shop://oauth/callback?",
        "shop://oauth/callback#x", "shop://user@oauth/callback", "shop:", "shop://", "", "/callback",
        "shop://oauth/a b", "shop://oauth/%61", "shop://oauth/\x00",
    ],
)  # fmt: skip
def test_redirects_that_are_no_good(uri: str) -> None:
    with pytest.raises(ValueError, match="redirect_uri"):
        OAuthProvider(GITHUB, client_id="x", redirect_uri=uri)
    if uri:
        with pytest.raises(ValueError, match="return_uri"):
            OAuthProvider(GITHUB, client_id="x", redirect_uri="https://shop.example/", return_uri=uri)


def test_other_arguments_that_are_no_good() -> None:
    with pytest.raises(ValueError, match="client_id"):
        OAuthProvider(GITHUB, client_id="")
    with pytest.raises(ValueError, match="needs a port"):
        OAuthProvider(
            GITHUB,
            client_id="x",
            redirect_uri="https://shop.example/",
            return_uri="http://127.0.0.1/callback",
        )


def test_page_that_sends_the_browser_on(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    page = "https://shop.example/signed-in"
    provider = add(bus, service(endpoint), redirect_uri=page, return_uri="shop:/back")
    assert provider.app_id == "shop"
    call = start(bus)
    asked = browser.question()
    assert asked["redirect_uri"] == page
    assert not provider.can_open_url(page)
    browser.come_back("shop:/back", code="c", state=asked["state"])
    assert info(call)["access_token"] == "t"
    assert endpoint.asked[0]["redirect_uri"] == [page]
