"""Checks of decorators' arguments."""

from __future__ import annotations
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any



def check_text(value: Any, decorator: str, needed: str) -> None:
    """Refuse at once a decorator without the text that it needs; a bare one gets the decorated function instead.

    decorator  as it is written, such as "@bus.route".
    needed     the name of the text, such as "pattern".
    """
    if isinstance(value, str):
        return
    if callable(value):
        raise TypeError(f'{decorator} needs the {needed}: write {decorator}("{needed}")')
    raise TypeError(f"the {needed} is a str, not {type(value).__name__}")


def check_function(value: Any, decorator: str) -> None:
    """Refuse at once an argument that is not the decorated function."""
    if not callable(value):
        raise TypeError(f"{decorator} decorates a function; its options are keywords, not {type(value).__name__}")
