"""The package's files: imports, public names, and that no number of the headers is repeated."""

import ast
import copy
import inspect
import pathlib
import pickle
import re
import subprocess
import sys
import typing

import pytest

import crosstie
from crosstie import _crosstie, _homes

HERE = pathlib.Path(crosstie.__file__).parent
INCLUDE = pathlib.Path(__file__).parent.parent.parent / "include" / "crosstie"
FILES = sorted(path for path in HERE.rglob("*.py") if "__pycache__" not in path.parts)

#: The bus itself has the names of daily use. A new name is a decision: most belong into a view.
ON_THE_BUS = {
    "routes", "rules", "interceptors", "components", "providers", "performer",
    "route", "rule", "interceptor", "component", "system_opener",
    "open", "open_async", "call", "call_async", "broadcast", "broadcast_async", "perform", "perform_async",
    "share", "share_async", "oauth", "oauth_async", "launch", "launch_async",
    "can_open", "url_for", "with_options", "aio", "attach", "join",
    "claim_instance", "add_dispatcher", "cancel_all", "stats",
    "name", "shared", "close", "closed",
}  # fmt: skip


def module_of(path: pathlib.Path) -> str:
    parts = ("crosstie", *path.relative_to(HERE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imports_of(node: ast.AST) -> typing.Iterator[ast.ImportFrom]:
    """Everything that is imported when it runs, inside functions too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            yield child
        if not is_for_types(child):
            yield from imports_of(child)


def used_by(path: pathlib.Path) -> set[str]:
    """The modules of the package that one of its files imports."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    names = {module_of(each) for each in FILES} | {"crosstie._crosstie"}
    found = set()
    for statement in imports_of(ast.parse(path.read_text())):
        base = package.split(".")[: len(package.split(".")) + 1 - statement.level] if statement.level else []
        source = ".".join([*base, *([statement.module] if statement.module else [])])
        for alias in statement.names:
            inner = f"{source}.{alias.name}"
            found.add(inner if inner in names else source)
    return {name for name in found if name.startswith("crosstie")}


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = {module_of(path): used_by(path) for path in FILES}
    assert {"crosstie._crosstie", "crosstie._routes"} <= graph["crosstie._bus"]
    assert "crosstie._bus" not in graph["crosstie._routes"]
    left = {name: set(uses) for name, uses in graph.items()}
    while left:
        ready = [name for name, uses in left.items() if not uses & set(left)]
        assert ready, f"they import one another: {left}"
        for name in ready:
            del left[name]


def test_views_know_no_bus() -> None:
    graph = {module_of(path): used_by(path) for path in FILES}
    for view in ("routes", "rules", "interceptors", "components", "providers", "performer"):
        assert not {"crosstie._bus", "crosstie._request_methods"} & graph[f"crosstie._{view}"]


def test_public_names_of_the_bus() -> None:
    assert {name for name in dir(crosstie.Bus) if not name.startswith("_")} == ON_THE_BUS


def test_public_names() -> None:
    shown = {name for name in dir(crosstie) if not name.startswith("__")}
    assert shown == set(crosstie.__all__)
    assert crosstie.__all__ == sorted(crosstie.__all__)
    public = {module_of(path) for path in FILES if not re.search(r"\._", module_of(path))}
    assert public == {"crosstie", "crosstie.desktop", "crosstie.oauth", "crosstie.share"}


def test_public_things_say_where_they_are() -> None:
    for name in crosstie.__all__:
        thing = getattr(crosstie, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            assert (thing.__module__, thing.__qualname__) == ("crosstie", name)


@pytest.mark.parametrize(
    "thing",
    [
        crosstie.Status.OK,
        crosstie.NotFoundError,
        crosstie.Backoff(1.0),
        crosstie.Route("app://a", "", True),
        crosstie.Endpoint.QQ_FRIEND,
        crosstie.SIGNAL,
    ],
    ids=repr,
)
def test_pickling(thing: object) -> None:
    assert pickle.loads(pickle.dumps(thing)) == thing
    assert copy.deepcopy(thing) == thing


@pytest.mark.parametrize("name", [name for name in crosstie.__all__ if inspect.isclass(getattr(crosstie, name))])
def test_type_hints_can_be_read(name: str) -> None:
    """Though the module that a class says is not the one it is written in."""
    typing.get_type_hints(getattr(crosstie, name))


# ---- Numbers -------------------------------------------------------------------------------------------------

#: Numbers that mean themselves: none, one, the last one, and indices of what is at hand.
SMALL: set[float] = {-1, 0, 1}
#: Files with numbers of their own, which no header has: limits of what is listed or waited for, versions, units.
OWN: dict[str, set[float]] = {
    "_callables.py": {100, 0x04, 0x08, 0x80, 0x200},  # functions inside each other, and flags of code
    "_docs.py": {4096},  # bytes of what is listed
    "_durables.py": {1e-9, 1e-3, 64, 0.0},
    "_durable_info.py": {0.1, 60.0, 2.0, 0.0, 1.0},
    "_dead_letters.py": {1e-9},
    "_join.py": {1e9},
    "_listener_arguments.py": {31},  # a bit of its own
    "_marks.py": {128},  # bytes of what is listed
    "_parameters.py": {3, 14},  # of Python
    "_instance.py": {10.0},  # seconds
    "_parts.py": {2},  # frames of the stack
    "_signature.py": {2},  # arguments of an interceptor
    "_spawn.py": {5.0},  # seconds
    "_wormhole.py": {1e-9, 1000},
}


def numbers_in(path: pathlib.Path) -> set[float]:
    values = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    return {value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)}


@pytest.mark.parametrize("path", [path for path in FILES if path.parent == HERE], ids=lambda path: path.name)
def test_no_number_of_the_headers_is_repeated(path: pathlib.Path) -> None:
    assert numbers_in(path) - SMALL - OWN.get(path.name, set()) == set()


def test_constants_are_those_of_the_headers(tmp_path: pathlib.Path) -> None:
    """By a compiler, which reads the headers once more."""
    names = [name for name in dir(_crosstie) if name.startswith("CTIE_")]
    assert len(names) > 20
    lines = "".join(f'printf("%ld\\n", (long){name});' for name in names)
    source, program = tmp_path / "numbers.c", tmp_path / "numbers"
    source.write_text(f"#include <stdio.h>\n#include <crosstie.h>\nint main(void) {{ {lines} }}\n")
    subprocess.run(["cc", "-I", str(INCLUDE.parent), str(source), "-o", str(program)], check=True)
    reported = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert [getattr(_crosstie, name) for name in names] == [int(line) for line in reported.splitlines()]


# ---- Events --------------------------------------------------------------------------------------------------


def test_events_are_those_of_the_header() -> None:
    header = re.findall(r'#define CTIE_EVENT_(\w+) "([^"]+)"', (INCLUDE / "component.h").read_text())
    assert len(header) == 7
    own = {"CREATED": "created", "DESTROYED": "destroyed"}
    assert {name: str(getattr(crosstie.Event, name)) for name in crosstie.Event.__annotations__} == dict(header) | own


def test_an_event_by_its_constant() -> None:
    received: list[str] = []

    class Home:
        @crosstie.event(crosstie.Event.CREATED)
        def begin(self) -> None:
            received.append("created")

        @crosstie.event(crosstie.Event.WILL_TERMINATE)
        def end(self) -> bool:
            return True

    with crosstie.Bus() as bus:
        bus.components.add(Home)
        assert bus.broadcast(crosstie.Event.WILL_TERMINATE).any
    assert received == ["created"]


@pytest.mark.parametrize(
    "statement",
    [
        "from crosstie import *; assert Bus and to_json and Status.OK == 0",
        "import crosstie; assert crosstie.to_json([1]) == '[1]'",
        "import crosstie; assert 'Bus' in dir(crosstie) and crosstie.Bus.__module__ == 'crosstie'",
        "import crosstie, typing; typing.get_type_hints(crosstie.Durable)",
        "import pickle; assert pickle.loads(b'ccrosstie\\nBackoff\\n.').__name__ == 'Backoff'",
        "import crosstie; assert not hasattr(crosstie, 'nothing') and not hasattr(crosstie, '_nothing')",
        "from crosstie import share, Bus; assert share and Bus",
        "import crosstie, inspect; assert inspect.getmembers(crosstie, inspect.isclass)",
    ],
)
def test_names_are_there_when_they_are_used(statement: str) -> None:
    """Each in an interpreter where no other name has been used."""
    subprocess.run([sys.executable, "-c", statement], check=True)


def test_threads_that_use_the_first_name() -> None:
    program = (
        "import crosstie, threading; start = threading.Barrier(8); found = []\n"
        "def use():\n    start.wait(); found.append(crosstie.Bus('x').open)\n"
        "threads = [threading.Thread(target=use) for _ in range(8)]\n"
        "[each.start() for each in threads]; [each.join() for each in threads]; assert len(found) == 8"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_each_public_name_has_one_home() -> None:
    homes = [name for names in _homes.HOMES.values() for name in names]
    assert sorted(homes) == sorted(crosstie.__all__)


def test_things_say_where_they_are_before_their_names_are_used() -> None:
    program = (
        "import crosstie; bus = crosstie.Bus(); bus.routes.add('app://a', lambda: None)\n"
        "print(type(bus.routes).__module__, type(bus.routes['app://a']).__module__)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "crosstie crosstie\n"
