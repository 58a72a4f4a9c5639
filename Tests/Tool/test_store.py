"""`crosstie store`: checking, mending, shrinking and copying what a group keeps."""

import base64
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterator

import pytest

TOOL = os.environ["CROSSTIE"]
WATCHDOG = 120
PAGE = 4096
#: The number of tries of a random test; Tests/Soak/run asks for more.
ROUNDS = int(os.environ.get("CTIE_TEST_ROUNDS", "25"))

Lines = list[dict[str, object]]


class Group:
    """A group in a directory of its own, and the tool's commands on it."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.place = ["--directory", str(path), "group"]

    def run(self, kind: str, verb: str, *arguments: str, given: str | None = None) -> tuple[int, str, str]:
        command = [TOOL, kind, verb, *self.place, *arguments]
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def message(self, verb: str, *arguments: str) -> str:
        status, output, said = self.run("message", verb, *arguments)
        assert status == 0, said
        return output

    def store(self, verb: str, *arguments: str, given: str | None = None) -> Lines:
        status, output, said = self.run("store", verb, *arguments, given=given)
        assert status == 0, output + said
        return [json.loads(line) for line in output.splitlines()]

    def contents(self) -> dict[str, object]:
        return {name: json.loads(self.message("read", name)) for name in self.message("list").split()}

    def files(self) -> list[str]:
        return sorted(entry.name for entry in self.path.iterdir())

    def copy(self, path: pathlib.Path) -> "Group":
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self.path, path)
        return Group(path)


def take(group: Group, count: int, *options: str) -> Lines:
    """Delivers to a durable listener, which then leaves."""
    output = group.message("listen", "jobs.*", "--durable", "worker", "--count", str(count), *options)
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def group(tmp_path: pathlib.Path) -> Group:
    """One with a bit of everything: values of all sizes, signals, what was destroyed, a queue half read, a dead letter,
    and messages that wait for their time."""
    made = Group(tmp_path / "made")
    made.message("send", "jobs.first", "0")
    made.message("signal", "jobs.first")
    bind(made, "jobs.*", "worker")
    for number in range(30):
        made.message("send", f"state.{number}", json.dumps({"number": number, "text": "x" * 17 * number}))
    for number in range(12):
        made.message("send", f"jobs.{number % 5}", json.dumps([number, "y" * 40 * number]))
    for number in range(3):
        made.message("send", f"large.{number}", json.dumps("z" * (9000 + 15000 * number)))
    made.message("destroy", "state.3")
    assert len(take(made, 4)) == 4
    bury(made)
    made.message("send", "later", "1", "--delay", "3600", "--header", "correlation=7")
    made.message("send", "later", "2", "--delay", "7200", "--expires", "60")
    return made


def bury(group: Group) -> None:
    """Leaves a dead letter: the process with the message in hand is killed."""
    group.message("declare", "poison", "dying", "--max-deliveries", "1")
    group.message("send", "poison", json.dumps("p" * 100_000))  # more than a pipe takes
    command = [TOOL, "message", "listen", *group.place, "poison", "--durable", "dying"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as listener:
        assert listener.stdout is not None and listener.stdout.read(1) == b"{"
        listener.kill()
    group.message("send", "poison", "0")
    group.message("listen", "poison", "--durable", "dying", "--count", "1")
    assert len(group.message("dead", "poison", "dying").splitlines()) == 1


def test_dead_letters_and_what_is_scheduled_outlast_a_repair(group: Group) -> None:
    kinds = group.store("stats")[0]["kinds"]
    assert isinstance(kinds, dict)
    assert kinds["dead letter"]["records"] == 1 and kinds["scheduled"]["records"] == kinds["schedule"]["records"] == 2
    assert not [name for name in kinds if name.startswith("0x")]
    dead, scheduled = group.message("dead", "poison", "dying"), group.message("scheduled", "later")
    assert repaired(group) == []
    assert group.store("check")[-1]["wrong"] == 0
    assert (group.message("dead", "poison", "dying"), group.message("scheduled", "later")) == (dead, scheduled)


def bind(group: Group, topic: str, name: str) -> None:
    """Has a durable consumer be there."""
    command = [TOOL, "message", "listen", *group.place, topic, "--durable", name, "--count", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as listener:
        while listener.poll() is None:
            group.message("signal", topic.replace("*", "start"))
            time.sleep(0.01)


# ---- Create ----------------------------------------------------------------------------------------------


def test_create_decides_for_all(tmp_path: pathlib.Path) -> None:
    group = Group(tmp_path / "group")
    (stats,) = group.store(
        "create", "--size", "2097152", "--max-size", "4194304", "--retain", "1.5", "--retain-count", "7", "--expires",
        "60", "--delay", "3600",
    )
    wanted = {"size": 2 << 20, "largest_size": 4 << 20, "retain_ms": 1500, "retain_count": 7, "retain_size": 512 << 10}
    assert wanted.items() <= stats.items()
    assert (stats["expires_ms"], stats["delay_ms"]) == (60_000, 3_600_000)
    assert stats == group.store("stats")[0]
    group.message("send", "later", "1")
    (waiting,) = map(json.loads, group.message("scheduled").splitlines())
    assert waiting["identifier"] == "later" and waiting["expires"] is not None


def test_create_leaves_what_is_there(group: Group) -> None:
    before = group.store("stats")
    status, output, said = group.run("store", "create", "--retain", "1")
    assert status != 0 and output == "" and "is there already" in said
    assert group.store("stats") == before


def test_create_by_many_at_once_makes_it_for_one(tmp_path: pathlib.Path) -> None:
    for number in range(ROUNDS):
        group = Group(tmp_path / str(number))
        started = [
            subprocess.Popen(
                [TOOL, "store", "create", *group.place, "--max-queued", str(100 + each)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for each in range(4)
        ]
        ended = [(*process.communicate(timeout=WATCHDOG), process.returncode) for process in started]
        made = [each for each, (_, _, status) in enumerate(ended) if status == 0]
        assert len(made) == 1, ended
        assert group.store("stats")[0]["max_queued"] == 100 + made[0]
        assert all("is there already" in said for _, said, status in ended if status != 0)


@pytest.mark.parametrize("bad", [("--size", "1"), ("--max-size", "1048576"), ("--retain", "-1"), ("--delay", "4e9")])
def test_create_makes_nothing_of_bad_numbers(tmp_path: pathlib.Path, bad: tuple[str, str]) -> None:
    group = Group(tmp_path / "group")
    status, output, said = group.run("store", "create", *bad)
    assert status != 0 and output == "" and said != ""
    assert not group.path.exists()


# ---- Check and stats -------------------------------------------------------------------------------------


def test_sound_group(group: Group) -> None:
    (line,) = group.store("check")
    assert line["wrong"] == 0
    records = line["records"]
    assert isinstance(records, int) and records > 40
    (stats,) = group.store("stats")
    assert stats["records"] == records
    kinds = stats["kinds"]
    assert isinstance(kinds, dict)
    assert kinds["state"]["records"] >= 38 and kinds["cursor"]["records"] == 2 and kinds["log"]["bytes"] > 0
    assert stats["size"] == os.stat(group.path / "data.mdb").st_size == 16 << 20


def test_group_that_is_open_is_checked(group: Group) -> None:
    with listening(group):
        assert group.store("check")[-1]["wrong"] == 0


@pytest.mark.parametrize("verb", ["check", "repair", "compact", "dump", "stats"])
def test_group_that_is_not_there(tmp_path: pathlib.Path, verb: str) -> None:
    missing = Group(tmp_path / "missing")
    status, output, said = missing.run("store", verb)
    assert (status, output) == (1, "")
    assert "there is no such group" in said
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "other").mkdir()
    assert Group(tmp_path / "other").run("store", verb)[0] == 1
    assert list((tmp_path / "other").iterdir()) == []


def test_damage_is_found_and_left_alone(group: Group) -> None:
    before = group.files()
    spoil(group, 2, b"\xa5" * PAGE, everywhere=True)
    status, output, _ = group.run("store", "check")
    lines = [json.loads(line) for line in output.splitlines()]
    assert status == 1
    assert [line.get("record") for line in lines] == ["pages", None]
    assert lines[-1]["wrong"] == 1
    assert group.files() == before


# ---- Dump and restore -------------------------------------------------------------------------------------


def dump(group: Group) -> list[str]:
    status, output, said = group.run("store", "dump")
    assert status == 0, said
    return output.splitlines()


def test_dump_is_for_people_and_programs(group: Group) -> None:
    head, *records, end = [json.loads(line) for line in dump(group)]
    assert (head["crosstie"], head["format"]) == ("store", 1)
    assert end["records"] == len(records)
    states = {record["identifier"]: record for record in records if record["record"] == "state"}
    assert states["state.4"]["value"] == {"number": 4, "text": "x" * 68}
    assert states["state.3"]["kind"] == "destroyed"
    assert [record["name"] for record in records if record["record"] == "cursor"] == ["dying", "worker"]
    assert not any("unreadable" in record for record in records)
    queued = [message for record in records if record["record"] == "log" for message in record["messages"]]
    queued = [message for message in queued if message["identifier"].startswith("jobs.")]
    assert [message["value"][0] for message in queued if message["kind"] == "value"][-1] == 11


def test_a_restored_group_goes_on(group: Group, tmp_path: pathlib.Path) -> None:
    text = "\n".join(dump(group)) + "\n"
    other = Group(tmp_path / "other")
    assert len(other.store("restore", given=text)) == 1
    assert other.store("check")[-1]["wrong"] == 0
    assert other.contents() == group.contents()
    assert dump(other)[1:] == dump(group)[1:]
    # The numbers go on, and so does the durable consumer.
    assert json.loads(other.message("send", "jobs.9", "1")) == json.loads(group.message("send", "jobs.9", "1"))
    assert len(take(other, 2)) == 2
    assert other.store("check")[-1]["wrong"] == 0


def test_a_group_is_not_replaced_unless_that_is_asked(group: Group) -> None:
    lines = dump(group)
    text = "\n".join(lines) + "\n"
    group.message("send", "late", "1")
    status, _, said = group.run("store", "restore", given=text)
    assert status == 1 and "there is a group already" in said
    with listening(group):
        status, _, said = group.run("store", "restore", "--replace", given=text)
        assert status == 1 and "somebody has the group open" in said
    assert "late" in group.contents()
    group.store("restore", "--replace", given=text)
    assert "late" not in group.contents()
    assert any(name.startswith("data.mdb.stale-") for name in group.files())


def spoilt_dumps(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    record = json.loads(lines[5])
    yield "the dump has no end", lines[:-1]
    yield "is no dump", lines[1:]
    yield "lines before it are missing", [*lines[:5], *lines[6:]]
    yield "something follows the end", [*lines, lines[5]]
    yield "is out of order", [*lines[:5], lines[6], lines[5], *lines[7:]]
    yield "is out of order", [*lines[:6], *lines[5:]]
    yield "line 6", [*lines[:5], lines[5][:-3], *lines[6:]]
    for change in ({"sequence": 99}, {"bytes": ""}, {"key": "*"}, {"extra": 1}, {"bytes": record["bytes"][:-4]}):
        yield "(line 6)", [*lines[:5], json.dumps({**record, **change}), *lines[6:]]
    yield "(line 1)", [json.dumps({**json.loads(lines[0]), "wakeups": "AAAA"}), *lines[1:]]
    yield "(line 1)", [json.dumps({**json.loads(lines[0]), "number": 0}), *lines[1:]]
    yield "does not read", [json.dumps({**json.loads(lines[0]), "format": 2}), *lines[1:]]


def test_dump_that_was_changed_is_refused(group: Group, tmp_path: pathlib.Path) -> None:
    for number, (why, lines) in enumerate(spoilt_dumps(dump(group))):
        other = Group(tmp_path / f"other{number}")
        status, output, said = other.run("store", "restore", given="\n".join(lines) + "\n")
        assert (status, output) == (1, ""), why
        assert why in said or "wakeups" in said
        assert [name for name in other.files() if name != "opening"] == []
        assert other.run("message", "list")[0] == 1


def test_dump_may_be_rewritten_by_another_program(group: Group, tmp_path: pathlib.Path) -> None:
    text = "".join(json.dumps(json.loads(line), sort_keys=True) + "\n" for line in dump(group))
    other = Group(tmp_path / "other")
    other.store("restore", given=text)
    assert other.contents() == group.contents()


# ---- Repair -----------------------------------------------------------------------------------------------


def spoil(group: Group, page: int, with_bytes: bytes, *, at: int = 0, everywhere: bool = False) -> None:
    with open(group.path / "data.mdb", "r+b") as file:
        for number in range(page, page + 30 if everywhere else page + 1):
            file.seek(number * PAGE + at)
            file.write(with_bytes)


def pages(group: Group) -> Iterator[tuple[int, int, bytes]]:
    """The pages that were used: number, flags, bytes."""
    data = (group.path / "data.mdb").read_bytes()
    last = max(struct.unpack_from("<Q", data, page * PAGE + 136)[0] for page in range(2))
    for number in range(last + 1):
        page = data[number * PAGE : (number + 1) * PAGE]
        yield number, struct.unpack_from("<H", page, 10)[0], page


def newest_root(group: Group) -> int:
    data = (group.path / "data.mdb").read_bytes()
    metas = [data[page * PAGE :][:PAGE] for page in range(2)]
    newest = max(metas, key=lambda meta: struct.unpack_from("<Q", meta, 144)[0])
    return int(struct.unpack_from("<Q", newest, 88 + 40)[0])


def repaired(group: Group, *options: str) -> Lines:
    *lost, counts = group.store("repair", *options)
    assert counts["lost"] == len(lost)
    checked = group.store("check")
    assert checked == [{"records": counts["kept"], "wrong": 0}], checked
    return lost


def test_sound_store_is_kept_whole(group: Group) -> None:
    before = dump(group)
    assert repaired(group) == []
    after = dump(group)
    kinds = ("meta", "interest", "cursor")  # which are recreated
    for record in map(json.loads, before[1:-1]):
        assert record["record"] in kinds or json.dumps(record, separators=(",", ":"), ensure_ascii=False) in after
    assert json.loads(before[0])["sequence"] == json.loads(after[0])["sequence"]


def test_records_survive_the_branches_above_them(group: Group) -> None:
    contents = group.contents()
    root = newest_root(group)
    assert [flags for number, flags, _ in pages(group) if number == root] == [1]
    spoil(group, root, b"\x5a" * PAGE)
    assert group.run("message", "list")[0] == 1
    lost = repaired(group)
    assert {line["record"] for line in lost} == {"pages"}
    assert group.contents() == contents
    assert [line["kind"] for line in take(group, 2)] == ["value", "value"]


def test_records_survive_the_first_pages(group: Group) -> None:
    contents = group.contents()
    spoil(group, 0, b"\x5a" * PAGE)
    spoil(group, 1, b"\x5a" * PAGE)
    repaired(group)
    found = group.contents()
    assert {name: found.get(name) for name in contents} == contents
    sequence = json.loads(group.message("send", "next", "1"))["sequence"]
    assert sequence > 47


def test_losses_are_reported(group: Group) -> None:
    contents = group.contents()
    number = next(number for number, flags, page in pages(group) if flags == 4 and page.count(b"z") > 4000)
    spoil(group, number, b"\0" * 16)
    lost = repaired(group)
    assert lost
    found = group.contents()
    assert set(contents) - set(found) <= {f"large.{index}" for index in range(3)}
    assert all(contents[name] == value for name, value in found.items())


def spoil_after(group: Group, mark: bytes, at: int, with_bytes: bytes) -> None:
    """Writes bytes so far behind the begin of others, wherever these are."""
    data = bytearray((group.path / "data.mdb").read_bytes())
    place = data.find(mark)
    assert place >= 0
    while place >= 0:
        data[place + at : place + at + len(with_bytes)] = with_bytes
        place = data.find(mark, place + at + 1)
    (group.path / "data.mdb").write_bytes(data)


def test_large_message_that_leads_nowhere(group: Group) -> None:
    """Its record refers to an extent of which there is none."""
    contents = group.contents()
    group.message("send", "huge", json.dumps("h" * 50_000))
    spoil_after(group, b"\x10huge\xff\0\0\0", 5 + 16, b"\x77")
    status, output, _ = group.run("store", "check")
    found = {(line["record"], line.get("location")) for line in map(json.loads, output.splitlines()) if "why" in line}
    assert status != 0 and ("state", "huge") in found and len([kind for kind, _ in found if kind == "extent"]) == 2
    assert group.run("message", "read", "huge")[0] != 0
    assert [(line["record"], line["location"]) for line in repaired(group)] == [("state", "huge")]
    assert group.store("check")[-1]["wrong"] == 0
    assert group.contents() == contents


def test_queued_message_that_cannot_be_read(group: Group) -> None:
    """It goes, and its block with it if it held no other one."""
    contents = group.contents()
    spoil_after(group, b"\x06jobs.1", 0, b"\xff")
    lost = repaired(group)
    assert {line["record"] for line in lost} == {"log"}
    assert group.contents() == contents


@pytest.mark.parametrize(
    ("mark", "at"),
    [
        pytest.param(b"\x10state.7\x01", 8 + 8, id="the number of a message"),
        pytest.param(b"\x31worker\0jobs.*\x01", 14 + 8, id="what a name is known by"),
        pytest.param(b"\x31worker\0jobs.*\x01", 14 + 16, id="where a name has come to"),
    ],
)
def test_number_that_is_none(group: Group, mark: bytes, at: int) -> None:
    """A number that no message and no step can have is not taken for the newest one."""
    spoil_after(group, mark, at, b"\xff" * 8)
    assert len(repaired(group)) == 1
    assert json.loads(group.message("send", "next", "1"))["sequence"] < 1000


def test_store_that_was_put_aside_is_repaired(group: Group) -> None:
    contents = group.contents()
    spoil(group, newest_root(group), b"\x5a" * PAGE)
    # A program opens it, and once more.
    assert group.run("message", "send", "new", "1")[0] == 1
    assert json.loads(group.message("send", "new", "1"))["sequence"] == 1
    (aside,) = [name for name in group.files() if name.startswith("data.mdb.stale-")]
    repaired(group, "--from", aside)
    assert group.contents() == contents


def test_repair_waits_for_nobody(group: Group) -> None:
    with listening(group):
        status, _, said = group.run("store", "repair")
        assert status == 1 and "somebody has the group open" in said
    assert group.run("store", "repair", "--from", "none")[0] == 1
    assert group.run("store", "repair", "--from", "../made/data.mdb")[0] == 1


def test_spoilt_copies(group: Group, tmp_path: pathlib.Path) -> None:
    """For any damage: nothing dies, nothing hangs, and a repaired store is sound and usable."""
    seed = int(os.environ.get("CTIE_TEST_SEED", "17"))
    chance = random.Random(seed)
    used = sum(1 for _ in pages(group))
    total = group.store("check")[0]["records"]
    assert isinstance(total, int)
    kept = 0
    for number in range(ROUNDS):
        copy = group.copy(tmp_path / "copy")
        for _ in range(chance.choice([1, 1, 2, 8])):
            page = chance.choice([0, 1, newest_root(group), chance.randrange(used), chance.randrange(used)])
            size = chance.choice([1, 2, 8, 64, PAGE])
            at = chance.choice([0, 10, 12, 16, 40, 88, 128, 136, 144, chance.randrange(PAGE)])
            at = min(at, PAGE - size)
            spoil(copy, page, chance.randbytes(size), at=at)
        status, _, said = copy.run("store", "check")
        assert status in (0, 1), (seed, number, said)
        counts = copy.store("repair")[-1]
        checked = copy.store("check")
        assert checked == [{"records": counts["kept"], "wrong": 0}], (seed, number, checked)
        assert isinstance(counts["kept"], int)
        kept += counts["kept"]
        copy.message("send", "jobs.after", "1")
        copy.message("list")
        assert copy.store("check")[-1]["wrong"] == 0
    assert kept > total * ROUNDS // 2


# ---- Compacting -------------------------------------------------------------------------------------------


class listening:
    """A process that has a group open."""

    def __init__(self, group: Group, *options: str) -> None:
        command = [TOOL, "message", "listen", *group.place, *(options or ["state.1"])]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "listening":
        assert self.process.stdout is not None
        self.first = json.loads(self.process.stdout.readline())
        return self

    def lines(self) -> Lines:
        assert self.process.stdout is not None
        return [json.loads(line) for line in self.process.stdout]

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def test_space_is_given_back(group: Group) -> None:
    before = dump(group)
    (sizes,) = group.store("compact")
    assert sizes["before"] == 16 << 20
    assert sizes["after"] == os.stat(group.path / "data.mdb").st_size < 2 << 20
    assert dump(group)[1:] == before[1:]
    assert group.store("check")[-1]["wrong"] == 0
    assert group.store("compact") == [{"before": sizes["after"], "after": sizes["after"]}]
    # It grows again.
    for number in range(12):
        group.message("send", f"more.{number}", json.dumps("w" * 100_000))
    assert group.store("check")[-1]["wrong"] == 0
    assert len(group.contents()["more.11"]) == 100_000  # type: ignore[arg-type]


def test_others_work_meanwhile(group: Group) -> None:
    bind(group, "work.*", "counter")
    command = [TOOL, "message", "listen", *group.place, "work.*", "--durable", "counter"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout is not None
        for number in range(60):
            group.message("send", f"work.{number % 3}", str(number))
            if number % 20 == 10:
                group.message("send", "bulk", json.dumps("b" * 100_000))
                group.message("destroy", "bulk")
                group.store("compact")
        received: Lines = []
        while len([line for line in received if line["kind"] == "value"]) < 60:
            received.append(json.loads(listener.stdout.readline()))
        listener.kill()
    assert [line["value"] for line in received if line["kind"] == "value"] == list(range(60))
    assert all(line["kind"] != "missed" for line in received)
    sequences = [line["sequence"] for line in received]
    assert sequences == sorted(set(sequences))  # type: ignore[type-var]
    assert group.store("check")[-1]["wrong"] == 0


@pytest.mark.parametrize("is_open", [False, True])
def test_killed_while_compacting(group: Group, tmp_path: pathlib.Path, is_open: bool) -> None:
    contents = group.contents()
    chance = random.Random(3)
    copy = group.copy(tmp_path / "copy")
    begin = time.monotonic()
    copy.store("compact")
    span = time.monotonic() - begin
    for number in range(ROUNDS // 4 if is_open else ROUNDS):
        copy = group.copy(tmp_path / "copy")
        with listening(copy) if is_open else contextlib.nullcontext():
            with subprocess.Popen([TOOL, "store", "compact", *copy.place], stdout=subprocess.DEVNULL) as process:
                time.sleep(chance.random() * span)
                process.send_signal(signal.SIGKILL)
            assert copy.contents() == contents, number
            copy.message("send", "after", "1")
        assert copy.store("check")[-1]["wrong"] == 0
        assert copy.contents() == {**contents, "after": 1}


def test_key_and_bytes_are_those_of_the_store(group: Group) -> None:
    for line in dump(group)[1:-1]:
        record = json.loads(line)
        key = base64.b64decode(record["key"], validate=True)
        assert base64.b64decode(record["bytes"], validate=True) or key[0] == 0xF0
        if record["record"] == "state":
            assert key == b"\x10" + record["identifier"].encode()


@pytest.mark.parametrize("verb", ["check", "stats", "dump", "compact", "repair", "restore"])
def test_a_group_has_a_name_and_no_path(tmp_path: pathlib.Path, verb: str) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(0o700)
    done = subprocess.run(
        [TOOL, "store", verb, "../../elsewhere"],
        input="",
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)},
    )
    assert (done.returncode, done.stderr) == (1, "Error: '../../elsewhere' is not an identifier\n")
    assert list(tmp_path.rglob("*")) == [runtime]


def test_a_read_error_differs_from_the_end(tmp_path: pathlib.Path) -> None:
    command = [TOOL, "store", "restore", "--directory", str(tmp_path / "group"), "group"]
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        done = subprocess.run(
            command, stdin=folder, capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
    finally:
        os.close(folder)
    assert (done.returncode, done.stderr) == (1, "Error: stdin: Is a directory\n")
