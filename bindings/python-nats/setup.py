"""Puts the engine into the package. It is built in the source tree, by `make nats`."""

import pathlib
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SONAME = "libcrosstie-nats.so.0"


class BuildWithEngine(build_py):
    """Builds the package and the engine."""

    def run(self) -> None:
        super().run()
        subprocess.run(["make", "-C", str(ROOT), "nats"], check=True)
        target = pathlib.Path(self.build_lib) / "crosstie_nats"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / ".build" / "dist" / "lib" / SONAME, target / SONAME)


class OfPlatform(Distribution):
    """A package that differs from platform to platform."""

    def has_ext_modules(self) -> bool:
        return True


class ForEveryPython(bdist_wheel):
    """A wheel for every interpreter: the engine knows nothing of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


def gather_texts() -> None:
    """Copy the licenses into this folder, since a package cannot contain files from outside it."""
    shutil.copy2(ROOT / "LICENSE", HERE)
    (HERE / "licenses").mkdir(exist_ok=True)
    packaging = ROOT / "packaging"
    for text in [packaging / "licenses" / "Jansson.txt", *(packaging / "nats-licenses").iterdir()]:
        shutil.copy2(text, HERE / "licenses")


if not (ROOT / "engines" / "nats").is_dir():
    raise SystemExit("crosstie-nats is built in Crosstie's source tree: make wheel-nats")
gather_texts()
setup(
    options={"build": {"build_base": str(ROOT / ".build" / "python-nats")}},
    cmdclass={"build_py": BuildWithEngine, "bdist_wheel": ForEveryPython},
    distclass=OfPlatform,
)
