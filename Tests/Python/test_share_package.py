"""The extra: what it needs, that nothing else does, and what help() says."""

import inspect
import subprocess
import sys

import pytest

from conftest import WATCHDOG
from crosstie import share

CLASSES = [thing for name in share.__all__ if inspect.isclass(thing := getattr(share, name))]


def run(code: str) -> str:
    """Return the output of a fresh interpreter."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=True).stdout


def test_without_the_extra() -> None:
    reported = run(
        "import sys; sys.modules['segno'] = None\n"
        "try: import crosstie.share\n"
        "except ImportError as error: print(error)"
    )
    assert reported == 'crosstie.share needs its extra: pip install "crosstie[share]"\n'


def test_the_package_does_without() -> None:
    loaded = run("import crosstie, sys; print({'segno', 'crosstie.share'} & {*sys.modules})")
    assert loaded == "set()\n"


@pytest.mark.parametrize("thing", CLASSES)
def test_docstrings(thing: type) -> None:
    assert inspect.getdoc(thing)
    for name, member in vars(thing).items():
        if not name.startswith("_") and callable(member):
            assert inspect.getdoc(member), name
