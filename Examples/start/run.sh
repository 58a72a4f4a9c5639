#!/bin/sh
# The programs of docs/start.md and docs/embedding.md. Needs `make lib python` before. Usage: run.sh [<folder to build in>]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-$root/.build/examples}/start
mkdir -p "$build"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=$root/.build/venv/bin/python

compile() { # <program> [<flag>...]
    name=$1
    shift
    ${CC:-cc} -std=c11 -Wall -Wextra -o "$build/$name" "$here/$name.c" -I "$root/.build/dist/include" "$@" \
        -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"
}

compile shop
compile till
# shellcheck disable=SC2046 # the flags are several words
compile embed $(pkg-config --cflags --libs python3-embed)

echo "== the shop in C"
"$build/shop"
echo "== the shop in Python"
"$python" "$here/shop.py"
echo "== messages between two processes"
"$build/till" "$scratch/group"
"$python" "$here/packer.py" "$scratch/group"
echo "== Python inside a C program"
PYTHONPATH=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))') PYTHONDONTWRITEBYTECODE=1 "$build/embed"
