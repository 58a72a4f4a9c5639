"""Exports a component to programs on other machines: packer.py <address> <journal>."""

import os
import signal
import sys

import crosstie

address, journal = sys.argv[1:]
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # waited for below

# [packer]
bus = crosstie.Bus("packer")


@bus.component("packing", exported=True)
class Packing:
    @crosstie.action
    def pack(self, number: int) -> str:
        return f"number {number} is packed"


with crosstie.Wormhole(address) as wormhole, bus.join(wormhole):
    with open(journal, "a") as file:
        file.write(f"packer {os.getpid()}\n")
    signal.sigwait({signal.SIGTERM})
# [end]
