"""An application that fetches its table of rules from a server, and keeps the last good one for its next start."""

import http.server
import json
import pathlib
import tempfile
import threading
import urllib.request

import crosstie


# [update]
def start(bus: crosstie.Bus, shipped: dict[str, object], kept: pathlib.Path) -> None:
    """Load the table that the application ships, then the newer one of the last run."""
    bus.rules.load(shipped)
    if kept.exists():
        try:
            bus.rules.load(kept)
        except crosstie.Error as error:  # written by a newer version of the application, or damaged
            print("kept table:", error)


def update(bus: crosstie.Bus, url: str, kept: pathlib.Path) -> None:
    """Load the table of the server. A table that is refused leaves the loaded one in place."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        text = answer.read(1 << 20)
    try:
        bus.rules.load(text)
    except crosstie.VersionError:
        return print("the server has an older table")
    except crosstie.Error as error:
        return print("refused:", error.message)
    new = kept.with_suffix(".new")
    new.write_bytes(text)
    new.replace(kept)  # a crash leaves the old file or the new one


# [end]


def table(version: str, *ids: str) -> dict[str, object]:
    return {
        "format": 1, "version": version,
        "publicSchemes": ["shop"], "privateSchemes": [], "routeHosts": ["open"], "webHosts": [],
        "rules": [{"id": id, "host": "open", "path": f"/{id}", "visibility": "public"} for id in ids],
    }


class Server(http.server.BaseHTTPRequestHandler):
    """Stands for the server of the application's maker."""

    body = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def follow(bus: crosstie.Bus, url: str) -> None:
    try:
        print(url, bus.open(url, origin="remote").value)
    except crosstie.Error as error:
        print(url, crosstie.Status(error.status).name)


def make_bus() -> crosstie.Bus:
    bus = crosstie.Bus("shop")
    bus.rules.navigator(lambda request: f"shows {(request.rule or {})['id']}")
    return bus


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server, tempfile.TemporaryDirectory() as folder:
    threading.Thread(target=server.serve_forever).start()
    url = f"http://127.0.0.1:{server.server_port}/rules.json"
    kept = pathlib.Path(folder, "rules.json")

    bus = make_bus()
    start(bus, table("1.0.0", "search"), kept)
    follow(bus, "shop://open/sale")
    for pushed in (table("1.1.0", "search", "sale"), table("1.0.5", "search"), table("1.2.0", "not an id")):
        Server.body = json.dumps(pushed).encode()
        update(bus, url, kept)
    follow(bus, "shop://open/sale")

    bus = make_bus()  # the next start, without the server
    server.shutdown()
    start(bus, table("1.0.0", "search"), kept)
    follow(bus, "shop://open/sale")
