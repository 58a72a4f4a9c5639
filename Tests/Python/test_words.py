"""The messages of errors name the path with the system's reason, the time limit, and the component."""

from collections.abc import Callable
from pathlib import Path

import pytest

import crosstie


def message_of(caught: pytest.ExceptionInfo[crosstie.Error]) -> str:
    return caught.value.message


def test_rule_files(bus: crosstie.Bus, tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    with pytest.raises(crosstie.Error) as caught:
        bus.rules.load(missing)
    assert message_of(caught) == f"{missing} cannot be read: No such file or directory"
    with pytest.raises(crosstie.Error) as caught:
        bus.rules.load(tmp_path)
    assert message_of(caught) == f"{tmp_path} is no regular file"


def test_plugins(bus: crosstie.Bus, tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("no shared object")
    with pytest.raises(crosstie.Error) as caught:
        bus.components.load_plugin(text)
    assert str(text) in message_of(caught) and "file too short" in message_of(caught)
    with pytest.raises(crosstie.Error) as caught:
        bus.components.load_plugin(tmp_path / "missing.so")
    assert "missing.so" in message_of(caught) and "No such file or directory" in message_of(caught)


def test_wormhole_directories(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(crosstie.Error) as caught:
        crosstie.Wormhole("group", directory=tmp_path / "file" / "below")
    assert str(tmp_path / "file" / "below") in message_of(caught) and "Not a directory" in message_of(caught)
    group = tmp_path / "group"
    (group / "data.mdb").mkdir(parents=True, mode=0o700)
    group.chmod(0o700)
    with pytest.raises(crosstie.Error) as caught:
        crosstie.Wormhole("group", directory=group)
    assert str(group) in message_of(caught) and "data.mdb" in message_of(caught)


def test_time_limits(bus: crosstie.Bus) -> None:
    kept = []

    @bus.route("app://slow")
    def slow(request: crosstie.Request) -> None:
        kept.append(request.defer())

    with pytest.raises(crosstie.Error) as caught:
        bus.open("app://slow", timeout=0.02)
    assert message_of(caught) == "app://slow/ has not ended within 20 ms"
    with pytest.raises(crosstie.Error) as caught:
        bus.open_async("app://slow", timeout=0.03).result()
    assert message_of(caught) == "app://slow/ has not ended within 30 ms"


def test_removals(bus: crosstie.Bus, tmp_path: Path) -> None:
    wormhole = crosstie.Wormhole("words", directory=tmp_path / "words")
    removals: list[tuple[Callable[[], object], str]] = [
        (lambda: bus.components.remove("hone"), "no component of the bus is called 'hone'"),
        (lambda: bus.components.unload_plugin("/nowhere/plugin.so"), "this bus has no plug-in /nowhere/plugin.so"),
        (lambda: bus.providers.remove("mial"), "there is no provider 'mial'"),
        (lambda: bus.providers.move("mial", 0), "there is no provider 'mial'"),
        (lambda: bus.providers.set_log("mial", None), "there is no provider 'mial'"),
        (lambda: bus.cancel_all("fats"), "there is no dispatcher 'fats'"),
        (lambda: bus.performer.release("c:puts"), "the target 'c:puts' is not on the allow-list"),
        (lambda: wormhole.listeners.remove("chat.*"), "no listener is bound to 'chat.*'"),
        (lambda: wormhole.listeners.remove("chat.a", "bagde"), "no listener 'bagde' is bound to 'chat.a'"),
    ]
    for remove, message in removals:
        with pytest.raises(crosstie.Error) as caught:
            remove()
        assert message_of(caught) == message
    wormhole.close()
