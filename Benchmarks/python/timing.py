"""How every benchmark in Python measures and reports."""

import asyncio
import statistics
import time
import timeit

ROUNDS = 15
TIME_NS = 300_000_000  # no further round after this
TRIPS = 400
JOBS = 5_000


def report(work, who, figure):
    print(f"{work}\t{who}\t{figure:.2f}", flush=True)


def in_rounds(one_round, count):
    """The time of one of so many, in nanoseconds: a figure for each round, none started after the time allowed."""
    figures, start = [], time.perf_counter_ns()
    while not figures or len(figures) < ROUNDS and time.perf_counter_ns() - start < TIME_NS:
        begin = time.perf_counter_ns()
        one_round()
        figures.append((time.perf_counter_ns() - begin) / count)
    return figures


def measure(work, who, statement, names, count=20_000):
    """Reports what a statement takes in the best round; it sees these names as a function's own."""
    setup = "; ".join(f"{name} = names[{name!r}]" for name in names) or "pass"
    timer = timeit.Timer(statement, setup, globals={"names": names})
    report(work, who, min(in_rounds(lambda: timer.timeit(count), count)))


def measure_trips(work, who, trip):
    """Reports what a function takes that waits for another thread: the median of the rounds."""
    trip()
    timer = timeit.Timer("trip()", globals={"trip": trip})
    report(work, who, statistics.median(in_rounds(lambda: timer.timeit(TRIPS), TRIPS)))


def measure_awaited(work, who, trip, prepare=lambda: None):
    """The same of what is awaited, in an event loop, in which `prepare` runs first."""

    async def one_round():
        for _ in range(TRIPS):
            await trip()

    async def first_trip():
        prepare()
        await trip()

    with asyncio.Runner() as runner:
        runner.run(first_trip())
        report(work, who, statistics.median(in_rounds(lambda: runner.run(one_round()), TRIPS)))


def measure_jobs(work, who, jobs):
    """Reports what one of many jobs takes in the best round; `jobs` hands over so many and waits for them all."""
    report(work, who, min(in_rounds(lambda: jobs(JOBS), JOBS)))


def run_each(*programs):
    """Runs what is installed of these; of the others it says that they are left out."""
    for program in programs:
        try:
            program()
        except ImportError as error:
            print(f"# skipped: {program.__name__} ({error})", flush=True)
