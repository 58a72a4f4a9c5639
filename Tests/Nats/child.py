"""A program of a test in a process of its own, which a test may kill. It reports by lines of JSON."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

from waiting import WATCHDOG

PRELUDE = """
import json, os, sys, threading, time
import crosstie
ARGUMENTS = json.loads(sys.argv[1])
_lock = threading.Lock()
def report(*what):
    with _lock:
        print(json.dumps(what), flush=True)
def until_told():
    sys.stdin.read()
"""


class Child:
    """A child process that runs Python code; ARGUMENTS is the list of arguments there."""

    def __init__(self, code: str, *arguments: object, python: str = sys.executable):
        self.process = subprocess.Popen(
            [python, "-c", PRELUDE + code, json.dumps(arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent,
        )
        self.pid = self.process.pid
        self.lines: list[list] = []
        self._queue: queue.Queue[list | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break  # it was killed within the line
            found = json.loads(line)
            self.lines.append(found)
            self._queue.put(found)
        self._queue.put(None)

    def next(self, limit: float = WATCHDOG) -> list | None:
        """The next line that it has reported; None when it has ended."""
        return self._queue.get(timeout=limit)

    def expect(self, *what: object) -> list:
        """Skips lines up to one that begins with these."""
        while (line := self.next()) is not None:
            if line[: len(what)] == list(what):
                return line
        raise AssertionError(f"the child ended without {what}: {self.lines[-5:]}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(WATCHDOG)

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def finish(self) -> int:
        """Closes its input, which it waits for, and returns its exit status."""
        self.process.stdin.close()
        status = self.process.wait(WATCHDOG)
        self._reader.join(WATCHDOG)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()
