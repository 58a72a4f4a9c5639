"""The URLs of the share pages: what each carries, read back by urllib, and what none can carry."""

import dataclasses
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crosstie
from crosstie import share

settings.register_profile("crosstie", max_examples=500, derandomize=True, deadline=None, database=None)
settings.load_profile("crosstie")

LINK = "https://example.com/tea?a=1&b=2#c"
ODD = "a&b=c#d+e f%41 ;?/\\ \"'<>\r\n\t中文😀👨‍👩‍👧é\x7f\ufeff"
LINKED = [crosstie.ShareKind.AUDIO, crosstie.ShareKind.VIDEO, crosstie.ShareKind.WEB_PAGE]
PAGES = [share.WEIBO, share.QQ, share.QZONE]


def read(url: str) -> tuple[str, list[tuple[str, str]]]:
    """Where a URL leads, and its parameters."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)
    return f"{parts.scheme}://{parts.netloc}{parts.path}{parts.fragment}", pairs


def page_of(**fields: Any) -> dict[str, Any]:
    return {"identifier": crosstie.ShareKind.WEB_PAGE, "link": LINK, **fields}


def text_of(text: str) -> dict[str, Any]:
    return {"identifier": crosstie.ShareKind.TEXT, "text": text}


# ---- What they carry -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LINKED)
def test_weibo(kind: str) -> None:
    message = {"identifier": kind, "link": LINK, "title": "Tea", "description": ODD}
    address, pairs = read(share.WEIBO.url_for(message, {"appkey": "1 & 2"}))
    assert address == "https://service.weibo.com/share/share.php"
    assert pairs == [("url", LINK), ("title", f"Tea\n{ODD}"), ("appkey", "1 & 2")]


def test_weibo_with_a_text() -> None:
    address, pairs = read(share.WEIBO.url_for(text_of(ODD)))
    assert address == "https://service.weibo.com/share/share.php"
    assert pairs == [("title", ODD)]


@pytest.mark.parametrize("kind", LINKED)
@pytest.mark.parametrize(
    ("page", "address"),
    [
        (share.QQ, "https://connect.qq.com/widget/shareqq/index.html"),
        (share.QZONE, "https://sns.qzone.qq.com/cgi-bin/qzshare/cgi_qzshare_onekey"),
    ],
)
def test_qq_and_qzone(page: share.Page, address: str, kind: str) -> None:
    message = {"identifier": kind, "link": LINK, "title": "Tea", "description": ODD}
    pairs = [("url", LINK), ("title", "Tea"), ("summary", ODD), ("site", "A & B")]
    assert read(page.url_for(message, {"site": "A & B"})) == (address, pairs)


@pytest.mark.parametrize("page", PAGES)
def test_missing_fields_make_no_parameter(page: share.Page) -> None:
    for nothing in ({}, {"title": None, "thumbnail": None}, {"title": "", "thumbnail": b""}):
        assert read(page.url_for(page_of(**nothing)))[1] == [("url", LINK)]


@pytest.mark.parametrize("page", PAGES)
def test_escapes(page: share.Page) -> None:
    """A space is %20, a plus %2B, and all but letters, digits and `-._~` is escaped UTF-8, in capitals."""
    url = page.url_for(page_of(title="a b+c~d.e-f_g&é😀/\n"))
    assert "=a%20b%2Bc~d.e-f_g%26%C3%A9%F0%9F%98%80%2F%0A" in url
    assert url.isascii()


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)
links = st.text(st.characters(codec="utf-8", exclude_characters="\0\x7f", min_codepoint=33), max_size=60).map(
    lambda tail: "https://example.com/" + tail
)


@given(links, texts, texts)
def test_whatever_is_carried_comes_back(link: str, title: str, description: str) -> None:
    message = page_of(link=link, title=title, description=description)
    for page in PAGES:
        pairs = read(page.url_for(message))[1]
        assert pairs[0] == ("url", link)
        assert "\n".join(value for _, value in pairs[1:]) == f"{title}\n{description}"


# ---- What is too long ------------------------------------------------------------------------------------


def refused(page: share.Page, message: dict[str, Any]) -> str:
    """Why a page refuses a message."""
    with pytest.raises(crosstie.ParamError) as caught:
        page.url_for(message)
    assert (caught.value.status, caught.value.code) == (crosstie.Status.PARAM, 40017)
    return str(caught.value)


@pytest.mark.parametrize("letters", ["aa", "中文", "😀"])
@pytest.mark.parametrize(
    ("page", "field", "parameter", "most"),
    [
        (share.QQ, "title", "title", 128),
        (share.QQ, "description", "summary", 512),
        (share.QZONE, "title", "title", 200),
        (share.QZONE, "description", "summary", 600),
    ],
)
def test_limits_of_texts(page: share.Page, field: str, parameter: str, most: int, letters: str) -> None:
    """An emoji is two characters of UTF-16."""
    longest = letters * (most // 2)
    assert (parameter, longest) in read(page.url_for(page_of(**{field: longest})))[1]
    over = page_of(**{field: longest + "a"})
    assert refused(page, over) == f"the message's '{field}' has {most + 1} characters, of at most {most}"


@pytest.mark.parametrize(("page", "most"), [(share.WEIBO, 1024), (share.QQ, 512), (share.QZONE, 512)])
def test_limits_of_links(page: share.Page, most: int) -> None:
    longest = LINK + "x" * (most - len(LINK))
    assert ("url", longest) in read(page.url_for(page_of(link=longest)))[1]
    why = refused(page, page_of(link=longest + "x"))
    assert why == f"the message's 'link' has {most + 1} characters, of at most {most}"


@pytest.mark.parametrize(
    ("longest", "one_more"),
    [("a" * 280, "a"), ("中" * 140, "a"), ("é" * 140, "a"), ("😀" * 70, "a"), ("中" * 139 + "a\n", "a")],
)
def test_limit_of_a_post(longest: str, one_more: str) -> None:
    counted = "281 letters (a Chinese one counts 2, the link 21), of at most 280"
    assert read(share.WEIBO.url_for(text_of(longest)))[1] == [("title", longest)]
    assert refused(share.WEIBO, text_of(longest + one_more)) == f"the message's 'text' has {counted}"


def test_limit_of_a_post_with_a_link() -> None:
    """The link counts 21, the line's end between title and description 1."""
    longest = page_of(title="中" * 100, description="a" * 58)
    assert read(share.WEIBO.url_for(longest))[1][1][1] == "中" * 100 + "\n" + "a" * 58
    why = refused(share.WEIBO, page_of(title="中" * 100, description="a" * 59))
    assert why.startswith("the message's 'title' with 'description' has 281 letters")
    assert refused(share.WEIBO, page_of(title="a" * 260)).startswith("the message's 'title' has 281 letters")
    assert share.WEIBO.url_for(page_of(title="a" * 259))


@pytest.mark.parametrize("page", [share.WEIBO, share.QQ, share.QZONE])
def test_limit_of_the_url(page: share.Page) -> None:
    loose = dataclasses.replace(page, limits=())
    room = 8000 - len(loose.url_for(page_of(title="a"))) + 1
    assert len(loose.url_for(page_of(title="a" * room))) == 8000
    with pytest.raises(crosstie.ArgumentError) as caught:
        loose.url_for(page_of(title="a" * (room + 1)))
    assert caught.value.status is crosstie.Status.LIMIT
    assert str(caught.value) == "the URL of the share page has 8001 bytes, of at most 8000"


def test_texts_within_their_limits_can_be_too_much_together() -> None:
    message = page_of(title="中" * 200, description="中" * 600)
    assert len(share.QZONE.url_for(message)) < 8000
    with pytest.raises(crosstie.ArgumentError) as caught:
        share.QZONE.url_for({**message, "link": "https://example.com/" + "中" * 200})
    assert caught.value.status is crosstie.Status.LIMIT


# ---- What cannot be carried ------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("field", "value"),
    [("thumbnail", b"\x89PNG"), ("dataLink", "https://example.com/a.mp3"), ("data", b"x"), ("own", 0)],
)
def test_fields_that_no_page_has(page: share.Page, field: str, value: object) -> None:
    assert refused(page, page_of(**{field: value})) == f"the message's '{field}' cannot be shared there"


@pytest.mark.parametrize("page", [share.QQ, share.QZONE])
def test_the_pages_of_tencent_have_no_text(page: share.Page) -> None:
    assert refused(page, text_of("tea")) == "the message's 'text' cannot be shared there"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)", "file:///etc/passwd", "ftp://example.com/", "//example.com/", "example.com",
        "https:///x", "https://", "https:", "https://[::1", "https://example.com/ x",
        "https://example.com/\n", "\thttps://example.com/", "https://example.com/\x7f",
        " https://example.com/",
    ],
)  # fmt: skip
def test_links_that_are_none(page: share.Page, link: str) -> None:
    assert refused(page, page_of(link=link)) == "the message's 'link' is no http or https URL"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("field", ["link", "title", "description"])
def test_texts_that_no_url_has(page: share.Page, field: str) -> None:
    what = f"the message's '{field}'"
    assert refused(page, page_of(**{field: "https://a/\0"})) == f"{what} has a NUL"
    assert refused(page, page_of(**{field: 7})) == f"{what} is no text"
    with pytest.raises(crosstie.ArgumentError, match=f"^{what} is not valid UTF-8$") as caught:
        page.url_for(page_of(**{field: "https://a/\ud800"}))
    assert (caught.value.status, caught.value.code) == (crosstie.Status.UTF8, 40005)


def test_nothing_to_share() -> None:
    assert refused(share.WEIBO, text_of("")) == "the message's 'text' is empty"
    assert refused(share.WEIBO, page_of(link="")) == "the message's 'link' is empty"
    assert refused(share.WEIBO, page_of(link=None, title="tea")) == "the message's 'link' is missing"
    assert refused(share.WEIBO, {}) == "the message's 'link' is missing"
