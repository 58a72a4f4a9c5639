"""multiprocessing by fork and by spawn."""

import multiprocessing
import warnings

import crosstie

# From 3.12 on Python warns of what is tried here.
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)

bus = crosstie.Bus("parent")
bus.routes.add("app://twice/:x", lambda x: int(x) * 2)


def work(x: int) -> int:
    with crosstie.Bus("child") as mine:
        mine.routes.add("app://twice/:x", lambda x: int(x) * 2)
        result: int = mine.open_async(f"app://twice/{x}").result().value
    return result


if __name__ == "__main__":
    bus.open_async("app://twice/1").result()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(work, range(8)) == [2 * x for x in range(8)]
    assert bus.open("app://twice/3").value == 6
