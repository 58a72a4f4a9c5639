"""Steps of joined buses."""

from __future__ import annotations

import time

import crosstie
from data import Step, expect, text
from things import WATCHDOG, Things


class JoiningSteps(Things):
    def membership(self, step: Step) -> crosstie.Join:
        return self.find(crosstie.Join, step.get("membership", "membership"))

    def step_join_bus(self, step: Step) -> None:
        join = self.bus(step).join(
            self.find(crosstie.Wormhole, step.get("wormhole", "wormhole")),
            name=text(step.get("name", "")),
            exports=[text(each) for each in step.get("exports", [])],
            imports=[text(each) for each in step.get("imports", [])],
            trusted=step.get("trusted", False),
        )
        self.add(step.get("as", "membership"), join)

    def step_leave(self, step: Step) -> None:
        join = self.membership(step)
        join.close()
        self.give_up(join)

    def step_set_exports(self, step: Step) -> None:
        self.membership(step).set_exports([text(each) for each in step["exports"]])

    def step_peers(self, step: Step) -> None:
        """Waits until these are the peers: others come and go by themselves."""
        join, end = self.membership(step), time.monotonic() + WATCHDOG
        while (names := [peer.name for peer in join.peers()]) != step["names"] and time.monotonic() < end:
            time.sleep(0.001)
        expect("peers", names, step["names"])

    def step_components_anywhere(self, step: Step) -> None:
        found = [[each.name, each.peer and each.peer["name"]] for each in self.bus(step).components.anywhere()]
        expect("components", found, step["names"])
