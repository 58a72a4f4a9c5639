"""The extra: what it needs, and that nothing else does."""

import inspect
import subprocess
import sys
import textwrap
from typing import Any

import pytest

import crosstie
from conftest import WATCHDOG
from crosstie import oauth


def run(code: str) -> str:
    """Return the output of a fresh interpreter."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=True).stdout


@pytest.mark.parametrize("missing", ["authlib", "requests"])
def test_without_the_extra(missing: str) -> None:
    reported = run(
        f"import sys; sys.modules[{missing!r}] = None\n"
        "try: import crosstie.oauth\n"
        "except ImportError as error: print(error)"
    )
    assert reported == 'crosstie.oauth needs its extra: pip install "crosstie[oauth]"\n'


def test_the_package_does_without() -> None:
    assert (
        run("import crosstie, sys; print({'authlib', 'requests', 'asyncio'} & {*sys.modules})") == "set()\n"
    )


@pytest.mark.parametrize("name", oauth.__all__)
def test_docstrings(name: str) -> None:
    thing = getattr(oauth, name)
    assert inspect.getdoc(thing)
    for member, value in vars(type(thing) if isinstance(thing, oauth.Preset) else thing).items():
        if not member.startswith("_") and callable(value):
            assert inspect.getdoc(value), member


def test_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example in the package's help runs, except for the person, and gets the token."""

    def sign_in(self: crosstie.Bus, platform: str, params: Any = None, /) -> dict[str, str]:
        assert [provider.platform for provider in self.providers] == [platform]
        return {"access_token": "t"}

    monkeypatch.setattr(crosstie.Bus, "oauth", sign_in)
    lines = (oauth.__doc__ or "").splitlines()
    names: dict[str, Any] = {}
    exec(textwrap.dedent("\n".join(line for line in lines if line.startswith("    "))), names)
    assert names["token"] == "t"
