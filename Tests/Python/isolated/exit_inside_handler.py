"""sys.exit() inside a handler ends the program that opened the URL, with that status."""

import sys

import crosstie

bus = crosstie.Bus("exit")
bus.routes.add("app://exit", lambda: sys.exit(7))
bus.open("app://exit")
