#!/usr/bin/python3
"""Prints the symbols file of the library's package: symbols.py <sources> <version of the soname>

The functions and the versions that they are in since come from the headers. dpkg-gensymbols compares the list with the
library.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sources, soversion = Path(sys.argv[1]).resolve(), sys.argv[2]
sys.path.insert(0, str(sources / ".ci"))
import headers  # noqa: E402  it is no package


def since(function: headers.Function) -> str:
    found = re.search(r"@since (\d+\.\d+(?:\.\d+)?)", function.doc)
    return found[1] if found else sys.exit(f"{function.name}: no @since")


print(f"libcrosstie.so.{soversion} libcrosstie{soversion} #MINVER#")
print("* Build-Depends-Package: libcrosstie-dev")
for function in sorted(headers.parse(sources / "include").functions, key=lambda each: each.name):
    print(f" {function.name}@CTIE_{soversion} {since(function)}")
