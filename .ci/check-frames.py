#!/usr/bin/python3
"""Compares the checked-in files with what frames.py makes from docs/join-format.json."""

import sys

import frames

wrong = [path for path, content in frames.made().items() if not path.exists() or path.read_text() != content]
for path in wrong:
    print(f"{path.relative_to(frames.ROOT)} differs from docs/join-format.json: run .ci/frames.py")
if wrong:
    sys.exit(1)
print("the frames' constants and tables are those of docs/join-format.json")
