"""Builds the extension, with the docstrings of its stub, and puts the library beside it where no installed one is asked for."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import setuptools
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import docstrings  # noqa: E402  a builder's own folder is not on the path

ROOT = HERE.parent.parent
STUB = HERE / "src" / "crosstie" / "_crosstie.pyi"
SONAME = "libcrosstie.so.0.1"
IN_TREE = (ROOT / "include" / "crosstie.h").exists()
PREFIX = os.environ.get("CROSSTIE_PREFIX")
# A newer compiler may have new warnings: they stop the project's own checks, but no other build.
WARNINGS = ["-Wall", "-Wextra", *(["-Werror"] if os.environ.get("CROSSTIE_STRICT") else [])]
# The licenses of the parts of a bundled library (NOTICE).
BUNDLED = ["Apache-2.0 WITH Swift-exception", "GPL-3.0-or-later WITH GCC-exception-3.1", "OLDAP-2.8"]


class BuildExtension(build_ext):
    """Finds libcrosstie: under CROSSTIE_PREFIX, in the source tree, or by pkg-config."""

    def build_extension(self, extension: Extension) -> None:
        self.write_docstrings(extension)
        if PREFIX:
            self.use_prefix(extension, pathlib.Path(PREFIX).resolve())
        elif IN_TREE:
            self.use_source_tree(extension)
        else:
            self.use_pkg_config(extension)
        super().build_extension(extension)

    def write_docstrings(self, extension: Extension) -> None:
        folder = pathlib.Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        docstrings.write(STUB, [HERE / source for source in extension.sources], folder / "docstrings.h")
        extension.include_dirs.append(str(folder))

    def use_prefix(self, extension: Extension, prefix: pathlib.Path) -> None:
        extension.include_dirs.append(str(prefix / "include"))
        extension.library_dirs.append(str(prefix / "lib"))
        extension.runtime_library_dirs.append(str(prefix / "lib"))

    def use_source_tree(self, extension: Extension) -> None:
        subprocess.run(["make", "-C", str(ROOT), "lib"], check=True)
        library = ROOT / ".build" / "dist" / "lib"
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).parent
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy2(library / SONAME, package / SONAME)
        extension.include_dirs.append(str(ROOT / "include"))
        extension.library_dirs.append(str(library))
        extension.runtime_library_dirs.append("$ORIGIN")

    def use_pkg_config(self, extension: Extension) -> None:
        command = ["pkg-config", "--cflags", "--libs", "crosstie"]
        flags = shlex.split(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        extension.extra_compile_args += [flag for flag in flags if flag.startswith(("-I", "-D"))]
        extension.extra_link_args += [flag for flag in flags if not flag.startswith(("-I", "-D"))]


def relative(path: pathlib.Path) -> str:
    return str(path.relative_to(HERE))


def options() -> dict[str, dict[str, object]]:
    """Separate builds for a prefix from those that bundle the library."""
    base = ROOT / ".build" / "python" if IN_TREE else HERE / "build"
    return {"build": {"build_base": str(base / ("prefix" if PREFIX else "whole"))}, "build_ext": {"force": True}}


def gather_texts() -> None:
    """Copy the licenses into this folder, since a package cannot contain files from outside it."""
    shutil.copy2(ROOT / "LICENSE", HERE)
    shutil.copy2(ROOT / "NOTICE", HERE)
    shutil.copytree(ROOT / "packaging" / "licenses", HERE / "licenses", dirs_exist_ok=True)


def license_options() -> dict[str, object]:
    """Return the license and its texts, by the keywords of this setuptools: those of PEP 639 since 77."""
    files = ["LICENSE", "NOTICE", "licenses/*.txt"]
    carries = IN_TREE and not PREFIX
    expression = " AND ".join(["MIT", *BUNDLED] if carries else ["MIT"])
    known = int(setuptools.__version__.split(".")[0]) >= 77
    return {"license_expression" if known else "license": expression, "license_files": files}


if IN_TREE:
    gather_texts()
setup(
    **license_options(),
    options=options(),
    cmdclass={"build_ext": BuildExtension},
    ext_modules=[
        Extension(
            "crosstie._crosstie",
            sources=sorted(relative(path) for path in (HERE / "ext").rglob("*.c")),
            depends=sorted(relative(path) for path in [*(HERE / "ext").rglob("*.h"), HERE / "docstrings.py", STUB]),
            libraries=["crosstie"],
            define_macros=[("_GNU_SOURCE", None)],
            # -fexceptions: cleanups run when the end of the interpreter unwinds a thread (see ext/base/gil.c).
            extra_compile_args=[
                "-std=c11", "-O2", "-flto", "-fno-plt",
                *WARNINGS, "-fvisibility=hidden", "-fexceptions",
            ],
            extra_link_args=["-O2", "-flto"],
        )
    ],
)
