"""A C host and a Python host, two processes: deep links, messages both ways, a late listener, a kill.

It starts the hosts, gives them their commands and checks every answer; it uses nothing of Crosstie itself.
Usage: demo.py <python> <C host>
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 60  # seconds for the whole demo; it takes about one


def line(who, what, answer):
    print(f"  {who:<7} {what:<42} -> {answer}", flush=True)


class Host:
    """One process, obeying one command a line."""

    def __init__(self, name, routes, *command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.show("starts, with the routes", routes)

    def answer(self):
        return self.process.stdout.readline().rstrip("\n")

    def show(self, what, expected):
        """Reads one answer, prints it and ends the demo when it is not the expected one."""
        answer = self.answer()
        line(self.name, what, answer or "(no answer)")
        if answer != expected:
            sys.exit(f"\nFAILED: expected {expected}")

    def send(self, command):
        self.process.stdin.write(command + "\n")

    def ask(self, command, expected):
        self.send(command)
        self.show(command, expected)

    def receives(self, expected):
        self.show("receives", expected)

    def kill(self):
        """SIGKILL; gives what it had still said."""
        self.process.kill()
        rest = self.process.stdout.read().split("\n")
        self.process.wait()
        return rest[:-1]

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"\nFAILED: the {self.name} host ended with {self.process.returncode}")
        line(self.name, "ends", "exit status 0")


def chapter(title):
    print(f"\n{title}")


def deep_links(c, python):
    chapter("Deep links, each on the bus of its host")
    denied = "CTIE_E_DENIED: access denied"
    private = (
        "CTIE_E_DENIED: app://orders/7/refund matches app://orders/:id/refund, which is not public: register the route with "
        "CTIE_ROUTE_PUBLIC, or make the rule public, to let remote origins open it"
    )
    unknown = (
        "CTIE_E_NO_ROUTE: no route matches app://orders/seven/eight/nine; the nearest pattern is app://orders/:id/refund"
    )
    c.ask("open app://users/42 local", '{"user":"42","tab":"profile"}')
    c.ask("open app://users/42?tab=posts remote", '{"user":"42","tab":"posts"}')
    c.ask("open app://cart/clear local", '"cart cleared"')
    c.ask("open app://cart/clear remote", denied)
    python.ask("open app://orders/7 remote", '{"order":7,"items":["rails","sleepers"]}')
    python.ask("open app://orders/7/refund local", '"order 7 refunded"')
    python.ask("open app://orders/7/refund remote", private)
    python.ask("open app://orders/seven/eight/nine local", unknown)


def messages(c, python):
    chapter("A message each way through the wormhole")
    c.ask("listen basket", "nothing yet")
    python.ask('send basket {"items":3}', "acknowledged")
    c.receives('from the Python host: {"items":3}')
    c.ask('send receipt {"paid":true}', "acknowledged")
    chapter("A listener that comes late finds the message waiting")
    python.ask("listen receipt", 'from the C host: {"paid":true}')


def kill(c, python):
    chapter("The C host counts into the wormhole and is killed in the middle")
    c.send("count progress")
    for _ in range(1000):
        last = int(c.answer())
    line("c", "count progress", f"1, 2, 3 … {last} acknowledged")
    said = c.kill()
    last = int(said[-1]) if said else last
    line("c", "is killed by SIGKILL", f"{last} was the last one acknowledged")
    stored = last_count(python)
    if stored not in (last, last + 1):
        sys.exit("\nFAILED: an acknowledged message was lost")


def last_count(host):
    """The stored count: the last acknowledged one, or one more, stored but not reported before the kill."""
    host.send("read progress")
    answer = host.answer()
    line(host.name, "read progress", answer)
    return int(answer.removeprefix("from the C host: "))


def after(start_c, python):
    chapter("A new C host finds everything as it was")
    c = start_c()
    c.ask("listen basket", 'from the Python host: {"items":3}')
    c.ask("read receipt", 'from the C host: {"paid":true}')
    python.ask('send basket {"items":4}', "acknowledged")
    c.receives('from the Python host: {"items":4}')
    return c


def main(python_command, c_command):
    def start_c():
        return Host("c", "app://users/:id (public), app://cart/clear (private)", c_command)

    def start_python():
        routes = "app://orders/:id (public), app://orders/:id/refund (private)"
        return Host("python", routes, python_command, str(HERE / "host.py"))

    print("Crosstie: a C host and a Python host, two processes on one machine")
    chapter("The hosts")
    c, python = start_c(), start_python()
    deep_links(c, python)
    messages(c, python)
    kill(c, python)
    c = after(start_c, python)
    chapter("The end")
    c.end()
    python.end()
    print("\nEverything held.")


if __name__ == "__main__":
    signal.alarm(PATIENCE)  # a host that hangs ends the demo
    with tempfile.TemporaryDirectory(prefix="crosstie-demo-") as directory:
        os.environ["XDG_RUNTIME_DIR"] = directory
        main(*sys.argv[1:])
