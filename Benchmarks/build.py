"""Builds the programs that `make bench` runs. A program that cannot be built is skipped with a line that says why."""

import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / ".build" / "bench"
DIST = ROOT / ".build" / "dist"

said = set()


def say(line):
    """Prints a line, once in a run."""
    if line not in said:
        print(line, flush=True)
    said.add(line)


def skip(what, why):
    """Says that something is left out; gives no program."""
    say(f"skipped: {what} ({why})")


def run_build(what, command, **options):
    """Runs a build command. Whether it succeeded."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        reason = next((line for line in done.stderr.splitlines() if "error" in line), "see Benchmarks/setup.sh")
        skip(what, reason.strip())
    return done.returncode == 0


def program_of(source):
    return str(BUILD / "-".join(pathlib.Path(source).with_suffix("").parts))


def c(source, *flags):
    """A program from a file in C; nothing when it cannot be built."""
    command = ["cc", "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-o", program_of(source), str(HERE / source)]
    return [program_of(source)] if run_build(source, [*command, *flags]) else []


def on_crosstie(source):
    """A program in C that uses this project's library, which may find its functions by their names."""
    return c(source, "-rdynamic", f"-I{DIST}/include", f"-L{DIST}/lib", "-lcrosstie", f"-Wl,-rpath,{DIST}/lib")


def object_on_crosstie(source):
    """A shared object for a process that has this project's library already."""
    return c(source, "-shared", "-fPIC", f"-I{DIST}/include", f"-L{DIST}/lib", "-lcrosstie")


def go(source):
    """A program in Go, against Debian's packages."""
    if shutil.which("go") is None:
        return skip(source, "Go is not installed") or []
    path = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(BUILD / "go")}
    command = ["go", "build", "-o", program_of(source), str(HERE / source)]
    return [program_of(source)] if run_build(source, command, env=os.environ | path) else []


def swift(source):
    """A program from one file in Swift, against the toolchain's own libraries."""
    command = ["swiftc", "-O", "-o", program_of(source), str(HERE / source)]
    return [program_of(source)] if run_build(source, command) else []


def product(name):
    """A program of the package, in a folder of its own: other flags in the library's folder would rebuild that."""
    scratch = BUILD / "package"
    command = ["swift", "build", "-c", "release", "--product", name, "--scratch-path", str(scratch), "-j", "2"]
    flags = ["-Xswiftc", "-static-stdlib", "-Xswiftc", "-use-ld=lld", "-Xlinker", "--gc-sections"]
    return [str(scratch / "release" / name)] if run_build(name, [*command, *flags], cwd=ROOT) else []


def package_flags(package, otherwise):
    found = subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True, text=True)
    return found.stdout.split() or [otherwise]


def aside(name):
    """A peer's program that somebody has put into the folder which CROSSTIE_PEERS names; see README.md."""
    folder = os.environ.get("CROSSTIE_PEERS")
    if not folder:
        return skip(name, "not in Debian or PyPI, and CROSSTIE_PEERS is not set: see Benchmarks/README.md") or []
    program = pathlib.Path(folder).resolve() / name
    if not program.is_file() or not os.access(program, os.X_OK):
        return skip(name, f"no program {program}") or []
    return [str(program)]
