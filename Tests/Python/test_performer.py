"""The performer: targets in Python, and those that are not found or not allowed."""

import gc
import pathlib
import sys
import weakref
from typing import Any

import pytest

import crosstie
import shop_views
from conftest import WATCHDOG

PRODUCT = "python:shop_views:Product"


@pytest.fixture
def shop(bus: crosstie.Bus) -> crosstie.Bus:
    bus.performer.allow("python:shop_views")
    shop_views.Product.made = 0
    return bus


def test_performing(shop: crosstie.Bus) -> None:
    assert shop.perform(PRODUCT, "show", {"id": 3}) == {"id": 3, "tab": "info", "number": 1}
    assert shop.perform(PRODUCT, "show", {"id": "4", "tab": "x"}) == {"id": 4, "tab": "x", "number": 2}
    params = {"a": object()}
    assert shop.perform(PRODUCT, "echo", params) is params
    assert shop.perform(PRODUCT, "nothing") is None
    assert shop.perform(PRODUCT, "static", {"x": 2}) == 2
    assert shop.perform(PRODUCT, "kind") == "Product"
    thing = object()
    assert shop.perform(PRODUCT, "later", {"what": thing}) is thing
    assert shop.perform_async(PRODUCT, "static", {"x": 3}).result(WATCHDOG) == 3
    assert shop.with_options(timeout=1).perform(PRODUCT, "kind") == "Product"
    with pytest.raises(ZeroDivisionError):
        shop.perform(PRODUCT, "fail")


def test_awaiting(shop: crosstie.Bus) -> None:
    import asyncio

    async def ask() -> None:
        assert await shop.aio.perform(PRODUCT, "later", {"what": 1}) == 1
        with pytest.raises(crosstie.NoActionError):
            await shop.aio.perform(PRODUCT, "none")

    asyncio.run(ask())


def test_keeping_instances(shop: crosstie.Bus) -> None:
    def number(**options: bool) -> int:
        return int(shop.perform(PRODUCT, "show", {"id": 1}, **options)["number"])

    assert number(cache=True) == 1
    assert number(cache=True) == 1
    assert number() == 1  # one that is kept is the one that there is
    shop.performer.release(PRODUCT)
    assert number() == 2
    assert number() == 3
    with pytest.raises(crosstie.NotFoundError):
        shop.performer.release(PRODUCT)
    with pytest.raises(crosstie.DeniedError):
        shop.performer.release("python:os:stat_result")


@pytest.mark.parametrize(
    ("selector", "params", "message"),
    [
        ("show", {}, "'id' is missing"),
        ("show", {"id": "x"}, "'id' has to be an integer"),
        ("show", {"id": 1, "page": 2}, "no parameter 'page'"),
        ("nothing", {"x": 1}, "no parameter 'x'"),
    ],
)
def test_params_that_do_not_fit(
    shop: crosstie.Bus, selector: str, params: dict[str, Any], message: str
) -> None:
    with pytest.raises(crosstie.ParamError, match=message) as caught:
        shop.perform(PRODUCT, selector, params)
    assert (caught.value.status, caught.value.code) == (crosstie.Status.PARAM, 40017)


def test_param_error_of_a_method(shop: crosstie.Bus) -> None:
    with pytest.raises(crosstie.ParamError, match="of its own") as caught:
        shop.perform(PRODUCT, "bad_params")
    assert caught.value.code == -7


@pytest.mark.parametrize("name", ["", "none", "_private", "__init__", "number", "made", "show.x"])
def test_no_selector(shop: crosstie.Bus, name: str) -> None:
    with pytest.raises(crosstie.NoActionError):
        shop.perform(PRODUCT, name)


@pytest.mark.parametrize(
    "what", ["None", "from_elsewhere", "asyncio", "Any", "_Hidden", "Product.show", "", "ClassVar"]
)
def test_no_class(shop: crosstie.Bus, what: str) -> None:
    with pytest.raises(crosstie.NoTargetError):
        shop.perform(f"python:shop_views:{what}", "show")


def test_names_in_a_modules_all(shop: crosstie.Bus) -> None:
    with pytest.raises(TypeError):  # it is found, and wants arguments
        shop.perform("python:shop_views:Needs", "show")
    assert shop.perform("python:shop_views:Fraction", "conjugate") == 0
    assert shop.perform("python:shop_views:Hidden", "kind") == "Hidden"


def test_targets_that_are_not_allowed(shop: crosstie.Bus) -> None:
    for target in ("python:os:stat_result", "python:shop_views2:Product", "python:shop:X", "c:abort", "swift:X"):
        with pytest.raises(crosstie.DeniedError):
            shop.perform(target, "show")
    with pytest.raises(crosstie.DeniedError):
        shop.with_options(origin="remote").perform(PRODUCT, "kind")
    with pytest.raises(crosstie.ArgumentError):
        shop.perform("nonsense", "show")
    with crosstie.Bus() as other:
        with pytest.raises(crosstie.DeniedError):
            other.perform(PRODUCT, "kind")


def test_modules(bus: crosstie.Bus, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_views.py").write_text("import nothing_of_that_name\n")
    (tmp_path / "raising_views.py").write_text("1 / 0\n")
    for name in ("broken_views", "raising_views", "missing_views", "missing.views", "shop_views.inner", ".", "a..b"):
        bus.performer.allow(f"python:{name}")
    for name in ("missing_views", "missing.views", "shop_views.inner", ".", "a..b"):
        with pytest.raises(crosstie.NoTargetError):
            bus.perform(f"python:{name}:View", "show")
    with pytest.raises(ModuleNotFoundError):
        bus.perform("python:broken_views:View", "show")
    with pytest.raises(ZeroDivisionError):
        bus.perform("python:raising_views:View", "show")
    assert not {"broken_views", "raising_views"} & set(sys.modules)


def test_fallback(shop: crosstie.Bus) -> None:
    @shop.performer.fallback
    def missing(request: crosstie.Request, id: int = 0) -> str:
        return f"no {request.target} {request.action} {id}"

    assert shop.perform(PRODUCT, "none", {"id": 3}) == f"no {PRODUCT} none 3"
    assert shop.perform("python:shop_views:None", "show") == "no python:shop_views:None show 0"
    assert shop.perform(PRODUCT, "kind") == "Product"
    with pytest.raises(crosstie.DeniedError):
        shop.perform("python:os:stat_result", "show")
    (registration,) = [item for item in shop._registrations() if item.kind == "fallback"]
    assert registration.handler is missing

    @shop.performer.fallback(interceptors=[lambda request, proceed: proceed()])
    def other() -> None: ...

    assert not registration.active
    assert shop.perform(PRODUCT, "none") is None
    shop.performer.remove(other)
    with pytest.raises(crosstie.NoActionError):
        shop.perform(PRODUCT, "none")


def test_by_a_rule(shop: crosstie.Bus) -> None:
    rule = {
        "id": "product",
        "host": "open",
        "path": "/products/:id<int>",
        "visibility": "public",
        "target": PRODUCT,
    }
    shop.rules.load(
        {
            "format": 1,
            "version": "1.0.0",
            "publicSchemes": ["shop"],
            "privateSchemes": [],
            "routeHosts": ["open"],
            "webHosts": [],
            "rules": [rule],
        }
    )
    assert shop.open("shop://open/products/7", origin="remote").value == {
        "id": 7,
        "kind": "open",
        "target": PRODUCT,
        "origin": "remote",
    }


def test_nothing_is_kept() -> None:
    bus = crosstie.Bus()
    bus.performer.allow("python:shop_views")
    for _ in range(50):
        bus.perform(PRODUCT, "kind", cache=True)
    ended = weakref.ref(bus)
    del bus
    gc.collect()
    assert ended() is None


def test_a_rule_before_anything_is_allowed(bus: crosstie.Bus) -> None:
    bus.rules.load(
        {
            "format": 1,
            "version": "1.0.0",
            "publicSchemes": ["shop"],
            "privateSchemes": [],
            "routeHosts": ["go"],
            "webHosts": [],
            "rules": [{"id": "p", "host": "go", "path": "/p", "visibility": "public", "target": PRODUCT,
                       "params": {"id": "int"}}],
        }
    )
    with pytest.raises(crosstie.DeniedError, match=f"leads to '{PRODUCT}', which is not on the allow-list"):
        bus.open("shop://go/p", origin="remote")
    bus.performer.allow("python:shop_views")
    assert bus.open("shop://go/p?id=1", origin="remote").status is crosstie.Status.OK
