"""`crosstie scheme remove` takes away what `install` wrote, byte by byte; a crash between two steps harms nothing."""

import pathlib
import shutil
import subprocess

import pytest
from scheme_kit import APP, TOOL, Desktop, Tree


@pytest.fixture
def desktop(tmp_path: pathlib.Path) -> Desktop:
    return Desktop(tmp_path)


#: Lists of defaults before an installation.
LISTS = {
    "missing": None,
    "empty": b"",
    "blank": b"\n",
    "others": b"[Default Applications]\ntext/plain=a.desktop\nx-scheme-handler/x-b=b.desktop;\n",
    "no section": b"[Added Associations]\nx-scheme-handler/my-app=a.desktop;\n",
    "no end": b"[Default Applications]\ntext/plain=a.desktop",
    "a header without an end": b"[Added Associations]\na/b=c.desktop\n\n[Default Applications]",
    "section in the middle": b"# one\n\n[Default Applications]\n\n[Removed Associations]\na/b=c.desktop;\n\n\n",
    "another default": b"[Default Applications]\nx-scheme-handler/my-app=other.desktop\nx-scheme-handler/x-b=b.desktop\n",
    "other defaults": b"[Default Applications]\nx-scheme-handler/my-app=b.desktop;other.desktop;\n",
    "last without an end": b"[Default Applications]\nx-scheme-handler/my-app=other.desktop",
    "twice": b"[Default Applications]\nx-scheme-handler/my-app=other.desktop\nx-scheme-handler/my-app=b.desktop\n",
    "other line ends": b"[Default Applications]\r\ntext/plain=a.desktop\r\nx-scheme-handler/my-app=other.desktop;\r\n",
    "not UTF-8": b"[Default Applications]\ntext/plain=\xff\xfe.desktop\n\xff=\n",
    "a longer scheme": b"[Default Applications]\nx-scheme-handler/my-app-2=other.desktop\n",
    "no list at all": b"hello\x00world\n=\n[\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_the_bytes_are_restored(desktop: Desktop, name: str) -> None:
    desktop.add_foreign("other", "my-app")
    content = LISTS[name]
    if content is not None:
        desktop.defaults.write_bytes(content)
        desktop.defaults.chmod(0o600)
    before = desktop.tree()
    program = desktop.make_program(desktop.path / "my folder/app")
    desktop.install("--take", "--dbus", "--scheme", "x-second", "--exec", str(program))
    for scheme in ("my-app", "x-second"):
        query = desktop.command("xdg-mime", "query", "default", f"x-scheme-handler/{scheme}")
        assert query[1] == f"{APP}.desktop\n"
    if content is not None:
        assert desktop.defaults.stat().st_mode & 0o777 == 0o600
    desktop.install(app="com.example.second", scheme="x-third")
    desktop.remove("com.example.second")
    desktop.remove()
    assert desktop.tree() == before


def test_later_changes_of_others_stay(desktop: Desktop) -> None:
    desktop.install()
    assert desktop.command("xdg-mime", "default", "other.desktop", "x-scheme-handler/x-other") == (0, "", "")
    desktop.remove()
    assert desktop.defaults.read_text().splitlines()[1:] == [
        "[Default Applications]",
        "x-scheme-handler/x-other=other.desktop",
    ]


def test_a_removed_list_is_not_made_again(desktop: Desktop) -> None:
    before = desktop.tree()
    desktop.install()
    desktop.defaults.unlink()
    desktop.remove()
    assert desktop.tree() == before


def test_a_linked_list_stays_a_link(desktop: Desktop) -> None:
    target = desktop.home / "dotfiles/mimeapps.list"
    target.parent.mkdir()
    target.write_text("[Default Applications]\n")
    desktop.defaults.symlink_to(target)
    before = desktop.tree()
    desktop.install()
    assert desktop.defaults.is_symlink()
    assert f"my-app={APP}.desktop" in target.read_text()
    desktop.remove()
    assert desktop.tree() == before


def test_an_application_that_is_not_installed(desktop: Desktop) -> None:
    status, output, complaint = desktop.run("remove", "--app", APP)
    assert (status, output) == (69, "")
    assert "not installed" in complaint
    desktop.install()
    desktop.remove()
    assert desktop.run("remove", "--app", APP)[0] == 69


def test_output(desktop: Desktop) -> None:
    desktop.install("--dbus")
    services = desktop.home / ".local/share/dbus-1/services"
    assert desktop.lines("remove", "--app", APP) == [
        {"event": "file", "action": "removed", "path": str(desktop.defaults)},
        {"event": "file", "action": "removed", "path": f"{desktop.applications}/{APP}.desktop"},
        {"event": "file", "action": "removed", "path": f"{services}/{APP}.service"},
    ]


@pytest.fixture(scope="module")
def stopper(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library that ends the tool before one of its changes."""
    library = tmp_path_factory.mktemp("stopper") / "stopper.so"
    source = pathlib.Path(__file__).with_name("stopper.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-o", library, source, "-ldl"], check=True)
    return str(library)


def restore(desktop: Desktop, saved: pathlib.Path) -> None:
    shutil.rmtree(desktop.home)
    shutil.copytree(saved, desktop.home, symlinks=True)


def stopped(desktop: Desktop, stopper: str, number: int, *arguments: str) -> bool:
    """Runs a command that is ended before its change of that number; false if it has fewer."""
    variables = {"LD_PRELOAD": stopper, "CTIE_TEST_STOP": str(number)}
    status, output, complaint = desktop.command(TOOL, "scheme", *arguments, **variables)
    assert status in (0, 99), output + complaint
    return status == 99


def whole(now: Tree, states: list[Tree]) -> None:
    """Each file is as in one of the states, but for those that only a later run needs."""
    for name, content in now.items():
        if not name.endswith((".crosstie-new", "mimeinfo.cache")):
            assert content in [state.get(name) for state in states], name
    for name in set(states[0]) & set(states[1]):
        assert name in now


def test_a_crash_between_any_two_steps(desktop: Desktop, stopper: str) -> None:
    """One installation replaces another, with another program, scheme and service; then it is removed."""
    new = desktop.make_program(desktop.path / "new folder/app", name="new ")
    desktop.add_foreign("other", "my-app")
    begin = desktop.tree()
    desktop.install("--take", "--dbus", "--scheme", "x-old")
    old = desktop.tree()
    saved = desktop.path / "saved"
    shutil.copytree(desktop.home, saved, symlinks=True)
    arguments = ["--app", APP, "--scheme", "my-app", "--scheme", "x-new", "--exec", str(new), "--take"]
    desktop.install(*arguments[4:])
    final = desktop.tree()
    installed = desktop.path / "installed"
    shutil.copytree(desktop.home, installed, symlinks=True)

    number = 0
    while True:
        number += 1
        restore(desktop, saved)
        if not stopped(desktop, stopper, number, "install", *arguments):
            break
        whole(desktop.tree(), [old, final])
        assert desktop.open("my-app://a") in (["my-app://a"] * 2, ["new my-app://a"] * 2)
        if number % 2:
            desktop.install(*arguments[4:])
            assert desktop.tree() == final
        desktop.remove()
        assert desktop.tree() == begin
    assert number > 20

    number = 0
    while True:
        number += 1
        restore(desktop, installed)
        if not stopped(desktop, stopper, number, "remove", "--app", APP):
            break
        whole(desktop.tree(), [final, begin])
        assert desktop.run("remove", "--app", APP)[0] in (0, 69)
        assert desktop.tree() == begin
    assert number > 5
