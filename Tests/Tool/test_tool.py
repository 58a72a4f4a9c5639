"""The command-line tool from outside: what it prints where, and how it ends."""

import fcntl
import json
import os
import pathlib
import select
import signal
import subprocess
from collections.abc import Callable

import pytest

import crosstie

TOOL = os.environ["CROSSTIE"]

#: The time that a run may take; only a watchdog.
WATCHDOG = 30

#: The result of a run: exit status, stdout, stderr.
Outcome = tuple[int, str, str]


def run(*arguments: str | bytes) -> Outcome:
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=WATCHDOG, check=False)
    return done.returncode, done.stdout, done.stderr


PARTS = """\
url       app://users/42/caf%C3%A9/a%2Fb?tab=posts&tab=%22&x#top
scheme    app
host      users
path      /42/caf%C3%A9/a%2Fb
segment   "42"
segment   "café"
segment   "a/b"
query     "tab" = "posts"
query     "tab" = "\\""
query     "x" = ""
fragment  top
"""

OPAQUE = """\
url       mailto:a@b
scheme    mailto
path      a@b
"""

PORT = """\
url       https://example.com:8443/
scheme    https
host      example.com
port      8443
path      /
"""


@pytest.mark.parametrize(
    ("urls", "text"),
    [
        (["APP://Users/42/café/a%2fb?tab=posts&tab=%22&x#top"], PARTS),
        (["mailto:a@b", "https://Example.com:8443"], OPAQUE + PORT),
    ],
)
def test_url_prints_its_parts(urls: list[str], text: str) -> None:
    assert run("url", *urls) == (0, text, "")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("app://a b", "app://a b\n       ^ a URL holds no space, control byte or backslash (byte 7)\n"),
        ("app://a/é/..", "app://a/é/..\n          ^ a path segment is '.' or '..' (byte 11)\n"),
        ("app://a\x1bb", "app://a\ufffdb\n       ^ a URL holds no space, control byte or backslash (byte 7)\n"),
        ("", "\n^ the URL is empty (byte 0)\n"),
    ],
)
def test_url_marks_where_it_is_wrong(url: str, message: str) -> None:
    assert run("url", url) == (1, "", message)


def test_url_shows_a_piece_of_a_long_url() -> None:
    status, _, message = run("url", "app://a/" + "b" * 200 + " " + "c" * 200)
    text, caret = message.splitlines()
    assert status == 1
    assert text == "…" + "b" * 60 + " " + "c" * 59 + "…"
    assert caret.index("^") == text.index(" ")


def test_url_goes_on_after_a_refusal() -> None:
    status, out, message = run("url", "app:// ", "mailto:a@b")
    assert (status, out) == (1, OPAQUE)
    assert message.startswith("app:// \n      ^ ")


def test_url_as_json() -> None:
    status, out, message = run("url", "--json", "app://a:80/é?x=1", "app://a/../b")
    assert status == 1
    assert message == "app://a/../b\n        ^ a path segment is '.' or '..' (byte 8)\n"
    assert [json.loads(line) for line in out.splitlines()] == [
        {
            "input": "app://a:80/é?x=1",
            "url": "app://a:80/%C3%A9?x=1",
            "scheme": "app",
            "host": "a",
            "port": 80,
            "path": "/%C3%A9",
            "segments": ["é"],
            "query": [["x", "1"]],
            "fragment": None,
        },
        {
            "input": "app://a/../b",
            "error": {"status": "CTIE_E_PATH", "message": "a path segment is '.' or '..'", "byte": 8},
        },
    ]


def test_arguments_that_are_not_utf8() -> None:
    assert run("url", "app://a", b"app://\xff") == (1, "", "Error: argument 3 is not valid UTF-8\n")


ROUTES = ["--route", "app://users/*rest", "--route", "app://users/:id<int>"]


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (
            [*ROUTES, "app://users/42?tab=1"],
            (0, 'route     app://users/:id<int>\nparam     "id" = "42"\nquery     "tab" = "1"\n', ""),
        ),
        (
            [*ROUTES, "--json", "app://users/a/b%20c"],
            (0, '{"route":"app://users/*rest","url":"app://users/a/b%20c","params":{"rest":"a/b c"},"query":[]}\n', ""),
        ),
        ([*ROUTES, "app://shop/1"], (1, "", "Error: no route matches app://shop/1\n")),
        ([*ROUTES, "app://u s"], (1, "", "Error: a URL holds no space, control byte or backslash (byte 7)\n")),
        (
            ["--route", "app://a", "--route", "app://:b<it>", "app://a"],
            (1, "", "Error: app://:b<it>: there is no such type; there are uuid, bool, uint, int, float, word, string and any (byte 9)\n"),
        ),
    ],
)
def test_match(arguments: list[str], outcome: Outcome) -> None:
    assert run("match", *arguments) == outcome


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (["app://users/:id<int>", "id=42"], (0, "app://users/42\n", "")),
        (["app://users/:id", "id=a=b c"], (0, "app://users/a=b%20c\n", "")),
        (["app://users/:id"], (1, "", "Error: the parameter 'id' is missing (id)\n")),
        (["app://users", "id=1"], (1, "", "Error: the parameter 'id' is not one of the pattern (id)\n")),
    ],
)
def test_generate(arguments: list[str], outcome: Outcome) -> None:
    assert run("generate", *arguments) == outcome


RULES = {
    "format": 1,
    "version": "1.2.0",
    "publicSchemes": ["shop"],
    "privateSchemes": [],
    "routeHosts": ["go"],
    "webHosts": [],
    "rules": [
        {
            "id": "item",
            "host": "go",
            "path": "/item/:id",
            "visibility": "public",
            "target": "items:Show",
            "openType": "push",
            "params": {"id": "int", "count": {"type": "int", "default": 1}},
        },
        {"id": "admin", "host": "go", "path": "/admin", "visibility": "private"},
    ],
}

REACHED = """\
rule      item
target    items:Show
openType  push
param     "id" = 7
param     "tab" = "x"
param     "count" = 1
"""


@pytest.fixture
def rules(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(RULES))
    return str(path)


def test_rules_are_checked(rules: str) -> None:
    assert run("rules", "check", rules) == (0, "version 1.2.0, 2 rules, 1 public\n", "")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"format": 1,', ": line 1, column 13: "),
        (json.dumps(RULES | {"extra": 1}), ": extra: "),
        (json.dumps(RULES | {"rules": [{"id": "x"}]}), ": rules[0]"),
    ],
)
def test_rules_that_are_refused(tmp_path: pathlib.Path, text: str, complaint: str) -> None:
    path = tmp_path / "refused.json"
    path.write_text(text)
    status, output, error = run("rules", "check", str(path))
    assert (status, output) == (1, "")
    assert str(path) + complaint in error


def test_rules_of_the_older_form_are_converted(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "older.json"
    older = {"version": "1.0.0", "rules": [{"host": "go", "path": "/a", "iOSVCClassName": "A", "isPrivate": 0}]}
    path.write_text(json.dumps(older))
    status, output, error = run("rules", "convert", str(path), "--public-scheme", "shop", "--route-host", "go")
    assert (status, error) == (0, "")
    converted = json.loads(output)
    assert converted["publicSchemes"] == ["shop"]
    assert converted["rules"][0]["target"] == "A"


def test_rules_print_the_target_of_a_url(rules: str) -> None:
    assert run("rules", "open", rules, "shop://go/item/7?tab=x") == (0, REACHED, "")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("shop://go/admin", "CTIE_E_DENIED"),
        ("shop://go/item/x", "CTIE_E_PARAM"),
        ("shop://go/none", "CTIE_E_NO_ROUTE"),
        ("https://example.com/", "CTIE_E_BLOCKED"),
    ],
)
def test_rules_print_why_a_url_has_no_target(rules: str, url: str, reason: str) -> None:
    status, output, error = run("rules", "open", rules, url)
    assert (status, output) == (1, "")
    assert f"{url}: {reason}" in error


def test_rules_open_for_the_host_itself(rules: str) -> None:
    assert run("rules", "open", rules, "shop://go/admin", "--local") == (0, "rule      admin\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["url"],
        ["match", "app://a"],
        ["generate", "app://:a", "a"],
        ["generate", "app://:a", "a=1", "a=2"],
        ["message", "send", "group", "identifier"],
        ["message", "listen", "group", "identifier", "--count", "0"],
        ["message", "listen", "group", "identifier", "--from-oldest"],
        ["message", "listen", "group", "identifier", "--from", "1"],
        ["message", "listen", "group", "identifier", "--queue", "--from", "1", "--from-oldest"],
        ["message", "listen", "group", "identifier", "--queue", "--from", "0"],
        ["message", "listen", "group", "identifier", "--queue", "--from", "@soon"],
        ["message", "declare", "group", "identifier"],
        ["message", "declare", "group", "identifier", "name", "--when-full", "burst"],
        ["message", "declare", "group", "identifier", "name", "--expires=-1"],
        ["message", "seek", "group", "identifier", "name"],
        ["message", "seek", "group", "identifier", "name", "yesterday"],
        ["message", "list"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    status, out, message = run(*arguments)
    assert (status, out) == (64, "")
    assert "Usage: crosstie" in message


Message = Callable[..., Outcome]


@pytest.fixture
def message(tmp_path: pathlib.Path) -> Message:
    """Runs `crosstie message <verb> group …` in a directory of the test's own."""
    directory = str(tmp_path / "group")
    return lambda verb, *arguments: run("message", verb, "--directory", directory, "group", *arguments)


def test_message_is_sent_read_and_destroyed(message: Message) -> None:
    assert message("send", "a.b", '{"x":[1,2.5,null]}') == (0, '{"sequence":1,"listeners":0}\n', "")
    assert message("signal", "a.b") == (0, '{"sequence":2,"listeners":0}\n', "")
    assert message("read", "a.b") == (0, '{"x":[1,2.5,null]}\n', "")
    assert message("destroy", "a.b") == (0, '{"sequence":3,"listeners":0}\n', "")
    assert message("read", "a.b") == (1, "", "Error: nothing is stored under a.b\n")


def test_message_logs_to_stderr(tmp_path: pathlib.Path) -> None:
    place = ["--directory", str(tmp_path / "group"), "group"]
    assert run("message", "send", *place, "a", "1")[0] == 0
    (tmp_path / "group" / "wakeups").unlink()
    status, output, said = run("message", "send", *place, "a", "1")
    assert (status, json.loads(output)["sequence"]) == (0, 1)
    assert said.startswith(f"crosstie: the store in {tmp_path}/group has no file wakeups")


def test_message_has_headers_and_an_expiry(message: Message) -> None:
    more = ["--header", "correlation=4=2", "--header", "empty=", "--expires", "60"]
    assert message("send", "a", "1", *more)[0] == 0
    status, line, _ = message("listen", "a", "--count", "1")
    received = json.loads(line)
    assert (status, received["headers"]) == (0, {"correlation": "4=2", "empty": ""})
    assert received["expires"] - received["time"] > 50e9
    assert message("send", "a", "1", "--header", "x=" + "y" * 4096)[0] == 1
    assert message("send", "a", "1", "--header", "=x")[0] == 64
    assert message("send", "a", "1", "--delay", "nan")[0] == 64
    assert message("send", "b", "1", "--expires", "0.001")[0] == 0


def test_message_waits_for_its_time(message: Message) -> None:
    status, sent, _ = message("send", "a", "[1]", "--delay", "86400", "--header", "x=y")
    number = json.loads(sent)["sequence"]
    assert (status, message("read", "a")[0]) == (0, 1)
    status, line, _ = message("scheduled", "a")
    waiting = json.loads(line)
    assert (status, waiting["number"], waiting["identifier"], waiting["size"]) == (0, number, "a", 2)
    assert (waiting["kind"], waiting["expires"], waiting["headers"]) == ("value", None, {"x": "y"})
    assert waiting["not_before"] - waiting["sent"] >= 86_399e9
    assert message("scheduled", "b.*") == (0, "", "")
    assert message("cancel", str(number)) == (0, "", "")
    assert message("cancel", str(number)) == (1, "", f"Error: no message of the number {number} waits\n")
    assert message("scheduled") == (0, "", "")


def test_message_takes_a_negative_number(message: Message) -> None:
    assert message("send", "a", "--", "-1")[0] == 0
    assert message("read", "a") == (0, "-1\n", "")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["a b", "1"], "Error: 'a b' is not an identifier\n"),
        (["a", "{"], "Error: not valid JSON: string or '}' expected near end of file (line 1, column 1)\n"),
    ],
)
def test_message_that_is_refused(message: Message, arguments: list[str], text: str) -> None:
    assert message("send", *arguments) == (1, "", text)


def test_listen_prints_a_line_for_each_message(tmp_path: pathlib.Path) -> None:
    place = ["--directory", str(tmp_path / "group"), "group", "a"]
    command = [TOOL, "message", "listen", "--make", "--count", "4", *place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout is not None
        try:
            events = [json.loads(listener.stdout.readline())]
            for verb, *value in [("send", "[1]"), ("signal",), ("destroy",)]:
                status, sent, _ = run("message", verb, *place, *value)
                assert status == 0
                assert verb == "destroy" or json.loads(sent)["listeners"] == 1
                events.append(json.loads(listener.stdout.readline()))
            assert listener.wait(WATCHDOG) == 0
        finally:
            listener.kill()
    assert [event["kind"] for event in events] == ["none", "value", "signal", "destroyed"]
    assert [event["sequence"] for event in events] == [0, 1, 2, 3]
    assert [event.get("value") for event in events] == [None, [1], None, None]
    assert {event["identifier"] for event in events} == {"a"}
    assert [event["sender"]["name"] for event in events] == ["", "crosstie", "crosstie", "crosstie"]


def test_durable_consumer_gets_messages_sent_meanwhile(tmp_path: pathlib.Path, message: Message) -> None:
    place = ["--directory", str(tmp_path / "group"), "group", "jobs.*"]
    command = [TOOL, "message", "listen", "--durable", "worker", *place]
    with subprocess.Popen([*command, "--count", "1"], stdout=subprocess.DEVNULL) as first:
        while first.poll() is None:  # until it listens, the durable consumer does not exist
            message("signal", "jobs.start")
    for number in range(4):
        assert message("send", f"jobs.{number}", str(number))[0] == 0
    values: list[dict[str, object]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as second:
        assert second.stdout is not None
        while len(values) < 4:
            line = json.loads(second.stdout.readline())
            values += [line] if line["kind"] == "value" else []
        members = [json.loads(line) for line in message("members")[1].splitlines()]
        second.kill()
    assert [member["pid"] for member in members] == [second.pid]
    assert [value["value"] for value in values] == [0, 1, 2, 3]
    assert {value["delivery_count"] for value in values} <= {1, 2}


@pytest.fixture
def jobs(tmp_path: pathlib.Path, message: Message) -> list[str]:
    """The place of a name with 2,000 messages, each of which is handed out once."""
    assert message("declare", "jobs", "worker", "--max-deliveries", "1")[0] == 0
    place = ["--directory", str(tmp_path / "group"), "group", "jobs"]
    with crosstie.Wormhole("group", directory=tmp_path / "group") as wormhole:
        wormhole.send_many([("jobs", number) for number in range(2000)])
    return place


def waiting(message: Message) -> tuple[int, int]:
    """How many messages wait, and how many dead letters there are, once somebody has listened again."""
    status, line, _ = message("listen", "jobs", "--durable", "worker", "--count", "1")
    assert (status, json.loads(line)["delivery_count"]) == (0, 1)
    durable = json.loads(message("durables")[1])
    return durable["waiting"] + 1, durable["dead"]


@pytest.mark.parametrize("count", [1, 5, 100, 1000])
def test_messages_after_the_last_line_are_left_to_others(jobs: list[str], message: Message, count: int) -> None:
    status, out, _ = message("listen", "jobs", "--durable", "worker", "--count", str(count))
    assert status == 0 and [json.loads(line)["value"] for line in out.splitlines()] == list(range(count))
    assert waiting(message) == (2000 - count, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_unprinted_messages_are_left_to_others(jobs: list[str], message: Message, number: signal.Signals) -> None:
    command = [TOOL, "message", "listen", "--durable", "worker", *jobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout is not None
        lines = [listener.stdout.readline() for _ in range(300)]
        listener.send_signal(number)
        lines += listener.stdout.readlines()
        assert listener.wait(WATCHDOG) == -number
    assert waiting(message) == (2000 - len(lines), 0)


def test_a_reader_that_leaves_takes_one_message_along(jobs: list[str], message: Message) -> None:
    command = [TOOL, "message", "listen", "--durable", "worker", *jobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as listener:
        assert listener.stdout is not None
        for _ in range(10):
            listener.stdout.readline()
        listener.stdout.close()
        assert listener.wait(WATCHDOG) == 1
    left, dead = waiting(message)
    # The one that could not be printed any more.
    assert left <= 1990 and dead == 1


def test_a_signal_ends_what_waits_for_a_reader(jobs: list[str]) -> None:
    command = [TOOL, "message", "listen", "--durable", "worker", *jobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout is not None
        fcntl.fcntl(listener.stdout, fcntl.F_SETPIPE_SZ, 4096)
        while not select.select([listener.stdout], [], [], WATCHDOG)[0]:
            pass
        listener.send_signal(signal.SIGTERM)
        assert listener.wait(WATCHDOG) == -signal.SIGTERM


def test_a_failed_print_has_its_reason(jobs: list[str], message: Message) -> None:
    command = [TOOL, "message", "listen", "--durable", "worker", *jobs]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=WATCHDOG, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: stdout: No space left on device\n")
    assert waiting(message) == (1999, 1)
    assert json.loads(message("dead", "jobs", "worker")[1])["reason"] == "stdout: No space left on device"


def test_a_message_is_found_by_its_own_time(message: Message) -> None:
    assert message("declare", "jobs", "worker")[0] == 0
    for number in range(8):
        assert message("send", "jobs", str(number))[0] == 0
    out = message("listen", "jobs", "--queue", "--from", "oldest", "--count", "8")[1]
    for line in map(json.loads, out.splitlines()):
        seconds, rest = divmod(line["time"], 10**9)
        assert message("seek", "jobs", "worker", f"@{seconds}.{rest:09}")[0] == 0
        assert json.loads(message("durables")[1])["waiting"] >= 8 - line["value"]


STEERING = "\x1b[31m\x9b31m\x7f\u202e\u2028\U000e0041é"


def test_nothing_that_others_have_said_steers_the_terminal(message: Message) -> None:
    assert message("declare", "jobs", STEERING, "--max-messages", "1", "--when-full", "refuse")[0] == 0
    assert message("send", "jobs", json.dumps(STEERING), "--header", f"{STEERING}={STEERING}")[0] == 0
    status, full, said = message("send", "jobs", "2")
    assert (status, full) == (1, "") and said.startswith("Error: the durable consumer")
    value = message("read", "jobs")[1]
    received = message("listen", "jobs", "--count", "1")[1]
    durables = message("durables")[1]
    for text in (said, value, received, durables):
        assert not any(scalar in text for scalar in STEERING if not scalar.isprintable())
        assert "é" in text
    assert (json.loads(value), json.loads(received)["headers"]) == (STEERING, {STEERING: STEERING})
    assert json.loads(durables)["name"] == STEERING


def test_durable_consumer_is_forgotten(message: Message) -> None:
    assert message("send", "jobs.a", "1")[0] == 0
    assert message("forget", "jobs.*", "worker") == (1, "", "Error: there is no durable consumer worker on jobs.*\n")


def test_durable_consumers_are_declared_listed_and_moved(message: Message) -> None:
    options = ["--max-deliveries", "3", "--backoff-first", "0.5", "--when-full", "refuse", "--expires", "3600"]
    assert message("declare", "jobs.*", "worker", *options) == (0, "", "")
    assert message("declare", "jobs.*", "worker", *options) == (0, "", "")
    assert message("declare", "jobs.*", "worker")[0] == 1
    assert message("declare", "jobs.*", "worker", "--max-messages", "9", "--change") == (0, "", "")
    for number in range(3):
        assert message("send", f"jobs.{number}", str(number))[0] == 0
    [line] = message("durables")[1].splitlines()
    durable = json.loads(line)
    assert (durable["name"], durable["identifier"], durable["waiting"]) == ("worker", "jobs.*", 3)
    assert durable["options"]["max_messages"] == 9 and durable["options"]["expires_ms"] == 0
    for start, waiting in [("3", 1), ("oldest", 3), ("next", 0), ("@1", 3)]:
        assert message("seek", "jobs.*", "worker", start) == (0, "", "")
        assert json.loads(message("durables")[1])["waiting"] == waiting
    assert message("seek", "jobs.*", "nobody", "1") == (1, "", "Error: there is no durable consumer nobody on jobs.*\n")
    status, out, _ = message("listen", "jobs.*", "--queue", "--from", "2", "--count", "2")
    assert status == 0 and [json.loads(line)["value"] for line in out.splitlines()] == [1, 2]


def test_list_prints_identifiers(message: Message) -> None:
    for identifier in ("b", "a.2", "a.1"):
        assert message("send", identifier, "1")[0] == 0
    assert message("list") == (0, "a.1\na.2\nb\n", "")
    assert message("list", "a.*") == (0, "a.1\na.2\n", "")


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [("read", ["a"]), ("list", []), ("members", []), ("listen", ["a"]), ("destroy", ["a"]), ("forget", ["a", "worker"])],
)
def test_group_that_is_only_asked_for_is_not_made(
    tmp_path: pathlib.Path, message: Message, verb: str, arguments: list[str]
) -> None:
    status, output, said = message(verb, *arguments)
    assert (status, output) == (1, "")
    assert "there is no such group" in said
    assert list(tmp_path.iterdir()) == []


def test_listen_ends_when_stdout_fails(tmp_path: pathlib.Path) -> None:
    command = [TOOL, "message", "listen", "--make", "--directory", str(tmp_path / "group"), "group", "a"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=WATCHDOG, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: stdout: No space left on device\n")


def test_help_and_version() -> None:
    assert run("--version") == (0, f"{os.environ['CROSSTIE_VERSION']}\n", "")
    assert run("message", "listen", "--help")[0] == 0
