"""The wormhole as a mapping of identifiers to values, batches, and the members of a group."""

import collections.abc
import os
import pathlib
import subprocess
import sys
import time

import pytest

import crosstie
from conftest import WATCHDOG


def test_items(wormhole: crosstie.Wormhole) -> None:
    assert "unread" not in wormhole
    with pytest.raises(KeyError) as caught:
        wormhole["unread"]
    assert isinstance(caught.value, crosstie.NotFoundError)
    wormhole["unread"] = {"count": 3}
    assert "unread" in wormhole
    assert wormhole["unread"] == {"count": 3}
    wormhole["unread"] = None
    assert "unread" in wormhole
    assert wormhole["unread"] is None
    del wormhole["unread"]
    assert "unread" not in wormhole
    del wormhole["unread"]
    with pytest.raises(crosstie.ArgumentError):
        "a b" in wormhole


def test_get(wormhole: crosstie.Wormhole) -> None:
    assert wormhole.get("a") is None
    assert wormhole.get("a", 0) == 0
    wormhole["a"] = None
    assert wormhole.get("a", 0) is None
    assert wormhole.setdefault("a", 1) is None
    assert wormhole.setdefault("b", 1) == 1
    assert wormhole["b"] == 1


def test_walking_through(wormhole: crosstie.Wormhole) -> None:
    assert list(wormhole) == []
    assert len(wormhole) == 0
    assert bool(wormhole)
    wormhole["b"] = 2
    wormhole["a.x"] = 1
    wormhole.signal("c")
    assert list(wormhole) == ["a.x", "b"]
    assert len(wormhole) == 2
    assert list(wormhole.keys()) == ["a.x", "b"]
    assert list(wormhole.values()) == [1, 2]
    assert list(wormhole.items()) == [("a.x", 1), ("b", 2)]
    assert dict(wormhole) == {"a.x": 1, "b": 2}
    assert ("b", 2) in wormhole.items()
    assert len(wormhole.values()) == 2
    assert wormhole.identifiers("a.*") == ["a.x"]
    assert wormhole.keys() & {"b", "z"} == {"b"}


def test_messages_destroyed_during_an_iteration(wormhole: crosstie.Wormhole) -> None:
    wormhole.update(a=1, b=2, c=3)
    found = []
    for identifier, value in wormhole.items():
        found.append((identifier, value))
        wormhole.destroy("b")
    assert found == [("a", 1), ("c", 3)]


def test_a_mapping_by_type_and_itself_by_identity(tmp_path: pathlib.Path, wormhole: crosstie.Wormhole) -> None:
    assert isinstance(wormhole, collections.abc.MutableMapping)
    with crosstie.Wormhole("test", directory=tmp_path / "group") as other:
        assert wormhole != other
        assert {wormhole: 1}[wormhole] == 1


def test_update(wormhole: crosstie.Wormhole) -> None:
    wormhole.update({"a": 1}, b=2)
    wormhole.update([("c", 3), ("a", 4)])
    wormhole.update()
    assert dict(wormhole) == {"a": 4, "b": 2, "c": 3}
    with pytest.raises(crosstie.ArgumentError):
        wormhole.update({"d": 1, "a b": 2})
    assert "d" not in wormhole
    with pytest.raises(crosstie.KindError):
        wormhole.update(d=crosstie.SIGNAL)


def test_taking_out(wormhole: crosstie.Wormhole) -> None:
    wormhole.update(a=1, b=2, c=3)
    assert wormhole.pop("a") == 1
    assert "a" not in wormhole
    assert wormhole.pop("a", 5) == 5
    with pytest.raises(KeyError):
        wormhole.pop("a")
    with pytest.raises(TypeError):
        wormhole.pop("a", 1, 2)
    assert wormhole.popitem() == ("b", 2)
    wormhole.clear()
    assert len(wormhole) == 0
    with pytest.raises(KeyError):
        wormhole.popitem()


# ---- Batches ---------------------------------------------------------------------------------------------


def test_send_many(wormhole: crosstie.Wormhole) -> None:
    wormhole["c"] = "kept"
    first = wormhole.send_many([("a", 1), ("b", {"n": [2]}), ("c", crosstie.SIGNAL)])
    messages = [wormhole.message(identifier) for identifier in "abc"]
    assert [message and message.value for message in messages] == [1, {"n": [2]}, "kept"]
    assert [message and message.sequence for message in messages] == [first, first + 1, first - 1]
    assert wormhole.send_many((name, 0) for name in ("x", "y")) == first + 3
    assert wormhole.send_many({"z": 1}.items()) == first + 5
    assert repr(crosstie.SIGNAL) == "crosstie.SIGNAL"


def test_options_of_batches(wormhole: crosstie.Wormhole) -> None:
    token = bytes(range(16))
    for _ in range(2):
        first = wormhole.send_many([("a", 1), ("b", crosstie.SIGNAL)], atomic=False, headers={"k": "v"}, token=token)
    message = wormhole.message("a")
    assert message is not None and (message.sequence, message.headers) == (first, {"k": "v"})
    assert wormhole.send_many([("c", 1)]) == first + 2
    wormhole.send_many([("late", 1), ("late", 2)], delay=3600)
    assert [(each.identifier, each.kind) for each in wormhole.scheduled()] == [("late", "value")] * 2
    with pytest.raises(crosstie.ArgumentError) as caught:
        wormhole.send_many([("d", 1), ("d d", 2)], atomic=False)
    assert caught.value.location == "messages[1]" and "d" not in wormhole
    with pytest.raises(TypeError):
        wormhole.send_many([("d", 1)], atomically=False)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        wormhole.send_many([("d", 1)], headers=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        wormhole.send_many([("d", 1)], token=b"")


def test_objects_that_are_no_batches(wormhole: crosstie.Wormhole) -> None:
    with pytest.raises(crosstie.ArgumentError):
        wormhole.send_many([])
    with pytest.raises(crosstie.ArgumentError) as caught:
        wormhole.send_many([("a", 1), ("a", 2), ("a b", 3)])
    assert caught.value.location == "messages[2]"
    with pytest.raises(crosstie.KindError):
        wormhole.send_many([("a", 1), ("b", object())])
    with pytest.raises(ValueError):
        wormhole.send_many([("a", 1, 2)])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        wormhole.send_many([(1, 2)])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        wormhole.send_many(5)  # type: ignore[arg-type]
    with pytest.raises(crosstie.ArgumentError) as limit:
        wormhole.send_many([("a", 1)] * 65537)
    assert limit.value.status is crosstie.Status.LIMIT
    assert "a" not in wormhole


# ---- Members ---------------------------------------------------------------------------------------------


def test_members(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    [own] = wormhole.members()
    assert (own.pid, own.name, own.is_self) == (os.getpid(), "tester", True)
    assert abs(own.since - time.time()) < 3600
    with crosstie.Wormhole("test", directory=tmp_path / "group", name="second") as second:
        assert [(member.name, member.is_self) for member in second.members()] == [("tester", False), ("second", True)]
    assert wormhole.members() == [own]


def test_members_of_other_processes(wormhole: crosstie.Wormhole, tmp_path: pathlib.Path) -> None:
    script = (
        "import crosstie, sys\n"
        "wormhole = crosstie.Wormhole('test', directory=sys.argv[1], name='other')\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "group")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        assert [member.pid for member in wormhole.members()] == [os.getpid(), process.pid]
        process.kill()
        process.wait(WATCHDOG)
        assert [member.name for member in wormhole.members()] == ["tester"]
