"""`crosstie scheme install --try`: a URL must arrive through xdg-open and gio."""

import pathlib
import time

import pytest
from scheme_kit import APP, WATCHDOG, Desktop


@pytest.fixture
def desktop(tmp_path: pathlib.Path) -> Desktop:
    return Desktop(tmp_path)


def rooms() -> set[pathlib.Path]:
    return set(pathlib.Path("/tmp").glob("crosstie-try-*"))


def attempts(desktop: Desktop, status: int, *arguments: str, **variables: str) -> list[tuple[object, object]]:
    before = rooms()
    lines = desktop.lines(
        "install", "--app", APP, "--scheme", "my-app", "--exec", str(desktop.program), "--try", *arguments,
        status=status, **variables,
    )  # fmt: skip
    # Another run of the tests at the same time has rooms, too, which it removes.
    left = rooms() - before
    for _ in range(100 * WATCHDOG):
        left &= rooms()
        if not left:
            break
        time.sleep(0.01)
    assert left == set()
    return [(line["tool"], line["problem"]) for line in lines if line["event"] == "try"]


def test_urls_arrive(desktop: Desktop) -> None:
    before = attempts(desktop, 0)
    assert before == [("xdg-open", ""), ("gio", "")]
    assert not desktop.opened.exists(), "the application itself was started"


def test_urls_arrive_for_every_way_to_install(desktop: Desktop) -> None:
    program = desktop.make_program(desktop.path / "my folder/my app")
    assert attempts(desktop, 0, "--dbus", "--exec", str(program)) == [("xdg-open", ""), ("gio", "")]
    desktop.remove()
    assert attempts(desktop, 0, "--system") == [("xdg-open", ""), ("gio", "")]


def test_a_tool_that_fails(desktop: Desktop) -> None:
    problems = attempts(desktop, 1, **desktop.with_tool("xdg-open", "exit 4"))
    assert problems == [("xdg-open", "it ended with 4, and the URL did not arrive"), ("gio", "")]


def test_a_tool_that_does_nothing(desktop: Desktop) -> None:
    problems = attempts(desktop, 75, **desktop.with_tool("xdg-open", "exit 0"))
    assert problems == [("xdg-open", "it did not arrive in 5 s"), ("gio", "")]


def test_a_tool_that_changes_the_url(desktop: Desktop) -> None:
    problems = attempts(desktop, 75, **desktop.with_tool("xdg-open", 'exec gio open "$1?"'))
    assert str(problems[0][1]).startswith("another URL arrived: my-app://crosstie-try/")
    assert problems[1] == ("gio", "")


def test_no_display(desktop: Desktop) -> None:
    problems = attempts(desktop, 1, DISPLAY="")
    assert "without DISPLAY" in str(problems[0][1])
    assert problems[1] == ("gio", "")
