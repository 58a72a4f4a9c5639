"""Routes: registering, how handlers are called, listing, generating."""

import functools
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Optional

import pytest

import crosstie


def test_a_url_cannot_pass_for_user_info() -> None:
    bus = crosstie.Bus()
    with pytest.raises(TypeError, match="request.user_info"):
        bus.route("app://x")(lambda request, user_info: user_info)
    bus.route("app://of/:user_info")(lambda user_info: user_info)
    assert bus.open("app://of/7").value == "7"


def test_decorator_returns_the_function(bus: crosstie.Bus) -> None:
    def handler() -> str:
        return "x"

    assert bus.route("app://x")(handler) is handler


def test_conflict_and_replace(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:x", lambda x: "first")
    with pytest.raises(crosstie.ConflictError, match="app://a/:x"):
        bus.routes.add("app://a/:y", lambda y: "second")
    assert bus.open("app://a/1").value == "first"
    bus.routes.add("app://a/:y", lambda y: "second", replace=True)
    assert bus.open("app://a/1").value == "second"


def test_replaced_registration_is_inactive(bus: crosstie.Bus) -> None:
    first = bus.routes.add("app://a", lambda: 1)
    second = bus.routes.add("app://a", lambda: 2, replace=True)
    assert not first.active
    assert second.active
    first.remove()
    assert bus.open("app://a").value == 2


def test_registration(bus: crosstie.Bus) -> None:
    def handler() -> None: ...

    registration = bus.routes.add("app://a", handler)
    assert registration.active
    assert registration.handler is handler
    assert registration.pattern == "app://a"
    assert repr(registration) == "<crosstie.Registration 'app://a'>"
    registration.remove()
    registration.remove()
    assert not registration.active
    assert bus.can_open("app://a") is None
    with bus.routes.add("app://b", handler) as other:
        assert bus.can_open("app://b") == "route"
    assert not other.active
    assert bus.can_open("app://b") is None


def test_unregister_by_handler(bus: crosstie.Bus) -> None:
    class Handlers:
        def show(self) -> str:
            return "shown"

    handlers = Handlers()
    bus.routes.add("app://a", handlers.show)
    bus.routes.add("app://b", handlers.show)
    bus.routes.add("app://c", lambda: None)
    bus.routes.remove(handlers.show)
    assert [route.pattern for route in bus.routes] == ["app://c"]
    with pytest.raises(crosstie.NotFoundError):
        bus.routes.remove(handlers.show)


def test_remove_route(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda: None)
    bus.routes.add("app://a/b", lambda: None)
    bus.routes.remove("app://a")
    assert [route.pattern for route in bus.routes] == ["app://a/b"]
    with pytest.raises(KeyError):
        bus.routes.remove("app://a")


def test_listing(bus: crosstie.Bus) -> None:
    bus.routes.add("app://b", lambda: None, public=True, remark="the second")
    bus.routes.add("app://a", lambda: None)
    bus.routes.add("app://c", lambda: None, name="third", worker_only=True)
    assert list(bus.routes) == [
        crosstie.Route("app://a", "", False),
        crosstie.Route("app://b", "the second", True),
        crosstie.Route("app://c", "", False, name="third", worker_only=True),
    ]
    assert list(bus.routes)[1].remark == "the second"
    assert list(bus.routes)[0].hits is None


def test_hits() -> None:
    with crosstie.Bus(count_hits=True) as bus:
        bus.routes.add("app://a", lambda: None)
        bus.routes.add("app://b", lambda: None)
        bus.open("app://a")
        bus.open_async("app://a").result()
        assert [(route.pattern, route.hits) for route in bus.routes] == [("app://a", 2), ("app://b", 0)]


def test_clear_routes(bus: crosstie.Bus) -> None:
    kept = bus.routes.add("app://a", lambda: None)
    bus.routes.add("app://b/:x", lambda x: None)
    bus.routes.unmatched(lambda request: request.url)
    bus.routes.clear()
    assert not bus.routes
    assert not kept.active
    assert bus.open("app://a").value == "app://a/"


def test_names(bus: crosstie.Bus) -> None:
    registration = bus.routes.add("app://users/:id<int>/*rest", lambda id, rest: (id, rest), name="user.show")
    assert (registration.name, registration.kind) == ("user.show", "route")
    assert bus.url_for("user.show", id=7, rest="a/b c") == "app://users/7/a/b%20c"
    assert bus.url_for("user.show", {"id": 7}, rest="a", query={"q": ["x", "y"], "n": 1.5, "on": True}) == (
        "app://users/7/a?q=x&q=y&n=1.5&on=true"
    )
    assert bus.url_for("user.show", [7, "a"], query={"q": "x"}) == "app://users/7/a?q=x"
    assert bus.open(bus.url_for("user.show", id=7, rest="a/b")).value == (7, "a/b")
    for call, error in (
        (lambda: bus.url_for("user.hide"), KeyError),
        (lambda: bus.url_for("user.show", id=7), crosstie.ParamError),
        (lambda: bus.url_for("user.show", [7]), crosstie.ParamError),
        (lambda: bus.url_for("user.show", [7], rest="a"), TypeError),
        (lambda: bus.url_for("user.show", "7a"), TypeError),
        (lambda: bus.url_for("user.show", id="seven", rest="a"), crosstie.ParamError),
        (lambda: bus.url_for("user.show", id=7, rest="a", query={"q": object()}), crosstie.KindError),
        (lambda: bus.routes.add("app://b", lambda: None, name="user.show"), crosstie.ConflictError),
        (lambda: bus.routes.add("app://c", lambda: None, name="no name"), crosstie.ArgumentError),
    ):
        with pytest.raises(error):
            call()
    assert [route.name for route in bus.routes] == ["user.show"]


@pytest.mark.parametrize(
    "pattern", ["", "app", "app://a/:", "app://a/:x/:x", "app://a/*rest/b", "/no-scheme", "app://a/:x<what>"]
)
def test_malformed_pattern(bus: crosstie.Bus, pattern: str) -> None:
    with pytest.raises(crosstie.PatternError):
        bus.routes.add(pattern, lambda *args, **kwargs: None)
    assert not bus.routes


# Calls of handlers


def with_nothing() -> Any:
    return "nothing"


def with_request(request: crosstie.Request) -> Any:
    return request.url


def with_request_by_another_name(id: int, req: crosstie.Request) -> Any:
    return req.url, id


def with_annotated_request(id: int, r: crosstie.Request | None = None) -> Any:
    return id, r


def with_positional_only(request: crosstie.Request, id: str, /) -> Any:
    return id


def with_keyword_only(*, id: int, tab: str = "posts") -> Any:
    return id, tab


def with_mixture(request: crosstie.Request, id: int, *, tab: str = "posts", page: int = 1) -> Any:
    return id, tab, page


def with_rest(id: str, **params: str) -> Any:
    return id, params


def with_rest_alone(**params: str) -> Any:
    return params


def with_keyword_and_rest(*, tab: str = "none", **params: str) -> Any:
    return tab, params


def with_optional(id: Optional[int], tab: str | None = None, on: Annotated[bool, "what"] = False) -> Any:
    return id, tab, on


def with_unconverted(id: Any, tab: object = None) -> Any:
    return id, tab


def with_args(*args: Any) -> Any:
    return args


class Callable_:
    def __call__(self, request: crosstie.Request, id: int) -> Any:
        return id


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (with_nothing, "nothing"),
        (with_request, "app://users/42?tab=likes&on=true"),
        (with_request_by_another_name, ("app://users/42?tab=likes&on=true", 42)),
        (with_positional_only, "42"),
        (with_keyword_only, (42, "likes")),
        (with_mixture, (42, "likes", 1)),
        (with_rest, ("42", {"tab": "likes", "on": "true"})),
        (with_rest_alone, {"id": "42", "tab": "likes", "on": "true"}),
        (with_keyword_and_rest, ("likes", {"id": "42", "on": "true"})),
        (with_optional, (42, "likes", True)),
        (with_unconverted, ("42", "likes")),
        (with_args, ()),
        (Callable_(), 42),
        (functools.partial(with_mixture, page=9), (42, "likes", 9)),
        (lambda id: id, "42"),
        (lambda request, id: (request.path, id), ("/42", "42")),
    ],
)
def test_arguments(bus: crosstie.Bus, handler: Callable[..., Any], expected: Any) -> None:
    bus.routes.add("app://users/:id", handler)
    assert bus.open("app://users/42?tab=likes&on=true").value == expected


def test_every_position_in_a_pattern(bus: crosstie.Bus) -> None:
    bus.routes.add("app://:host/:id<int>/~/:name.html/*rest", lambda host, id, name, rest: (host, id, name, rest))
    assert bus.open("app://H/-5/any/page.html/a/b").value == ("H", -5, "page", "a/b")


@pytest.mark.parametrize(
    ("pattern_type", "text", "value"),
    [("int", "-7", -7), ("uint", "7", 7), ("float", "1.5e3", 1500.0), ("bool", "true", True), ("word", "a_b", "a_b")],
)
def test_pattern_types_convert(bus: crosstie.Bus, pattern_type: str, text: str, value: object) -> None:
    bus.routes.add(f"app://a/:x<{pattern_type}>", lambda x: x)
    result = bus.open(f"app://a/{text}").value
    assert result == value
    assert type(result) is type(value)


def test_annotation_goes_before_the_patterns_type(bus: crosstie.Bus) -> None:
    def text(x: str) -> str:
        return x

    bus.routes.add("app://a/:x<int>", text)
    assert bus.open("app://a/7").value == "7"


def convert_int(x: int) -> int:
    return x


def convert_float(x: float) -> float:
    return x


def convert_bool(x: bool) -> bool:
    return x


@pytest.mark.parametrize(
    ("handler", "text", "value"),
    [
        (convert_int, "0", 0),
        (convert_int, "9223372036854775807", 2**63 - 1),
        (convert_int, "-9223372036854775808", -(2**63)),
        (convert_int, "999999999999999999", 10**18 - 1),
        (convert_float, "0", 0.0),
        (convert_float, "-0.25E-2", -0.0025),
        (convert_float, "123456789012345678901234567890", 1.2345678901234568e29),
        (convert_float, "1e-400", 0.0),
        (convert_float, "1.7976931348623157e308", 1.7976931348623157e308),
        (convert_bool, "false", False),
    ],
)
def test_conversions(bus: crosstie.Bus, handler: Callable[..., Any], text: str, value: object) -> None:
    bus.routes.add("app://a", handler)
    result = bus.open(f"app://a?x={text}").value
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("handler", "text"),
    [
        (convert_int, ""),
        (convert_int, "-"),
        (convert_int, "+1"),
        (convert_int, "01"),
        (convert_int, "1_0"),
        (convert_int, "1.0"),
        (convert_int, "9223372036854775808"),
        (convert_int, "-9223372036854775809"),
        (convert_int, "1" * 5000),
        (convert_int, "٣"),
        (convert_float, "."),
        (convert_float, "1."),
        (convert_float, ".5"),
        (convert_float, "1e"),
        (convert_float, "nan"),
        (convert_float, "0x1"),
        (convert_float, "1e400"),
        (convert_float, "-1e999"),
        (convert_float, "inf"),
        (convert_float, "1_0"),
        (convert_bool, "True"),
        (convert_bool, "1"),
    ],
)
def test_refused_conversions(bus: crosstie.Bus, handler: Callable[..., Any], text: str) -> None:
    bus.routes.add("app://a", handler)
    with pytest.raises(crosstie.ParamError, match="'x' has to be") as caught:
        bus.open(f"app://a?x={text}")
    assert isinstance(caught.value, ValueError)
    assert caught.value.status is crosstie.Status.PARAM


def test_missing_and_duplicate_parameters(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", convert_int)
    with pytest.raises(crosstie.ParamError, match="'x' is missing"):
        bus.open("app://a")
    with pytest.raises(crosstie.ParamError, match="more than once") as caught:
        bus.open("app://a?x=1&x=2")
    assert caught.value.status is crosstie.Status.DUPLICATE


def test_duplicates_among_the_rest(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:id", with_rest)
    assert bus.open("app://a/1?id=2").value == ("1", {})
    with pytest.raises(crosstie.ParamError, match="more than once"):
        bus.open("app://a/1?b=1&b=2")


def test_refused_handlers(bus: crosstie.Bus) -> None:
    async def generator() -> AsyncIterator[None]:
        yield

    class Async:
        async def __call__(self) -> AsyncIterator[None]:
            yield

    def strange(x: dict[str, int]) -> None: ...

    for handler, message in (
        (generator, "async"),
        (Async(), "async"),
        (strange, "annotated with dict"),
        (3, "callable"),
        (eval("lambda " + ",".join(f"a{i}=0" for i in range(65)) + ": 0"), "at most 64"),
    ):
        with pytest.raises(TypeError, match=message):
            bus.routes.add("app://a", handler)  # type: ignore[arg-type]
    assert not bus.routes


def test_unresolvable_annotations(bus: crosstie.Bus) -> None:
    def handler(request: "Request", id: "Nowhere" = None) -> Any:  # type: ignore[name-defined]  # noqa: F821
        return request.url, id

    bus.routes.add("app://a/:id", handler)
    assert bus.open("app://a/3").value == ("app://a/3", "3")


# Generating


def test_generate(bus: crosstie.Bus) -> None:
    assert bus.routes.generate("app://users/:id", id=42) == "app://users/42"
    assert bus.routes.generate("app://users/:id", {"id": "a b"}) == "app://users/a%20b"
    with pytest.raises(TypeError, match="one text"):
        bus.routes.generate("app://users/:id", "7")
    assert bus.routes.generate("app://users/:id/:tab", {"id": 1}, tab="é") == "app://users/1/%C3%A9"
    assert bus.routes.generate("app://users/:id/:tab", ["1", True]) == "app://users/1/true"
    assert bus.routes.generate("app://users") == "app://users/"


def test_generate_refusals(bus: crosstie.Bus) -> None:
    with pytest.raises(crosstie.ParamError):
        bus.routes.generate("app://users/:id")
    with pytest.raises(crosstie.ParamError):
        bus.routes.generate("app://users/:id", id=1, other=2)
    with pytest.raises(crosstie.PatternError):
        bus.routes.generate("app://users/:")
    with pytest.raises(TypeError):
        bus.routes.generate("app://users/:id", [1], id=1)
    with pytest.raises(crosstie.KindError):
        bus.routes.generate("app://users/:id", id=object())


def test_generated_url_gives_the_parameters_back(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:x/*rest", lambda x, rest: (x, rest))
    url = bus.routes.generate("app://a/:x/*rest", x="é +%?#&", rest="b/c d")
    assert bus.open(url).value == ("é +%?#&", "b/c d")
