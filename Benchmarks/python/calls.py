"""Calling a function by name: with a dict of five keys, and with five keywords; and between Python and C.

Usage: calls.py [native], the shared object of c/native.c, without which the last is left out.
"""

import ctypes
import sys

from timing import measure, report, run_each

PARAMS = {"id": 42, "name": "Ada", "tab": "posts", "page": 3, "dark": True}
KEYWORDS = ", ".join(f"{key}={value!r}" for key, value in PARAMS.items())


def take(params):
    """The function called with a dict."""


def take_five(id, name, tab, page, dark):
    """The function called with keywords."""


def functions():
    actions = {"show": take, "show_five": take_five}
    names = {"actions": actions, "params": PARAMS}
    measure("call.python.dict", "a dict of functions", "actions['show'](params)", names)
    measure("call.python.keywords", "a dict of functions", f"actions['show_five']({KEYWORDS})", names)


def pyee():
    from pyee.base import EventEmitter

    emitter = EventEmitter()
    emitter.on("show", take)
    emitter.on("show_five", take_five)
    names = {"emitter": emitter, "params": PARAMS}
    measure("call.python.dict", "pyee", "emitter.emit('show', params)", names)
    measure("call.python.keywords", "pyee", f"emitter.emit('show_five', {KEYWORDS})", names)


def pluggy():
    from pluggy import HookimplMarker, HookspecMarker, PluginManager

    specification, implementation = HookspecMarker("bench"), HookimplMarker("bench")

    class Hooks:
        @specification(firstresult=True)
        def show(self, params):
            pass

        @specification(firstresult=True)
        def show_five(self, id, name, tab, page, dark):
            pass

    class Plugin:
        @implementation
        def show(self, params):
            pass

        @implementation
        def show_five(self, id, name, tab, page, dark):
            pass

    manager = PluginManager("bench")
    manager.add_hookspecs(Hooks)
    manager.register(Plugin())
    names = {"hook": manager.hook, "params": PARAMS}
    measure("call.python.dict", "pluggy", "hook.show(params=params)", names)
    measure("call.python.keywords", "pluggy", f"hook.show_five({KEYWORDS})", names)


def blinker():
    from blinker import Namespace

    signals = Namespace()
    signals.signal("show").connect(take_sent)
    signals.signal("show_five").connect(take_five_sent)
    names = {"signals": signals, "params": PARAMS}
    measure("call.python.dict", "blinker", "signals['show'].send(None, params=params)", names)
    measure("call.python.keywords", "blinker", f"signals['show_five'].send(None, {KEYWORDS})", names)


def take_sent(sender, params):
    """The receiver of a signal."""


def take_five_sent(sender, id, name, tab, page, dark):
    """The receiver of a signal that is sent with keywords."""


def crosstie():
    import crosstie

    class Home:
        @crosstie.action
        def nothing(self):
            pass

        @crosstie.action
        def show(self, request):
            pass

        @crosstie.action
        def show_five(self, id, name, tab, page, dark):
            pass

    with crosstie.Bus.shared("bench") as bus:
        bus.component("home")(Home)
        names = {"bus": bus, "params": PARAMS}
        measure("call.python.dict", "crosstie", "bus.call('home', 'show', params)", names)
        measure("call.python.keywords", "crosstie", f"bus.call('home', 'show_five', {KEYWORDS})", names)
        for path in sys.argv[1:]:
            measure_native(bus, ctypes.CDLL(path))


def measure_native(bus, native):
    """Calls from Python to C, and from C, which does not hold the interpreter's lock, to Python."""
    native.native_add(b"bench")
    native.native_call.restype = ctypes.c_double
    measure("call.python.c", "crosstie", "bus.call('native', 'take', params)", {"bus": bus, "params": PARAMS})
    report("call.c.python", "crosstie", native.native_call(b"home", b"nothing"))
    native.native_remove()


if __name__ == "__main__":
    run_each(crosstie, functions, pyee, pluggy, blinker)
