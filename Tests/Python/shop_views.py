"""The classes that the tests of the performer call."""

import asyncio
from typing import Any, ClassVar

import crosstie

from_elsewhere = asyncio.Queue
__all__ = ["Fraction", "Product"]

from fractions import Fraction  # noqa: E402


class Product:
    made: ClassVar[int] = 0

    def __init__(self) -> None:
        Product.made += 1
        self.number = Product.made

    def show(self, id: int, tab: str = "info") -> dict[str, Any]:
        return {"id": id, "tab": tab, "number": self.number}

    def open(self, request: crosstie.Request, id: int) -> dict[str, Any]:
        return {"id": id, "kind": request.kind, "target": request.target, "origin": request.origin}

    def echo(self, request: crosstie.Request) -> Any:
        return request.params

    def nothing(self) -> None: ...

    def refuse(self, request: crosstie.Request) -> None:
        request.refuse(crosstie.Status.NO_ACTION, "not today")

    def fail(self) -> None:
        raise ZeroDivisionError("nothing")

    def bad_params(self) -> None:
        raise crosstie.ParamError("of its own", status=crosstie.Status.PARAM, code=-7)

    async def later(self, what: object) -> object:
        await asyncio.sleep(0)
        return what

    @staticmethod
    def static(x: int) -> int:
        return x

    @classmethod
    def kind(cls) -> str:
        return cls.__name__

    def _private(self) -> None: ...

    number: int


class Hidden(Product): ...


class Needs:
    def __init__(self, what: int) -> None: ...

    def show(self) -> None: ...
