"""Types and docstrings: the stub and help() match the objects."""

import inspect
import pathlib
import subprocess
import sys

import pytest

import crosstie

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent.parent / "Examples"
TIMEOUT = 300


def run(*command: str) -> None:
    result = subprocess.run(
        [sys.executable, *command], cwd=HERE, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_stubs_are_what_is_there() -> None:
    run("-m", "mypy.stubtest", "crosstie")


def test_types_are_strict(tmp_path: pathlib.Path) -> None:
    ours = [*HERE.glob("*.py"), *HERE.glob("isolated/*.py")]
    files = [str(path) for path in ours if path.name != "test_scenarios.py"]
    run("-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "-p", "crosstie")
    run("-m", "mypy", "--strict", "--cache-dir", str(tmp_path), *files)


def test_examples_are_typed(tmp_path: pathlib.Path) -> None:
    patterns = ["python/*.py", "python/*/__main__.py", "ports/*.py", "start/*.py"]
    programs = [path for pattern in patterns for path in EXAMPLES.glob(pattern)]
    for program in programs:
        run("-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(program))


@pytest.mark.parametrize("name", crosstie.__all__)
def test_everything_has_a_docstring(name: str) -> None:
    thing = getattr(crosstie, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize(
    "owner", [crosstie.Bus, crosstie.Wormhole, crosstie.Request, crosstie.Call, crosstie.Registration]
)
def test_signatures_of_methods(owner: type) -> None:
    for name in dir(owner):
        method = getattr(owner, name)
        if not name.startswith("__") and inspect.isroutine(method):
            assert inspect.signature(method) is not None
