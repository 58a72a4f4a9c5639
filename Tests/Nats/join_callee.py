"""Joins a group on a server and exports what test_joins.py calls: join_callee.py <address>."""

import signal
import sys

import crosstie

bus = crosstie.Bus("callee")
held: list[crosstie.Request] = []


@bus.component("stock", exported=True)
class Stock:
    @crosstie.action
    def count(self, name: str) -> int:
        return len(name)

    @crosstie.action
    def echo(self, value: object) -> object:
        return value

    @crosstie.action
    def hang(self, request: crosstie.Request) -> None:
        held.append(request.defer())
        print("hanging", flush=True)


with crosstie.Wormhole(sys.argv[1], timeout=30) as wormhole, bus.join(wormhole, name="callee"):
    print("ready", flush=True)
    signal.pause()
