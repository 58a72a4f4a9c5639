#!/usr/bin/python3
"""Writes small seeds into a folder for each fuzz target: seeds.py <directory>

They come from the scenarios, so that what a scenario tries is also where fuzzing starts from.
"""

import json
import sys
from pathlib import Path

SCENARIOS = Path(__file__).resolve().parent.parent / "Scenarios"
LARGEST = 1024  # bytes: a long URL is found from a short one


def text_of(text):
    """A text of a scenario: a string, or a list of pieces."""
    if isinstance(text, str):
        return text
    return "".join(p if isinstance(p, str) else p["repeat"] * p["times"] for p in text)


def found(thing, key):
    """Every text that stands under a key, however deep."""
    if isinstance(thing, dict):
        for name, value in thing.items():
            if name == key and isinstance(value, (str, list)):
                try:
                    yield text_of(value)
                except (KeyError, TypeError):
                    pass  # a list of something else
            yield from found(value, key)
    elif isinstance(thing, list):
        for item in thing:
            yield from found(item, key)


def from_scenario(scenario):
    """The seeds of one scenario, as pairs of a target and bytes."""
    urls = list(dict.fromkeys(found(scenario, "url")))
    patterns = list(dict.fromkeys(found(scenario, "pattern")))
    for url in urls:
        yield "url", url.encode()
    if patterns and urls:
        for at in range(0, len(urls), 4):
            yield "match", "\n".join(patterns[:8] + [""] + urls[at : at + 4]).encode()
    for text in found(scenario, "text"):
        yield "values", b"j" + text.encode()
    for digits in found(scenario, "hex"):
        yield "values", b"m" + bytes.fromhex(digits)


def main(directory):
    seeds = {}
    for path in sorted(SCENARIOS.glob("*/*.json")):
        for target, seed in from_scenario(json.loads(path.read_text())):
            if len(seed) <= LARGEST:
                seeds.setdefault(target, {})[seed] = None
    for target, texts in seeds.items():
        folder = directory / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(texts):
            (folder / f"scenario-{number:04}").write_bytes(seed)
        print(f"{target}: {len(texts)} seeds")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
