"""Fixtures of the tests over a nats-server. The server, crosstie-nats and the ports are the test's own."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from nats_server import Server  # noqa: E402
from observer import Observer  # noqa: E402
from proxy import Proxy  # noqa: E402

import crosstie  # noqa: E402

#: The files that take longest come first, so that no worker is left with one at the end.
LONG_FIRST = ("test_exactly_once", "test_cluster", "test_load", "test_scenarios", "test_faults", "test_deadlines")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: number for number, name in enumerate(LONG_FIRST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "server") as server:
        yield server


@pytest.fixture
def make_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Makes a server with lines of configuration."""
    with ExitStack() as stack:
        count = 0

        def make(config: str = "", **options: object) -> Server:
            nonlocal count
            count += 1
            return stack.enter_context(Server(tmp_path / f"server{count}", config, **options))

        yield make


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with Proxy(server.port) as proxy:
        yield proxy


@pytest.fixture
def observer(server: Server) -> Iterator[Observer]:
    with Observer(server.address) as observer:
        yield observer


@pytest.fixture
def opened() -> Iterator[Callable[..., crosstie.Wormhole]]:
    """Opens wormholes, which are closed at the end."""
    with ExitStack() as stack:

        def open(address: str, group: str = "shop", **options: object) -> crosstie.Wormhole:
            options.setdefault("timeout", 30.0)
            return stack.enter_context(crosstie.Wormhole(f"{address}/{group}", **options))

        yield open
