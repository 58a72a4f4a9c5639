#!/usr/bin/python3
"""Runs the steps of some sections of .ci/steps, in two lanes: steps.py <section>...

Each step has a log of its own, and prints one line when it ends; the log's tail follows if the step has failed. At the end come
the reasons of all failures once more, and the tally."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
from step_counts import counts  # noqa: E402
from step_table import Step, read  # noqa: E402

ROOT = Path(__file__).absolute().parent.parent
LOGS = ROOT / ".build/logs"
TIMES = LOGS / "times"
LANES = 2
LIMIT = os.environ.get("STEP_LIMIT", "1800")  # seconds; only a watchdog
PAUSE = int(os.environ.get("PROGRESS_EVERY", "8"))
REASON = re.compile(r"^(?:E   |FAILED |ERROR ).*|^.*(?:error: |recorded an issue|not so: |\*\*\* |SUMMARY: ).*", re.MULTILINE)
COUNTING = sys.stdout.isatty()  # one line that counts, in place of many


class Running:
    """A step with its process. The process stays in this process group, so that it gets Ctrl-C."""

    def __init__(self, step: Step, ends: "queue.Queue[Running]") -> None:
        self.step, self.begin = step, time.monotonic()
        self.log = LOGS / f"{step.name}.log"
        command = ["timeout", "--foreground", "--kill-after=10", LIMIT, *step.command]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        threading.Thread(target=self.wait, args=[ends], daemon=True).start()

    def wait(self, ends: "queue.Queue[Running]") -> None:
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.computed = round(used.ru_utime + used.ru_stime)
        ends.put(self)

    def seconds(self) -> int:
        return round(time.monotonic() - self.begin)


def report(line: str) -> None:
    print(("\r\033[K" if COUNTING else "") + line, flush=True)


def report_tail(log: Path, status: int) -> None:
    for line in log.read_text(errors="replace").splitlines()[-60:]:
        report(f"    | {line}")
    report(f"    the whole of it: {log.relative_to(ROOT)} (exit status {status})")


class Schedule:
    """The steps that wait, those that run, and the tally."""

    def __init__(self, steps: list[Step]) -> None:
        self.waiting, self.running = steps, list[Running]()
        self.start = time.monotonic()
        self.ends: queue.Queue[Running] = queue.Queue()
        self.failures = set[str]()
        self.reasons = list[str]()
        self.passed = self.failed = 0

    def run(self) -> None:
        self.begin()
        while self.running:
            try:
                self.end(self.ends.get(timeout=1 if COUNTING else PAUSE))
                self.begin()
            except queue.Empty:
                self.report_progress()

    def begin(self) -> None:
        """Begins the steps that may run now, in the order of the table. If one that a step comes after has failed, it fails."""
        for step in list(self.waiting):
            unfinished = {other.name for other in [*self.waiting, *(running.step for running in self.running)]}
            if missing := step.after & self.failures:
                self.waiting.remove(step)
                self.failures.add(step.name)
                self.failed += 1
                report(f"{'FAILED':6}  {step.name:20} not run: {', '.join(sorted(missing))} failed")
            elif not step.after & unfinished and self.fits(step):
                self.waiting.remove(step)
                self.running.append(Running(step, self.ends))

    def fits(self, step: Step) -> bool:
        """Whether enough lanes are free for the step, and nothing that runs holds what it holds."""
        others = [running.step for running in self.running]
        lanes = step.lanes + sum(other.lanes for other in others)
        return lanes <= LANES and not any(step.holds & other.holds for other in others)

    def end(self, running: Running) -> None:
        self.running.remove(running)
        step, status = running.step, running.process.returncode
        log = running.log.read_text(errors="replace")
        passed, failed = counts(log, status)
        if step.counts or failed:
            self.passed += passed
            self.failed += failed
        if status != 0:
            self.failures.add(step.name)
            self.reasons += [f"{step.name}: {line}" for line in REASON.findall(log)[:20]]
        self.note(running)
        verdict = "FAILED" if status else "ok"
        report(f"{verdict:6}  {step.name:20} {passed:5} passed, {failed} failed  ({running.seconds()} s)")
        if status:
            report_tail(running.log, status)

    def note(self, running: Running) -> None:
        """Writes what a better order of the table can be found by."""
        with TIMES.open("a") as times:
            begin = round(running.begin - self.start)
            print(f"{running.step.name:16} {begin:5} {running.seconds():5} {running.computed:5}", file=times)

    def report_progress(self) -> None:
        names = " + ".join(running.step.name for running in self.running)
        line = f"{'...':6}  {names:20} {max(running.seconds() for running in self.running):5} s"
        if COUNTING:
            print(f"\r\033[K{line}", end="", flush=True)
        else:
            report(line)

    def stop(self) -> None:
        """Ends the steps; each of them is waited for by a thread of its own."""
        for running in self.running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(running.process.pid, signal.SIGTERM)
        for _ in self.running:
            self.ends.get()


def main(sections: list[str]) -> int:
    os.environ["MAKEFLAGS"] = "--no-print-directory"
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    LOGS.mkdir(parents=True, exist_ok=True)
    TIMES.write_text("step             begin     s   CPU\n")
    schedule = Schedule(read(ROOT / ".ci/steps", sections))
    try:
        schedule.run()
    except KeyboardInterrupt:
        schedule.stop()
        return 130
    for line in schedule.reasons:
        report(line)
    report(f"\n{schedule.passed} passed, {schedule.failed} failed")
    return int(schedule.failed > 0 or schedule.passed == 0 or bool(schedule.waiting))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
