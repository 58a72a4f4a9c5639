"""Engines of installed packages, for groups on a server: the entry points of the group `crosstie.engines`.

An entry point has the name of an engine, "nats", and is the path of its library.
"""

from __future__ import annotations

from . import _crosstie

#: The engine of each scheme of an address.
ENGINES = {"nats": "nats", "tls": "nats"}

_looked_for: set[str] = set()


def load_engine(scheme: str) -> None:
    """Load the engine for addresses of a scheme, if a package has it.

    The library finds it by its name, after the directory in CROSSTIE_ENGINES and its own directory, and before those of
    the system. So a package that is broken is only a warning: there may be another engine.
    """
    engine = ENGINES.get(scheme)
    if engine is None or engine in _looked_for:
        return
    from importlib.metadata import entry_points

    _looked_for.add(engine)
    for entry in entry_points(group="crosstie.engines", name=engine):
        try:
            _crosstie._load_library(entry.load())
        except Exception as error:
            import logging

            where = entry.dist.name if entry.dist is not None else entry.value
            logging.getLogger("crosstie").warning("the engine of the package %s cannot be loaded: %s", where, error)
        else:
            break
