"""The QR code, read from the PNG and from the SVG by zbarimg, which does not know the library that draws."""

import pathlib
import re
import subprocess
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crosstie
from conftest import WATCHDOG
from crosstie import share

LINK = "https://example.com/tea?a=1&b=2#c"
CAPACITY = {"L": 2953, "M": 2331, "Q": 1663, "H": 1273}
SVG = "{http://www.w3.org/2000/svg}"

Check = Callable[[dict[str, Any], str], None]


def text_of(text: str) -> dict[str, Any]:
    return {"identifier": crosstie.ShareKind.TEXT, "text": text}


def page_of(link: str = LINK, **fields: Any) -> dict[str, Any]:
    return {"identifier": crosstie.ShareKind.WEB_PAGE, "link": link, **fields}


# ---- Reading it ------------------------------------------------------------------------------------------


def rows_of(svg: str) -> list[bytearray]:
    """The modules of a drawing, 1 where it is dark. Its path has lines of one module's height."""
    root = ElementTree.fromstring(svg)
    ground, lines = root.iter(f"{SVG}path")
    size = re.fullmatch(r"M0 0h(\d+)v\1h-\1z", ground.attrib["d"])
    assert size is not None and ground.attrib["fill"] == "#fff" and lines.attrib["stroke"] == "#000"
    rows = [bytearray(int(size[1])) for _ in range(int(size[1]))]
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmh])([-\d. ]+)", lines.attrib["d"]):
        across, *down = map(float, numbers.split())
        if command == "h":
            rows[int(y)][int(x) : int(x + across)] = b"\1" * int(across)
            x += across
        elif command == "m":
            x, y = x + across, y + down[0]
        else:
            x, y = across, down[0]
    return rows


def pgm_of(rows: list[bytearray], scale: int = 3) -> bytes:
    """A picture of modules."""
    grey = (bytes(0 if module else 255 for module in row for _ in range(scale)) for row in rows)
    size = len(rows) * scale
    return b"P5 %d %d 255\n" % (size, size) + b"".join(line * scale for line in grey)


@pytest.fixture
def check(tmp_path: pathlib.Path) -> Check:
    """Checks that a decoder reads a text in the PNG and in the SVG of an answer."""
    pictures = [tmp_path / "code.png", tmp_path / "code.pgm"]
    command = ["zbarimg", "--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", *map(str, pictures)]

    def check(answer: dict[str, Any], text: str) -> None:
        pictures[0].write_bytes(answer["png"])
        pictures[1].write_bytes(pgm_of(rows_of(answer["svg"])))
        result = subprocess.run(command, capture_output=True, timeout=WATCHDOG, check=True)
        assert result.stdout.decode() == f"{text}\n{text}\n"

    return check


# ---- What it says ----------------------------------------------------------------------------------------

TEXTS = {
    "link": LINK,
    "digits": "0123456789",
    "capitals": "HTTPS://EXAMPLE.COM/",
    "lines": "one\ntwo\r\n\tthree  ",
    "chinese": "中文分享",
    "emoji": "😀👨‍👩‍👧",
    "latin": "Il était une fois, un noël, ü",
    "japanese": "点茗　アイウ",
    "mixed": "a中é😀 &+%41",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts(text: str, check: Check) -> None:
    answer = share.WeChatQR().make(text_of(text))
    assert answer["text"] == text
    check(answer, text)


LINKED = [crosstie.ShareKind.AUDIO, crosstie.ShareKind.VIDEO, crosstie.ShareKind.WEB_PAGE]


@pytest.mark.parametrize("kind", LINKED)
def test_links(kind: str, check: Check) -> None:
    link = "https://example.com/茶?q=a+b%20c"
    beside = {"title": "Tea", "description": "Green", "thumbnail": b"\x89PNG"}
    answer = share.WeChatQR().make({"identifier": kind, "link": link, **beside})
    check(answer, link)
    assert {name: answer[name] for name in beside} == beside
    assert sorted(answer) == ["description", "error", "png", "svg", "text", "thumbnail", "title", "version"]
    assert sorted(share.WeChatQR().make(page_of(title=""))) == ["error", "png", "svg", "text", "version"]


# NUL is refused; the decoder leaves out a byte order mark.
letters = st.characters(codec="utf-8", exclude_characters="\0\ufeff")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(letters, min_size=1, max_size=80))
def test_whatever_it_says_is_read(check: Check, text: str) -> None:
    check(share.WeChatQR(scale=3).make(text_of(text)), text)


# ---- How much it holds -----------------------------------------------------------------------------------


def longest(level: str, letter: str) -> str:
    """As much of a letter as goes in, filled up with ASCII. The name of the character set takes a byte."""
    size = len(letter.encode())
    most = CAPACITY[level] - (size > 1)
    return letter * (most // size) + "a" * (most % size)


@pytest.mark.parametrize("letter", ["a", "0", "é", "中", "😀"])
@pytest.mark.parametrize("level", CAPACITY)
def test_the_longest_text(level: str, letter: str, check: Check) -> None:
    provider = share.WeChatQR(error=level, scale=3)
    text = longest(level, letter)
    answer = provider.make(text_of(text))
    assert (answer["version"], answer["error"]) == (40, level)
    check(answer, text)
    with pytest.raises(crosstie.ParamError) as caught:
        provider.make(text_of(text + "a"))
    most = len(text.encode())
    of_most = f"of at most {most} in a QR code of level {level}"
    assert str(caught.value) == f"the message's 'text' has {most + 1} bytes, {of_most}"
    assert caught.value.status is crosstie.Status.PARAM


def test_the_longest_link() -> None:
    link = LINK + "x" * (CAPACITY["M"] - len(LINK))
    assert share.WeChatQR().make(page_of(link))["text"] == link
    with pytest.raises(crosstie.ParamError, match="'link' has 2332 bytes, of at most 2331 in a QR code"):
        share.WeChatQR().make(page_of(link + "x"))


def test_capacity() -> None:
    assert share.QR_CAPACITY == CAPACITY


# ---- How it looks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scale", "border"), [(1, 0), (1, 4), (8, 4), (32, 64), (3, 2)])
def test_size(scale: int, border: int) -> None:
    answer = share.WeChatQR(scale=scale, border=border).make(page_of())
    side = (17 + 4 * answer["version"] + 2 * border) * scale
    width, height = (int.from_bytes(answer["png"][at : at + 4], "big") for at in (16, 20))
    root = ElementTree.fromstring(answer["svg"])
    assert (width, height) == (side, side)
    assert (root.attrib["width"], root.attrib["height"]) == (str(side), str(side))
    assert answer["svg"].startswith("<svg ") and answer["png"].startswith(b"\x89PNG\r\n")


def test_a_higher_level_where_there_is_room(check: Check) -> None:
    answer = share.WeChatQR(error="L").make(text_of("tea"))
    assert (answer["version"], answer["error"]) == (1, "H")
    check(answer, "tea")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"error": "X"}, ValueError), ({"error": "l"}, ValueError), ({"error": ""}, ValueError),
        ({"scale": 0}, ValueError), ({"scale": 33}, ValueError), ({"scale": -1}, ValueError),
        ({"border": -1}, ValueError), ({"border": 65}, ValueError),
        ({"scale": 1.5}, TypeError), ({"scale": True}, TypeError), ({"border": "4"}, TypeError),
        ({"show": "print"}, TypeError), ({"leave_out": "thumbnail"}, TypeError),
    ],
)  # fmt: skip
def test_wrong_arguments(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(wrong))):
        share.WeChatQR(**wrong)


# ---- What it cannot say ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (text_of(""), "the message's 'text' is empty"),
        (text_of("a\0b"), "the message's 'text' has a NUL"),
        (page_of("javascript:alert(1)"), "the message's 'link' is not an http or https URL"),
        (page_of(dataLink="https://example.com/a.mp3"), "the message's 'dataLink' cannot be shared there"),
        (page_of(data=b"x"), "the message's 'data' cannot be shared there"),
        ({"identifier": crosstie.ShareKind.TEXT}, "the message's 'link' is missing"),
    ],
)
def test_refusals(message: dict[str, Any], why: str) -> None:
    with pytest.raises(crosstie.ParamError) as caught:
        share.WeChatQR().make(message)
    assert str(caught.value) == why


def test_texts_that_are_no_utf8() -> None:
    with pytest.raises(crosstie.ArgumentError, match="^the message's 'text' is not valid UTF-8$") as caught:
        share.WeChatQR().make(text_of("\ud800"))
    assert caught.value.status is crosstie.Status.UTF8
