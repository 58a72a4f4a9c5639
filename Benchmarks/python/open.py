"""Opening URLs from Python, beside what Python's routers and URL parsers take for a part of that work.

Usage: open.py <data>
"""

import pathlib
import sys
import time

ROUNDS = 9


def lines(directory, name, kind):
    return (pathlib.Path(directory) / f"{name}.{kind}").read_text().splitlines()


def measure(work, who, function, arguments):
    """Reports what one call takes in the best round, in nanoseconds."""
    figures = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for argument in arguments:
            function(argument)
        figures.append((time.perf_counter_ns() - begin) / len(arguments))
    print(f"{work}\t{who}\t{min(figures):.2f}", flush=True)


def braces(route):
    """`/users/:id` as most of the peers write it: `/users/{id}`."""
    return "/".join(f"{{{part[1:]}}}" if part.startswith(":") else part for part in route.split("/"))


def crosstie(work, routes, paths):
    import crosstie

    bus = crosstie.Bus("bench")
    if work == "open.python":
        bus.route("app://users/:id")(lambda id: None)
    else:
        for route in routes:
            bus.route(f"app:/{route}")(lambda: None)
    measure(work, "crosstie", bus.open, [f"app:/{path}" for path in paths])
    bus.close()


def falcon(work, routes, paths):
    from falcon.routing import CompiledRouter

    class Resource:
        def on_get(self, request, response):
            pass

    router = CompiledRouter()
    for route in routes:
        router.add_route(braces(route), Resource())
    measure(work, "Falcon, find alone", router.find, paths)


def werkzeug(work, routes, paths):
    from werkzeug.routing import Map, Rule

    rules = [Rule(braces(route).replace("{", "<").replace("}", ">"), endpoint=route) for route in routes]
    measure(work, "Werkzeug, match alone", Map(rules).bind("localhost").match, paths)


def can_ada(work, routes, paths):
    import can_ada

    measure(work, "can_ada, parse alone", can_ada.parse, [f"app:/{path}" for path in paths])


def main(directory):
    work = {"one": "open.python", "github": "open.python.github"}
    for name in work:
        routes, paths = lines(directory, name, "routes"), lines(directory, name, "paths")
        for run in (crosstie, falcon, werkzeug, can_ada):
            try:
                run(work[name], routes, paths)
            except ImportError as error:
                print(f"# skipped: {run.__name__} ({error})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
