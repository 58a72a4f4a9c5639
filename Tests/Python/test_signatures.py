"""The parameters of handlers: of URLs, of rules, of calls."""

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Optional, Union
from unittest import mock

import pytest

import crosstie
from conftest import WATCHDOG

# Arguments that host code has bound


def greet(request, role):  # type: ignore[no-untyped-def]
    return role


def typed(request: crosstie.Request, role: str = "user", page: int = 1) -> tuple[str, int]:
    return role, page


class Views:
    level = "low"

    def bound(self, request, role):  # type: ignore[no-untyped-def]
        return role

    def run(self, dry_run=True):  # type: ignore[no-untyped-def]
        return dry_run

    @classmethod
    def of_class(cls, dry_run=True):  # type: ignore[no-untyped-def]
        return cls.level, dry_run

    @staticmethod
    def of_none(role="guest"):  # type: ignore[no-untyped-def]
        return role

    def rest(self, **params: str) -> dict[str, str]:
        return params

    def role_and_rest(self, role, **params):  # type: ignore[no-untyped-def]
        return role, params

    part = functools.partialmethod(bound, role="guest")

    def __call__(self, role="guest"):  # type: ignore[no-untyped-def]
        return role


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def wrapped_with_a_role(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(role: str = "guest", **kwargs: Any) -> Any:
        return function(role, **kwargs)

    wrapper.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("params", inspect.Parameter.VAR_KEYWORD)]
    )
    return wrapper


class Page:
    def __init__(self, role="guest", **params):  # type: ignore[no-untyped-def]
        self.seen = role, params

    def __eq__(self, other: object) -> bool:
        return self.seen == other


HOSTILE = "&".join(
    f"{name}=admin" for name in "role dry_run name self cls request db args kwargs params func wrapper".split()
)

BOUND: list[tuple[Callable[..., Any], Any]] = [
    (functools.partial(greet, role="guest"), "guest"),
    (functools.partial(functools.partial(greet, role="root"), role="guest"), "guest"),
    (functools.partial(typed, role="guest"), ("guest", 1)),
    (functools.partial(Views().bound, role="guest"), "guest"),
    (functools.partial(Views().role_and_rest, "guest"), ("guest", {})),
    (functools.partial(Views().role_and_rest, role="guest"), ("guest", {})),
    (functools.partial(Views().rest, role="guest"), {"role": "guest"}),
    (functools.partial(Views(), role="guest"), "guest"),
    (functools.partial(wrapped(typed), role="guest"), ("guest", 1)),
    (wrapped(functools.partial(typed, role="guest")), ("guest", 1)),
    (functools.partial(Page, role="guest"), ("guest", {})),
    (functools.partial(lambda role, /, **rest: (role, "role" in rest), "guest"), ("guest", False)),
    (Views().part, "guest"),
    (Views().run, True),
    (Views().of_class, ("low", True)),
    (Views.of_class, ("low", True)),
    (Views.of_none, "guest"),
    (Views(), "guest"),
    (Views().rest, {}),
    (Page, ("guest", {})),
    (wrapped(Views().rest), {}),
    (wrapped(lambda request, role="guest": role), "guest"),
    (wrapped_with_a_role(lambda role, **params: (role, "role" in params)), ("guest", False)),
    (lambda role="guest": role, "guest"),
    (lambda role="guest", *, name="guest": (role, name), ("guest", "guest")),
    (lambda role="guest", /, *args, name="guest", **rest: (role, name, "role" in rest), ("guest", "guest", False)),
    (lambda role="guest", *args, request: (role, args, request.host), ("guest", (), "x")),
]


def without_what_is_nobodys(value: Any) -> Any:
    """The names in HOSTILE that a handler does not have reach `**params`, as they should."""
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if item != "admin"}
    return tuple(map(without_what_is_nobodys, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize(("handler", "expected"), BOUND)
def test_no_query_changes_what_is_bound(bus: crosstie.Bus, handler: Callable[..., Any], expected: Any) -> None:
    bus.routes.add("app://x", handler, public=True)
    for url in ("app://x", "app://x?" + HOSTILE):
        value = bus.open(url, origin="remote").value
        value = value.seen if isinstance(value, Page) else value
        assert without_what_is_nobodys(value) == expected


@pytest.mark.parametrize(("handler", "expected"), BOUND)
def test_no_rule_changes_what_is_bound(bus: crosstie.Bus, handler: Callable[..., Any], expected: Any) -> None:
    """Neither what a document declares nor what it has in its path: host code has said nothing of it."""
    bus.rules.add("x", handler)
    names = [pair.partition("=")[0] for pair in HOSTILE.split("&")]
    load(bus, "/x", dict.fromkeys(names, "string"))
    for url in ("app://x/x", "app://x/x?" + HOSTILE):
        value = bus.open(url, origin="remote").value
        value = value.seen if isinstance(value, Page) else value
        assert without_what_is_nobodys(value) == expected
    load(bus, "/x/:role", {})
    value = bus.open("app://x/x/admin", origin="remote").value
    assert without_what_is_nobodys(value.seen if isinstance(value, Page) else value) == expected


def load(bus: crosstie.Bus, path: str, params: dict[str, Any], target: str = "") -> None:
    rule = {"id": "x", "host": "x", "path": path, "visibility": "public", "params": params}
    if target:
        rule["target"] = target
    bus.rules.load(
        {
            "format": 1,
            "version": "1.0.0",
            "publicSchemes": ["app"],
            "privateSchemes": [],
            "routeHosts": ["x"],
            "webHosts": [],
            "rules": [rule],
        }
    )


def test_pages_of_a_loop(bus: crosstie.Bus) -> None:
    pages = {"a": "public", "b": "SECRET"}
    for name in ["a"]:
        bus.routes.add(f"app://page/{name}", lambda name=name: pages[name], public=True)
    assert bus.open("app://page/a?name=b", origin="remote").value == "public"


def test_an_annotation_opens_a_default(bus: crosstie.Bus) -> None:
    bus.routes.add("app://x", typed)
    assert bus.open("app://x?role=admin&page=7").value == ("admin", 7)
    bus.routes.add("app://y", wrapped(typed))
    assert bus.open("app://y?role=admin&page=7").value == ("admin", 7)


def test_a_name_of_the_pattern_fills_a_default(bus: crosstie.Bus) -> None:
    bus.routes.add("app://x/:role", lambda role="guest": role)
    bus.routes.add("app://y/*role", Views().run)
    bus.routes.add("app://z/:dry_run", Views().run)
    assert bus.open("app://x/admin").value == "admin"
    assert bus.open("app://x/admin?role=root").value == "admin"
    assert bus.open("app://y/admin").value is True
    assert bus.open("app://z/no").value == "no"


@pytest.mark.parametrize("url", ["app://x?db=evil", "app://x"])
def test_annotations_for_type_checkers_open_nothing(bus: crosstie.Bus, url: str) -> None:
    def handler(
        page: "int" = 1,
        db: "Session" = "real",  # type: ignore[name-defined]  # noqa: F821
        other: Optional["Session"] = None,  # type: ignore[name-defined]  # noqa: F821
    ) -> Any:
        return page, db, other

    bus.routes.add("app://x", handler)
    assert bus.open(url).value == (1, "real", None)
    assert bus.open("app://x?page=3&other=x").value == (3, "real", None)


# Where the Request goes


def by_annotation(keyword: str, r: crosstie.Request) -> Any:
    return type(r).__name__, keyword


def by_optional(keyword: str = "", *, r: Optional[crosstie.Request] = None) -> Any:
    return type(r).__name__, keyword


def by_union(r: Annotated[crosstie.Request | None, "what"], keyword: str) -> Any:
    return type(r).__name__, keyword


def by_text(keyword: "str", r: "Union[Request, None]" = None) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return type(r).__name__, keyword


def by_name(keyword: str, *, request: Any) -> Any:
    return type(request).__name__, keyword


def by_both(request, keyword: str, r: "crosstie.Request") -> Any:  # type: ignore[no-untyped-def]
    return type(request).__name__ if request is r else "another", keyword


def by_position(keyword: str, request: object = None, /) -> Any:
    return type(request).__name__, keyword


async def awaited(keyword: str, request: crosstie.Request) -> Any:
    await asyncio.sleep(0)
    return type(request).__name__, keyword


TAKERS = [by_annotation, by_optional, by_union, by_name, by_both, by_position, awaited]


@pytest.mark.parametrize("handler", TAKERS)
def test_the_parameter_for_the_request(bus: crosstie.Bus, handler: Callable[..., Any]) -> None:
    bus.routes.add("app://of/:keyword", handler)
    bus.routes.add("app://by", handler)
    bus.rules.add("x", handler)
    load(bus, "/x", {"keyword": "string"})
    for url in ("app://of/x?r=1&request=2", "app://by?keyword=x&r=1&request=2", "app://x/x?keyword=x&r=1&request=2"):
        assert bus.open(url).value == ("Request", "x")
    component = type("Component", (), {"go": crosstie.action("go")(staticmethod_of(handler))})
    bus.component("c", component())
    assert bus.call("c", "go", keyword="x") == ("Request", "x")
    with pytest.raises(crosstie.ParamError, match="'request'"):
        bus.call("c", "go", {"keyword": "x", "request": 1})


def staticmethod_of(function: Callable[..., Any]) -> Any:
    copy = wrapped(function) if not inspect.iscoroutinefunction(function) else function
    return staticmethod(copy)


@pytest.mark.parametrize(
    "text",
    [
        "Request",
        "crosstie.Request",
        "Request | None",
        "None | ct.Request",
        "Optional[Request]",
        "typing.Optional[c.Request]",
    ],
)
def test_texts_that_mean_the_request(bus: crosstie.Bus, text: str) -> None:
    def handler(r: Any) -> Any:
        return type(r).__name__

    handler.__annotations__["r"] = text  # which no name in this file makes sense of
    bus.routes.add("app://x", handler)
    assert bus.open("app://x?r=1").value == "Request"


def test_the_first_parameter_is_no_request(bus: crosstie.Bus) -> None:
    with pytest.raises(TypeError, match="nothing fills the parameter 'keyword'"):
        bus.route("app://search")(lambda keyword: keyword)
    with pytest.raises(TypeError, match=r"':uid' in the pattern.*'uid: str'.*'uid: crosstie\.Request'"):
        bus.route("app://users/:id")(lambda uid: uid)
    for register in (bus.routes.unmatched, bus.system_opener):
        with pytest.raises(TypeError, match="nothing fills the parameter 'url'"):
            register(lambda url: url)
    bus.rules.navigator(lambda keyword: keyword)  # a rule may declare it
    bus.performer.fallback(lambda keyword: keyword)
    assert not bus.routes


@pytest.mark.parametrize("kind", [str, int, dict[str, int], bool | None, list])
def test_request_with_another_annotation(bus: crosstie.Bus, kind: Any) -> None:
    def handler(request: Any) -> None: ...

    handler.__annotations__["request"] = kind
    for register in (
        lambda: bus.routes.add("app://x", handler),
        lambda: bus.rules.add("x", handler),
        lambda: bus.performer.fallback(handler),
    ):
        with pytest.raises(TypeError, match="'request' of .* is the Request"):
            register()


@pytest.mark.parametrize(
    ("pattern", "handler", "message"),
    [
        ("app://x/:request", lambda request: 0, "is the Request"),
        ("app://x/:r", by_annotation, "is the Request"),
        ("app://x/:self", Views().rest, "'self' bound already"),
        ("app://x/*self", Views().run, "'self' bound already"),
        ("app://x/:cls", Views.of_class, "'cls' bound already"),
        ("app://x/:role", functools.partial(greet, role="guest"), "'role' bound already"),
        ("app://x/:role<int>", functools.partial(typed, role="guest"), "'role' bound already"),
        ("app://x/:role", functools.partial(Views().role_and_rest, "guest"), "'role' bound already"),
        ("app://x/:role", Views().part, "'role' bound already"),
        ("app://x/:self", Page, "'self' bound already"),
    ],
)
def test_patterns_that_name_what_is_bound(
    bus: crosstie.Bus, pattern: str, handler: Callable[..., Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        bus.routes.add(pattern, handler)
    assert not bus.routes


def test_request_and_self_are_names_like_others_where_nothing_has_them(bus: crosstie.Bus) -> None:
    bus.routes.add("app://x/:request/:self", lambda **params: params)
    assert bus.open("app://x/1/2?cls=3").value == {"request": "1", "self": "2", "cls": "3"}


# Exceptions that a URL cannot raise


def test_names_of_its_own_reach_no_rest(bus: crosstie.Bus) -> None:
    def handler(request, role="guest", /, *, name="guest", **rest):  # type: ignore[no-untyped-def]
        return role, name, rest

    bus.routes.add("app://x", handler)
    assert bus.open("app://x?request=1&role=2&name=3&other=4").value == ("guest", "guest", {"other": "4"})


# Rules


def test_only_what_a_rule_declares(bus: crosstie.Bus) -> None:
    def handler(words: str, page: int = 1, debug: bool = False, **rest: Any) -> Any:
        return words, page, debug, rest

    bus.rules.add("x", handler)
    load(bus, "/x", {"words": "string", "page": "int", "limit": {"type": "float", "default": 0.5}})
    assert bus.open("app://x/x?words=a&page=2&debug=true&other=3").value == ("a", 2, False, {"limit": 0.5})
    load(bus, "/x/:words", {"debug": "bool"})
    assert bus.open("app://x/x/a?page=2&debug=true&limit=3").value == ("a", 1, True, {})
    load(bus, "/x", {})
    for url in ("app://x/x", "app://x/x?words=a"):
        with pytest.raises(crosstie.ParamError, match="'words' is missing"):
            bus.open(url)


def test_a_navigator_is_a_rules_handler(bus: crosstie.Bus) -> None:
    bus.rules.navigator(lambda words, page=1, **rest: (words, page, rest))
    load(bus, "/x/:page", {"words": "int"})
    assert bus.open("app://x/x/7?words=3&other=1").value == (3, 1, {})


class Screen:
    """A target of rules."""

    opened: list[Any] = []

    def open(self, words, limit: int = 1, *, debug=False, flags: str = "", **rest):  # type: ignore[no-untyped-def]
        return words, limit, debug, flags, rest


    part = functools.partialmethod(open, "bound")
    kept = functools.lru_cache(lambda self, words: words)


@pytest.mark.parametrize("by_fallback", [False, True])
def test_a_target_gets_what_the_rule_declares(bus: crosstie.Bus, by_fallback: bool) -> None:
    bus.performer.allow(f"python:{__name__}")
    target = f"python:{__name__}:" + ("Nothing" if by_fallback else "Screen")
    bus.performer.fallback(functools.partial(Screen().open, flags="bound"))
    load(bus, "/x", {"words": "string", "limit": "int", "debug": "bool", "self": "string", "more": "int"}, target)
    url = "app://x/x?words=a&limit=2&debug=true&flags=evil&self=x&more=4&other=5"
    expected = ("a", 2, False, "bound" if by_fallback else "", {"more": 4})
    assert bus.open(url, origin="remote").value == expected
    with pytest.raises(crosstie.ParamError, match="'words' is missing"):
        bus.open("app://x/x?limit=2")


def test_a_selector_gets_by_name_what_it_is_called_with(bus: crosstie.Bus) -> None:
    bus.performer.allow(f"python:{__name__}")
    target = f"python:{__name__}:Screen"
    params = {"words": 1, "debug": True, "flags": "x", "more": 2}
    assert bus.perform(target, "open", params) == (1, 1, True, "x", {"more": 2})
    with pytest.raises(crosstie.ParamError, match="'self'"):
        bus.perform(target, "open", {"words": 1, "self": 2})
    assert bus.perform(target, "part", {"limit": 3}) == ("bound", 3, False, "", {})
    assert bus.perform(target, "kept", {"words": 3}) == 3
    for selector in ("part", "kept"):
        with pytest.raises(crosstie.ParamError, match="'self'"):
            bus.perform(target, selector, {"self": 2})


def test_a_route_of_a_rule(bus: crosstie.Bus) -> None:
    def handler(number, words, page: int = 1, role="guest"):  # type: ignore[no-untyped-def]
        return number, words, page, role

    bus.routes.add("app://x/x/:number<int>", handler, rule="x")
    url = "app://x/x/7?words=a&page=3&role=admin"
    with pytest.raises(crosstie.ParamError, match="'words' is missing"):
        bus.open(url)
    load(bus, "/x/:id<int>", {"words": "string", "role": "string"})
    assert bus.open(url).value == (7, "a", 1, "guest")
    load(bus, "/x/:id<int>", {"words": "string", "number": "bool"})
    assert bus.open(url + "&number=true").value == (7, "a", 1, "guest")


# Calls


class Actions:
    @crosstie.action
    def go(self, **params: Any) -> Any:
        return params

    @crosstie.action
    def strict(self, name: str, role="user", /, *, page=1) -> Any:  # type: ignore[no-untyped-def]
        return name, role, page

    @crosstie.action
    def nothing(self) -> None: ...

    @crosstie.action
    def timed(self, timeout: int = 0) -> int:
        return timeout

    @crosstie.event("rang")
    def received(self, what=None, **params: Any) -> bool:  # type: ignore[no-untyped-def]
        return params == {"more": 1}

    @crosstie.event("rang-twice")
    def received_less(self, what=None) -> bool:  # type: ignore[no-untyped-def]
        return bool(what == 2)


@pytest.fixture
def actions(bus: crosstie.Bus) -> Iterator[crosstie.Bus]:
    bus.component("c", Actions())
    yield bus


def test_calls_bind_as_calls_do(actions: crosstie.Bus) -> None:
    assert actions.call("c", "go", a=1, request=2, timeout=3) == {"a": 1, "request": 2, "timeout": 3}
    assert actions.call("c", "strict", name="Ada", role="root", page=3) == ("Ada", "root", 3)
    assert actions.call("c", "timed", timeout=3) == 3


@pytest.mark.parametrize(
    ("action", "params", "message"),
    [
        ("go", {"self": 1}, "'self'"),
        ("go", {1: 2}, "1"),
        ("go", {"a": 1, None: 2}, "None"),
        ("strict", {"nmae": "Ada"}, "'name' is missing; there is no parameter 'nmae'"),
        ("strict", {"name": "Ada", "pgae": 1}, "there is no parameter 'pgae'"),
        ("strict", {"name": "Ada", 2: 1}, "there is no parameter 2"),
        ("strict", {"page": 3}, "^the parameter 'name' is missing$"),
        ("strict", {"\ud800": 3, "name": ""}, r"there is no parameter '\\ud800'"),
        ("strict", {"self": 1, "name": ""}, "'self'"),
        ("nothing", {"x": 1}, "there is no parameter 'x'"),
        ("nothing", {"timeout": 1}, r"'timeout'; options go by bus\.with_options\(timeout=\.\.\.\)"),
        ("strict", {"priority": "low"}, r"'name' is missing.*bus\.with_options\(priority=\.\.\.\)"),
    ],
)
@pytest.mark.parametrize("way", ["mapping", "keywords", "view", "async"])
def test_names_that_do_not_fit_a_call(
    actions: crosstie.Bus, action: str, params: dict[Any, Any], message: str, way: str
) -> None:
    can_be_keywords = all(isinstance(name, str) for name in params)
    with pytest.raises(crosstie.ParamError, match=message):
        if way == "mapping" or (way == "keywords" and not can_be_keywords):
            actions.call("c", action, params)
        elif way == "keywords":
            actions.call("c", action, **params)
        elif way == "view":
            actions.with_options(timeout=WATCHDOG).call("c", action, params)
        else:
            actions.call_async("c", action, params).result(WATCHDOG)


def test_a_handler_that_fails_itself_is_no_wrong_call(actions: crosstie.Bus) -> None:
    class Odd:
        @crosstie.action
        def go(self, **params: Any) -> Any:
            return greet(**params)  # type: ignore[no-untyped-call]

    actions.component("odd", Odd())
    with pytest.raises(TypeError, match="unexpected keyword"):
        actions.call("odd", "go", request=1, role=2, other=3)


def test_arguments_that_partial_has_bound_for_calls(bus: crosstie.Bus) -> None:
    bus.performer.allow("python:nowhere")
    bus.performer.fallback(functools.partial(Views().role_and_rest, "guest"))
    with pytest.raises(crosstie.ParamError, match="'role'"):
        bus.perform("python:nowhere:X", "show", {"role": "admin"})
    bus.performer.fallback(functools.partial(greet, role="guest"))
    assert bus.perform("python:nowhere:X", "show", {"role": "admin"}) == "admin"
    bus.performer.fallback(functools.partial(greet, "not a Request"))
    assert bus.perform("python:nowhere:X", "show", {"role": "admin"}) == "admin"


def test_a_lazy_component_knows_its_self(bus: crosstie.Bus) -> None:
    @bus.component("lazy", lazy=True)
    class Lazy:
        @crosstie.action
        @functools.lru_cache(4)  # noqa: B019
        def kept(self, words: str) -> str:
            return words

        @crosstie.action
        @staticmethod
        def static(words: str) -> str:
            return words

        @classmethod
        @crosstie.action
        def of_class(cls, words: str) -> str:
            return words

    for action in ("kept", "static", "of_class"):
        assert bus.call("lazy", action, words="x") == "x"


def test_events_leave_out_what_does_not_fit(actions: crosstie.Bus) -> None:
    assert actions.broadcast("rang", {"what": 1, "more": 1, "self": 2}) == (1, True, ())
    assert actions.broadcast("rang-twice", {"what": 2, "self": 1, "timeout": 2}) == (1, True, ())


# Async handlers, however they are made


class Later:
    async def show(self, role, request=None):  # type: ignore[no-untyped-def]
        await asyncio.sleep(0)
        return role

    async def __call__(self, role="guest"):  # type: ignore[no-untyped-def]
        return role

    part = functools.partialmethod(show, role="guest")


@pytest.mark.parametrize(
    "handler",
    [
        functools.partial(Later().show, "guest"),
        functools.partial(functools.partial(Later().show), role="guest"),
        functools.partial(Later(), role="guest"),
        Later(),
        Later().part,
        staticmethod(functools.partial(Later(), role="guest")),
        functools.partial(staticmethod(functools.partial(Later().show)), role="guest"),
        mock.AsyncMock(return_value="guest"),
        mock.AsyncMock(spec=Later().show, return_value="guest"),
    ],
)
def test_async_handlers(bus: crosstie.Bus, handler: Callable[..., Any]) -> None:
    bus.routes.add("app://x", handler)
    assert bus.open("app://x?role=admin&self=1", timeout=WATCHDOG).value == "guest"
    with pytest.raises(TypeError, match="async"):
        bus.routes.add("app://y", handler, worker_only=True)


# Mocks, which tests put in place of functions


@pytest.mark.parametrize("kind", [mock.Mock, mock.MagicMock, mock.AsyncMock])
@pytest.mark.parametrize("spec", [None, greet, Views().run])
def test_mocks(bus: crosstie.Bus, kind: type[mock.Mock], spec: Any) -> None:
    """A mock takes any argument, and so it gets the names of a URL."""
    handler = kind(spec=spec, return_value="mocked", __name__="go")
    bus.routes.add("app://x/:id", handler)
    assert bus.open("app://x/7?tab=notes", timeout=WATCHDOG).value == "mocked"
    assert handler.call_args == mock.call(id="7", tab="notes")
    bus.components.add(type("Component", (), {"go": crosstie.action("go")(handler)}), "component")
    assert bus.with_options(timeout=WATCHDOG).call("component", "go", tab="likes") == "mocked"


def test_a_mock_of_a_signature(bus: crosstie.Bus) -> None:
    handler = mock.create_autospec(typed, return_value="mocked")
    bus.routes.add("app://x", handler)
    assert bus.open("app://x?role=admin&page=2&other=3").value == "mocked"
    handler.assert_called_once_with(mock.ANY, "admin", 2)


def test_mocks_as_interceptors(bus: crosstie.Bus) -> None:
    bus.routes.add("app://x", lambda: "opened")
    for kind in (mock.Mock, mock.AsyncMock):
        interceptor = kind(side_effect=lambda request: request.proceed())
        assert bus.open("app://x", interceptors=[interceptor], timeout=WATCHDOG).value == "opened"
        assert interceptor.call_count == 1


# Wrappers that take other arguments than the function inside


def with_more(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(session: str, *args: Any, **params: Any) -> Any:
        return function(*args, **params)

    return wrapper


def with_fewer(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(request: crosstie.Request) -> Any:
        return function(request, "7")

    return wrapper


def without_names(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


def by_keyword(request, *, id):  # type: ignore[no-untyped-def]
    return id


def with_rest(request, **params):  # type: ignore[no-untyped-def]
    return params


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (with_more(lambda id: id), None),
        (with_more(by_keyword), None),
        (with_more(lambda: 0), "'session'"),
        (with_fewer(lambda request, id: id), "too many positional arguments"),
        (with_fewer(by_keyword), "'id'"),
        (without_names(by_keyword), "'id'"),
        (without_names(with_rest), r"no \*\*params"),
        (functools.partial(without_names(by_keyword)), "'id'"),
        (functools.lru_cache(lambda id: id), None),
    ],
)
def test_wrappers_that_take_other_arguments(bus: crosstie.Bus, handler: Callable[..., Any], reason: str | None) -> None:
    """They are refused if no call could succeed, whatever the function inside takes."""
    if reason is None:
        bus.routes.add("app://x/:id", handler)
        return
    with pytest.raises(TypeError, match=f"the wrapper of .*{reason}.*__signature__"):
        bus.routes.add("app://x/:id", handler)
    action = crosstie.action("go")(staticmethod(handler))
    with pytest.raises(TypeError, match=f"the wrapper of .*{reason}.*__signature__"):
        bus.components.add(type("Component", (), {"go": action})(), "component")


def test_a_name_that_no_pattern_has(bus: crosstie.Bus) -> None:
    """A pattern's names are ASCII, so the advice is not to write one there."""
    with pytest.raises(TypeError, match="'größe: str'") as refusal:
        bus.routes.add("app://x", lambda größe: größe)
    assert "in the pattern" not in str(refusal.value)


# return request.defer()


@pytest.mark.parametrize("is_async", [False, True])
def test_returning_what_defer_gives(bus: crosstie.Bus, is_async: bool) -> None:
    kept: list[crosstie.Request] = []
    is_kept = threading.Semaphore(0)

    def handler(request: crosstie.Request) -> Any:
        kept.append(request)
        is_kept.release()
        return request.defer()

    async def later(request: crosstie.Request) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda task: is_kept.release())
        kept.append(request)
        return request.defer()

    function = later if is_async else handler
    component = type("Component", (), {"go": crosstie.action("go")(staticmethod(function))})
    bus.component("c", component())
    bus.routes.add("app://x", function)
    for ask in (lambda: bus.call_async("c", "go"), lambda: bus.open_async("app://x")):
        call = ask()
        assert is_kept.acquire(timeout=WATCHDOG)
        kept.pop().reply("later")
        answer = call.result(WATCHDOG)
        assert (answer.value if isinstance(answer, crosstie.Response) else answer) == "later"


def test_an_interceptor_that_returns_what_defer_gives(bus: crosstie.Bus) -> None:
    kept: list[crosstie.Request] = []

    is_kept = threading.Semaphore(0)

    def intercept(request: crosstie.Request) -> Any:
        kept.append(request)
        is_kept.release()
        return request.defer()

    bus.routes.add("app://x", lambda: "opened")
    bus.interceptors.add(intercept)
    call = bus.open_async("app://x")
    assert is_kept.acquire(timeout=WATCHDOG)
    kept.pop().proceed()
    assert call.result(WATCHDOG).value == "opened"


def test_dropping_what_defer_gives(bus: crosstie.Bus) -> None:
    bus.routes.add("app://x", lambda request: request.defer())
    with pytest.raises(crosstie.CallError) as caught:
        bus.open("app://x")
    assert caught.value.status is crosstie.Status.NO_REPLY


def test_a_request_is_no_answer(bus: crosstie.Bus) -> None:
    bus.routes.add("app://x", lambda request: request)
    with pytest.raises(TypeError, match=r"call defer\(\)"):
        bus.open("app://x")


# Interceptors


def test_proceed_goes_to_no_default(bus: crosstie.Bus) -> None:
    seen: list[Any] = []

    def note(request, level="info"):  # type: ignore[no-untyped-def]
        seen.append(level)
        request.proceed()

    def named(request, proceed=None):  # type: ignore[no-untyped-def]
        seen.append(callable(proceed))
        proceed()

    class Noting:
        def note(self, request, go, level="info"):  # type: ignore[no-untyped-def]
            seen.append(level)
            go()

    bus.routes.add("app://x", lambda: "opened")
    partial = functools.partial(Noting().note, level="info")
    interceptors: list[Callable[..., Any]] = [note, named, Noting().note, partial, wrapped(note)]
    assert bus.open("app://x", interceptors=interceptors).value == "opened"
    assert seen == ["info", True, "info", "info", "info"]


@pytest.mark.parametrize(
    "interceptor",
    [
        lambda: 0,
        lambda request, proceed, more: 0,
        lambda request, *, proceed: 0,
        functools.partial(lambda request, proceed, more: 0),
        lambda **rest: 0,
        Views,
    ],
)
def test_refused_interceptors(bus: crosstie.Bus, interceptor: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="an interceptor takes the request"):
        bus.interceptors.add(interceptor)
    bus.routes.add("app://x", lambda: 0)
    with pytest.raises(TypeError, match="an interceptor takes the request"):
        bus.open("app://x", interceptors=[interceptor])
