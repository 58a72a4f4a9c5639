"""Parameters and docstrings are those that `inspect` finds, which the package does not import for plain functions."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable

import pytest

import crosstie
from crosstie import _callables, _docs, _parameters, _signature

Known = int


def plain(a, b=1, *, c, d=None): ...  # type: ignore[no-untyped-def]


def every(a: int, /, b: "str" = "x", *rest: float, c: Known, d: typing.Any = None, **params: object) -> None: ...


def unknown(a: Missing, b: Known = 1) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def nothing() -> None: ...


@functools.wraps(every)
def wrapped(*args: object, **keywords: object) -> None: ...


def generator() -> typing.Iterator[int]:
    yield 1


async def coroutine(a: int) -> None: ...


class Base:
    """The base.

        Indented.
    """

    def documented(self, a: int, b: str = "") -> None:
        """Documented.

        In two paragraphs.
        """

    def inherits(self, *, a: int = 1) -> None:
        """Of the base."""

    def only_rest(*args: object) -> None: ...

    @classmethod
    def of_class(cls, a: int) -> None:
        "\tTabs\tin it, and  spaces  "

    @staticmethod
    def static(a: int) -> None: ...

    def __call__(self, a: int) -> None: ...


class Child(Base):
    def inherits(self, *, a: int = 1) -> None: ...


class Bare:
    def undocumented(self) -> None: ...


HANDLERS: list[Callable[..., object]] = [
    plain, every, unknown, nothing, wrapped, generator, coroutine, lambda: None, lambda request, *a, **k: None,
    Base().documented, Base.documented, Base().inherits, Base().only_rest, Base.of_class, Base.static, Base(), Base,
    functools.partial(every, 1), functools.partial(plain, b=2), crosstie.Backoff, print,
]


def inspected(handler: Callable[..., object]) -> list[tuple[object, ...]]:
    try:
        signature = inspect.signature(handler, eval_str=True)
    except NameError:
        signature = inspect.signature(handler)
        scope = globals()
        signature = signature.replace(
            parameters=[
                each.replace(annotation=scope.get(each.annotation, each.annotation))
                for each in signature.parameters.values()
            ]
        )
    empty = inspect.Parameter.empty
    return [
        (each.name, each.kind.name, *("none" if part is empty else part for part in (each.default, each.annotation)))
        for each in signature.parameters.values()
    ]


@pytest.mark.parametrize("handler", HANDLERS, ids=range(len(HANDLERS)))
def test_parameters_are_those_of_inspect(handler: Callable[..., object]) -> None:
    found = [
        (each.name, each.kind, *("none" if part is _parameters.Empty else part for part in (each.default, each.annotation)))
        for each in _parameters.parameters_of(handler)
    ]
    assert found == inspected(handler)


@pytest.mark.parametrize("handler", HANDLERS, ids=range(len(HANDLERS)))
def test_coroutines_are_those_of_inspect(handler: Callable[..., object]) -> None:
    assert _callables.is_async(handler) == inspect.iscoroutinefunction(handler)


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        (Base, Base), (Base(), Base), (Child, Child), (Child(), Child), (Bare, Bare), (Bare(), Bare),
        (Base().documented, Base), (Child().documented, Child), (Child().inherits, Child), (Base.of_class, Base),
        (Child.inherits, Child), (Bare().undocumented, Bare),
    ],
)
def test_docstrings_are_those_of_inspect(thing: object, kind: type) -> None:
    assert _docs.doc_of(thing, kind) == (inspect.getdoc(thing) or "")


@pytest.mark.parametrize("doc", ["", " a ", "\n\n  a\n    b\n\n", "a\n\tb\n", "a\nb\n  c", "\n", "a\n   \n  b"])
def test_cleaning_is_that_of_inspect(doc: str) -> None:
    assert _docs.clean(doc) == inspect.cleandoc(doc)


def test_flags_are_those_of_inspect() -> None:
    assert (_callables.CO_VARARGS, _callables.CO_VARKEYWORDS) == (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)


@pytest.mark.parametrize(
    ("pattern", "captures"),
    [
        ("app://users/:id", {"id": (0, "")}),
        ("/:a<int>/x/:b/*rest", {"a": (0, "int"), "b": (1, ""), "rest": (2, "")}),
        ("/:a.json/:b<float>.x", {"a": (0, ""), "b": (1, "float")}),
        ("/:a<int/:b<>/:c<i-t>", {"a": (0, ""), "b": (1, ""), "c": (2, "")}),
        ("/:1/:/*/:\u00e9/x:y/*", {}),
        (":a", {}),
    ],
)
def test_captures_of_a_pattern(pattern: str, captures: dict[str, tuple[int, str]]) -> None:
    assert _signature._captures(pattern) == captures
