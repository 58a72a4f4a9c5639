"""A private desktop for the tests of `crosstie scheme`: directories of its own, and the system's real tools."""

import json
import os
import pathlib
import subprocess
import time

TOOL = os.environ["CROSSTIE"]

#: The time that a run may take; only a watchdog.
WATCHDOG = 60

APP = "com.example.app"

#: File name: its permissions and content, or the target of a link.
Tree = dict[str, tuple[int, bytes] | str]


class Desktop:
    """A home directory, the XDG directories, and a program that writes down the URLs it is given."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.home = path / "home"
        self.applications = self.home / ".local/share/applications"
        self.defaults = self.home / ".config/mimeapps.list"
        self.system = path / "system"
        self.opened = path / "opened"
        for directory in (self.home, self.defaults.parent, self.applications, self.system / "applications"):
            directory.mkdir(parents=True)
        self.program = self.make_program(path / "program")
        self.environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "XDG_DATA_DIRS": str(self.system),
            "XDG_CONFIG_DIRS": str(path / "etc"),
            "XDG_RUNTIME_DIR": str(path),
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "DISPLAY": ":99",
            "BROWSER": "false",
        }

    def make_program(self, path: pathlib.Path, name: str = "") -> pathlib.Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"""#!/bin/sh\nprintf '%s\\n' "{name}$*" >>'{self.opened}'\n""")
        path.chmod(0o755)
        return path

    def add_foreign(self, name: str, scheme: str, title: str = "Other") -> pathlib.Path:
        """Another application, installed by other means."""
        path = self.applications / f"{name}.desktop"
        types = f"MimeType=x-scheme-handler/{scheme};\n"
        path.write_text(f"[Desktop Entry]\nType=Application\nName={title}\nExec={self.program} %u\n{types}")
        self.command("update-desktop-database", str(self.applications))
        return path

    def run(self, verb: str, *arguments: str, **variables: str) -> tuple[int, str, str]:
        return self.command(TOOL, "scheme", verb, *arguments, **variables)

    def command(self, *arguments: str, **variables: str) -> tuple[int, str, str]:
        environment = {name: text for name, text in (self.environment | variables).items() if text}
        done = subprocess.run(
            arguments, capture_output=True, text=True, timeout=WATCHDOG, check=False, env=environment
        )
        return done.returncode, done.stdout, done.stderr

    def lines(self, verb: str, *arguments: str, status: int = 0, **variables: str) -> list[dict[str, object]]:
        """The output of a command as JSON."""
        found, output, complaint = self.run(verb, "--json", *arguments, **variables)
        assert found == status, output + complaint
        return [json.loads(line) for line in output.splitlines()]

    def install(self, *arguments: str, app: str = APP, scheme: str = "my-app", **variables: str) -> str:
        """Installs an application, which must succeed; returns the complaints."""
        program = [] if "--exec" in arguments else ["--exec", str(self.program)]
        status, output, complaint = self.run(
            "install", "--app", app, "--scheme", scheme, *program, *arguments, **variables
        )
        assert status == 0, output + complaint
        return complaint

    def remove(self, app: str = APP) -> None:
        status, output, complaint = self.run("remove", "--app", app)
        assert status == 0, output + complaint

    def open(self, url: str) -> list[str]:
        """The URLs that arrive if one is opened by xdg-open, which waits for the program, and by gio, which does not."""
        self.opened.unlink(missing_ok=True)
        self.command("xdg-open", url)
        self.command("gio", "open", url)
        return self.arrived(2)

    def arrived(self, count: int) -> list[str]:
        """The URLs that the program was given, as soon as there are so many."""
        lines: list[str] = []
        for _ in range(1000):
            lines = self.opened.read_text().splitlines() if self.opened.exists() else []
            if len(lines) >= count:
                break
            time.sleep(0.01)
        return lines

    def tree(self) -> Tree:
        """Every file below the home directory, without caches that gio keeps."""
        found: Tree = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if path.is_symlink():
                found[name] = str(path.readlink())
            elif path.is_file() and not name.startswith(".cache/"):
                found[name] = (path.stat().st_mode & 0o7777, path.read_bytes())
        return found

    def without_tools(self) -> dict[str, str]:
        """A PATH on which no tool of the desktop is."""
        empty = self.path / "empty"
        empty.mkdir(exist_ok=True)
        return {"PATH": str(empty)}

    def with_tool(self, name: str, script: str) -> dict[str, str]:
        """A PATH on which a tool is replaced."""
        path = self.path / "tools" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return {"PATH": f"{path.parent}:{self.environment['PATH']}"}
