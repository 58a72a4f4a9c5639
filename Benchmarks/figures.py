"""The figure that all turns of a program give together."""

import statistics
from typing import NamedTuple

# Work that waits for somebody, or that one can do but once: the median of the turns. Else the best of them.
WAITING = ("listener", "paused", "fan", "queue", "synced", "beside", "load", "trip", "async", "growth", "join", "server")


class Figure(NamedTuple):
    """One subject's figure for a piece of work."""

    value: float  # that counts: the median of work that waits, else the minimum
    minimum: float
    median: float
    maximum: float

    @property
    def spread(self):
        """How far the turns lie apart: a share of their median."""
        return (self.maximum - self.minimum) / self.median if self.median else 0.0


def figure_of(work, turns):
    median, least = statistics.median(turns), min(turns)
    return Figure(median if work.startswith(WAITING) else least, least, median, max(turns))
