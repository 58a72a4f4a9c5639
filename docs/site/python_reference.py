"""The reference of the Python package, a page for each public module, from the sources: nothing has to be built."""

import ast
from pathlib import Path

from docstrings import markup
from text import code, indent, title, toctree

PACKAGE = Path("bindings/python/src/crosstie")
MODULES = {
    "crosstie": "__init__.py",
    "crosstie.share": "share/__init__.py",
    "crosstie.oauth": "oauth/__init__.py",
    "crosstie.desktop": "desktop.py",
}
SHOWN = {"__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__", "__len__", "__call__"}


class Sources:
    """The modules of the package, and what each of their names is."""

    def __init__(self, root):
        self.package = root / PACKAGE
        self.trees = {}
        self.public = {name for file in MODULES.values() for name in self.exported(self.package / file)}

    def tree(self, path):
        if path not in self.trees:
            self.trees[path] = ast.parse(path.read_text())
        return self.trees[path]

    def exported(self, path):
        """The names in a module's `__all__`, which may be that of another module."""
        for node in ast.walk(self.tree(path)):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return ast.literal_eval(node.value)
            if isinstance(node, ast.ImportFrom) and any(alias.name == "__all__" for alias in node.names):
                return self.exported(self.imported(path, node))
        raise SystemExit(f"{path}: no __all__")

    def module(self, folder, name):
        """The file of a module: its stub, if it is the extension."""
        path = folder.joinpath(*name.split(".")) if name else folder / "__init__"
        return next((p for p in (path.with_suffix(".py"), path.with_suffix(".pyi"), path / "__init__.py") if p.exists()), None)

    def imported(self, path, node):
        """The file that an import inside the package names."""
        if not node.level:
            return None
        folder = path.parent
        for _ in range(node.level - 1):
            folder = folder.parent
        return self.module(folder, node.module or "")

    def find(self, path, name):
        """(file, node) of the class, function or constant of a name that a module has."""
        for node in ast.walk(self.tree(path)):
            if isinstance(node, ast.ImportFrom):
                if node.names[0].name == "*" and name in self.exported(self.imported(path, node)):
                    return self.find(self.imported(path, node), name)
                if any((alias.asname or alias.name) == name for alias in node.names):
                    source = self.imported(path, node)
                    real = next(a.name for a in node.names if (a.asname or a.name) == name)
                    return self.find(source, real) if source and source != path else None
        for node in self.tree(path).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
                return path, node
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return path, node
        return None

    def base(self, path, expression):
        """(file, class) of a base class of the package."""
        if isinstance(expression, ast.Subscript):
            expression = expression.value
        if isinstance(expression, ast.Attribute):
            module = self.module(path.parent, ast.unparse(expression.value))
            return self.find(module, expression.attr) if module else None
        return self.find(path, expression.id) if isinstance(expression, ast.Name) else None


def is_marked(node, word):
    return any(ast.unparse(mark).split("(")[0].rpartition(".")[2] == word for mark in node.decorator_list)


def signature(node):
    arguments = ast.parse(ast.unparse(node)).body[0].args
    first = arguments.posonlyargs or arguments.args
    if first and first[0].arg in ("self", "cls"):
        del first[0]
    text = ast.unparse(arguments).removeprefix("/, ")
    return f"({'' if text == '/' else text})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def statements(node):
    """The statements of a class, those for type checkers included."""
    for item in node.body:
        is_for_types = isinstance(item, ast.If) and ast.unparse(item.test) == "TYPE_CHECKING"
        yield from item.body if is_for_types else [item]


def members(sources, path, node, seen=None):
    """The public members of a class and of its bases in the package, by name: the nearest definition first."""
    found = {} if seen is None else seen
    for item in statements(node):
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not item.name.startswith("_") or item.name in SHOWN:
                kept = found.get(item.name)
                if kept is None or (not ast.get_docstring(kept) and ast.get_docstring(item)):
                    found[item.name] = item
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_"):
            found.setdefault(item.target.id, item)
    for expression in node.bases:
        base = sources.base(path, expression)
        if base and isinstance(base[1], ast.ClassDef) and (base[1].name not in sources.public or base[1].name == node.name):
            members(sources, base[0], base[1], found)
    return found


def member(name, node):
    if isinstance(node, ast.AnnAssign):
        return f".. py:attribute:: {name}\n   :type: {ast.unparse(node.annotation)}\n"
    body = indent(markup(ast.get_docstring(node) or ""))
    if is_marked(node, "property"):
        kind = f"   :type: {ast.unparse(node.returns)}\n" if node.returns else ""
        return f".. py:property:: {name}\n{kind}\n{body}\n"
    options = "   :classmethod:\n" if is_marked(node, "classmethod") else "   :staticmethod:\n" if is_marked(node, "staticmethod") else ""
    options += "   :async:\n" if isinstance(node, ast.AsyncFunctionDef) else ""
    return f".. py:method:: {name}{signature(node)}\n{options}\n{body}\n"


def constructor(sources, path, node):
    """The signature of a class."""
    made = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name in ("__new__", "__init__")]
    if made:
        return signature(made[0]).replace(" -> None", "").replace(" -> Self", "")
    for expression in node.bases:
        base = sources.base(path, expression)
        if base and isinstance(base[1], ast.ClassDef) and base[1].name in (node.name, f"_{node.name}"):
            return constructor(sources, *base)
    return ""


def described(sources, name, path, node):
    if isinstance(node, ast.ClassDef):
        inner = [member(*item) for item in members(sources, path, node).items()]
        shown = [b for b in node.bases if (found := sources.base(path, b)) is None or found[1].name in sources.public - {name}]
        bases = ", ".join(code(ast.unparse(b)) for b in shown if not ast.unparse(b).startswith("Generic"))
        doc = markup(ast.get_docstring(node) or "") + (f"\n\nBases: {bases}" if bases else "")
        return f".. py:class:: {name}{constructor(sources, path, node)}\n\n{indent(doc)}\n\n" + "\n".join(map(indent, inner))
    if isinstance(node, ast.FunctionDef):
        return f".. py:function:: {name}{signature(node)}\n\n{indent(markup(ast.get_docstring(node) or ''))}\n"
    value = ast.unparse(node.value) if node.value and len(ast.unparse(node.value)) < 60 else ""
    return f".. py:data:: {name}\n" + (f"   :value: {value}\n" if value else "")


def page(sources, module, file):
    tree = sources.tree(file)
    names = sources.exported(file)
    parts = [title(module), f".. py:module:: {module}\n", markup(ast.get_docstring(tree) or "")]
    parts.append("**Names**: " + ", ".join(f":py:obj:`{name}`" for name in names))
    for name in names:
        found = sources.find(file, name)
        if found is None:
            raise SystemExit(f"{file}: __all__ has {name}, which is in no source")
        parts.append(described(sources, name, *found))
    return "\n\n".join(parts)


def write(root, pages):
    sources = Sources(root)
    pages.mkdir(parents=True)
    for module, file in MODULES.items():
        (pages / f"{module}.rst").write_text(page(sources, module, sources.package / file))
    words = "The same text is in ``help(crosstie)``. A page on handlers says how their parameters are filled."
    (pages / "index.rst").write_text(f"{title('Python')}\n{words}\n\n{toctree(MODULES)}")
