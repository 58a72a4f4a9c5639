"""Prints how many lines of each folder the tests run, and the files below the goal.

Usage: report.py <root> <summary of llvm-cov> <report of coverage.py>
"""

import collections
import json
import pathlib
import sys

GOAL = 95.0  # per cent of a folder's lines

#: The lines of a file: all of them, and those that were run.
Lines = tuple[int, int]


def core_files(path: str, root: pathlib.Path) -> dict[str, Lines]:
    """The sources of the library and the extension, by their paths under the root."""
    found = {}
    for file in json.loads(pathlib.Path(path).read_text())["data"][0]["files"]:
        name = pathlib.Path(file["filename"])
        if name.is_relative_to(root) and ".build" not in name.parts:
            lines = file["summary"]["lines"]
            found[str(name.relative_to(root))] = (lines["count"], lines["covered"])
    return found


def python_files(path: str) -> dict[str, Lines]:
    """The modules of the Python package, which was tested where it is installed."""
    found = {}
    for name, file in json.loads(pathlib.Path(path).read_text())["files"].items():
        inside = name.rpartition("site-packages/")[2]
        totals = file["summary"]
        found[f"bindings/python/src/{inside}"] = (totals["num_statements"], totals["covered_lines"])
    return found


def percent(lines: Lines) -> float:
    return 100.0 * lines[1] / lines[0] if lines[0] else 100.0


def main() -> None:
    files = core_files(sys.argv[2], pathlib.Path(sys.argv[1])) | python_files(sys.argv[3])
    folders: dict[str, list[Lines]] = collections.defaultdict(list)
    for name, lines in files.items():
        folders[str(pathlib.Path(name).parent)].append(lines)
    print(f"{'lines':>7} {'run':>7} {'':>7}  folder")
    for folder in sorted(folders):
        sums = (sum(each[0] for each in folders[folder]), sum(each[1] for each in folders[folder]))
        print(f"{sums[0]:7} {sums[1]:7} {percent(sums):6.1f}%  {folder}")
    print(f"\nfiles below {GOAL:.0f} %:")
    for name in sorted(files, key=lambda each: percent(files[each])):
        if percent(files[name]) < GOAL:
            print(f"{files[name][0]:7} {files[name][1]:7} {percent(files[name]):6.1f}%  {name}")


main()
