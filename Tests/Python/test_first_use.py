"""The modules that the first use of each usual thing imports, in an interpreter of its own."""

import subprocess
import sys

import pytest

#: The modules of `import crosstie`.
PACKAGE = {"atexit", "crosstie", "crosstie._crosstie"}
#: Modules of the standard library that the first name of the package imports: those of enumerations and named tuples.
BASE = {
    "__future__", "_collections", "_functools", "_operator", "_types", "collections", "collections.abc", "enum",
    "functools", "itertools", "keyword", "operator", "reprlib", "types",
}
#: The modules of the package that every use needs.
CORE = {"crosstie._" + name for name in "errors failures homes parts requests status typing".split()}
BUS = {"crosstie._" + name for name in "bus decorators provider_requests request_methods".split()}
HANDLERS = {"crosstie._" + name for name in "annotations callables parameters signature".split()}
# From 3.13 on, enumerations do without functools.
ROUTES = HANDLERS | {"_functools", "crosstie._bus_view", "crosstie._routes", "functools"}
MARKS = {"crosstie._docs", "crosstie._marks"}
WORMHOLE = {
    "crosstie._" + name for name in "callables decorators durables listener_arguments messages wormhole".split()
}

#: The steps of a program, each with the modules that it may import beside those of the steps before. A new one is a
#: decision: rare things import their modules when a program uses them.
STEPS = [
    ("import crosstie", PACKAGE),
    ("bus = crosstie.Bus('x')", BASE | CORE | BUS),
    ("bus.route('app://users/:id<int>')(lambda request, id, *, tab='posts': id)", ROUTES),
    ("def show(request: crosstie.Request, id: 'int', tab: str | None = None): return id", set[str]()),
    ("bus.route('app://shown/:id', public=True)(show)", set[str]()),
    ("assert bus.open('app://users/42').value == 42", set[str]()),
    ("assert bus.open('app://shown/42?tab=a').value == 42", set[str]()),
    (
        "class Home:\n"
        "    '''The home.\n\n    Of all.\n    '''\n"
        "    @crosstie.action\n"
        "    def greet(self, name='you'): return name\n"
        "    @crosstie.event('saved')\n"
        "    def saved(self): pass",
        MARKS,
    ),
    ("bus.component('home')(Home)", {"crosstie._components"}),
    ("assert bus.call('home', 'greet', name='Ada') == 'Ada'", set[str]()),
    ("assert bus.call_async('home', 'greet').result() == 'you'", set[str]()),
    ("assert bus.broadcast('saved').count == 1", set[str]()),
    ("wormhole = crosstie.Wormhole('com.example.first', memory=True)", WORMHOLE),
    ("wormhole['a'] = {'b': 1}", set[str]()),
    ("wormhole.add_listener('a', lambda message: None)", set[str]()),
    ("wormhole.close(); bus.close()", set[str]()),
]

REPORT = "import sys\nprint(*sorted(set(sys.modules) - known)); known = set(sys.modules)\n"


def modules_of(*statements: str) -> list[set[str]]:
    """Return the modules that each statement brings into a bare interpreter."""
    program = "import sys; known = set(sys.modules)\n" + "".join(f"{each}\n{REPORT}" for each in statements)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [set(line.split()) for line in result.stdout.splitlines()]


def test_steps_import_no_more_than_they_need() -> None:
    found = modules_of(*(statement for statement, _ in STEPS))
    assert len(found) == len(STEPS)
    for (statement, allowed), loaded in zip(STEPS, found, strict=True):
        assert loaded <= allowed, statement
    assert len(set().union(*found)) <= 40


@pytest.mark.parametrize(
    ("statement", "needed"),
    [
        ("crosstie.Wormhole", BASE | CORE | WORMHOLE),
        ("crosstie.NoRouteError", BASE | CORE),
        ("crosstie.to_json([1])", BASE | CORE),
        ("crosstie.Status.OK", BASE | CORE),
        ("crosstie.Event.CREATED", None),
        ("crosstie.FullError", None),
    ],
)
def test_a_name_imports_what_it_needs(statement: str, needed: set[str] | None) -> None:
    before, after = modules_of("import crosstie", statement)
    assert before <= PACKAGE
    rare = {"asyncio", "email", "logging", "inspect", "importlib.metadata", "crosstie._aio", "crosstie.oauth"}
    assert not (rare | {"crosstie._bus"}) & after
    assert needed is None or after <= needed
