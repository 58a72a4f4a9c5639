"""The data that this project and its peers are measured on: route patterns, and requests in random order.

A set `name` becomes two files of one path a line: `name.routes` with `:parameters`, `name.paths` with values.
The first component stands for a URL's host: "/users/:id" is the pattern "app://users/:id".
"""

import itertools
import pathlib
import random
import string

REQUESTS = 20_000
HERE = pathlib.Path(__file__).resolve().parent


def words(rng, count):
    """Distinct words of 4 to 12 letters, in random order."""
    found = set()
    while len(found) < count:
        found.add("".join(rng.choices(string.ascii_lowercase, k=rng.randint(4, 12))))
    return rng.sample(sorted(found), count)


def github(rng):
    lines = (HERE / "data" / "github_routes.txt").read_text().splitlines()
    return [line for line in lines if line.startswith("/")]


def deep(hosts, modules, entities, actions):
    """`/<host>/<module>/<entity>/:id/<action>`, every combination."""

    def routes(rng):
        levels = [words(rng, count) for count in (hosts, modules, entities, actions)]
        return [f"/{h}/{m}/{e}/:id/{a}" for h, m, e, a in itertools.product(*levels)]

    return routes


def siblings(rng):
    return [f"/catalogue/{word}" for word in words(rng, 10_000)]


def one(rng):
    return ["/users/:id"]


SETS = {
    "one": one,
    "github": github,
    "deep10k": deep(10, 20, 10, 5),
    "siblings10k": siblings,
    "deep100k": deep(20, 50, 20, 5),
}


def filled(route, rng):
    """The route with a random text in place of each parameter."""
    return "/".join(
        "".join(rng.choices(string.ascii_lowercase + string.digits, k=rng.randint(3, 12)))
        if segment.startswith(":")
        else segment
        for segment in route.split("/")
    )


def write(directory):
    """Writes every set into `directory`, the same on every run and every machine."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, make in SETS.items():
        rng = random.Random(f"crosstie {name}")
        routes = make(rng)
        rng.shuffle(routes)
        paths = [filled(rng.choice(routes), rng) for _ in range(REQUESTS)]
        (directory / f"{name}.routes").write_text("\n".join(routes) + "\n")
        (directory / f"{name}.paths").write_text("\n".join(paths) + "\n")
