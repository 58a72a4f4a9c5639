"""Runs a command on a terminal, presses Ctrl-C, and expects that a process of the command ends: interrupt <file with its
number> <command>..."""

import os
import pathlib
import pty
import signal
import sys
import time

LONGEST = 60  # seconds; only a watchdog


def number_in(file):
    """Waits for the file, and returns the process number in it."""
    for _ in range(LONGEST * 20):
        if file.exists() and file.read_text().endswith("\n"):
            return int(file.read_text())
        time.sleep(0.05)
    raise SystemExit(f"{file} was not written")


def has_ended(process):
    """Waits until the process has ended; nobody may have reaped it yet."""
    for _ in range(LONGEST * 20):
        try:
            state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def main():
    command, terminal = pty.fork()
    if command == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    process = number_in(pathlib.Path(sys.argv[1]))
    os.write(terminal, b"\x03")
    ended = has_ended(process)
    if not ended:
        os.kill(process, signal.SIGKILL)
    os.kill(command, signal.SIGKILL)
    os.waitpid(command, 0)
    raise SystemExit(0 if ended else f"process {process} goes on after Ctrl-C")


if __name__ == "__main__":
    main()
