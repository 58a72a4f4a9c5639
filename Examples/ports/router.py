"""A rule router: its table, a newer one from its server, and the three kinds of URL."""

import pathlib
from typing import Literal

import crosstie

bus = crosstie.Bus()


# [port]
def load(path: str) -> None:
    bus.rules.load(
        pathlib.Path(path),
        public_schemes=["daqun"],
        private_schemes=["daqun-app"],
        route_hosts=["route"],
        web_hosts=["m.daqun.example"],
    )


@bus.rules.navigator
def show_page(request: crosstie.Request) -> None:
    print(" ", (request.rule or {})["target"], crosstie.to_json(dict(request.params)))


@bus.system_opener
def open_by_system(request: crosstie.Request) -> None:
    print("  the system opens", request.url)


def follow(url: str, origin: Literal["local", "remote"]) -> None:
    print(origin, url)
    try:
        bus.open(url, origin=origin)
    except crosstie.Error as error:
        print(f"  CTIE_E_{crosstie.Status(error.status).name}")


load("ports/rules.json")
follow("daqun://route/home/category_search?type=1&keywords=kw&fromVC=IMSessionVC", "local")
follow("daqun://route/home/category_search?type=1&keywords=kw", "remote")
follow("https://m.daqun.example/home/category_search?type=2", "remote")
follow("daqun://route/home/category_search?type=all", "remote")
follow("daqun://route/im/session?id=123&name=ginhoor", "local")

load("ports/rules-pushed.json")
follow("daqun://route/im/session?id=123&name=ginhoor", "local")
follow("daqun://route/im/session?id=123&name=ginhoor", "remote")
try:
    load("ports/rules.json")
except crosstie.VersionError as error:
    print(f"old table: CTIE_E_{crosstie.Status(error.status).name}")

print("link", bus.rules.url_for("route.home.category_search", type=1))
print("link", bus.rules.url_for("route.home.category_search", type=1, web=True))
follow("https://elsewhere.example/home", "local")


class Session:
    """The messenger's. Its target is known by name alone."""

    def logout(self, id: int) -> str:
        return f"user {id} is logged out"


bus.performer.allow("python:__main__:Session")
print(bus.perform("python:__main__:Session", "logout", {"id": 123}))
# [end]
