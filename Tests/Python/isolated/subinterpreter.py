"""A subinterpreter may not import the package, and the main one is no worse for it."""

import importlib
import sys

import crosstie

interpreters = importlib.import_module("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")

bus = crosstie.Bus("main")
bus.routes.add("app://a", lambda: "answer")
code = """
try:
    import crosstie
except ImportError as error:
    assert "subinterpreters" in str(error), error
else:
    raise AssertionError("imported")
"""
interpreter = interpreters.create()
failure = interpreters.run_string(interpreter, code)  # raised before 3.13
assert failure is None, failure
# From now on PyGILState_Check() says yes to every thread: the extension has to know better.
assert [bus.open_async("app://a").result().value for _ in range(100)] == ["answer"] * 100
assert bus.open("app://a").value == "answer"
interpreters.destroy(interpreter)
