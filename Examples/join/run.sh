#!/bin/sh
# A program in C exports a component, and a program in Python calls it. Needs `make lib python` before.
# Usage: run.sh [<folder to build in>]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-$root/.build/examples}
mkdir -p "$build"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

${CC:-cc} -std=c11 -Wall -Wextra -o "$build/stock" "$here/stock.c" -I "$root/.build/dist/include" \
    -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"
"$root/.build/venv/bin/python" "$here/till.py" "$build/stock" "$scratch/group"
