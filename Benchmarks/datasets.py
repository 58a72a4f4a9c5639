"""The data that this project and its peers are measured on: route patterns, and requests in random order.

A set `name` becomes files of one text a line: `name.routes` are patterns, `name.paths` requests, and `name.expected`
has for each request the number, from 0, of the route that takes it by the precedence of docs/urls.md. `github.escaped`
has those of its requests that have parameters, with an escape in one of them. `github.long` has the same with so many escapes
that a URL has 221 bytes, and `github.query` without escapes, but with ten pairs of a query, nine of them with escapes.
`name.misses` are requests that no route takes.
The first component stands for a URL's host: "/users/:id" is the pattern "app://users/:id".
"""

import itertools
import pathlib
import random
import string

REQUESTS = 20_000
HERE = pathlib.Path(__file__).resolve().parent
ESCAPES = ["%20", "%2B", "%41", "%C3%A9", "%c3%a9"]
LONG = 221  # bytes of a long URL, with the scheme
MISSED = ["github", "siblings10k"]


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


def siblings(count):
    return lambda rng: [f"/catalogue/{word}" for word in words(rng, count)]


def below_each(shape):
    """10,000 routes: the output of `shape`, below each of 200 modules."""

    def routes(rng):
        modules = [f"/{h}/{m}" for h, m in itertools.product(words(rng, 10), words(rng, 20))]
        return [module + route for module in modules for route in shape(rng)]

    return routes


def overlapping(rng):
    """50 routes: words, `:id` and `*rest` beside each other, on two levels."""
    entities, actions = words(rng, 12), words(rng, 8)
    for number, entity in enumerate(entities):
        yield from (f"/{entity}", f"/{entity}/:id", f"/{entity}/:id/{actions[0]}")
        if number % 3 == 0:
            yield f"/{entity}/*rest"
    yield from (f"/:id/{action}" for action in actions)
    yield from ("/:id", "/*rest")


def layered(rng):
    """50 routes: words beside `*rest` on one level, and beside `:id` on the next, which fewer routers accept."""
    entities, actions = words(rng, 12), words(rng, 2)
    for entity in entities:
        yield from (f"/{entity}", f"/{entity}/{actions[0]}", f"/{entity}/:id", f"/{entity}/:id/{actions[1]}")
    yield from ("", "/*rest")


def one(rng):
    return ["/users/:id"]


SETS = {
    "one": one,
    "github": github,
    "deep1k": deep(5, 10, 10, 2),
    "deep10k": deep(10, 20, 10, 5),
    "deep100k": deep(20, 50, 20, 5),
    "siblings1k": siblings(1_000),
    "siblings10k": siblings(10_000),
    "siblings100k": siblings(100_000),
    "overlap10k": below_each(overlapping),
    "layers10k": below_each(layered),
}


class Node:
    """The routes that begin with the same segments."""

    def __init__(self):
        self.literals, self.parameter, self.rest, self.route = {}, None, None, None

    def add(self, segments, route):
        """Adds a route by its number."""
        if not segments:
            self.route = route
        elif segments[0].startswith("*"):
            self.rest = route
        elif segments[0].startswith(":"):
            self.parameter = self.parameter or Node()
            self.parameter.add(segments[1:], route)
        else:
            self.literals.setdefault(segments[0], Node()).add(segments[1:], route)

    def find(self, segments):
        """The number of the route that takes a path: a literal before a parameter before the rest."""
        if not segments:
            return self.route
        for child in (self.literals.get(segments[0]), self.parameter):
            found = child.find(segments[1:]) if child else None
            if found is not None:
                return found
        return self.rest

    def value(self, rng):
        """A text for a parameter: if there are words beside it, half the time one of them."""
        if self.literals and rng.random() < 0.5:
            return rng.choice(list(self.literals))
        return "".join(rng.choices(string.ascii_lowercase + string.digits, k=rng.randint(3, 12)))

    def request(self, segments, rng):
        """A path that the route of these segments fits, though a more specific one may fit it, too."""
        if not segments:
            return ""
        if segments[0].startswith("*"):
            return self.remainder(rng, rng.randint(1, 3))
        text = self.value(rng) if segments[0].startswith(":") else segments[0]
        child = self.parameter if segments[0].startswith(":") else self.literals[text]
        return f"/{text}{child.request(segments[1:], rng)}"

    def remainder(self, rng, count):
        """Segments for `*rest`, which go along other routes where there are any."""
        if count == 0:
            return ""
        text = self.value(rng)
        child = self.literals.get(text) or self.parameter or Node()
        return f"/{text}{child.remainder(rng, count - 1)}"


def split(path):
    return path.split("/")[1:]


def requests(root, routes, rng):
    """Random paths: where there are routes with `*rest`, every third is meant for one of these."""
    rests = [route for route in routes if "*" in route]
    for _ in range(REQUESTS):
        route = rng.choice(rests if rests and rng.random() < 1 / 3 else routes)
        yield root.request(split(route), rng)


def escaped(route, path, rng):
    """The path with an escape in the value of one of the route's parameters."""
    parts = split(path)
    which = rng.choice([index for index, segment in enumerate(split(route)) if segment.startswith(":")])
    place = rng.randint(0, len(parts[which]))
    parts[which] = parts[which][:place] + rng.choice(ESCAPES) + parts[which][place:]
    return "".join(f"/{part}" for part in parts)


def lengthened(route, path, rng):
    """The path with escapes in the value of one of the route's parameters, until the URL is long."""
    parts = split(path)
    which = next(index for index, segment in enumerate(split(route)) if segment.startswith(":"))
    room = LONG - len("app:/") - len(path)
    while room > 0:
        piece = rng.choice(ESCAPES) if room > 6 and rng.random() < 0.5 else rng.choice(string.ascii_lowercase)
        parts[which] += piece
        room -= len(piece)
    return "".join(f"/{part}" for part in parts)


def with_query(path, rng):
    pairs = [f"key{number}=v{rng.choice(ESCAPES)}{number}" for number in range(9)]
    return f"{path}?{'&'.join([*pairs, 'last=plain'])}"


def missed(root, paths):
    """The paths with a segment more, or one changed, where no route takes that."""
    changed = (f"{path}/none" if number % 2 else f"{path[:-1]}q" for number, path in enumerate(paths))
    return [path for path in changed if root.find(split(path)) is None]


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def write(directory):
    """Writes every set into `directory`, the same on every run and every machine."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, make in SETS.items():
        rng = random.Random(f"crosstie {name}")
        routes = list(make(rng))
        rng.shuffle(routes)
        root = Node()
        for number, route in enumerate(routes):
            root.add(split(route), number)
        paths = list(requests(root, routes, rng))
        expected = [root.find(split(path)) for path in paths]
        write_lines(directory / f"{name}.routes", routes)
        write_lines(directory / f"{name}.paths", paths)
        write_lines(directory / f"{name}.expected", expected)
        if name == "github":
            taken = [(routes[number], path) for number, path in zip(expected, paths) if ":" in routes[number]]
            write_lines(directory / f"{name}.escaped", [escaped(*pair, rng) for pair in taken])
            write_lines(directory / f"{name}.long", [lengthened(*pair, rng) for pair in taken])
            write_lines(directory / f"{name}.query", [with_query(path, rng) for _, path in taken])
        if name in MISSED:
            write_lines(directory / f"{name}.misses", missed(root, paths))
