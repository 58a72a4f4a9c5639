#!/usr/bin/python3
"""Writes small seeds into a folder for each fuzz target: seeds.py <directory>

They come from the scenarios, so that what a scenario tries is also where fuzzing starts from. Rule documents that
belong to no scenario are in `seeds/rules`; `seed_records.py` makes the content of a wormhole's store, and `seed_frames.py` what
joined buses send.
"""

import json
import random
import sys
from pathlib import Path

import seed_engine
import seed_frames
import seed_nats
import seed_records

SCENARIOS = Path(__file__).resolve().parent.parent / "Scenarios"
LARGEST = {"rules": 4096}  # bytes; 1,024 of the others: a long URL is found from a short one


def text_of(text):
    """A text of a scenario: a string, or a list of pieces."""
    if isinstance(text, str):
        return text
    return "".join(p if isinstance(p, str) else p["repeat"] * p["times"] for p in text)


def found(thing, key):
    """Every text under a key, at any depth."""
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


def documents(thing):
    """Every rule document: an object with rules and a version, or its text."""
    if isinstance(thing, dict):
        if "rules" in thing and "version" in thing:
            yield json.dumps(thing, ensure_ascii=False)
        thing = list(thing.values())
    if isinstance(thing, list):
        for item in thing:
            yield from documents(item)
    elif isinstance(thing, str) and '"rules"' in thing:
        yield thing


def spread(steps):
    """The steps of a scenario, with those of a table once for each of its rows."""
    for step in steps:
        if step.get("do") != "table":
            yield step
            continue
        for row in step["rows"]:
            cells = dict(zip(step["columns"], row))
            for inner in step["steps"]:
                yield {**inner, **cells}


def in_fours(texts):
    """Each text once, four at a time: small inputs are mutated better than large ones."""
    texts = list(dict.fromkeys(texts))
    return [texts[at : at + 4] for at in range(0, len(texts), 4)] or [[]]


def from_scenario(scenario):
    """The seeds of one scenario, as pairs of a target and bytes."""
    steps = list(spread(scenario["steps"]))
    for url in found(steps, "url"):
        yield "url", url.encode()
    for patterns in in_fours(found(steps, "pattern")):
        for urls in in_fours(found(steps, "url")):
            yield "match", "\n".join(patterns + [""] + urls).encode()
    for text in found(steps, "text"):
        yield "values", b"j" + text.encode()
    for digits in found(steps, "hex"):
        yield "values", b"m" + bytes.fromhex(digits)
    for document in documents(steps):
        yield "rules", document.encode()


def main(directory):
    own = Path(__file__).resolve().parent / "seeds" / "rules"
    seeds = {"rules": {path.read_bytes(): None for path in sorted(own.iterdir())}}
    made_here = {
        "records": seed_records.records(),
        "store": seed_records.stores(),
        "join": seed_frames.seeds(),
        "engine": seed_engine.seeds(),
        "nats": seed_nats.seeds(),
        "escapes": [random.Random(size).randbytes(size) for size in range(2, 256, 4)],
    }
    for target, made in made_here.items():
        seeds[target] = dict.fromkeys(made)
    for path in sorted(SCENARIOS.glob("*/*.json")):
        for target, seed in from_scenario(json.loads(path.read_text())):
            if len(seed) <= LARGEST.get(target, 1024):
                seeds.setdefault(target, {})[seed] = None
    for target, texts in seeds.items():
        folder = directory / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(texts):
            (folder / f"{number:04}").write_bytes(seed)
        print(f"{target}: {len(texts)} seeds")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
