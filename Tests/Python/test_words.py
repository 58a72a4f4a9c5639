"""The messages of errors name the path with the system's reason, the time limit, and the component."""

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
