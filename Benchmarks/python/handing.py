"""A click: a process that hands a URL to the running instance of an application, from its start to its end.

Usage: handing.py <tool> <empty program> <folder>
"""

import os
import statistics
import subprocess
import sys
import time

from timing import report, run_each

TOOL, NOTHING, FOLDER = sys.argv[1:4]
APPLICATION = "com.example.bench"
COUNT = 200


def time_of(command):
    """The median of many runs, in nanoseconds; each has to succeed."""
    figures = []
    for _ in range(COUNT):
        begin = time.perf_counter_ns()
        process = os.posix_spawn(command[0], command, os.environ)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        figures.append(time.perf_counter_ns() - begin)
        if code != 0:
            raise subprocess.CalledProcessError(code, command)
    return statistics.median(figures)


def empty_program():
    report("join.hand", "an empty program", time_of([NOTHING]))


def crosstie():
    import crosstie

    os.environ["XDG_RUNTIME_DIR"] = FOLDER
    with crosstie.Bus() as bus:
        bus.route("bench://item/:id", public=True)(lambda request: None)
        with bus.claim_instance(APPLICATION, dbus=False) as instance:
            instance.ready()
            report("join.hand", "crosstie", time_of([TOOL, "open", "bench://item/1", "--hand-off", APPLICATION]))


if __name__ == "__main__":
    run_each(empty_program, crosstie)
