"""The docstrings of components and their actions, as `inspect.getdoc()` finds them, without its import."""

from __future__ import annotations

_LIMIT = 4096  # bytes in a listing


def doc_of(thing: object, kind: type) -> str:
    """Return the docstring of a class, of its instance or of a method, shortened for listings. A method may inherit it."""
    doc = getattr(thing, "__doc__", None)
    if doc is None and kind.__mro__[1:-1]:
        import inspect

        doc = inspect.getdoc(thing)
    return _within(clean(doc), _LIMIT) if isinstance(doc, str) else ""


def clean(doc: str) -> str:
    """Return a docstring without the indentation of the source."""
    first, *others = doc.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in others if line.lstrip()), default=0)
    lines = [first.lstrip(), *(line[margin:] for line in others)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def _within(text: str, limit: int) -> str:
    return text.encode(errors="replace")[:limit].decode(errors="ignore")
