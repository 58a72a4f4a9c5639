"""The installed wheel, in an environment with nothing else."""

import sys

import crosstie

bus = crosstie.Bus("consumer")


@bus.route("app://answer")
def answer(request):
    return 42


def foreign_libraries():
    """Libraries that the wheel should contain but that come from elsewhere."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    names = ("libcrosstie", "liblmdb", "libjansson")
    return [path for path in paths if any(name in path for name in names) and not path.startswith(sys.prefix)]


if bus.open("app://answer").value != 42:
    sys.exit("the answer is not 42")
if foreign_libraries():
    sys.exit(f"loaded from outside: {foreign_libraries()}")
