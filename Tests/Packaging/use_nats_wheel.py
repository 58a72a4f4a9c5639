"""Opens a group over a nats-server in an environment with wheels: use_nats_wheel.py missing|used|replaced"""

import os
import sys
import tempfile
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Nats"))

import crosstie
from nats_server import Server

WAIT = 60


def loaded(name: str) -> set[str]:
    """The paths of the libraries in this process whose names begin so."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    return {path for path in paths if os.path.basename(path).startswith(name)}


def missing() -> None:
    try:
        crosstie.Wormhole("nats://127.0.0.1:1/shop")
    except crosstie.UnavailableError as error:
        assert "install crosstie-nats" in str(error), error
    else:
        raise AssertionError("there is an engine")


def used(folder: Path) -> None:
    with Server(folder) as server, crosstie.Wormhole(f"{server.address}/shop", timeout=WAIT) as wormhole:
        arrived = threading.Event()
        wormhole.add_queue("orders", lambda message: arrived.set(), durable="packing")
        wormhole["orders"] = {"number": 1}
        assert arrived.wait(WAIT)
        assert wormhole["orders"] == {"number": 1}
        assert wormhole.connection.state == "connected"
    packages = os.path.join(sys.prefix, "lib", "")
    for name in "libcrosstie-nats", "libnats", "libjansson", "libssl", "libcrypto", "libprotobuf-c":
        paths = loaded(name)
        bundled = {path for path in paths if path.startswith(packages)}
        assert bundled == paths or (bundled and name == "libcrypto"), (name, paths)  # Python's own hashes have another one


def replaced(folder: Path) -> None:
    """A file in CROSSTIE_ENGINES comes first, also one that is no library."""
    (folder / "libcrosstie-nats.so.0").write_text("no library")
    os.environ["CROSSTIE_ENGINES"] = str(folder)
    try:
        crosstie.Wormhole("nats://127.0.0.1:1/shop")
    except crosstie.UnavailableError as error:
        assert str(folder) in str(error), error
    else:
        raise AssertionError("another engine was used")


with tempfile.TemporaryDirectory() as name:
    {"missing": lambda _: missing(), "used": used, "replaced": replaced}[sys.argv[1]](Path(name))
