"""How many tests a step has passed and failed, by its log."""

import re

SWIFT = re.compile(r"Test run with (\d+) tests?")
SWIFT_FAILED = re.compile(r"^(?!.*(?:Suite|Test run)).*Test .* failed after")
PASSED = re.compile(r"(\d+) passed")  # of pytest and of the scripts here, in either order
FAILED = re.compile(r"(\d+) failed")
ERRORS = re.compile(r"(\d+) errors? in \d")


def counts(log: str, status: int) -> tuple[int, int]:
    """The sums of the closing lines that are known. A log without one counts as one test."""
    swift = good = bad = 0
    seen = False
    for line in log.splitlines():
        if match := SWIFT.search(line):
            swift += int(match[1])
            seen = True
        bad += bool(SWIFT_FAILED.match(line))
        if line.startswith("scenarios:"):
            continue
        if match := PASSED.search(line):
            good += int(match[1])
            seen = True
        if match := FAILED.search(line):
            bad += int(match[1])
            seen = True
        if match := ERRORS.search(line):
            bad += int(match[1])
    if swift:
        good += swift - bad
    if not seen:
        good = int(status == 0)
    if status != 0 and not bad:
        bad = 1
    return good, bad
