#!/bin/sh
# Builds the C host of the demo and plays the demo. Needs `make lib python` before; `make demo` does it all.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/.build/demo
mkdir -p "$build"

${CC:-cc} -std=c11 -Wall -Wextra -o "$build/host" "$here/host.c" -I "$root/.build/dist/include" \
    -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"
exec "$root/.build/venv/bin/python" "$here/demo.py" "$root/.build/venv/bin/python" "$build/host"
