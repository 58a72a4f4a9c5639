"""The views of a bus: their items, look-up by name, and `remove()`."""

from collections.abc import Iterator
from typing import Any

import pytest

import crosstie

RULES = {
    "format": 1, "version": "1.0.0", "publicSchemes": ["shop"], "privateSchemes": [], "routeHosts": ["open"],
    "webHosts": [],
    "rules": [
        {"id": "search", "host": "open", "path": "/search", "visibility": "public"},
        {"id": "order", "host": "open", "path": "/orders/:id", "visibility": "public"},
    ],
}  # fmt: skip


@pytest.fixture
def bus() -> Iterator[crosstie.Bus]:
    with crosstie.Bus("test") as bus:
        yield bus


class Home:
    @crosstie.action
    def greet(self) -> str:
        return "hello"


class Board(crosstie.Provider):
    name = "board"
    platform = crosstie.Platform("board")

    def launch(self, request: crosstie.Request, program: Any, options: Any) -> str:
        return "launched"


def show() -> str:
    return "shown"


def see(request: crosstie.Request) -> None:
    request.proceed()


VIEWS: list[tuple[str, tuple[Any, ...], str]] = [
    ("routes", ("app://users/:id", show), "app://users/:id"),
    ("components", (Home, "home"), "home"),
    ("providers", (Board(),), "board"),
]


@pytest.mark.parametrize("view, arguments, name", VIEWS)
def test_a_listing(bus: crosstie.Bus, view: str, arguments: tuple[Any, ...], name: str) -> None:
    listing: Any = getattr(bus, view)
    assert not listing and len(listing) == 0 and list(listing) == []
    assert name not in listing
    with pytest.raises(KeyError) as caught:
        listing[name]
    assert isinstance(caught.value, crosstie.NotFoundError) and repr(name) in str(caught.value)
    registration = listing.add(*arguments)
    assert isinstance(registration, crosstie.Registration)
    (info,) = listing
    assert listing and len(listing) == 1
    assert name in listing and info in listing and listing[name] == info
    assert "none" not in listing and 3 not in listing
    assert repr(listing) == f"<crosstie.{view.capitalize()} of <crosstie.Bus 'test'>>"


@pytest.mark.parametrize("view, arguments, name", VIEWS)
@pytest.mark.parametrize("how", ["name", "registration", "object"])
def test_removing(bus: crosstie.Bus, view: str, arguments: tuple[Any, ...], name: str, how: str) -> None:
    listing: Any = getattr(bus, view)
    registration = listing.add(*arguments)
    thing = arguments[1] if view == "routes" else arguments[0]
    what = {"name": name, "registration": registration, "object": thing}[how]
    listing.remove(what)
    assert not registration.active and not listing
    if how == "registration":
        listing.remove(what)  # as its own remove(), doing it again does nothing
    else:
        with pytest.raises(LookupError):
            listing.remove(what)


def test_items_of_another_view_or_bus(bus: crosstie.Bus) -> None:
    route = bus.routes.add("app://a", show)
    with crosstie.Bus("other") as other:
        elsewhere = other.routes.add("app://a", show)
        for view in (bus.rules, bus.interceptors, bus.components, bus.providers, bus.performer):
            with pytest.raises(crosstie.NotFoundError):
                view.remove(route)
            with pytest.raises(crosstie.NotFoundError):
                view.remove(show)  # type: ignore[arg-type]
        with pytest.raises(crosstie.NotFoundError, match="Routes"):
            bus.routes.remove(elsewhere)
        assert route.active and elsewhere.active


def test_a_function_that_handles_several(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", show)
    bus.routes.add("app://b", show)
    bus.routes.unmatched(show)
    bus.rule("search")(show)
    bus.performer.fallback(show)
    bus.routes.remove(show)
    assert {registration.kind for registration in bus._registrations()} == {"rule", "fallback"}
    bus.performer.remove(show)
    bus.rules.remove(show)
    assert not bus._registrations()


def test_clearing_routes(bus: crosstie.Bus) -> None:
    bus.route("app://a")(show)
    bus.routes.unmatched(lambda: "nobody")
    bus.routes.clear()
    assert not bus.routes
    assert bus.open("app://a").value == "nobody"


def test_rules(bus: crosstie.Bus) -> None:
    assert not bus.rules and list(bus.rules) == [] and bus.rules.document is None
    bus.rules.load(RULES)
    assert [rule["id"] for rule in bus.rules] == ["search", "order"]
    assert len(bus.rules) == 2 and "order" in bus.rules and "none" not in bus.rules
    assert bus.rules["order"]["path"] == "/orders/:id"
    assert bus.rules["order"] in bus.rules
    with pytest.raises(crosstie.NotFoundError):
        bus.rules["none"]
    handler = bus.rules.add("search", show)
    bus.rules.navigator(lambda: "navigated")
    assert bus.open("shop://open/search").value == "shown"
    bus.rules.remove("search")
    assert not handler.active and "search" in bus.rules
    assert bus.open("shop://open/search").value == "navigated"
    with pytest.raises(crosstie.NotFoundError, match="'search' has no handler"):
        bus.rules.remove("search")
    bus.rules.unload()
    assert not bus.rules


def test_interceptors(bus: crosstie.Bus) -> None:
    assert not bus.interceptors and see not in bus.interceptors
    registration = bus.interceptors.add(see)
    bus.routes.add("app://a", show, interceptors=[see])  # is the route's
    assert list(bus.interceptors) == [registration] and len(bus.interceptors) == 1
    assert see in bus.interceptors and registration in bus.interceptors and show not in bus.interceptors
    bus.interceptors.remove(see)
    assert not registration.active and not bus.interceptors
    with pytest.raises(crosstie.NotFoundError):
        bus.interceptors.remove(see)


def test_providers_of_a_view(bus: crosstie.Bus) -> None:
    """The options of `with_options()` apply to URLs that are offered to providers, too."""

    class Scheme(crosstie.Provider):
        name = "scheme"
        app_id = "board"

        def open_url(self, request: crosstie.Request, url: str) -> str:
            return url

    bus.providers.add(Scheme())
    remote = bus.with_options(origin="remote")
    assert bus.providers.open_url("board://a") is True
    assert remote.providers.open_url("board://a") is False
    assert remote.providers.open_url("board://a", origin="local") is True
    assert remote.providers["scheme"] == bus.providers["scheme"]


def test_a_view_lives_as_its_bus_does() -> None:
    routes = crosstie.Bus("kept").routes
    routes.add("app://a", show)
    assert [route.pattern for route in routes] == ["app://a"]
    bus = crosstie.Bus("closed")
    routes = bus.routes
    bus.close()
    for use in (lambda: list(routes), lambda: routes.add("app://a", show), lambda: routes.clear()):
        with pytest.raises(crosstie.ClosedError):
            use()
