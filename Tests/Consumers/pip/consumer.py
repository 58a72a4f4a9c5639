"""The installed wheel, in an environment with nothing else."""

import sys

import crosstie

bus = crosstie.Bus("consumer")


@bus.route("app://answer")
def answer(request):
    return 42


sys.exit(bus.open("app://answer").value != 42)
