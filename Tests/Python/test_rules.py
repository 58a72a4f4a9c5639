"""Rule tables: loading, converting, what handlers of rules are given, generating."""

import contextvars
import json
import os
import pathlib
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

import crosstie

SEARCH: dict[str, Any] = {
    "id": "search",
    "host": "open",
    "path": "/search/:kind",
    "visibility": "public",
    "target": "SearchPage",
    "openType": "push",
    "params": {
        "words": {"type": "string", "required": True},
        "page": {"type": "int", "default": 1},
        "exact": "bool",
        "limit": "float",
    },
    "demo": "shop://open/search/tea?words=green",
    "remark": "the search",
}
ORDER: dict[str, Any] = {"id": "order", "host": "open", "path": "/orders/:id<int>", "visibility": "private"}


def table(*rules: dict[str, Any], version: str = "1.0.0", **changes: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "version": version,
        "publicSchemes": ["shop"],
        "privateSchemes": ["shop-int"],
        "routeHosts": ["open"],
        "webHosts": ["m.shop.example"],
        "rules": list(rules or (SEARCH, ORDER)),
        **changes,
    }


OLDER: dict[str, Any] = {
    "version": "1.0.0",
    "rules": [
        {
            "host": "open",
            "path": "/search",
            "isPrivate": 0,
            "iOSVCClassName": "SearchViewController",
            "params": {"page": 1, "words": "kw"},
        }
    ],
}


# Loading


@pytest.mark.parametrize(
    "form",
    [
        lambda document, path: document,
        lambda document, path: json.dumps(document),
        lambda document, path: json.dumps(document).encode(),
        lambda document, path: bytearray(json.dumps(document).encode()),
        lambda document, path: path,
    ],
)
def test_every_form_of_a_source(
    bus: crosstie.Bus, tmp_path: pathlib.Path, form: Callable[[dict[str, Any], pathlib.Path], Any]
) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(table()))
    assert bus.rules.document is None
    source = form(table(), path)
    bus.rules.load(source)
    loaded = bus.rules.document
    assert loaded is not None
    assert [rule["id"] for rule in loaded["rules"]] == ["search", "order"]
    assert crosstie.convert_rules(source) == loaded


@pytest.mark.parametrize(
    ("source", "error", "where"),
    [
        ("{", crosstie.FormatError, "line 1"),
        ({}, crosstie.FormatError, ""),
        (table({**ORDER, "path": "/orders/:"}), crosstie.PatternError, "rules[0].path"),
        (table({**SEARCH, "demo": "shop://open/search/tea"}), crosstie.ParamError, "rules[0].demo"),
        (table(ORDER, ORDER), crosstie.ConflictError, "rules[1]"),
        (table({**ORDER, "visible": 1}), crosstie.FormatError, "rules[0]"),
        ('{"format": 1, "format": 1}', crosstie.ParamError, ""),
        (table(*[ORDER] * 10_001), crosstie.ArgumentError, "rules"),
    ],
)
def test_refused_documents(bus: crosstie.Bus, source: Any, error: type[crosstie.Error], where: str) -> None:
    bus.rules.load(table())
    for refuse in (bus.rules.load, crosstie.convert_rules):
        with pytest.raises(error) as caught:
            refuse(source)
        assert where in caught.value.location
        assert isinstance(caught.value, ValueError)
    assert bus.rules.document is not None
    assert len(bus.rules.document["rules"]) == 2


def test_paths_in_a_str_are_refused(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "rules"
    file.write_text(json.dumps(table()))
    for text in (str(file), "/not/there/rules.json"):
        for refuse in (bus.rules.load, crosstie.convert_rules):
            with pytest.raises(crosstie.FormatError, match=re.escape(f"pass pathlib.Path({text!r})")):
                refuse(text)
    for text in ("", "nonsense", '["rules.json', ' {"a": "rules.json'):
        with pytest.raises(crosstie.FormatError) as info:
            bus.rules.load(text)
        assert "pathlib" not in str(info.value)
    bus.rules.load("\n" + json.dumps(table()))
    assert bus.rules.document is not None


def test_refused_sources(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    sources: list[tuple[Any, type[Exception]]] = [
        (tmp_path / "missing.json", OSError),
        (tmp_path, OSError),
        (3, TypeError),
        (None, TypeError),
        (["rules"], TypeError),
        ({"rules": object()}, crosstie.KindError),
        ({3: 3}, TypeError),
        ("\ud800", crosstie.ArgumentError),
        (b"\xff", ValueError),
    ]
    for source, error in sources:
        for refuse in (bus.rules.load, crosstie.convert_rules):
            with pytest.raises(error):
                refuse(source)
    wrong: list[dict[str, Any]] = [{"public_schemes": "shop"}, {"web_hosts": [3]}, {"route_hosts": 3}, {"platform": 3}]
    for options in wrong:
        with pytest.raises(TypeError):
            bus.rules.load(table(), **options)
    with pytest.raises(crosstie.StoreError, match="missing.json"):
        bus.rules.load(tmp_path / "missing.json")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", pathlib.Path("/dev/zero"), tmp_path):
        for refuse in (bus.rules.load, crosstie.convert_rules):
            with pytest.raises(crosstie.StoreError, match=f"{path} is no regular file"):
                refuse(path)
    assert bus.rules.document is None


def test_versions(bus: crosstie.Bus) -> None:
    bus.rules.load(table(version="1.2.0"))
    bus.rules.load(table(ORDER, version="1.2.0"))
    with pytest.raises(crosstie.VersionError) as caught:
        bus.rules.load(table(version="1.1.9"))
    assert isinstance(caught.value, ValueError)
    assert caught.value.status is crosstie.Status.VERSION
    bus.rules.load(table(version="1.10.0"))


def test_the_older_form(bus: crosstie.Bus) -> None:
    lists: dict[str, Any] = {
        "public_schemes": ["shop"], "private_schemes": ("shop-int",), "route_hosts": ["open"],
        "web_hosts": ["m.shop.example"],
    }  # fmt: skip
    converted = crosstie.convert_rules(OLDER, platform="ios", **lists)
    assert converted["publicSchemes"] == ["shop"]
    [rule] = converted["rules"]
    assert rule["visibility"] == "public"
    bus.rules.load(OLDER, platform="ios", **lists)
    assert bus.rules.document == converted
    bus.rules.navigator(lambda request: (request.rule["target"], request.params["page"]))
    assert bus.open("shop://open/search?page=3", origin="remote").value == ("SearchViewController", 3)
    assert bus.open("https://m.shop.example/search?page=3", origin="remote").value[1] == 3
    bus.rules.load(converted, platform="ios")


def test_a_conflict_with_a_route(bus: crosstie.Bus) -> None:
    bus.routes.add("shop://open/orders/:x<int>", lambda x: x)
    with pytest.raises(crosstie.ConflictError, match="order"):
        bus.rules.load(table())
    assert bus.rules.document is None


# Handlers


def test_navigator(bus: crosstie.Bus) -> None:
    bus.rules.load(table())
    with pytest.raises(crosstie.NoTargetError) as caught:
        bus.open("shop://open/search/tea?words=green")
    assert isinstance(caught.value, LookupError)
    assert caught.value.status is crosstie.Status.NO_TARGET

    @bus.rules.navigator
    def navigate(request: crosstie.Request) -> Any:
        rule = request.rule
        assert rule is not None
        return rule["id"], rule.get("target"), rule.get("openType"), dict(request.params), request.origin

    url = "shop://open/search/tea?words=green&exact=true&limit=2.5&ref=7"
    params = {"kind": "tea", "words": "green", "exact": True, "limit": 2.5, "ref": "7", "page": 1}
    assert bus.open(url, origin="remote").value == ("search", "SearchPage", "push", params, "remote")
    assert bus.open(url.replace("shop://open", "https://m.shop.example")).value[3] == params
    assert bus.open("shop-int://open/orders/7").value == ("order", None, None, {"id": 7}, "local")
    for refused in ("shop://open/orders/7", "shop-int://open/orders/7", "shop-int://open/search/tea?words=a"):
        with pytest.raises(crosstie.DeniedError):
            bus.open(refused, origin="remote")
        assert bus.can_open(refused, origin="remote") is None
        assert bus.can_open(refused) == "route"
    for query in ("", "?words=a&page=x", "?words=a&words=b"):
        wrong = "shop://open/search/tea" + query
        with pytest.raises(crosstie.ParamError):
            bus.open(wrong)
        assert bus.can_open(wrong) is None
    bus.rules.remove(navigate)
    with pytest.raises(crosstie.NoTargetError):
        bus.open(url)


def plain(kind: Any, words: Any, page: Any, exact: Any = None) -> Any:
    return kind, words, page, exact


def annotated(request: crosstie.Request, page: str, words: str, limit: float = 9) -> Any:
    return page, words, limit


def annotated_default(page: int, kind: str) -> Any:
    return page, kind


def keyword_only(*, page: Any, exact: bool | None = None) -> Any:
    return page, exact


def rest(kind, **params):  # type: ignore[no-untyped-def]
    return kind, params


def missing(nothing):  # type: ignore[no-untyped-def]
    return nothing


ONE = "shop://open/search/tea?words=green&page=2&ref=7"


@pytest.mark.parametrize(
    ("handler", "url", "expected"),
    [
        (plain, ONE, ("tea", "green", 2, None)),
        (plain, ONE + "&exact=false", ("tea", "green", 2, False)),
        (plain, "shop://open/search/tea?words=green", ("tea", "green", 1, None)),
        (annotated, ONE, ("2", "green", 9)),
        (annotated, ONE + "&limit=3", ("2", "green", 3.0)),
        (annotated_default, ONE, (2, "tea")),
        (annotated_default, "shop://open/search/tea?words=green", (1, "tea")),
        (keyword_only, ONE + "&exact=true", (2, True)),
        (rest, ONE, ("tea", {"words": "green", "page": 2})),
        (lambda: "nothing", ONE, "nothing"),
    ],
)
@pytest.mark.parametrize("as_route", [False, True])
def test_arguments(bus: crosstie.Bus, as_route: bool, handler: Callable[..., Any], url: str, expected: Any) -> None:
    if as_route:
        bus.routes.add("shop://open/search/:kind", handler, rule="search")
    else:
        bus.rules.add("search", handler)
    bus.rules.load(table())
    assert bus.open(url, origin="remote").value == expected


def test_wrong_arguments(bus: crosstie.Bus) -> None:
    bus.rules.load(table())
    bus.rules.add("search", missing)
    for url in (ONE, ONE + "&nothing=1", ONE + "&nothing=1&nothing=2"):
        with pytest.raises(crosstie.ParamError, match="'nothing' is missing"):
            bus.open(url)

    def strict(id: bool, ref: int = 3) -> int:
        return ref

    with bus.rules.add("order", strict):
        with pytest.raises(crosstie.ParamError, match="'id' has to be true or false"):
            bus.open("shop://open/orders/1?ref=x")
    with bus.rules.add("order", rest):
        with pytest.raises(crosstie.ParamError, match="'kind' is missing"):
            bus.open("shop://open/orders/1?kind=1")


def test_a_route_handles_the_rule_that_it_is_for(bus: crosstie.Bus) -> None:
    bus.routes.add("shop://open/orders/:number<int>", lambda number: number, rule="order")
    with pytest.raises(crosstie.DeniedError):
        bus.open("shop://open/orders/7", origin="remote")
    bus.rules.load(table(SEARCH, {**ORDER, "visibility": "public"}))
    assert bus.open("shop://open/orders/7", origin="remote").value == 7
    assert bus.open("https://m.shop.example/orders/7", origin="remote").value == 7
    bus.rules.load(table(SEARCH))
    assert bus.open("shop://open/orders/7").value == 7
    with pytest.raises(crosstie.DeniedError):
        bus.open("shop://open/orders/7", origin="remote")


def test_a_name_hands_a_route_to_no_rule(bus: crosstie.Bus) -> None:
    bus.routes.add("shop://open/orders/:number<int>", lambda number: number, name="order")
    with pytest.raises(crosstie.ConflictError):
        bus.rules.load(table(SEARCH, {**ORDER, "visibility": "public"}))
    bus.rules.load(table(SEARCH))

    @bus.route("app://a", name="a", rule="b")
    def handler() -> None: ...

    assert [(route.name, route.rule) for route in bus.routes] == [("a", "b"), ("order", None)]
    with pytest.raises(crosstie.ConflictError, match="the rule b has a handler"):
        bus.rules.add("b", handler)
    with pytest.raises(crosstie.ConflictError, match="the rule b has a handler"):
        bus.routes.add("app://b", handler, rule="b")
    with pytest.raises(crosstie.ArgumentError):
        bus.routes.add("app://b", handler, rule="no id")
    with pytest.raises(TypeError):
        bus.routes.add("app://b", handler, rule=3)  # type: ignore[arg-type]


def test_a_table_goes_back_and_away(bus: crosstie.Bus) -> None:
    with pytest.raises(crosstie.NotFoundError):
        bus.rules.unload()
    newer, older = ({**table(SEARCH), "version": version} for version in ("2.0.0", "1.0.0"))
    bus.rules.load(newer)
    with pytest.raises(crosstie.VersionError):
        bus.rules.load(older)
    bus.rules.load(older, rollback=True)
    assert bus.rules.document is not None and bus.rules.document["version"] == "1.0.0"
    bus.rules.unload()
    assert bus.rules.document is None
    with pytest.raises(crosstie.NoRouteError):
        bus.open(ONE)


def test_the_trust_of_a_rules_handler(bus: crosstie.Bus) -> None:
    """Also of a route that is local of its own, but is the handler of a public rule."""
    bus.rules.load(table(SEARCH, {**ORDER, "visibility": "public"}))
    bus.routes.add("app://private", lambda: "secret")

    contexts: list[contextvars.Context] = []

    def gate() -> Any:
        contexts.append(contextvars.copy_context())
        return bus.open("app://private").value

    ways: tuple[Callable[[], crosstie.Registration], ...] = (
        lambda: bus.routes.add("shop://open/orders/:id<int>", gate, rule="order"),
        lambda: bus.rules.add("order", gate),
    )
    for add in ways:
        with add():
            assert bus.open("shop://open/orders/7").value == "secret"
            with pytest.raises(crosstie.DeniedError):
                bus.open("shop://open/orders/7", origin="remote")
        local, remote = (context.run(bus.can_open, "app://private") for context in contexts)
        assert (local, remote) == ("route", None)
        contexts.clear()


def test_registration_of_a_rule(bus: crosstie.Bus) -> None:
    def show(id: int) -> int:
        return id

    assert bus.rule("order")(show) is show
    [registration] = bus._registrations()
    assert (registration.kind, registration.name, registration.pattern) == ("rule", "order", "")
    assert repr(registration) == "<crosstie.Registration rule 'order'>"
    bus.rules.load(table())
    assert bus.open("shop://open/orders/7").value == 7
    with pytest.raises(crosstie.ConflictError):
        bus.rule("order")(lambda: None)
    with pytest.raises(crosstie.ArgumentError):
        bus.rule("no id")(lambda: None)
    with pytest.raises(TypeError):
        bus.rule(3)(lambda: None)  # type: ignore[arg-type]
    bus.rules.remove(show)
    assert not registration.active
    with pytest.raises(crosstie.NoTargetError):
        bus.open("shop://open/orders/7")


def test_interceptors_and_workers_of_rules(bus: crosstie.Bus) -> None:
    seen: list[str] = []

    def note(request: crosstie.Request, proceed: Callable[[], None]) -> None:
        seen.append(request.url)
        proceed()

    bus.rules.load(table())
    bus.rule("order", worker_only=True, interceptors=[note])(lambda id: threading.get_ident())
    bus.rules.navigator(worker_only=True, interceptors=[note])(lambda request: threading.get_ident())
    assert bus.open("shop://open/orders/7").value != threading.get_ident()
    assert bus.open(ONE).value != threading.get_ident()
    assert seen == ["shop://open/orders/7", ONE]


def test_a_request_by_no_rule(bus: crosstie.Bus) -> None:
    bus.rules.load(table())
    bus.routes.add("app://a", lambda request: request.rule)
    assert bus.open("app://a").value is None


# Generating


def test_generating(bus: crosstie.Bus) -> None:
    with pytest.raises(KeyError):
        bus.rules.url_for("search", kind="tea", words="green")
    bus.rules.load(table())
    bus.rule("search")(lambda request: dict(request.params))
    params = {"kind": "té a", "words": "a&b", "page": 2, "exact": True, "ref": "x"}
    for url in (
        bus.rules.url_for("search", params),
        bus.rules.url_for("search", {"kind": "té a"}, words="a&b", page=2, exact=True, ref="x"),
        bus.rules.url_for("SearchPage", params, by_target=True),
        bus.rules.url_for("search", params, web=True),
    ):
        assert url.startswith(("shop://open/search/", "https://m.shop.example/search/"))
        assert bus.open(url, origin="remote").value == params
    assert bus.rules.url_for("order", id=7) == "shop://open/orders/7"
    assert bus.rules.url_for("search", params, web=True).startswith("https:")
    with pytest.raises(ValueError):
        bus.rules.url_for("search", params, web=True, private=True)
    refused: list[tuple[Callable[[], str], type[Exception]]] = [
        (lambda: bus.rules.url_for("nothing"), KeyError),
        (lambda: bus.rules.url_for("search", kind="tea"), crosstie.ParamError),
        (lambda: bus.rules.url_for("order", id="x"), crosstie.ParamError),
        (lambda: bus.rules.url_for("order", id=object()), crosstie.KindError),
        (lambda: bus.rules.url_for(3), TypeError),  # type: ignore[arg-type]
    ]
    for call, error in refused:
        with pytest.raises(error):
            call()
