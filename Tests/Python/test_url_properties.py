"""Properties of every URL and every parameter, tried by hypothesis and compared with urllib."""

from collections.abc import Iterator
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import crosstie

settings.register_profile("crosstie", max_examples=500, derandomize=True, deadline=None, database=None)
settings.load_profile("crosstie")

CONTROLS = "".join(map(chr, [*range(32), 127]))
texts = st.text(st.characters(codec="utf-8", exclude_characters=CONTROLS), min_size=1).filter(
    lambda text: text not in (".", "..")
)
words = texts.filter(lambda text: not set(text) & set("/\\"))
pieces = st.sampled_from("app: // h H / / ? # a %41 %2F %c3%a9 é .. . & = + ; [ ] @ :80 %".split(" ") + [" "])
urls = st.lists(pieces, max_size=12).map(lambda parts: "app://h/" + "".join(parts)) | st.text().map(
    lambda tail: "app://h" + tail
)


@pytest.fixture(scope="module")
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus() as bus:
        bus.routes.add("app://", lambda request: [request.url, request.path, [list(pair) for pair in request.query]])
        bus.routes.add("app://one/:word", lambda request: request.params["word"])
        bus.routes.add("app://suffix/:word.html", lambda request: request.params["word"])
        bus.routes.add("app://any/:text<any>", lambda request: request.params["text"])
        bus.routes.add("app://rest/*text", lambda request: request.params["text"])
        bus.routes.add("app://int/:number<int>", lambda request: request.params["number"])
        bus.routes.add("app://float/:number<float>", lambda request: request.params["number"])
        yield bus


@given(words)
def test_a_word_comes_back(bus: crosstie.Bus, word: str) -> None:
    for pattern in ("app://one/:word", "app://suffix/:word.html"):
        assert bus.open(bus.routes.generate(pattern, {"word": word})).value == word


@given(texts)
def test_any_text_comes_back(bus: crosstie.Bus, text: str) -> None:
    assert bus.open(bus.routes.generate("app://any/:text<any>", {"text": text})).value == text


@given(st.lists(words | st.just(""), min_size=1, max_size=20).filter(lambda segments: segments[0] != ""))
def test_a_rest_comes_back(bus: crosstie.Bus, segments: list[str]) -> None:
    text = "/".join(segments)
    assert bus.open(bus.routes.generate("app://rest/*text", {"text": text})).value == text


@given(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back(bus: crosstie.Bus, whole: int, real: float) -> None:
    assert bus.open(bus.routes.generate("app://int/:number<int>", {"number": whole})).value == whole
    assert bus.open(bus.routes.generate("app://float/:number<float>", {"number": real})).value == real


@given(words)
def test_quotes_of_urllib_are_read(bus: crosstie.Bus, word: str) -> None:
    assert bus.open("app://one/" + quote(word, safe="")).value == word


@given(urls)
@example("app://h/%2e%2e")
@example("app://h/\ud800")
def test_whatever_is_opened_or_refused(bus: crosstie.Bus, url: str) -> None:
    try:
        normal, path, pairs = bus.open(url).value
    except crosstie.Error:
        return
    assert bus.open(normal).value == [normal, path, pairs]
    assert normal.isascii()


@given(urls)
def test_urllib_reads_the_same_parts(bus: crosstie.Bus, url: str) -> None:
    """Where both accept a URL: urllib takes what is refused here, and reads a plus as a space."""
    try:
        normal, path, pairs = bus.open(url).value
    except crosstie.Error:
        return
    given, own = urlsplit(url), urlsplit(normal)
    assert own.path == path
    assert unquote(given.path or "/") == unquote(path)
    assert unquote(given.fragment) == unquote(own.fragment)
    read = parse_qsl(given.query.replace("+", "%2B"), keep_blank_values=True)
    assert [tuple(pair) for pair in pairs] == read
