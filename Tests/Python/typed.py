"""What a type checker is told; it is only checked, never run. An ignore that is not needed is an error, too."""

from collections.abc import Callable
from typing import Any, Literal, assert_type

import crosstie

bus = crosstie.Bus("typed", match="nearest", count_hits=True)


@bus.route("app://users/:id<int>", name="user", worker_only=True)
def show(request: crosstie.Request, id: int) -> str:
    assert_type(request.params, crosstie.Params)
    assert_type(request.params["id"], Any)
    assert_type(request.param("id"), str)
    assert_type(request.query_all("tab"), list[str])
    assert_type(request.query_string, str)
    assert_type(request.unmatched, str)
    assert_type(request.rule, dict[str, Any] | None)
    assert_type(request.deny(), None)
    return "shown"


@bus.interceptor(order=3)
def see(request: crosstie.Request, proceed: Callable[[], None]) -> None:
    proceed()


@bus.interceptor(3)
def see_too(request: crosstie.Request) -> None:
    request.rewrite("app://users/1")


@bus.unmatched
def nothing(request: crosstie.Request) -> int:
    return 404


@bus.unmatched(public=True, worker_only=True, interceptors=[see])
def nothing_public() -> int:
    return 404


@bus.navigator
def navigate(request: crosstie.Request) -> bytes:
    return b""


@bus.navigator(interceptors=(see,))
def navigate_seen() -> bytes:
    return b""


@bus.opener
def browse(request: crosstie.Request) -> float:
    return 1.0


@bus.opener(schemes=["mailto"], remote=True, enabled=False)
def write(request: crosstie.Request) -> float:
    return 1.0


@bus.rule("user", worker_only=True)
def show_by_rule(id: int) -> str:
    return "shown"


assert_type(show(*[]), str)
assert_type(nothing(*[]), int)
assert_type(nothing_public(), int)
assert_type(navigate(*[]), bytes)
assert_type(navigate_seen(), bytes)
assert_type(browse(*[]), float)
assert_type(write(*[]), float)
assert_type(show_by_rule(3), str)
assert_type(see(*[]), None)

assert_type(bus.can_open("app://a", origin="remote", mode="exact"), Literal["route", "opener"] | None)
assert_type(bus.open("app://a", mode="nearest", interceptors=[see]), crosstie.Response)
assert_type(bus.open_async("app://a", mode=None, interceptors=(see,)), crosstie.Call)
assert_type(bus.add_interceptor(see, order=1), crosstie.Registration)
assert_type(bus.add_rule_handler("user", show_by_rule), crosstie.Registration)
assert_type(bus.rules, dict[str, Any] | None)
assert_type(bus.url_for("user", id=3, query={"tab": ["a", "b"]}), str)
assert_type(bus.url_for_rule("user", {"id": 3}, web=True), str)
assert_type(crosstie.convert_rules({}, web_hosts=["shop.example"]), dict[str, Any])
assert_type(bus.routes()[0].hits, int | None)

bus.open("app://a", mode="closest")  # type: ignore[arg-type]
bus.open("app://a", interceptors=see)  # type: ignore[arg-type]
bus.load_rules(3)  # type: ignore[arg-type]
bus.interceptor(see)  # type: ignore[arg-type]
crosstie.Bus(match=None)  # type: ignore[arg-type]
