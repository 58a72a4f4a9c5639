"""`crosstie.desktop` runs the tool."""

import pathlib

import pytest
from scheme_kit import APP, TOOL, Desktop

import crosstie
from crosstie import desktop as schemes


@pytest.fixture
def desktop(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    desktop = Desktop(tmp_path)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP"):
        monkeypatch.delenv(name, raising=False)
    for name, text in desktop.environment.items():
        monkeypatch.setenv(name, text)
    return desktop


def test_install_and_remove(desktop: Desktop) -> None:
    before = desktop.tree()
    lines = schemes.install_scheme(
        APP, ["my-app", "x-other"], desktop.program, name="Ä", icon="a", menu=True, try_out=True, tool=TOOL
    )
    assert [line["right"] for line in lines if line["event"] == "try"] == [True] * 4
    text = (desktop.applications / f"{APP}.desktop").read_text()
    assert "Name=Ä\n" in text
    assert "x-scheme-handler/x-other;" in text
    assert "NoDisplay" not in text
    lines = schemes.remove_scheme(APP, tool=TOOL)
    assert [line["action"] for line in lines] == ["removed", "removed"]
    assert desktop.tree() == before


def test_dry_run(desktop: Desktop) -> None:
    before = desktop.tree()
    lines = schemes.install_scheme(APP, ["my-app"], desktop.program, dbus=True, dry_run=True, tool=pathlib.Path(TOOL))
    assert [line["action"] for line in lines] == ["write", "write", "write"]
    assert desktop.tree() == before


def test_failures(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(crosstie.Error, match="own scheme") as refused:
        schemes.install_scheme(APP, ["http"], desktop.program, tool=TOOL)
    assert refused.value.status == crosstie.Status.SYSTEM
    with pytest.raises(crosstie.NotFoundError, match="not installed"):
        schemes.remove_scheme(APP, tool=TOOL)
    with pytest.raises(TypeError):
        schemes.install_scheme(APP, "my-app", desktop.program, tool=TOOL)
    with pytest.raises(crosstie.NotInstalledError, match="No such file"):
        schemes.remove_scheme(APP, tool="/nowhere/crosstie")
    monkeypatch.setenv("PATH", desktop.with_tool("xdg-open", "exit 0")["PATH"])
    with pytest.raises(crosstie.TimeoutError, match="did not arrive") as late:
        schemes.install_scheme(APP, ["my-app"], desktop.program, try_out=True, tool=TOOL)
    assert late.value.value[-1]["right"] is True
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(crosstie.NotInstalledError, match="not on the PATH"):
        schemes.install_scheme(APP, ["my-app"], desktop.program)
