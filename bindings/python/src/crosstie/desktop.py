"""URL schemes on the desktop: links open in an application.

    from crosstie import desktop

    desktop.install_scheme("com.example.app", ["com-example-app"], "/opt/example/app", name="Example")
    desktop.remove_scheme("com.example.app")

Both run the command-line tool, `crosstie scheme`, which must be installed; docs/schemes.md describes it.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from ._errors import Error, NotFoundError, NotInstalledError, TimeoutError
from ._status import Status

__all__ = ["install_scheme", "remove_scheme"]

#: Exit statuses of the tool.
_NOT_INSTALLED, _TIMED_OUT = os.EX_UNAVAILABLE, os.EX_TEMPFAIL


def install_scheme(
    app: str,
    schemes: Sequence[str],
    program: str | os.PathLike[str],
    *,
    name: str | None = None,
    icon: str | None = None,
    menu: bool = False,
    dbus: bool = False,
    system: bool = False,
    take: bool = False,
    force: bool = False,
    try_out: bool = False,
    dry_run: bool = False,
    tool: str | os.PathLike[str] | None = None,
) -> list[dict[str, Any]]:
    """Write an application's desktop file, and make it the default for its schemes.

    app      the application's id, such as "com.example.app".
    schemes  the URL schemes.
    program  the path of the program, which is started with a URL as its argument.
    name     the application's name for people; by default its id.
    icon     the name of an icon, or its absolute path.
    menu     whether menus show the application.
    dbus     whether the session bus starts it.
    system   for all users, which needs the rights of root.
    take     whether schemes are taken from the applications that open them now.
    force    whether files with the same names, which the tool did not write, are replaced.
    try_out  whether a URL of each scheme is opened as a test; it must arrive within five seconds.
    dry_run  whether nothing is changed, and the result lists the intended changes.
    tool     the path of the tool; by default the `crosstie` on the PATH.

    Returns the changes: a dict for each line that the tool prints with --json. Raises NotInstalledError without the
    tool, TimeoutError for a URL that does not arrive, Error with the tool's reason for a refusal.
    """
    if isinstance(schemes, str):
        raise TypeError("schemes is a list of texts, not a text")
    flags = {
        "--menu": menu,
        "--dbus": dbus,
        "--system": system,
        "--take": take,
        "--force": force,
        "--try": try_out,
        "--dry-run": dry_run,
    }
    texts = {"--app": app, "--exec": os.fspath(program), "--name": name, "--icon": icon}
    arguments = [f"{option}={text}" for option, text in texts.items() if text is not None]
    arguments += [f"--scheme={scheme}" for scheme in schemes]
    return _run(tool, "install", [*arguments, *(flag for flag, is_on in flags.items() if is_on)])


def remove_scheme(
    app: str, *, system: bool = False, dry_run: bool = False, tool: str | os.PathLike[str] | None = None
) -> list[dict[str, Any]]:
    """Remove the files and defaults that `install_scheme()` wrote for an application.

    app      the application's id.
    system   whether it is installed for all users.
    dry_run  whether nothing is changed, and the result lists the intended changes.
    tool     the path of the tool; by default the `crosstie` on the PATH.

    Returns the changes, as `install_scheme()` does. Raises NotInstalledError without the tool, NotFoundError for an
    application that is not installed, Error with the tool's reason for a refusal.
    """
    flags = {"--system": system, "--dry-run": dry_run}
    return _run(tool, "remove", [f"--app={app}", *(flag for flag, is_on in flags.items() if is_on)])


def _run(tool: str | os.PathLike[str] | None, verb: str, arguments: list[str]) -> list[dict[str, Any]]:
    path = os.fspath(tool) if tool is not None else shutil.which("crosstie")
    if path is None:
        message = "the tool 'crosstie' is not on the PATH: 'make install' installs it, or name it by tool="
        raise NotInstalledError(message, status=Status.NOT_INSTALLED)
    try:
        done = subprocess.run(
            [path, "scheme", verb, "--json", *arguments], capture_output=True, check=False, text=True, encoding="utf-8"
        )
    except OSError as error:
        message = f"the tool cannot be run: {error.strerror}: {path}"
        raise NotInstalledError(message, status=Status.NOT_INSTALLED) from error
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode == 0:
        return lines
    reason = done.stderr.strip().removeprefix("Error: ") or _problem(lines)
    if done.returncode == _TIMED_OUT:
        raise TimeoutError(reason, status=Status.TIMEOUT, value=lines)
    if done.returncode == _NOT_INSTALLED:
        raise NotFoundError(reason, status=Status.NOT_FOUND, value=lines)
    raise Error(reason, status=Status.SYSTEM, value=lines)


def _problem(lines: list[dict[str, Any]]) -> str:
    """Return a description of the first line that reports a problem."""
    wrong = [line for line in lines if line.get("right") is False]
    if not wrong:
        return "the tool failed"
    line = wrong[0]
    return f"{line['scheme']}: {line['tool']}: {line.get('problem') or 'finds ' + (line.get('found') or 'nothing')}"
