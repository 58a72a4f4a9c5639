"""The cost of open groups and listeners while nothing happens, and that of servers that do the same.

Usage: idle.py PROGRAM DIRECTORY [NAME=PID]... with the program made from c/idle.c and the servers that are running.
"""

import contextlib
import pathlib
import subprocess
import sys
import time
from typing import NamedTuple

SECONDS = 5
FEW, MANY = 10, 100  # groups: the cost of one more is the difference


class Cost(NamedTuple):
    """The resources that a process has used until now."""

    time: float  # seconds
    wakes: int
    memory: int  # bytes of what it has touched
    descriptors: int
    threads: int


def fields(path):
    """A file of `name: number …` lines."""
    pairs = (line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    return {name: text.split() for name, text in pairs}


def cost(pid):
    home = pathlib.Path("/proc") / str(pid)
    threads = list((home / "task").iterdir())
    return Cost(
        time=time.monotonic(),
        wakes=sum(int(fields(thread / "status")["voluntary_ctxt_switches"][0]) for thread in threads),
        memory=int(fields(home / "smaps_rollup")["Rss"][0]) * 1024,
        descriptors=len(list((home / "fd").iterdir())),
        threads=len(threads),
    )


@contextlib.contextmanager
def idling(program, directory, groups):
    """A process that has so many groups open, while this is entered."""
    with subprocess.Popen([program, directory, str(groups)], stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout.readline() != "ready\n":
                sys.exit("the idle process did not start")
            yield process.pid
        finally:
            process.kill()


def report(work, who, figure):
    print(f"{work}\t{who}\t{figure:.2f}")


def report_process(who, before, after):
    report("idle.wakes", who, (after.wakes - before.wakes) / (after.time - before.time))
    report("idle.memory", who, after.memory)


def report_groups(none, one, few, many):
    """The cost of the first group, and of each further one."""
    report("idle.first", "crosstie", one.memory - none.memory)
    for name in ("memory", "descriptors", "threads"):
        further = (getattr(many, name) - getattr(few, name)) / (MANY - FEW)
        report(f"idle.further.{name}", "crosstie", further)


def main(program, directory, *servers):
    named = dict(server.rsplit("=", 1) for server in servers)
    with contextlib.ExitStack() as all:
        pids = [all.enter_context(idling(program, directory, groups)) for groups in (0, 1, FEW, MANY)]
        named["crosstie"] = pids[1]
        time.sleep(1)  # until whatever has just started is idle
        before = {name: cost(pid) for name, pid in named.items()}
        time.sleep(SECONDS)
        for name, pid in named.items():
            report_process(name, before[name], cost(pid))
        report_groups(*map(cost, pids))
    group = pathlib.Path(directory) / "idle-1-0"
    report("idle.files", "crosstie", sum(file.stat().st_blocks * 512 for file in group.iterdir()))


if __name__ == "__main__":
    main(*sys.argv[1:])
