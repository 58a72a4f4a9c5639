"""`crosstie scheme list` and `check`, and the bugs of xdg-open that docs/schemes.md lists."""

import pathlib

import pytest
from scheme_kit import APP, Desktop


@pytest.fixture
def desktop(tmp_path: pathlib.Path) -> Desktop:
    return Desktop(tmp_path)


def kinds(desktop: Desktop, *arguments: str) -> list[object]:
    status, text, _ = desktop.run("check", *arguments)
    lines = desktop.lines("check", *arguments, status=status)
    assert status == bool(lines)
    assert len(text.splitlines()) == len(lines)
    return [line["kind"] for line in lines]


def test_list(desktop: Desktop) -> None:
    assert desktop.run("list") == (0, "", "")
    desktop.add_foreign("other", "x-other")
    desktop.install("--scheme", "x-second")
    file = f"{desktop.applications}/{APP}.desktop"
    shown = f'app       {APP}\nfile      "{file}"\nprogram   "{desktop.program}"\nscheme    my-app: the default\n'
    assert desktop.run("list") == (0, shown + "scheme    x-second: the default\n", "")
    desktop.defaults.write_text("[Default Applications]\nx-scheme-handler/x-second=other.desktop\n")
    assert desktop.lines("list") == [
        {
            "app": APP,
            "file": file,
            "program": str(desktop.program),
            "defaults": {"my-app": f"{APP}.desktop", "x-second": "other.desktop"},
        }
    ]


def test_nothing_to_find(desktop: Desktop) -> None:
    assert kinds(desktop) == []
    desktop.install()
    assert kinds(desktop) == []
    assert kinds(desktop, "--app", APP) == []
    assert desktop.run("check", "--app", "com.example.none")[0] == 69


def test_stale_default(desktop: Desktop) -> None:
    desktop.install()
    desktop.install(app="com.example.second", scheme="x-second")
    (desktop.applications / f"{APP}.desktop").unlink()
    assert kinds(desktop) == ["stale-default"]
    assert kinds(desktop, "--app", "com.example.second") == []


def test_missing_program(desktop: Desktop) -> None:
    desktop.install()
    desktop.program.unlink()
    assert kinds(desktop) == ["missing-program"]


def test_missing_program_behind_a_link(desktop: Desktop) -> None:
    program = desktop.make_program(desktop.path / "my folder/app")
    desktop.install("--exec", str(program))
    program.chmod(0o644)
    assert set(kinds(desktop)) == {"missing-program"}


def test_duplicate_and_other_default(desktop: Desktop) -> None:
    desktop.install()
    desktop.add_foreign("other", "my-app")
    assert kinds(desktop) == ["duplicate"]
    desktop.command("xdg-mime", "default", "other.desktop", "x-scheme-handler/my-app")
    assert kinds(desktop) == ["duplicate", "other-default"]


def test_shadowed(desktop: Desktop) -> None:
    desktop.install("--system")
    desktop.install()
    assert kinds(desktop) == ["shadowed"]
    hidden = desktop.lines("check", status=1)[0]
    assert hidden["file"] == f"{desktop.system}/applications/{APP}.desktop"


def test_stale_cache(desktop: Desktop) -> None:
    desktop.install()
    (desktop.applications / "mimeinfo.cache").unlink()
    assert kinds(desktop) == ["stale-cache"]


def test_control_bytes_of_others(desktop: Desktop) -> None:
    desktop.install()
    desktop.defaults.write_text("[Default Applications]\nx-scheme-handler/a\x1b[2Jb=c\x07d.desktop\n")
    status, output, _ = desktop.run("check")
    assert status == 1
    assert "a\ufffd[2Jb" in output
    assert "\x1b" not in output
    assert "\x07" not in output
    assert "\\u001b" in desktop.run("check", "--json")[1]


#: A difficult setting: the `Exec` of a desktop file, the scheme, the URL.
DIFFICULT = {
    "a quoted path": ('"{program}" %u', "my-app", "my-app://a"),
    "quoted arguments": ('env A="b c" {program} %u', "my-app", "my-app://a"),
    "a digit": ("{program} %u", "my-app2", "my-app2://a"),
    "upper case": ("{program} %u", "my-app", "MY-APP://a"),
}


@pytest.mark.parametrize("name", DIFFICULT)
def test_gio_opens_what_xdg_open_does_not(desktop: Desktop, name: str) -> None:
    """If this fails for a newer xdg-open, docs/schemes.md has to say since which version it can."""
    command, scheme, url = DIFFICULT[name]
    file = desktop.add_foreign("other", scheme)
    file.write_text(file.read_text().replace(f"{desktop.program} %u", command.format(program=desktop.program)))
    desktop.command("gio", "open", url)
    assert desktop.arrived(1) == [url]
    if "1.1.3" in desktop.command("xdg-open", "--version")[1]:
        desktop.opened.unlink()
        assert desktop.command("xdg-open", url)[0] != 0
        assert not desktop.opened.exists()
