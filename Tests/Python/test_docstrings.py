"""The stub of the extension is the one source of its signatures and docstrings."""

import ast
import importlib.util
import inspect
import pathlib
from collections.abc import Iterator
from types import ModuleType

import pytest

import crosstie
from crosstie import _crosstie

ROOT = pathlib.Path(__file__).parent.parent.parent
STUB = pathlib.Path(crosstie.__file__).with_name("_crosstie.pyi")
TREE = ast.parse(STUB.read_text(encoding="utf-8"))
CLASSES = [node for node in TREE.body if isinstance(node, ast.ClassDef)]
#: Methods in a type's slots, with CPython's own texts, and those of every type.
SLOTS = {"__new__", "__init__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__", "__len__"}
ALWAYS = {"__doc__", "__module__", "__repr__", "__del__", "__weakref__"}


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    return (node for node in body if isinstance(node, ast.FunctionDef))


def members() -> Iterator[tuple[ast.FunctionDef, object, str]]:
    """Every function and member of the stub, what is there of it, and its name."""
    for node in functions(TREE.body):
        yield node, getattr(_crosstie, node.name), node.name
    for kind in CLASSES:
        for node in functions(kind.body):
            yield node, getattr(getattr(_crosstie, kind.name), node.name), f"{kind.name}.{node.name}"


def shape(node: ast.FunctionDef) -> list[tuple[str, str, object]]:
    """The parameters of a function in the stub: their names, kinds and defaults."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [inspect.Parameter.empty] * (len(positional) - len(arguments.defaults))
    defaults += [ast.literal_eval(default) for default in arguments.defaults]
    kinds = ["positional-only"] * len(arguments.posonlyargs) + ["positional or keyword"] * len(arguments.args)
    found: list[tuple[str, str, object]] = [
        (argument.arg, kind, default) for argument, kind, default in zip(positional, kinds, defaults, strict=True)
    ]
    if arguments.vararg:
        found.append((arguments.vararg.arg, "variadic positional", inspect.Parameter.empty))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        found.append((argument.arg, "keyword-only", value))
    if arguments.kwarg:
        found.append((arguments.kwarg.arg, "variadic keyword", inspect.Parameter.empty))
    return found


def reported(function: object) -> list[tuple[str, str, object]]:
    """The same of what inspect.signature() tells."""
    assert callable(function)
    parameters = inspect.signature(function).parameters.values()
    return [(each.name, each.kind.description, each.default) for each in parameters]


@pytest.mark.parametrize("node", CLASSES, ids=lambda node: node.name)
def test_type_has_what_its_stub_names(node: ast.ClassDef) -> None:
    kind = getattr(_crosstie, node.name)
    assert inspect.getdoc(kind) == ast.get_docstring(node)
    named = {member.name for member in functions(node.body)}
    there = {name for name in vars(kind) if name not in ALWAYS | SLOTS}
    if not issubclass(kind, tuple):  # whose other members are those of all named tuples
        assert there == named - SLOTS
    assert named <= set(dir(kind))
    for name in named & SLOTS:
        assert name in vars(kind)


@pytest.mark.parametrize("name", sorted(name for name in vars(_crosstie) if not name.startswith("__")))
def test_stub_names_what_the_module_has(name: str) -> None:
    targets = [node.target for node in TREE.body if isinstance(node, ast.AnnAssign)]
    named = {target.id for target in targets if isinstance(target, ast.Name)}
    assert name in named | {node.name for node in CLASSES} | {node.name for node in functions(TREE.body)}


@pytest.mark.parametrize(("node", "thing", "name"), [pytest.param(*each, id=each[2]) for each in members()])
def test_member_is_what_its_stub_says(node: ast.FunctionDef, thing: object, name: str) -> None:
    if node.name == "__new__":
        assert reported(getattr(_crosstie, name.partition(".")[0])) == shape(node)[1:]
    elif node.name not in SLOTS:
        assert inspect.getdoc(thing) == ast.get_docstring(node)
        if callable(thing):
            is_class_method = isinstance(getattr(thing, "__self__", None), type)
            is_function = "." not in name
            assert reported(thing)[0 if is_function or is_class_method else 1 :] == shape(node)[0 if is_function else 1 :]


@pytest.mark.parametrize("name", crosstie.__all__)
def test_public_types_and_functions_say_since_when(name: str) -> None:
    named = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    if name in named and name not in {"Bus", "Wormhole"}:  # which are only what those of the package are made of
        assert "Since 0." in (ast.get_docstring(named[name]) or "")


def generator() -> ModuleType:
    path = ROOT / "bindings/python/docstrings.py"
    spec = importlib.util.spec_from_file_location("docstrings", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def header(folder: pathlib.Path, stub: str, source: str) -> str:
    (folder / "stub.pyi").write_text(stub)
    (folder / "source.c").write_text(source)
    generator().write(folder / "stub.pyi", [folder / "source.c"], folder / "docstrings.h")
    return (folder / "docstrings.h").read_text()


KIND = 'class Kind:\n    """A kind."""\n\n    def use(self, a: int = 1) -> None:{}\n'


def test_header_has_signatures_and_texts(tmp_path: pathlib.Path) -> None:
    text = header(
        tmp_path, KIND.format('\n        """Use "it"??\n\n        So.\n        """'), "{DOC_Kind}, {DOC(Kind, use)}"
    )
    assert '#define DOC_Kind "A kind."' in text
    assert '"use($self, /, a=1)\\n"' in text
    assert r'"Use \"it\"?\?\n"' in text


@pytest.mark.parametrize(
    ("words", "source", "problem"),
    [
        (" ...", "{DOC_Kind}, {DOC(Kind, use)}", "Kind.use, line 4: has no docstring"),
        ('\n        """ """', "{DOC_Kind}, {DOC(Kind, use)}", "Kind.use, line 4: has no docstring"),
        ('\n        """Use."""', "{DOC_Kind}", "DOC_Kind_use: no C file uses it"),
        ('\n        """Use."""', "DOC_Kind, DOC(Kind, use), DOC(Kind, go)", "DOC_Kind_go: stub.pyi does not have it"),
    ],
)
def test_mismatches_end_the_build(tmp_path: pathlib.Path, words: str, source: str, problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        header(tmp_path, KIND.format(words), source)
