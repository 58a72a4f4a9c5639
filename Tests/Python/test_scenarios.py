"""Every scenario, played through the Python package."""

import sys
from pathlib import Path

import pytest

SCENARIOS = Path(__file__).parents[1] / "Scenarios"
sys.path.insert(0, str(SCENARIOS / "runners" / "python"))

import player  # noqa: E402

FILES = sorted(SCENARIOS.glob("*/*.json"))


def test_there_are_scenarios():
    assert len(FILES) > 100


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_scenario(path):
    player.play_file(path)
