"""The providers of `crosstie.share` on a bus: the URLs for the system opener, and the results of a share."""

import dataclasses
import logging
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crosstie
from conftest import WATCHDOG, Unraisable, past_its_deadline
from crosstie import Endpoint, ShareKind, Status, share

settings.register_profile("crosstie", max_examples=300, derandomize=True, deadline=None, database=None)
settings.load_profile("crosstie")

LINK = "https://example.com/tea?a=1&b=2#c"
LINKED = [ShareKind.AUDIO, ShareKind.VIDEO, ShareKind.WEB_PAGE]
WEB: dict[Endpoint, share.Page] = {
    Endpoint.WEIBO_TIMELINE: share.WEIBO,
    Endpoint.QQ_FRIEND: share.QQ,
    Endpoint.QQ_TIMELINE: share.QZONE,
}
WECHAT = [Endpoint.WECHAT_FRIEND, Endpoint.WECHAT_TIMELINE, Endpoint.WECHAT_FAVORITE]


def page_of(link: str = LINK, **fields: Any) -> dict[str, Any]:
    return {"identifier": ShareKind.WEB_PAGE, "link": link, **fields}


def add_all(bus: crosstie.Bus) -> None:
    for provider in (share.WeiboWeb(), share.QQWeb(), share.QZoneWeb(), share.WeChatQR()):
        bus.providers.add(provider)


class Opener:
    """Stands for the browser: keeps what it is given, as Crosstie reads it."""

    def __init__(self, bus: crosstie.Bus, *, remote: bool = False) -> None:
        self.urls: list[str] = []
        self.queries: list[tuple[tuple[str, str], ...]] = []
        bus.system_opener(self.open, remote=remote)

    def open(self, request: crosstie.Request) -> None:
        self.urls.append(request.url)
        self.queries.append(request.query)


@pytest.fixture
def opener(bus: crosstie.Bus) -> Opener:
    add_all(bus)
    return Opener(bus)


def status_of(bus: crosstie.Bus, endpoint: Endpoint, message: dict[str, Any]) -> tuple[int, str]:
    """How a share that fails ends."""
    with pytest.raises(crosstie.Error) as caught:
        bus.share(endpoint, message)
    return caught.value.status, str(caught.value)


# ---- What is opened --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LINKED)
@pytest.mark.parametrize("endpoint", WEB)
def test_pages(bus: crosstie.Bus, opener: Opener, endpoint: Endpoint, kind: str) -> None:
    message = {"identifier": kind, "link": LINK, "title": "Tea & +", "description": "中文😀\n2"}
    assert bus.share(endpoint, message) is None
    assert opener.urls == [WEB[endpoint].url_for(message)]
    assert opener.queries[0][0] == ("url", LINK)


def test_a_text(bus: crosstie.Bus, opener: Opener) -> None:
    bus.share(Endpoint.WEIBO_TIMELINE, {"identifier": ShareKind.TEXT, "text": "a+b & c"})
    assert opener.queries == [(("title", "a+b & c"),)]


def test_parameters_of_the_host(bus: crosstie.Bus) -> None:
    opener = Opener(bus)
    for provider in (share.WeiboWeb(app_key="12&3"), share.QQWeb(site="A & B"), share.QZoneWeb(site="茶")):
        bus.providers.add(provider)
    for endpoint in WEB:
        bus.share(endpoint, page_of())
    added = [("appkey", "12&3"), ("site", "A & B"), ("site", "茶")]
    assert opener.queries == [(("url", LINK), pair) for pair in added]


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[crosstie.Bus, Opener]]:
    with crosstie.Bus() as bus:
        add_all(bus)
        yield bus, Opener(bus)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)


@given(texts, texts)
def test_both_parsers_read_the_same(
    shared: tuple[crosstie.Bus, Opener], title: str, description: str
) -> None:
    """The system opener gets the URL that was made, unchanged by the normal form; urllib reads it as Crosstie does."""
    bus, opener = shared
    for endpoint, page in WEB.items():
        message = page_of(title=title, description=description)
        bus.share(endpoint, message)
        url, query = opener.urls.pop(), opener.queries.pop()
        assert url == page.url_for(message)
        assert list(query) == parse_qsl(urlsplit(url).query, keep_blank_values=True)
        assert "\n".join(value for _, value in query) == f"{LINK}\n{title}\n{description}"


# ---- How a share ends ------------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", [*WEB, *WECHAT])
@pytest.mark.parametrize(
    "message",
    [
        {"identifier": ShareKind.IMAGE, "data": b"x"},
        {"identifier": ShareKind.FILE, "data": b"x", "fileExtension": "txt"},
        {"identifier": "com.example.own"},
    ],
)
def test_kinds_that_do_not_go_there(bus: crosstie.Bus, opener: Opener, endpoint: Endpoint, message: Any) -> None:
    assert status_of(bus, endpoint, message)[0] == Status.UNSUPPORTED_MESSAGE


@pytest.mark.parametrize("endpoint", [Endpoint.QQ_FRIEND, Endpoint.QQ_TIMELINE])
def test_a_text_does_not_go_to_qq(bus: crosstie.Bus, opener: Opener, endpoint: Endpoint) -> None:
    status, _ = status_of(bus, endpoint, {"identifier": ShareKind.TEXT, "text": "tea"})
    assert status == Status.UNSUPPORTED_MESSAGE
    assert opener.urls == []


@pytest.mark.parametrize("endpoint", WEB)
def test_refusals(bus: crosstie.Bus, opener: Opener, endpoint: Endpoint) -> None:
    thumbnail = status_of(bus, endpoint, page_of(thumbnail=b"x"))
    assert thumbnail == (Status.PARAM, "the message's 'thumbnail' cannot be shared there")
    assert status_of(bus, endpoint, page_of(title="x" * 700))[0] == Status.PARAM
    assert status_of(bus, endpoint, page_of("app://x"))[0] == Status.PARAM
    assert opener.urls == []


def test_a_page_of_the_hosts_own(bus: crosstie.Bus) -> None:
    class Own(share.WeiboWeb):
        """Weibo without its limits."""

        page = dataclasses.replace(share.WEIBO, limits=())

    opener = Opener(bus)
    bus.providers.add(Own())
    bus.share(Endpoint.WEIBO_TIMELINE, page_of(title="x" * 7000))
    assert len(opener.urls) == 1
    assert status_of(bus, Endpoint.WEIBO_TIMELINE, page_of(title="x" * 8000))[0] == Status.LIMIT


@pytest.mark.parametrize("endpoint", WEB)
def test_no_system_opener(bus: crosstie.Bus, endpoint: Endpoint) -> None:
    add_all(bus)
    bus.system_opener(enabled=False)
    assert status_of(bus, endpoint, page_of())[0] == Status.BLOCKED


def refuse(request: crosstie.Request) -> None:
    request.refuse(Status.BUSY, "no window")


def deny(request: crosstie.Request) -> None:
    request.deny("not now")


ENDINGS = [(refuse, (Status.BUSY, "no window")), (deny, (Status.DENIED, "not now"))]


@pytest.mark.parametrize(("how", "ending"), ENDINGS)
def test_the_system_opener_refuses(bus: crosstie.Bus, how: Any, ending: tuple[int, str]) -> None:
    add_all(bus)
    bus.system_opener(how)
    assert status_of(bus, Endpoint.QQ_FRIEND, page_of()) == ending


def test_the_system_opener_fails(bus: crosstie.Bus) -> None:
    add_all(bus)

    @bus.system_opener()
    def fail(request: crosstie.Request) -> None:
        request.fail("no window", code=7, value={"display": ":0"})

    with pytest.raises(crosstie.HandlerError, match="no window") as caught:
        bus.share(Endpoint.QQ_TIMELINE, page_of())
    assert (caught.value.code, caught.value.value) == (7, {"display": ":0"})

    @bus.system_opener()
    def stumble() -> None:
        raise ZeroDivisionError("no window")

    with pytest.raises(ZeroDivisionError, match="no window"):
        bus.share(Endpoint.QQ_TIMELINE, page_of())


def test_the_system_opener_does_not_answer(bus: crosstie.Bus, unraisable: Unraisable) -> None:
    """The share is over then, and has nothing more to say."""
    add_all(bus)
    kept: list[crosstie.Request] = []
    begun = threading.Event()

    @bus.system_opener()
    def keep(request: crosstie.Request) -> None:
        kept.append(request.defer())
        begun.set()

    past_its_deadline(
        lambda timeout: bus.with_options(timeout=timeout).share(Endpoint.WEIBO_TIMELINE, page_of()), begun
    )
    assert kept[0].is_ended
    assert unraisable == []


@pytest.mark.parametrize("may", [False, True])
def test_shared_for_a_remote_request(bus: crosstie.Bus, may: bool) -> None:
    """The system opener sees the trust of the request that shares."""
    add_all(bus)
    opener = Opener(bus, remote=may)
    bus.routes.add("app://share", lambda: bus.share(Endpoint.WEIBO_TIMELINE, page_of()), public=True)
    assert bus.open("app://share").value is None
    if may:
        assert bus.open("app://share", origin="remote").value is None
        assert len(opener.urls) == 2
    else:
        with pytest.raises(crosstie.NoRouteError) as caught:
            bus.open("app://share", origin="remote")
        assert caught.value.status is Status.BLOCKED
        assert len(opener.urls) == 1


# ---- What need not arrive --------------------------------------------------------------------------------


def test_leaving_out(bus: crosstie.Bus, caplog: pytest.LogCaptureFixture) -> None:
    opener = Opener(bus)
    bus.providers.add(share.WeiboWeb(leave_out={"thumbnail", "title"}))
    message = {"identifier": ShareKind.AUDIO, "link": LINK, "title": "Tea", "thumbnail": b"x"}
    with caplog.at_level(logging.INFO, "crosstie"):
        bus.share(Endpoint.WEIBO_TIMELINE, message)
        assert "leaves out thumbnail" in caplog.text
        caplog.clear()
        bus.share(Endpoint.WEIBO_TIMELINE, page_of(title="Tea"))
        assert caplog.text == ""
    assert opener.queries == [(("url", LINK), ("title", "Tea"))] * 2
    refused = status_of(bus, Endpoint.WEIBO_TIMELINE, {**message, "dataLink": LINK})
    assert refused == (Status.PARAM, "the message's 'dataLink' cannot be shared there")


@pytest.mark.parametrize("make", [share.WeiboWeb, share.QQWeb, share.QZoneWeb, share.WeChatQR])
def test_wrong_names_to_leave_out(make: Any) -> None:
    for wrong in ("thumbnail", [b"thumbnail"], [1]):
        with pytest.raises(TypeError, match="leave_out"):
            make(leave_out=wrong)


def test_texts_that_no_url_has() -> None:
    with pytest.raises(crosstie.ParamError, match="^the page's 'appkey' has a NUL$"):
        share.WeiboWeb(app_key="\0")
    with pytest.raises(crosstie.ArgumentError, match="^the page's 'site' is not valid UTF-8$"):
        share.QQWeb(site="\ud800")


# ---- The QR code -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", WECHAT)
def test_qr(bus: crosstie.Bus, endpoint: Endpoint) -> None:
    shown: list[dict[str, Any]] = []
    bus.providers.add(share.WeChatQR(show=shown.append))
    answer = bus.share(endpoint, page_of(title="Tea"))
    assert (answer["text"], answer["title"]) == (LINK, "Tea")
    assert shown == [answer]
    assert crosstie.from_msgpack(crosstie.to_msgpack(answer)) == answer


def test_qr_refusals(bus: crosstie.Bus, opener: Opener) -> None:
    music = crosstie.SharedMessage.audio(LINK, LINK)
    refused = status_of(bus, Endpoint.WECHAT_FRIEND, music)
    assert refused == (Status.PARAM, "the message's 'dataLink' cannot be shared there")
    status, why = status_of(bus, Endpoint.WECHAT_FAVORITE, page_of(LINK + "x" * 3000))
    assert status == Status.PARAM
    most = "of at most 2331 in a QR code of level M"
    assert why == f"the message's 'link' has {3000 + len(LINK)} bytes, {most}"


def test_an_exception_of_show_fails_the_share(bus: crosstie.Bus) -> None:
    def cancel(answer: dict[str, Any]) -> None:
        raise crosstie.Error("closed", status=Status.USER_CANCELLED)

    bus.providers.add(share.WeChatQR(show=cancel))
    assert status_of(bus, Endpoint.WECHAT_FRIEND, page_of()) == (Status.USER_CANCELLED, "closed")
    bus.providers.replace([share.WeChatQR(show=lambda answer: 1 / 0)])
    with pytest.raises(ZeroDivisionError):
        bus.share(Endpoint.WECHAT_FRIEND, page_of())


# ---- Several at once, several in a list ------------------------------------------------------------------


def test_two_at_once(bus: crosstie.Bus) -> None:
    """Both are in the system opener, or shown, before one of them goes on."""
    both = threading.Barrier(2, timeout=WATCHDOG)
    bus.system_opener(lambda request: both.wait() and None)
    bus.providers.add(share.QQWeb())
    bus.providers.add(share.WeChatQR(show=lambda answer: both.wait()))
    pages = [bus.share_async(Endpoint.QQ_FRIEND, page_of(title=title)) for title in ("one", "two")]
    assert [call.result(WATCHDOG) for call in pages] == [None, None]
    codes = [bus.share_async(Endpoint.WECHAT_FRIEND, page_of(f"{LINK}{number}")) for number in range(2)]
    assert [call.result(WATCHDOG)["text"] for call in codes] == [f"{LINK}0", f"{LINK}1"]


def test_replaced_one_by_one(bus: crosstie.Bus, opener: Opener) -> None:
    class Own(crosstie.Provider):
        """A host's own way to Weibo."""

        name = "own-weibo"
        endpoints = [Endpoint.WEIBO_TIMELINE]

        def share(self, request: crosstie.Request, message: Any, endpoint: Endpoint, options: Any) -> object:
            return "own"

    bus.providers.add(Own(), 0)
    assert bus.share(Endpoint.WEIBO_TIMELINE, page_of()) == "own"
    assert bus.share(Endpoint.QQ_FRIEND, page_of()) is None
    bus.providers.remove("own-weibo")
    assert bus.share(Endpoint.WEIBO_TIMELINE, page_of()) is None
    for name in ("weibo-web", "qq-web", "qzone-web", "wechat-qr"):
        bus.providers.remove(name)
    assert status_of(bus, Endpoint.QQ_TIMELINE, page_of())[0] == Status.NO_HANDLER
