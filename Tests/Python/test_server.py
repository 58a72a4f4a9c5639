"""Groups on a server: their addresses and options, and the connection. The engine is one of the C tests'."""

import asyncio
import json
import logging
import os
import pathlib
import subprocess
import sys

import pytest

import crosstie

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

SECRET = "hunter2"


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Build the engine that the C tests load, in a folder for CROSSTIE_ENGINES."""
    folder = tmp_path_factory.mktemp("engines")
    dist = pathlib.Path(os.environ.get("CROSSTIE_PREFIX", ROOT / ".build" / "dist"))
    command = [os.environ.get("CC", "gcc"), "-std=gnu11", "-shared", "-fPIC", "-pthread"]
    tests = ROOT / "Tests" / "C"
    command += ["-I", str(dist / "include"), "-I", str(tests), str(tests / "plugins" / "server.c")]
    command += ["-o", str(folder / "libcrosstie-nats.so.0")]
    subprocess.run(command, check=True)
    return folder


def run(engines: pathlib.Path, program: str) -> object:
    """Run a program with the engine, and return the JSON that it prints."""
    environment = os.environ | {"CROSSTIE_ENGINES": str(engines)}
    command = [sys.executable, "-c", f"import crosstie, json\n{program}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
    return json.loads(done.stdout)


def test_messages(engines: pathlib.Path) -> None:
    program = f"""
with crosstie.Wormhole("nats://me:{SECRET}@127.0.0.1/shop", offline=True, replicas=2, max_age=0.5, name="one") as one:
    with crosstie.Wormhole("nats://localhost/shop", token="{SECRET}", max_queued=7) as two:
        one["a"] = 1
        shown = [repr(one), str(one.group), repr(two), two["a"], [str(each) for each in two.members()]]
print(json.dumps(shown))
"""
    shown = run(engines, program)
    assert isinstance(shown, list)
    assert shown[:4] == [
        "<crosstie.Wormhole 'nats://127.0.0.1/shop'>", "nats://127.0.0.1/shop",
        "<crosstie.Wormhole 'nats://localhost/shop'>", 1,
    ]  # fmt: skip
    assert len(shown[4]) == 2


def test_reasons(engines: pathlib.Path) -> None:
    program = """
with crosstie.Wormhole("nats://localhost/shop") as wormhole:
    try:
        wormhole["refused"] = 1
    except crosstie.DeniedError as error:
        print(json.dumps(str(error)))
"""
    assert "no   permission" in str(run(engines, program))


def test_connection(engines: pathlib.Path) -> None:
    program = """
import queue
seen = queue.Queue()
with crosstie.Wormhole("nats://localhost/shop") as wormhole:
    @wormhole.listen_connection(name="watcher")
    def notice(message):
        seen.put((message.kind, message.value, message.identifier))
    members = wormhole.add_members_listener(lambda message: None, name="watcher")
    now = wormhole.connection
    first = seen.get(timeout=60)
    found = [(each.delivery, each.identifier, each.active) for each in wormhole.listeners]
    wormhole.listeners.remove(None)
    print(json.dumps([list(now), first, found, len(wormhole.listeners)]))
"""
    value = {"state": "connected", "since": 1000, "server": "first", "version": "2.9", "reason": ""}
    assert run(engines, program) == [
        ["connected", pytest.approx(1e-6), "first", "2.9", ""],
        ["connection", value, ""],
        [["connection", None, True], ["members", None, True]],
        0,
    ]


def test_connection_in_a_loop(engines: pathlib.Path) -> None:
    program = """
import asyncio
async def listen():
    seen = asyncio.Queue()
    with crosstie.Wormhole("nats://localhost/shop") as wormhole:
        @wormhole.aio.listen_connection
        async def notice(message):
            await seen.put((message.kind, message.value["state"]))
        @wormhole.aio.listen_connection(name="later", initial_delivery=False)
        def ignore(message): ...
        members = wormhole.aio.add_members_listener(lambda message: None, name="later")
        first = await asyncio.wait_for(seen.get(), 60)
        found = [each.delivery for each in wormhole.listeners]
        wormhole.listeners.remove(notice)
        return [first, found, [each.name for each in wormhole.listeners]]
print(json.dumps(asyncio.run(listen())))
"""
    assert run(engines, program) == [
        ["connection", "connected"],
        ["connection", "connection", "members"],
        ["later", "later"],
    ]


def test_broken_engine_of_a_package(engines: pathlib.Path, tmp_path: pathlib.Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[crosstie.engines]\nnats = broken:LIBRARY\n")
    (tmp_path / "broken.py").write_text('LIBRARY = "/nowhere/libcrosstie-nats.so.0"\n')
    program = f"""
import logging, sys
sys.path.insert(0, {str(tmp_path)!r})
lines = []
class Keep(logging.Handler):
    def emit(self, record):
        lines.append(record.getMessage())
logging.getLogger("crosstie").addHandler(Keep())
crosstie.Wormhole("shop", memory=True).close()
found = ["broken" in sys.modules]
for scheme in "nats", "tls":
    crosstie.Wormhole(f"{{scheme}}://u:{SECRET}@127.0.0.1/shop").close()
print(json.dumps(found + lines))
"""
    found = run(engines, program)
    assert isinstance(found, list)
    assert found[0] is False
    assert len(found) == 2
    assert "broken" in found[1]
    assert "/nowhere/libcrosstie-nats.so.0" in found[1]


def test_warning(engines: pathlib.Path) -> None:
    program = f"""
import logging
lines = []
class Keep(logging.Handler):
    def emit(self, record):
        lines.append(record.getMessage())
logging.getLogger("crosstie").addHandler(Keep())
for address in "nats://u:{SECRET}@example.com/shop", "tls://u:{SECRET}@example.com/shop", "nats://u:{SECRET}@[::1]/shop":
    crosstie.Wormhole(address).close()
print(json.dumps(lines))
"""
    lines = run(engines, program)
    assert isinstance(lines, list)
    assert len(lines) == 1
    assert "tls://" in lines[0]


@pytest.mark.parametrize(
    ("address", "error"),
    [
        (f"http://u:{SECRET}@h/shop", crosstie.UnsupportedError),
        (f"nats://u:{SECRET}@h:0/shop", crosstie.Error),
        (f"nats://u:{SECRET}@h/", crosstie.Error),
        (f"nats:/u:{SECRET}@h/shop", crosstie.Error),
    ],
)
def test_malformed(address: str, error: type[crosstie.Error], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(error) as caught:
        crosstie.Wormhole(address)
    assert SECRET not in str(caught.value) + repr(caught.value) + caplog.text


def test_options() -> None:
    for options in (
        {"credentials": pathlib.Path("a.creds")}, {"nkey_seed": "x"}, {"token": "x"}, {"user": "x", "password": "x"},
        {"tls_ca": "x"}, {"tls_certificate": "x", "tls_key": "x"}, {"replicas": 1}, {"max_age": 1}, {"offline": True},
    ):  # fmt: skip
        with pytest.raises(crosstie.ArgumentError):
            crosstie.Wormhole("shop", memory=True, **options)
    with pytest.raises(crosstie.ArgumentError):
        crosstie.Wormhole("nats://token@localhost/shop", token="x")
    with pytest.raises(crosstie.ArgumentError):
        crosstie.Wormhole("nats://localhost/shop", memory=True)
    for wrong in ({"token": SECRET.encode()}, {"password": 1}, {"credentials": 1}, {"replicas": "x"}, {"max_age": "x"}):
        with pytest.raises((TypeError, crosstie.Error)) as caught:
            crosstie.Wormhole("nats://localhost/shop", **wrong)
        assert SECRET not in str(caught.value)


def test_local_groups_have_no_connection() -> None:
    with crosstie.Wormhole("shop", memory=True) as wormhole:
        with pytest.raises(crosstie.UnsupportedError):
            wormhole.connection  # noqa: B018
        with pytest.raises(crosstie.UnsupportedError):
            wormhole.add_connection_listener(print)

        async def listen() -> None:
            wormhole.aio.add_connection_listener(print)

        with pytest.raises(crosstie.UnsupportedError):
            asyncio.run(listen())
        assert len(wormhole.listeners) == 0
