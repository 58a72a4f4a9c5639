"""`request.params` of a URL: a mapping whose values are converted when they are read."""

import collections.abc
import copy
import gc
import pickle
import types
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import crosstie

URL = "app://items/7/tea%20pot?tag=a&tag=b&size=3&name=%C3%A9"
VALUES = {"id": 7, "name": "tea pot", "tag": ["a", "b"], "size": "3"}


def read(url: str = URL) -> crosstie.Params:
    """The parameters of a request that has ended."""
    with crosstie.Bus() as bus:

        @bus.route("app://items/:id<int>/:name")
        def show(request: crosstie.Request) -> object:
            return request.params

        params = bus.open(url).value
    assert isinstance(params, crosstie.Params)
    return params


def make() -> crosstie.Params:
    """The same, read as a whole."""
    params = read()
    assert list(params) == list(VALUES)
    return params


def of_program() -> crosstie.Params:
    return crosstie.Params(types.MappingProxyType(VALUES))


@pytest.fixture(params=[read, make, lambda: crosstie.Params(VALUES), of_program])
def params(request: pytest.FixtureRequest) -> crosstie.Params:
    maker: Callable[[], crosstie.Params] = request.param
    return maker()


def test_values_by_name(params: crosstie.Params) -> None:
    assert (params["id"], params["name"], params["size"]) == (7, "tea pot", "3")
    assert (params.get("id"), params.get("none"), params.get("none", 1)) == (7, None, 1)
    assert type(params["id"]) is int
    with pytest.raises(KeyError) as caught:
        params["none"]
    assert caught.value.args == ("none",)


def test_several_values(params: crosstie.Params) -> None:
    with pytest.raises(crosstie.ParamError, match="^the parameter 'tag' occurs more than once$") as caught:
        params["tag"]
    assert caught.value.status == crosstie.Status.DUPLICATE
    assert (params.all("tag"), params.all(name="id"), params.all("none")) == (["a", "b"], [7], [])
    params.all("tag").append("c")
    assert params.all("tag") == ["a", "b"]


def test_names(params: crosstie.Params) -> None:
    assert len(params) == 4
    assert "id" in params and "tag" in params and "none" not in params
    assert list(params) == list(params.keys()) == list(VALUES)
    assert repr(params) == f"<crosstie.Params {VALUES!r}>"


@pytest.mark.parametrize("name", [1, None, (), "\ud800", "", "id\0", "ID"], ids=ascii)
def test_names_that_no_url_has(params: crosstie.Params, name: Any) -> None:
    assert name not in params
    assert params.get(name) is None
    assert params.all(name) == []
    with pytest.raises(KeyError):
        params[name]


def test_names_without_a_hash(params: crosstie.Params) -> None:
    name: Any = []
    for use in (lambda: params[name], lambda: name in params, lambda: params.all(name), lambda: params.get(name)):
        with pytest.raises(TypeError, match="unhashable"):
            use()


def test_a_name_of_a_subclass(params: crosstie.Params) -> None:
    class Name(str):
        pass

    assert params[Name("id")] == 7
    assert Name("tag") in params


def test_it_is_a_mapping() -> None:
    params = read("app://items/7/a?b=1")
    assert isinstance(params, collections.abc.Mapping)
    match params:
        case {"id": found, **rest}:
            assert found == 7 and set(rest) == {"name", "b"}
        case _:
            pytest.fail("it is no mapping")
    with pytest.raises(TypeError, match="unhashable"):
        hash(params)
    with pytest.raises(TypeError):
        reversed(params)  # type: ignore[call-overload]


def test_equality() -> None:
    one, same, other = (read("app://items/7/a?b=1"), read("app://items/7/a?b=1"), read("app://items/7/a?b=2"))
    assert one == same and one == {"id": 7, "name": "a", "b": "1"} and one != other
    assert dict(one) == dict(one.items()) == {"id": 7, "name": "a", "b": "1"}
    assert [*one.values()] == [7, "a", "1"]


def test_copies(params: crosstie.Params) -> None:
    if params._values.__class__ is dict:
        for copied in (copy.copy(params), copy.deepcopy(params), pickle.loads(pickle.dumps(params))):
            assert type(copied) is crosstie.Params
            assert copied._values == VALUES


def test_json_before_and_after_it_was_read() -> None:
    unread, whole = read(), make()
    text = '{"id":7,"name":"tea pot","tag":["a","b"],"size":"3"}'
    assert crosstie.to_json(unread) == crosstie.to_json(whole) == text
    assert crosstie.to_json([unread, unread]) == f"[{text},{text}]"


def test_the_values_of_a_dict_are_not_copied() -> None:
    values: dict[str, Any] = {"a": 1}
    params = crosstie.Params(values)
    values["b"] = 2
    assert params["b"] == 2 and len(params) == 2


def test_a_subclass_without_values() -> None:
    class Mine(crosstie.Params):
        def __init__(self) -> None:
            pass

    for use in (lambda: Mine()["a"], lambda: len(Mine()), lambda: "a" in Mine(), lambda: list(Mine()), lambda: Mine().all("a")):
        with pytest.raises(AttributeError, match="_values"):
            use()
    assert repr(Mine.__base__) == "<class 'crosstie.Params'>"


def test_a_cycle_is_freed() -> None:
    class Mine(crosstie.Params):
        pass

    values: dict[str, Any] = {}
    mine = Mine(values)
    values["self"] = mine
    reference = weakref.ref(mine)
    del mine, values
    gc.collect()
    assert reference() is None


def test_wrong_arguments() -> None:
    wrong: Any = crosstie.Params
    uses: list[Callable[[], object]] = [
        lambda: wrong(), lambda: wrong({}, {}), lambda: wrong({}).all(), lambda: wrong({}).all("a", "b"),
    ]
    for use in uses:
        with pytest.raises(TypeError):
            use()


@pytest.mark.parametrize("count", [0, 1, 13, 14, 15, 60])
@pytest.mark.parametrize("size", [0, 1, 24, 100])
def test_few_and_many(count: int, size: int) -> None:
    """However many and long they are, each way to read them gives the same, after the request as well."""
    query = {f"key{n}": "x" * size for n in range(count)}
    url = "app://items/7/tea?" + "&".join(["tag=a", "tag=b", *(f"{key}={text}" for key, text in query.items())])
    values = {"id": 7, "name": "tea", "tag": ["a", "b"], **query}
    params = read(url)
    assert len(params) == len(values)
    assert all(key in params for key in values) and "key60" not in params and "ke" not in params
    assert {key: params.all(key) for key in values} == {
        key: value if isinstance(value, list) else [value] for key, value in values.items()
    }
    assert all(params[key] == text for key, text in query.items()) and type(params["id"]) is int
    assert crosstie.from_json(crosstie.to_json(params)) == values
    assert params._values == values and list(params) == list(values)
    assert crosstie.from_json(crosstie.to_json(params)) == values
