#!/bin/sh
# Builds and runs the two hosts that embed Python: one in C, one in Swift. Needs `make lib python` before.
# Usage: Tests/Hosts/run.sh [c] [swift]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/.build/hosts
python=$root/.build/venv/bin/python
mkdir -p "$build"

PYTHONPATH=$here:$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

run_c() {
    parts=$here/swift/Sources
    # shellcheck disable=SC2046 # the flags are several words
    ${CC:-cc} -std=gnu11 -Wall -Wextra -o "$build/host" "$here/c/host.c" "$parts"/CPart/*.c "$parts"/CInterpreter/*.c \
        -I "$parts/CPart/include" -I "$parts/CInterpreter/include" \
        -I "$root/.build/dist/include" $(pkg-config --cflags --libs python3-embed) \
        -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"
    "$build/host"
}

run_swift() {
    "$root/.ci/build-package" "$here/swift"
    "$root/.build/packages/debug/Host"
}

for host in ${*:-c swift}; do
    echo "== a host in $host"
    "run_$host"
done
