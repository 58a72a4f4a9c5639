"""Parts of `typing` that classes and decorators need when they are made. Type checkers see the real things.

The module `typing` takes longer to import than everything that a small program uses of this package. Annotations need
none of it: they are texts, and their names are imported for type checkers alone.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Generic as Generic
    from typing import NamedTuple as NamedTuple
    from typing import TypedDict as TypedDict
    from typing import cast as cast
    from typing import overload as overload
else:
    from collections import namedtuple

    class _Record(type):
        """Makes a named tuple of a class's annotations and defaults."""

        def __new__(meta, name, bases, namespace):
            fields = namespace.pop("__annotations__")
            defaults = [namespace.pop(field) for field in fields if field in namespace]
            made = namedtuple(name, fields, defaults=defaults, module=namespace.pop("__module__"))
            made.__annotations__ = fields
            for key, value in namespace.items():
                setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_Record, "NamedTuple", (), {})

    class TypedDict(dict):
        """The base of dicts with known keys."""

        def __init_subclass__(cls, *, total=True):
            cls.__total__ = total

    class Generic:
        """The base of classes with parameters, which only type checkers read."""

        __slots__ = ()

        def __class_getitem__(cls, parameters):
            return cls

    def cast(kind, thing):
        return thing

    def overload(function):
        return function
