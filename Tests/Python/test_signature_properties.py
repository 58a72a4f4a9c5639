"""No URL changes an argument that host code has bound, for any handler and any names of parameters."""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

import crosstie

settings.register_profile("crosstie", max_examples=300, derandomize=True, deadline=None, database=None)
settings.load_profile("crosstie")

NAMES = "self cls request role name page user_info args params kwargs function wrapper r fget __class__ é".split()
KINDS = ("positional only", "positional", "keyword only")
ANNOTATIONS = ("", "", "", "str", "int", "bool | None", "Request", "Nowhere")

names = st.sampled_from(NAMES)
Made = tuple[Any, dict[str, Any], set[str]]
queries = st.lists(st.tuples(names, st.sampled_from(["admin", "1", "true", ""])), max_size=8)


class Bound:
    """An object that host code has bound: the handler may get no other one."""

    def __repr__(self) -> str:
        return "Bound"


class Parameter(NamedTuple):
    name: str
    kind: str
    annotation: str
    has_default: bool


parameters = st.builds(
    Parameter, names, st.sampled_from(KINDS), st.sampled_from(ANNOTATIONS), st.sampled_from([True, True, False])
)


def function_of(listed: list[Parameter], has_rest: bool, defaults: dict[str, Bound], *, first: str = "") -> Any:
    """A function that answers what it has been given, by name."""
    ordered = sorted(listed, key=lambda each: (KINDS.index(each.kind), each.kind != KINDS[2] and each.has_default))
    needs_default = False
    texts, kind = [first] if first else [], ""
    for each in ordered:
        if kind == KINDS[0] != each.kind:
            texts.append("/")
        if each.kind == KINDS[2] != kind:
            texts.append("*")
        needs_default = each.has_default or (needs_default and each.kind != KINDS[2])
        text = each.name + (f": {each.annotation!r}" if each.annotation else "")
        texts.append(text + (f"=defaults[{each.name!r}]" if needs_default else ""))
        kind = each.kind
    texts += ["/"] if kind == KINDS[0] else []
    texts += ["**rest"] if has_rest else []
    scope: dict[str, Any] = {"defaults": defaults, "Request": crosstie.Request}
    exec(f"def function({', '.join(texts)}):\n    return dict(locals())", scope)
    return scope["function"]


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def method_of(function: Any, is_of_class: bool) -> Any:
    holder = type("Holder", (), {"go": classmethod(function) if is_of_class else function})
    return holder().go


@st.composite
def handlers(draw: st.DrawFn) -> Made:
    """A handler, what it has bound by name, and the names of its parameters that an annotation opens."""
    listed = draw(st.lists(parameters, max_size=5, unique_by=lambda each: each.name))
    coin = st.sampled_from([False, True])
    has_rest, is_method = draw(coin), draw(coin)
    defaults: dict[str, Bound] = {name: Bound() for name in NAMES}
    first = draw(st.sampled_from([name for name in NAMES if all(name != each.name for each in listed)]))
    handler = function_of(listed, has_rest, defaults, first=first if is_method else "")
    if is_method:
        handler = method_of(handler, draw(coin))
    bound: dict[str, Any] = {}
    open_names = set()
    for parameter in inspect.signature(handler).parameters.values():
        if isinstance(parameter.default, Bound):
            bound[parameter.name] = parameter.default
        if parameter.annotation not in (inspect.Parameter.empty, "Nowhere"):
            open_names.add(parameter.name)
    taken = {first}  # what no call could give by a keyword, that of partial neither
    for _ in range(draw(st.integers(0, 3))):
        if draw(coin):
            handler = wrapped(handler)
            continue
        given = Bound()
        name = draw(st.sampled_from(sorted(open_names)) if draw(coin) and open_names else names)
        present = inspect.signature(handler).parameters.values()
        positional = [each.name for each in present if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        # From 3.13 on, partial and inspect accept them by keyword, and only the call fails.
        unnamed = {each.name for each in present if each.kind == each.POSITIONAL_ONLY}
        if draw(coin) and positional:
            part, name = functools.partial(handler, given), positional[0]
            taken.add(name)
        elif name not in taken | unnamed:
            part = functools.partial(handler, **{name: given})
        else:
            continue
        if is_callable(part):
            handler = part
            bound[name] = given
            open_names.discard(name)
    return handler, bound, open_names


def document(path: str, declared: list[str]) -> dict[str, Any]:
    rule = {"id": "x", "host": "x", "path": path, "visibility": "public", "params": dict.fromkeys(declared, "string")}
    return {
        "format": 1,
        "version": "1.0.0",
        "publicSchemes": ["app"],
        "privateSchemes": [],
        "routeHosts": ["x"],
        "webHosts": [],
        "rules": [rule],
    }


def opened(bus: crosstie.Bus, url: str) -> dict[str, Any] | None:
    """Return the handler's arguments; None if Crosstie's own error has refused the URL."""
    try:
        value = bus.open(url, origin="remote").value
    except crosstie.ParamError:
        return None
    assert isinstance(value, dict)
    return value


def url_of(path: str, query: list[tuple[str, str]]) -> str:
    return f"app://x{path}?" + "&".join(f"{name}={text}" for name, text in query)


def is_callable(handler: Any) -> bool:
    try:
        inspect.signature(handler)
    except (ValueError, TypeError):  # it has bound what it does not have
        return False
    return True


def check(given: dict[str, Any] | None, bound: dict[str, Any], ours: set[str], open_names: set[str]) -> None:
    if given is None:
        return
    rest = given.pop("rest", {})
    for name, value in bound.items():
        if name in ours or (name not in given and name not in rest):
            continue
        found = given[name] if name in given else rest[name]
        if name not in open_names:
            assert found is value or isinstance(found, crosstie.Request), (name, found)
    for name, value in given.items():
        if isinstance(value, str) and name not in ours:
            assert name in open_names, name
    assert not set(rest) & set(given)


@given(handlers(), st.lists(names.filter(str.isascii), max_size=2, unique=True), queries)
def test_routes(
    made: Made, captures: list[str], query: list[tuple[str, str]]
) -> None:
    handler, bound, open_names = made
    with crosstie.Bus() as bus:
        path = "/x" + "".join(f"/:{name}" for name in captures)
        try:
            bus.routes.add("app://x" + path, handler, public=True)
        except TypeError:
            return
        url = url_of("/x" + "/evil" * len(captures), query)
        check(opened(bus, url), bound, set(captures), open_names)


@given(handlers(), st.lists(names.filter(str.isascii), max_size=4, unique=True), st.booleans(), queries)
def test_rules(
    made: Made,
    declared: list[str],
    has_path: bool,
    query: list[tuple[str, str]],
) -> None:
    handler, bound, open_names = made
    with crosstie.Bus() as bus:
        try:
            bus.rules.add("x", handler)
        except TypeError:
            return
        path, names = ("/x/:" + declared[0], declared[1:]) if has_path and declared else ("/x", declared)
        bus.rules.load(document(path, names))
        given = opened(bus, url_of("/x/evil" if path != "/x" else "/x", query))
        if given is not None:
            texts = {**given, **given.get("rest", {})}
            assert {name for name, value in texts.items() if isinstance(value, str)} <= set(declared)
            required = {name for name in given if name not in bound}
            check(given, bound, set(), open_names | required)


@given(handlers(), st.dictionaries(names, st.sampled_from(["admin", 1, None, True]), max_size=6))
def test_calls(made: Made, params: dict[str, Any]) -> None:
    """A caller may give what Python lets it give, and gets ParamError for the rest."""
    handler = made[0]
    with crosstie.Bus() as bus:
        bus.performer.allow("python:nowhere")
        try:
            bus.performer.fallback(handler)
            component = types.new_class("Component", (), {}, lambda body: body.update(go=staticmethod(go_of(handler))))
            bus.component("c", component())
        except TypeError:
            return
        asks: list[Callable[[], Any]] = [
            lambda: bus.perform("python:nowhere:X", "show", params),
            lambda: bus.call("c", "go", params),
        ]
        for ask in asks:
            try:
                answer = ask()
            except crosstie.ParamError:
                continue
            assert isinstance(answer, dict)


def go_of(handler: Any) -> Any:
    return crosstie.action("go")(wrapped(handler))
