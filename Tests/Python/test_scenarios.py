"""Every scenario, played through the Python package."""

import json
import re
import sys
from pathlib import Path

import pytest

SCENARIOS = Path(__file__).parents[1] / "Scenarios"
sys.path.insert(0, str(SCENARIOS / "runners" / "python"))

import player  # noqa: E402

FILES = sorted(SCENARIOS.glob("*/*.json"))


def test_there_are_scenarios():
    assert len(FILES) > 100


def words(data):
    """Every key of a map that has a "do", here and below."""
    if isinstance(data, list):
        return set().union(*map(words, data))
    if not isinstance(data, dict):
        return set()
    below = words([item for key, item in data.items() if key not in ("value", "params", "user_info", "rows")])
    return below | set(data.get("columns", ())) | set(data) | {data["do"]} if "do" in data else below


def test_every_word_is_in_the_readme():
    """A word that no player knows would be passed over in silence."""
    known = set(re.findall(r"`([a-z_]+)`", (SCENARIOS / "README.md").read_text(encoding="utf-8"))) | {"do"}
    used = words([json.loads(path.read_text(encoding="utf-8"))["steps"] for path in FILES])
    assert used <= known


PLAYS = player.plays(FILES)


@pytest.mark.parametrize(
    ("path", "in_memory"), PLAYS, ids=[f"{path.parent.name}/{path.stem}{'-memory' * again}" for path, again in PLAYS]
)
def test_scenario(path, in_memory):
    player.play_file(path, in_memory)
