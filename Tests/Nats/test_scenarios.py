"""The scenarios of wormholes, played by the C player over a server. Each has an account of its own."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAYER = os.environ.get("CROSSTIE_PLAYER", str(ROOT / ".build/ctests/player"))
SCENARIOS = sorted((ROOT / "Tests/Scenarios/wormhole").glob("*.json"))
ACCOUNTS = "\n".join(
    f"  A{number} {{ jetstream: enabled, users: [ {{ user: s{number}, password: s }} ] }}"
    for number in range(len(SCENARIOS))
)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    from nats_server import Server

    with Server(tmp_path_factory.mktemp("scenarios"), f"accounts {{\n{ACCOUNTS}\n}}") as server:
        address = f"nats://s{{}}:s@127.0.0.1:{server.port}"
        command = [PLAYER, "--group", address, str(ROOT / "Tests/Scenarios/wormhole")]
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_they_are_played_over_a_server(played):
    print(played.stdout)
    assert played.returncode == 0, played.stderr
    count = int(re.search(r"scenarios: (\d+) played", played.stdout)[1])
    left_out = played.stdout.count("not over a server: ")
    assert count + left_out == len(SCENARIOS)


def test_the_reasons_are_among_the_documented_differences(played):
    page = (ROOT / "docs/nats.md").read_text()
    reasons = set(re.findall(r"not over a server: \w+ \((.*)\)", played.stdout))
    assert reasons and [reason for reason in sorted(reasons) if reason not in page] == []
