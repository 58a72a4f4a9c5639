"""A C host that embeds Python and outlives the interpreter."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sysconfig

import pytest

import crosstie
from conftest import WATCHDOG

HERE = pathlib.Path(__file__).parent
DIST = HERE.parent.parent / ".build" / "dist"
COMPILER = shutil.which("cc")
EMBED = f"python-{sysconfig.get_python_version()}-embed"

pytestmark = pytest.mark.skipif(
    COMPILER is None or not (DIST / "include").exists(), reason="needs a C compiler and the library in .build/dist"
)


def build(name: str, directory: pathlib.Path) -> str:
    """Builds a C program that embeds Python, and returns its path."""
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("this interpreter is no shared library")
    path = str(directory / name)
    python = subprocess.run(["pkg-config", "--cflags", "--libs", EMBED], check=True, capture_output=True, text=True)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", str(DIST / "include")]
    library = ["-L", str(DIST / "lib"), f"-Wl,-rpath,{DIST / 'lib'}", "-lcrosstie"]
    source = str(HERE / f"{name}.c")
    subprocess.run([str(COMPILER), *flags, source, "-o", path, *library, *shlex.split(python.stdout)], check=True)
    return path


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build("embed", tmp_path_factory.mktemp("embed"))


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ((), "CTIE_E_BLOCKED [no route, provider or system opener takes app://python/]\n"),
        (("stuck",), "CTIE_E_HANDLER [the Python interpreter is ending]\n"),
    ],
)
def test_the_host_outlives_python(program: str, arguments: tuple[str, ...], output: str) -> None:
    package = pathlib.Path(crosstie.__file__).parent.parent
    result = subprocess.run(
        [program, *arguments],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, output, "")
