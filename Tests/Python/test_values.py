"""Values: objects that cross unchanged, plain values, JSON and MessagePack."""

import collections
import enum
import gc
import math
import resource
import sys
import types
import weakref
from collections import OrderedDict, namedtuple
from pathlib import Path
from typing import Any

import pytest

import crosstie


class Thing:
    pass


@pytest.mark.parametrize(
    "value",
    [{"a": [1]}, [1, 2], (1, 2), {1, 2}, Thing(), Thing, "text", b"bytes", 1.5, 2**100, Ellipsis, bytearray(b"x")],
)
def test_the_very_object_comes_back(bus: crosstie.Bus, value: object) -> None:
    bus.routes.add("app://return", lambda: value)
    bus.routes.add("app://reply", lambda request: request.reply(value))
    assert bus.open("app://return").value is value
    assert bus.open("app://reply").value is value


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, -1, 2**60, -(2**60), 2**63 - 1, -(2**63), 2**63, 1e300, "é\0€😀", b"\0\xff", "\ud800"],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_scalars(bus: crosstie.Bus, value: object, is_async: bool) -> None:
    bus.routes.add("app://return", lambda: value)
    response = bus.open_async("app://return").result() if is_async else bus.open("app://return")
    assert response.value == value
    assert type(response.value) is type(value)


def test_objects_cross_asynchronous_calls_untouched(bus: crosstie.Bus) -> None:
    for value in ({"a": 1}, [1], Thing(), "text", 1.5):
        registration = bus.routes.add("app://return", lambda: value)
        assert bus.open_async("app://return").result().value is value
        registration.remove()


def test_subclasses_keep_their_type(bus: crosstie.Bus) -> None:
    class Number(int):
        pass

    class Colour(enum.IntEnum):
        RED = 1

    for value in (Number(5), Colour.RED):
        registration = bus.routes.add("app://return", lambda: value)
        assert bus.open_async("app://return").result().value is value
        registration.remove()


# References


def count(value: object) -> int:
    return sys.getrefcount(value)


def test_no_reference_is_kept(bus: crosstie.Bus) -> None:
    value: dict[str, int] = {}
    info: dict[str, Any] = {"k": value}

    @bus.route("app://a/:x")
    def handler(request: crosstie.Request, x: str, y: str = "default") -> object:
        assert request.user_info is info
        return value

    def refuse(request: crosstie.Request) -> None:
        raise ValueError

    bus.routes.add("app://fail", refuse)

    def use() -> None:
        bus.open("app://a/1?y=2", user_info=info)
        bus.open_async("app://a/1", user_info=info).result()
        for url in ("app://fail", "app://nowhere", "app://a b"):
            with pytest.raises((ValueError, LookupError)):
                bus.open(url, user_info=info)

    def counts() -> list[int]:
        gc.collect()
        return [count(item) for item in (value, info, handler, refuse, bus, crosstie.Request, crosstie.Response)]

    use()
    before = counts()
    for _ in range(50):
        use()
    after = counts()
    assert all(abs(one - other) <= 2 for one, other in zip(before, after, strict=True)), (before, after)


def test_values_are_released(bus: crosstie.Bus) -> None:
    things = [Thing() for _ in range(4)]
    references = [weakref.ref(thing) for thing in things]
    bus.routes.add("app://a/:i", lambda i: things[int(i)])
    responses = [bus.open(f"app://a/{i}") for i in range(4)]
    things.clear()
    assert all(reference() is not None for reference in references)
    del responses
    assert all(reference() is None for reference in references)


def test_response_in_a_cycle_is_collected(bus: crosstie.Bus) -> None:
    holder: dict[str, Any] = {"thing": Thing()}
    reference = weakref.ref(holder["thing"])
    bus.routes.add("app://a", lambda: holder)
    holder["response"] = bus.open("app://a")
    bus.close()
    del holder
    gc.collect()
    assert reference() is None


def test_more_responses_than_the_pool_holds(bus: crosstie.Bus) -> None:
    bus.routes.add("app://a/:x", lambda request, x: (x, request.path))
    responses = [bus.open(f"app://a/{i}") for i in range(100)]
    assert [response.value for response in responses] == [(str(i), f"/{i}") for i in range(100)]
    del responses
    responses = [bus.open(f"app://a/{i}") for i in range(100)]
    assert [response.value[0] for response in responses] == [str(i) for i in range(100)]


# JSON and MessagePack

Point = namedtuple("Point", "x y")

ROUND_TRIPS = [
    None,
    True,
    -(2**63),
    2**63 - 1,
    1.5,
    "é\0😀",
    [],
    {},
    [None, [True, {"a": []}]],
    {"z": 1, "a": {"b": "c"}, "": [1.0]},
]


@pytest.mark.parametrize("value", ROUND_TRIPS)
def test_json(value: object) -> None:
    text = crosstie.to_json(value)
    assert crosstie.from_json(text) == value
    assert crosstie.from_json(text.encode()) == value
    assert crosstie.from_json(bytearray(text.encode())) == value


@pytest.mark.parametrize("value", [*ROUND_TRIPS, b"", b"\0\xff", [b"x"], math.inf])
def test_msgpack(value: object) -> None:
    message = crosstie.to_msgpack(value)
    assert crosstie.from_msgpack(message) == value
    assert crosstie.from_msgpack(memoryview(message)) == value


def test_other_types() -> None:
    class Colour(enum.IntEnum):
        RED = 1

    value = {"t": (1, Point(2, 3)), "e": Colour.RED, "o": OrderedDict(k=True)}
    assert crosstie.to_json(value) == '{"t":[1,[2,3]],"e":1,"o":{"k":true}}'
    assert crosstie.from_msgpack(crosstie.to_msgpack([bytearray(b"x"), memoryview(b"y")])) == [b"x", b"y"]


def test_params_are_a_map(bus: crosstie.Bus) -> None:
    bus.routes.add("app://:id<int>", lambda request: (crosstie.to_json(request.params), request.params))
    text, params = bus.open("app://7?tab=x&tag=a&tag=b").value
    assert crosstie.from_json(text) == {"id": 7, "tab": "x", "tag": ["a", "b"]}
    assert crosstie.from_msgpack(crosstie.to_msgpack([params])) == [{"id": 7, "tab": "x", "tag": ["a", "b"]}]
    with crosstie.Wormhole("params", memory=True) as wormhole:
        wormhole["seen"] = {"params": params}
        assert wormhole["seen"]["params"]["tab"] == "x"


def test_other_mappings_are_not() -> None:
    """Reading one runs Python, which could change the dict that it is in while that is walked through."""

    class Mine(crosstie.Params):
        pass

    proxy = types.MappingProxyType({"a": 1})
    for mapping in (proxy, collections.UserDict(a=1), Mine({"a": 1}), crosstie.Params(proxy)):
        with pytest.raises(crosstie.KindError, match="cannot leave Python"):
            crosstie.to_json({"a": mapping})


def test_pretty() -> None:
    assert crosstie.to_json({"a": [1]}, pretty=True) == '{\n  "a": [\n    1\n  ]\n}'


def test_order_of_keys() -> None:
    assert list(crosstie.from_json('{"b":1,"a":2,"c":3}')) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("value", "kind", "where"),
    [
        (Thing(), crosstie.KindError, "$"),
        ({"user": [1, {"avatar": Thing()}]}, crosstie.KindError, "$.user[1].avatar"),
        ({"a": 1, 1: 2}, crosstie.KindError, "$"),
        ([{1, 2}], crosstie.KindError, "$[0]"),
        ([2**63], crosstie.ArgumentError, "$[0]"),
    ],
)
def test_objects_that_cannot_leave(value: object, kind: type[crosstie.Error], where: str) -> None:
    for write in (crosstie.to_json, crosstie.to_msgpack):
        with pytest.raises(kind) as caught:
            write(value)
        assert caught.value.location == where


def test_cycles_and_depth() -> None:
    cycle: list[Any] = []
    cycle += [cycle, cycle]
    with pytest.raises(crosstie.KindError, match="contains itself"):
        crosstie.to_json(cycle)
    deep: list[Any] = []
    for _ in range(127):
        deep = [deep]
    assert crosstie.from_json(crosstie.to_json(deep)) == deep
    with pytest.raises(crosstie.ArgumentError, match="nested too deeply"):
        crosstie.to_json([deep])


@pytest.mark.parametrize(
    ("value", "where"), [("\ud800", "$"), ({"a": ["", "\udc80"]}, "$.a[1]"), ({"\ud800": 1}, r"$.\ud800")]
)
def test_surrogates_do_not_leave(value: object, where: str) -> None:
    for write in (crosstie.to_json, crosstie.to_msgpack):
        with pytest.raises(crosstie.ArgumentError, match="is not valid UTF-8") as caught:
            write(value)
        assert (caught.value.status, caught.value.location) == (crosstie.Status.UTF8, where)


@pytest.mark.parametrize("value", [b"x", math.nan, math.inf])
def test_values_without_a_json_form(value: object) -> None:
    with pytest.raises(crosstie.KindError) as caught:
        crosstie.to_json({"a": [value]})
    assert caught.value.location == "$.a[0]"


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "nul", "NaN", "'a'", "[1] 2", '{"a":1,"a":2}', "99999999999999999999"]
)
def test_malformed_json(text: str) -> None:
    with pytest.raises(crosstie.Error) as caught:
        crosstie.from_json(text)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "message", [b"", b"\xc1", b"\x92\x01", b"\x01\x02", b"\x81\x01\x02", b"\xa1\xff", b"\xd4\x00\x00"]
)
def test_malformed_msgpack(message: bytes) -> None:
    with pytest.raises(crosstie.Error) as caught:
        crosstie.from_msgpack(message)
    assert isinstance(caught.value, (ValueError, TypeError))



def test_siblings_are_not_nested() -> None:
    shared: list[object] = [1]
    value = {"many": [[] for _ in range(300)], "same": [shared, shared, {"again": shared}]}
    assert crosstie.from_json(crosstie.to_json(value)) == value
    assert crosstie.from_msgpack(crosstie.to_msgpack(value)) == value


def test_readers_want_bytes() -> None:
    with pytest.raises(TypeError):
        crosstie.from_msgpack("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        crosstie.from_json(3)  # type: ignore[arg-type]


def shared(levels: int, part: object, in_map: bool) -> object:
    for _ in range(levels):
        part = {"a": part, "b": part} if in_map else [part, part]
    return part


@pytest.mark.parametrize("in_map", [False, True])
@pytest.mark.parametrize("write", [crosstie.to_json, crosstie.to_msgpack])
def test_repeated_containers_are_converted_once(write: Any, in_map: bool) -> None:
    """100 levels of two are 2^100 values: visiting each of them would never end."""
    with pytest.raises(crosstie.Error) as caught:
        write(shared(100, "part", in_map))
    assert caught.value.status == crosstie.Status.LIMIT
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(crosstie.Error) as caught:
        write(shared(24, "a part of some length", in_map))
    assert caught.value.status == crosstie.Status.LIMIT
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + (64 << 10)


def test_repeated_containers_are_written_each_time() -> None:
    assert crosstie.from_json(crosstie.to_json(shared(10, {"a": [1]}, False))) == shared(10, {"a": [1]}, False)
    assert crosstie.from_msgpack(crosstie.to_msgpack(shared(10, (1,), True))) == shared(10, [1], True)


def test_a_message_with_repeated_containers(tmp_path: Path) -> None:
    with crosstie.Wormhole("shared", directory=tmp_path / "group") as wormhole:
        for levels in (24, 100):
            with pytest.raises(crosstie.Error) as caught:
                wormhole.send("a", shared(levels, 1, False))
            assert caught.value.status == crosstie.Status.LIMIT
