"""Opening URLs from Python, beside what Python's routers and URL parsers take for a part of that work.

Usage: open.py <data>
"""

import pathlib
import sys
import time

ROUNDS = 9
TIME_NS = 700_000_000  # no further round after this
POSTS = [f"hello world {number}" for number in range(2_000)]


def lines(directory, name, kind):
    return (pathlib.Path(directory) / f"{name}.{kind}").read_text().splitlines()


def measure(work, who, function, arguments):
    """Reports what one call takes in the best round, in nanoseconds."""
    figures, start = [], time.perf_counter_ns()
    while not figures or len(figures) < ROUNDS and time.perf_counter_ns() - start < TIME_NS:
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


def crosstie_read(routes, paths, misses):
    """Handlers that read their parameters, URLs without a route, and the URL of a route."""
    import crosstie

    with crosstie.Bus("bench") as bus:
        for route in routes:
            bus.route(f"app:/{route}")(lambda request: request.params)
        bus.route("app://users/:id/posts/:post", name="post")(lambda: None)
        measure("read.python", "crosstie", bus.open, [f"app:/{path}" for path in paths])

        def miss(url):
            try:
                bus.open(url)
            except crosstie.NoRouteError:
                pass

        measure("miss.python", "crosstie", miss, [f"app:/{path}" for path in misses])
        measure("generate.python", "crosstie", lambda post: bus.url_for("post", id=42, post=post), POSTS)


def falcon_read(routes, paths, misses):
    router = falcon_router(routes)

    def read(path):
        resource, methods, params, template = router.find(path)
        return params

    measure("read.python", "Falcon, find alone", read, paths)
    measure("miss.python", "Falcon, find alone", router.find, misses)


def werkzeug_read(routes, paths, misses):
    from werkzeug.routing import Map, Rule

    map = Map([Rule("/users/<id>/posts/<post>", endpoint="post")]).bind("localhost")
    measure("generate.python", "Werkzeug, build", lambda post: map.build("post", {"id": 42, "post": post}), POSTS)


def falcon_router(routes):
    from falcon.routing import CompiledRouter

    class Resource:
        def on_get(self, request, response):
            pass

    router = CompiledRouter()
    for route in routes:
        router.add_route(braces(route), Resource())
    return router


def falcon(work, routes, paths):
    measure(work, "Falcon, find alone", falcon_router(routes).find, paths)


def werkzeug(work, routes, paths):
    from werkzeug.routing import Map, Rule

    rules = [Rule(braces(route).replace("{", "<").replace("}", ">"), endpoint=route) for route in routes]
    measure(work, "Werkzeug, match alone", Map(rules).bind("localhost").match, paths)


def starlette(work, routes, paths):
    from starlette.routing import Match, Route

    table = [Route(braces(route), lambda request: None) for route in routes]

    def match(scope):
        """As its Router goes through its routes: the first that fits."""
        return next(child for route in table for fit, child in [route.matches(scope)] if fit is Match.FULL)

    scopes = [{"type": "http", "method": "GET", "path": path} for path in paths]
    measure(work, "Starlette, match alone", match, scopes)


def can_ada(work, routes, paths):
    import can_ada

    measure(work, "can_ada, parse alone", can_ada.parse, [f"app:/{path}" for path in paths])


def urlsplit(work, routes, paths):
    from urllib.parse import urlsplit

    # It keeps the results of its last calls; the function that it wraps does the work.
    parse = getattr(urlsplit, "__wrapped__", urlsplit)
    measure(work, "urlsplit, parse alone", parse, [f"app:/{path}" for path in paths])


def run(program, *arguments):
    try:
        program(*arguments)
    except ImportError as error:
        print(f"# skipped: {program.__name__} ({error})", flush=True)


def main(directory):
    work = {"one": "open.python", "github": "open.python.github"}
    for name in work:
        routes, paths = lines(directory, name, "routes"), lines(directory, name, "paths")
        for program in (crosstie, falcon, werkzeug, starlette, can_ada, urlsplit):
            run(program, work[name], routes, paths)
    misses = lines(directory, "github", "misses")
    for program in (crosstie_read, falcon_read, werkzeug_read):
        run(program, routes, paths, misses)


if __name__ == "__main__":
    main(sys.argv[1])
