"""`bus.url_for()`: its arguments, and that usual parameters and values, which take a shorter way, give the same URLs."""

import collections
import types
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crosstie

PATTERNS = {
    "plain": "app://users/:id/posts/:post",
    "typed": "app://typed/:n<int>/:u<uint>/:f<float>/:b<bool>/:w<word>/:g<uuid>",
    "suffix": "app://suffix/:name.html/:a.",
    "rest": "app://rest/:id/*path",
    "any": "app://any/:text<any>",
    "host": "app://:host/x",
    "alone": "app://alone",
    "literal": "app://literal/a%20b/caf\u00e9/:x",
    "relative": "/relative/:x",
}


@pytest.fixture(scope="module")
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus(default_scheme="app") as bus:
        for name, pattern in PATTERNS.items():
            bus.routes.add(pattern, lambda **params: params, name=name)
        yield bus


def outcome(bus: crosstie.Bus, *arguments: Any, **keywords: Any) -> tuple[object, ...]:
    try:
        return ("url", bus.url_for(*arguments, **keywords))
    except crosstie.Error as error:
        return (type(error), error.status, error.message, error.location)


TEXTS = st.one_of(
    st.text(max_size=12),
    st.text("ab./\\%-~ \0:@!?#&=+\u00e9", max_size=6),
    st.sampled_from([".", "..", "a" * 900, "a" * 2000, "", "true", "-1", "07", "1.5", "a/b", "..."]),
)
VALUES = st.one_of(TEXTS, st.integers(-(2**63), 2**63 - 1))


@given(data=st.data())
def test_both_ways_give_the_same(bus: crosstie.Bus, data: st.DataObject) -> None:
    """A list in the query has no short way, nor has a mapping that is no dict."""
    name = data.draw(st.sampled_from(sorted(PATTERNS)))
    names = [part for part in ("id", "post", "n", "u", "f", "b", "w", "g", "name", "a", "path", "text", "host", "x")]
    present = [each for each in names if f":{each}" in PATTERNS[name] or f"*{each}" in PATTERNS[name]]
    named = {each: data.draw(VALUES) for each in present if data.draw(st.integers(0, 19))}
    if not data.draw(st.integers(0, 9)):
        named["surplus"] = "x"
    query = data.draw(st.dictionaries(TEXTS, VALUES, max_size=3))
    listed = {key: [value] for key, value in query.items()} or {"q": []}
    short = outcome(bus, name, query=query, **named)
    assert outcome(bus, name, query=listed, **named) == short
    assert outcome(bus, name, types.MappingProxyType(named), query=listed) == short
    if len(named) == len(present) and "surplus" not in named:
        by_position = outcome(bus, name, [named[each] for each in present], query=query)
        assert by_position == outcome(bus, name, [named[each] for each in present], query=listed)
        assert by_position == short or short[0] != "url"


@pytest.mark.parametrize(
    ("name", "named", "url"),
    [
        ("plain", {"id": 42, "post": "hello world"}, "app://users/42/posts/hello%20world"),
        ("plain", {"id": "caf\u00e9", "post": "a:@!$"}, "app://users/caf%C3%A9/posts/a:@!$"),
        ("typed", dict(n=-1, u=2, f="1.5", b="true", w="w", g="A" * 8 + "-aaaa-aaaa-aaaa-" + "A" * 12), None),
        ("suffix", {"name": "x", "a": "y"}, "app://suffix/x.html/y."),
        ("rest", {"id": 1, "path": "a/b/"}, "app://rest/1/a/b//"),
        ("any", {"text": "a/b"}, "app://any/a%2Fb"),
        ("host", {"host": "x.y"}, "app://x.y/x"),
        ("alone", {}, "app://alone/"),
        ("literal", {"x": 1}, "app://literal/a%20b/caf%C3%A9/1"),
        ("relative", {"x": True}, "app:///relative/true"),
    ],
)
def test_urls(bus: crosstie.Bus, name: str, named: dict[str, Any], url: str | None) -> None:
    made = bus.url_for(name, **named)
    assert url in (made, None)
    assert bus.url_for(name, named, query={}) == made
    assert bus.url_for(name, list(named.values())) == made
    opened = bus.open(made).value
    assert {key: str(value).lower() for key, value in opened.items()} == {
        key: str(value).lower() for key, value in named.items()
    }


def test_a_query(bus: crosstie.Bus) -> None:
    query = {"a b": "c&d", "n": 1, "e": ""}
    url = "app://alone/?a%20b=c%26d&n=1&e="
    assert bus.url_for("alone", query=query) == bus.url_for("alone", None, query=collections.OrderedDict(query)) == url
    assert bus.url_for("alone", query={"a": [1, "x", True]}) == "app://alone/?a=1&a=x&a=true"
    assert bus.url_for("alone", query=None) == bus.url_for("alone", query={}) == "app://alone/"


def test_parameters_of_a_mapping_and_keywords_together(bus: crosstie.Bus) -> None:
    expected = "app://users/1/posts/2"
    assert bus.url_for("plain", {"id": 3, "post": 2}, id=1) == expected
    assert bus.url_for("plain", collections.ChainMap({"id": 1}), post="2") == expected
    assert bus.url_for("plain", {}, id=1, post=2) == bus.url_for("plain", (1, 2)) == expected


@pytest.mark.parametrize("name", ["name", "params", "self", "object"])
def test_any_keyword_is_a_parameter(name: str) -> None:
    named: dict[str, Any] = {name: 1}
    with crosstie.Bus() as bus:
        bus.routes.add(f"app://a/:{name}", lambda **params: None, name="a")
        assert bus.url_for("a", **named) == "app://a/1"


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((), {}, "expected a name"),
        (("plain", None, None), {}, "expected a name"),
        ((1,), {}, "name must be a str"),
        (("plain", [1]), {"post": 2}, "either by position or by name"),
        (("plain", "ab"), {}, "not one text"),
        (("plain", b"ab"), {}, "not one text"),
        (("plain", 7), {}, "not iterable"),
        (("plain", [1, 2]), {"query": 7}, "not iterable"),
    ],
)
def test_wrong_arguments(bus: crosstie.Bus, arguments: Any, keywords: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        bus.url_for(*arguments, **keywords)


@pytest.mark.parametrize("value", [2**63, "\ud800", object(), None, b"a", 1.5])
def test_values_that_are_not_usual(bus: crosstie.Bus, value: Any) -> None:
    """The outcome, with the place of what is wrong, is that of a mapping."""
    assert outcome(bus, "plain", id=value, post=1) == outcome(bus, "plain", {"id": value, "post": 1})


def test_many_parameters() -> None:
    names = [f"p{number}" for number in range(20)]
    named: dict[str, Any] = {name: number for number, name in enumerate(names)}
    with crosstie.Bus() as bus:
        bus.routes.add("app://many/" + "/".join(f":{name}" for name in names), lambda **params: None, name="many")
        url = bus.url_for("many", **named)
    assert url == "app://many/" + "/".join(str(number) for number in range(20))


def test_a_closed_bus() -> None:
    bus = crosstie.Bus()
    bus.close()
    with pytest.raises(crosstie.ClosedError):
        bus.url_for("plain", id=1)
    with crosstie.Bus() as bus, pytest.raises(crosstie.NotFoundError, match="no route has the name 'none'"):
        bus.url_for("none", id=1)
