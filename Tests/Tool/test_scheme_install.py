"""`crosstie scheme install`: what it writes, refuses and warns about, with the desktop's real tools."""

import json
import pathlib
import subprocess

import pytest
from scheme_kit import APP, TOOL, Desktop


@pytest.fixture
def desktop(tmp_path: pathlib.Path) -> Desktop:
    return Desktop(tmp_path)


PLAIN = """\
[Desktop Entry]
Type=Application
Name={name}
Exec={program} %u
{more}MimeType={types}
{flags}X-Crosstie=1
"""


def text(desktop: Desktop, **parts: str) -> str:
    usual = {
        "name": APP,
        "program": str(desktop.program),
        "more": "",
        "types": "x-scheme-handler/my-app;",
        "flags": "NoDisplay=true\nStartupNotify=true\n",
    }
    return PLAIN.format(**(usual | parts))


def test_installed_scheme_opens(desktop: Desktop) -> None:
    assert desktop.install() == ""
    file = desktop.applications / f"{APP}.desktop"
    assert file.read_text() == text(desktop)
    assert file.stat().st_mode & 0o777 == 0o644
    assert desktop.command("desktop-file-validate", str(file)) == (0, "", "")
    url = "my-app://a/b?c=%u&d=$(id)&e=%20#f"
    assert desktop.open(url) == [url, url]


def test_options_are_in_the_file(desktop: Desktop) -> None:
    desktop.install(
        "--scheme", "x-other", "--scheme", "my-app", "--name", " Ada's \\ App", "--icon", "ada", "--menu", "--dbus"
    )
    file = desktop.applications / f"{APP}.desktop"
    assert file.read_text() == text(
        desktop,
        name="\\sAda's \\\\ App",
        more="Icon=ada\n",
        types="x-scheme-handler/my-app;x-scheme-handler/x-other;",
        flags="StartupNotify=true\nDBusActivatable=true\n",
    )
    assert desktop.command("desktop-file-validate", str(file)) == (0, "", "")
    service = desktop.home / f".local/share/dbus-1/services/{APP}.service"
    assert service.read_text().splitlines()[1:] == ["[D-BUS Service]", f"Name={APP}", f"Exec={desktop.program}"]
    desktop.install()
    assert not service.exists()
    desktop.remove()


def test_output(desktop: Desktop) -> None:
    file = f"{desktop.applications}/{APP}.desktop"
    check = {"event": "check", "scheme": "my-app", "found": f"{APP}.desktop", "right": True}
    checks = [check | {"tool": "xdg-mime"}, check | {"tool": "gio"}]
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program)]
    assert desktop.lines("install", *arguments) == [
        {"event": "file", "action": "wrote", "path": file},
        {"event": "file", "action": "wrote", "path": str(desktop.defaults)},
        *checks,
    ]
    assert desktop.lines("install", *arguments) == [{"event": "file", "action": "kept", "path": file}, *checks]
    assert desktop.run("install", *arguments) == (
        0,
        f'kept      "{file}"\n'
        f"right     my-app: xdg-mime finds {APP}.desktop\nright     my-app: gio finds {APP}.desktop\n",
        "",
    )


def test_dry_run_changes_nothing(desktop: Desktop) -> None:
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program), "--dry-run"]
    before = desktop.tree()
    lines = desktop.lines("install", *arguments)
    assert desktop.tree() == before
    assert [(line["action"], line["path"]) for line in lines] == [
        ("write", f"{desktop.applications}/{APP}.desktop"),
        ("write", str(desktop.defaults)),
    ]
    assert lines[0]["content"] == text(desktop)
    status, output, _ = desktop.run("install", *arguments)
    assert status == 0
    assert f"    Exec={desktop.program} %u\n" in output
    desktop.install()
    before = desktop.tree()
    assert [line["action"] for line in desktop.lines("install", *arguments)] == ["keep"]
    desktop.lines("remove", "--app", APP, "--dry-run")
    assert desktop.tree() == before


def test_a_hundred_installations_equal_one(desktop: Desktop) -> None:
    desktop.install("--scheme", "x-other")
    before = desktop.tree()
    for _ in range(97):
        desktop.install("--scheme", "x-other", **desktop.without_tools())
    for _ in range(3):
        desktop.install("--scheme", "x-other")
    assert desktop.tree() == before


def test_installations_at_once(desktop: Desktop) -> None:
    names = [f"com.example.a{number}" for number in range(8)]
    runs = [
        subprocess.Popen(
            [TOOL, "scheme", "install", "--app", name, "--scheme", f"x-{name[-2:]}", "--exec", str(desktop.program)],
            env=desktop.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in names
    ]
    for run in runs:
        run.wait(timeout=60)
    for name in names:
        assert f"x-scheme-handler/x-{name[-2:]}={name}.desktop\n" in desktop.defaults.read_text()
    assert desktop.run("check") == (0, "", "")


@pytest.mark.parametrize(
    ("scheme", "reason"),
    [
        (" ", "lower-case letter"),
        ("My-App", "lower-case letter"),
        ("1-app", "lower-case letter"),
        ("my_app", "lower-case letter"),
        ("my-äpp", "lower-case letter"),
        ("my app", "lower-case letter"),
        ("x" * 129, "at most 128"),
        ("http", "cannot be an application's own"),
        ("file", "cannot be an application's own"),
        ("javascript", "cannot be an application's own"),
        ("data", "cannot be an application's own"),
        ("mailto", "cannot be an application's own"),
    ],
)
def test_refused_schemes(desktop: Desktop, scheme: str, reason: str) -> None:
    status, output, complaint = desktop.run(
        "install", "--app", APP, "--scheme", "my-app", f"--scheme={scheme}", "--exec", str(desktop.program)
    )
    assert (status, output) == (1, "")
    assert reason in complaint
    assert desktop.tree() == {}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--app", "a/b", "--scheme", "my-app", "--exec", "/bin/true"],
        ["--app", ".a", "--scheme", "my-app", "--exec", "/bin/true"],
        ["--app", APP, "--exec", "/bin/true"],
        ["--app", "app", "--dbus", "--scheme", "my-app", "--exec", "/bin/true"],
        ["--app", "a.1b", "--dbus", "--scheme", "my-app", "--exec", "/bin/true"],
        ["--app", APP, "--scheme", "my-app", "--exec", "/bin/true", "--take", "--system"],
        ["--app", APP, "--scheme", "my-app", "--exec", "/bin/true", "--try", "--dry-run"],
        ["--app", APP, "--scheme", "my-app", "--exec", "/bin/true", "--name", "a\nb"],
        ["--app", APP, "--scheme", "my-app", "--exec", "/bin/true", "--icon", "a\x1bb"],
    ],
)
def test_wrong_usage(desktop: Desktop, arguments: list[str]) -> None:
    assert desktop.run("install", *arguments)[0] == 64
    assert desktop.tree() == {}


@pytest.mark.parametrize("path", ["program", "./program", "/nowhere/program", "/tmp", "/etc/passwd", "/bin/tr\nue"])
def test_refused_programs(desktop: Desktop, path: str) -> None:
    status, _, complaint = desktop.run("install", "--app", APP, "--scheme", "my-app", "--exec", path)
    assert status == 1
    assert "--exec: '" in complaint
    assert desktop.tree() == {}


def warnings(desktop: Desktop, *arguments: str, **variables: str) -> list[str]:
    """The kinds of the warnings of an installation, each of which is on stderr, too."""
    program = [] if "--exec" in arguments else ["--exec", str(desktop.program)]
    status, output, complaint = desktop.run("install", "--json", "--app", APP, *program, *arguments, **variables)
    assert status == 0, output + complaint
    found = [line for line in map(json.loads, output.splitlines()) if line["event"] == "warning"]
    assert complaint == "".join(f"warning: {line['message']}\n" for line in found)
    return [line["kind"] for line in found]


@pytest.mark.parametrize(
    ("scheme", "kinds"),
    [
        ("my-app", []),
        ("my.app", []),
        ("com.example.my-app+x", []),
        ("myapp", ["short-name"]),
        ("my-app2", ["digit"]),
        ("myapp2", ["short-name", "digit"]),
    ],
)
def test_warnings_about_schemes(desktop: Desktop, scheme: str, kinds: list[str]) -> None:
    assert warnings(desktop, "--scheme", scheme) == kinds


def test_missing_tools(desktop: Desktop) -> None:
    assert warnings(desktop, "--scheme", "my-app", **desktop.without_tools()) == ["missing-tool"] * 3
    complaint = desktop.install(**desktop.without_tools())
    for package in ("xdg-utils", "libglib2.0-bin", "desktop-file-utils"):
        assert f"(Debian: {package})" in complaint


@pytest.mark.parametrize(
    "name",
    ["my app", 'my"app', "my'app", "my\\app", "my$app", "my`app", "my%uapp", "my=app", "my;app", "my*app", "~(my)#&|<>?"],
)
def test_difficult_paths_are_linked(desktop: Desktop, name: str) -> None:
    program = desktop.make_program(desktop.path / f"folder {name}" / name)
    assert warnings(desktop, "--scheme", "my-app", "--exec", str(program)) == ["path"]
    link = desktop.home / f".local/lib/crosstie/handlers/{APP}"
    assert str(link.readlink()) == str(program)
    assert desktop.open("my-app://a") == ["my-app://a"] * 2
    assert desktop.lines("list")[0]["program"] == str(program)
    assert desktop.run("check") == (0, "", "")
    desktop.install()
    assert not link.parent.parent.exists()
    assert desktop.open("my-app://b") == ["my-app://b"] * 2


def test_a_path_outside_ascii_needs_no_link(desktop: Desktop) -> None:
    program = desktop.make_program(desktop.path / "Ünïcode" / "приложение")
    assert warnings(desktop, "--scheme", "my-app", "--exec", str(program)) == []
    assert desktop.open("my-app://a") == ["my-app://a"] * 2


def test_appimage(desktop: Desktop) -> None:
    image = desktop.make_program(desktop.path / "my.AppImage")
    inside = desktop.make_program(desktop.path / "mounted/usr/bin/app")
    variables = {"APPIMAGE": str(image), "APPDIR": str(desktop.path / "mounted")}
    assert warnings(desktop, "--scheme", "my-app", "--exec", str(inside), **variables) == ["appimage"]
    assert f"Exec={image} %u" in (desktop.applications / f"{APP}.desktop").read_text()
    assert warnings(desktop, "--scheme", "my-app", "--exec", "/tmp/.mount_x/app", APPIMAGE=str(image)) == ["appimage"]
    arguments = ["install", "--app", APP, "--scheme", "my-app", "--exec", "/tmp/.mount_x/app"]
    status, _, complaint = desktop.run(*arguments)
    assert status == 1
    assert "AppImage" in complaint


@pytest.mark.parametrize(
    ("variable", "words"),
    [("SNAP", ["snapcraft.yaml", "interface: dbus"]), ("FLATPAK_ID", ["finish-args:", f"--own-name={APP}"])],
)
def test_sandboxes(desktop: Desktop, variable: str, words: list[str]) -> None:
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program)]
    status, output, complaint = desktop.run("install", *arguments, **{variable: "x"})
    assert status == 1
    assert "nothing is installed" in complaint
    for word in ["MimeType=x-scheme-handler/my-app;", *words]:
        assert word in output
    lines = desktop.lines("install", *arguments, status=1, **{variable: "x"})
    assert [line["line"] for line in lines] == output.splitlines()
    assert desktop.tree() == {}


def test_files_of_others_stay(desktop: Desktop) -> None:
    file = desktop.add_foreign(APP, "my-app", title="Evil\x1b[2J")
    before = desktop.tree()
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program)]
    status, output, complaint = desktop.run("install", *arguments)
    assert (status, output) == (1, "")
    assert f"Name=Evil\ufffd[2J, Exec={desktop.program} %u" in complaint
    assert desktop.run("remove", "--app", APP)[0] == 1
    assert desktop.tree() == before
    assert desktop.run("install", *arguments, "--force")[0] == 0
    assert file.read_text() == text(desktop)


def test_service_files_of_others_stay(desktop: Desktop) -> None:
    service = desktop.home / f".local/share/dbus-1/services/{APP}.service"
    service.parent.mkdir(parents=True)
    service.write_text("[D-BUS Service]\nName=x\nExec=/bin/false\n")
    before = desktop.tree()
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program), "--dbus"]
    assert desktop.run("install", *arguments)[0] == 1
    assert desktop.tree() == before
    desktop.install()
    desktop.remove()
    assert desktop.tree() == before
    assert desktop.run("install", *arguments, "--force")[0] == 0


def default(desktop: Desktop, scheme: str) -> str:
    """The default application of a scheme by both tools."""
    by_xdg = desktop.command("xdg-mime", "query", "default", f"x-scheme-handler/{scheme}")[1].strip()
    assert by_xdg in desktop.command("gio", "mime", f"x-scheme-handler/{scheme}")[1].splitlines()[0]
    return by_xdg


def test_a_scheme_of_another_application(desktop: Desktop) -> None:
    desktop.add_foreign("other", "my-app", title="Other\x07")
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program)]
    before = desktop.tree()
    status, _, complaint = desktop.run("install", *arguments)
    assert status == 1
    assert "opened by other.desktop (Name=Other\ufffd," in complaint
    assert desktop.tree() == before
    desktop.install("--scheme", "x-free")
    assert default(desktop, "my-app") == "other.desktop"
    assert default(desktop, "x-free") == f"{APP}.desktop"
    desktop.install("--take")
    assert default(desktop, "my-app") == f"{APP}.desktop"
    assert desktop.install() == ""


def test_a_user_who_prefers_another_application(desktop: Desktop) -> None:
    desktop.install()
    desktop.add_foreign("other", "my-app")
    assert default(desktop, "my-app") == f"{APP}.desktop"
    desktop.command("xdg-mime", "default", "other.desktop", "x-scheme-handler/my-app")
    before = desktop.tree()
    assert "opened by other.desktop" in desktop.install()
    assert desktop.tree() == before
    assert default(desktop, "my-app") == "other.desktop"


def test_schemes_that_are_no_longer_named(desktop: Desktop) -> None:
    desktop.install("--scheme", "x-other")
    desktop.install()
    assert "x-other" not in desktop.defaults.read_text()
    assert "x-other" not in (desktop.applications / "mimeinfo.cache").read_text()


def test_a_default_of_the_running_desktop_wins(desktop: Desktop) -> None:
    desktop.add_foreign("other", "my-app")
    override = desktop.defaults.with_name("gnome-mimeapps.list")
    override.write_text("[Default Applications]\nx-scheme-handler/my-app=other.desktop\n")
    arguments = ["--app", APP, "--scheme", "my-app", "--exec", str(desktop.program), "--take"]
    lines = desktop.lines("install", *arguments, status=1, XDG_CURRENT_DESKTOP="GNOME")
    assert [line["found"] for line in lines if line["event"] == "check"] == ["other.desktop"] * 2
    assert [line["kind"] for line in lines if line["event"] == "warning"] == ["taken", "other-file"]
    assert str(override) in str(lines[-1]["message"])


def test_system(desktop: Desktop) -> None:
    desktop.install("--system")
    file = desktop.system / f"applications/{APP}.desktop"
    assert file.read_text() == text(desktop)
    assert desktop.tree() == {}
    assert desktop.open("my-app://a") == ["my-app://a"] * 2
    assert [line["file"] for line in desktop.lines("list")] == [str(file)]
    assert desktop.run("remove", "--app", APP, "--system")[0] == 0
    assert list((desktop.system / "applications").iterdir()) == []


def test_no_home(desktop: Desktop) -> None:
    arguments = ["install", "--app", APP, "--scheme", "my-app", "--exec", str(desktop.program)]
    assert desktop.run(*arguments, HOME="") == (1, "", "Error: HOME is not set to an absolute path\n")


def test_a_directory_that_cannot_be_written(desktop: Desktop) -> None:
    (desktop.home / "file").write_text("")
    arguments = ["install", "--app", APP, "--scheme", "my-app", "--exec", str(desktop.program)]
    status, _, complaint = desktop.run(*arguments, XDG_DATA_HOME=str(desktop.home / "file/data"))
    assert status == 1
    assert "Not a directory" in complaint
