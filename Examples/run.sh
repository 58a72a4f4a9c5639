#!/bin/sh
# Builds and runs every example and compares what it prints. Needs `make lib python` before.
# Usage: Examples/run.sh [c] [engine] [redis] [cpp] [python] [swift] [app] [workers] [join] [instance] [start] [howto] [nats]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
build=$root/.build/examples
packages=$root/.build/packages/debug
mkdir -p "$build"
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
cd "$here"

# compare <expected output> <command…>
compare() {
    expected=$1
    shift
    "$@" >"$build/output" || { echo "$1 failed"; exit 1; }
    diff -u "$expected" "$build/output"
    echo "ok: ${expected#"$root/"}"
}

# c <expected output> <source or flag>...
c() {
    expected=$1 program=$build/$(basename "$1" .expected)
    shift
    ${CC:-cc} -std=c11 -Wall -Wextra -o "$program" "$@" -I "$root/.build/dist/include" \
        -L "$root/.build/dist/lib" -lcrosstie -pthread -Wl,-rpath,"$root/.build/dist/lib"
    compare "$expected" "$program"
}

run_c() {
    for source in "$here"/c/*.c "$here"/ports/*.c; do c "${source%.c}.expected" "$source"; done
}

# An engine over a directory of files, with workers that are killed.
run_engine() { c "$here/c/engine.expected" "$here"/c/engine/*.c; }

# A transport over a server, which is killed and started again. Needs Debian's redis-server and libhiredis-dev.
run_redis() { c "$here/c/redis.expected" "$here"/c/redis/*.c -lhiredis; }

# cpp <source> <program> [<flag>...]
cpp() {
    source=$1 program=$2
    shift 2
    ${CXX:-c++} -std=c++17 -Wall -Wextra "$@" -o "$program" "$source" -I "$root/.build/dist/include" \
        -L "$root/.build/dist/lib" -lcrosstie -pthread -Wl,-rpath,"$root/.build/dist/lib"
}

run_cpp() {
    for source in "$here"/cpp/*.cpp "$here"/ports/*.cpp; do
        name=$(basename "$source" .cpp)
        cpp "$source" "$build/$name-cpp"
        compare "${source%.cpp}.expected" "$build/$name-cpp"
    done
    mkdir -p "$build/cpp-plugin"
    cpp "$here/cpp/plugin/greeter.cpp" "$build/cpp-plugin/greeter.so" -shared -fPIC
    cpp "$here/cpp/plugin/host.cpp" "$build/cpp-plugin/host"
    compare "$here/cpp/plugin.expected" "$build/cpp-plugin/host"
}

run_python() {
    for source in "$here"/python/*.py "$here"/python/*/__main__.py "$here"/ports/*.py; do
        program=${source%/__main__.py} # a folder is run as a whole
        compare "${program%.py}.expected" "$root/.build/venv/bin/python" "$program"
    done
}

run_swift() {
    for package in "$here"/swift/*/; do
        name=$(basename "$package")
        "$root/.ci/build-package" "$package"
        compare "$here/swift/$name.expected" "$packages/$name"
    done
    "$root/.ci/build-package" "$here/ports"
    for source in "$here"/ports/*.swift; do
        name=$(basename "$source" .swift)
        [ "$name" != Package ] || continue
        compare "${source%.swift}.expected" "$packages/$name"
    done
}

# One program with parts in all three languages.
run_app() {
    "$root/.ci/build-package" "$here/app"
    PYTHONPATH=$here/app/plugins:$("$root/.build/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONPATH PYTHONDONTWRITEBYTECODE
    compare "$here/app.expected" "$packages/App"
}

# Several processes that share a queue.
run_workers() { compare "$here/workers.expected" "$here/workers/run.sh" "$build"; }

# The same over a nats-server, which is killed, too. Needs `make nats`, and Debian's nats-server.
run_nats() { compare "$here/nats.expected" "$here/nats/run.sh" "$build"; }

# A process that calls a component of another one.
run_join() { compare "$here/join.expected" "$here/join/run.sh" "$build"; }

# An application whose later starts hand their links to the first.
run_instance() { compare "$here/instance.expected" "$here/instance/run.sh" "$build"; }

# The programs of the first pages of the documentation.
run_start() { compare "$here/start.expected" "$here/start/run.sh" "$build"; }

# The programs of the pages with one task each.
run_howto() {
    for expected in "$here"/howto/*.expected; do
        compare "$expected" "$here/howto/run.sh" "$build" "$(basename "$expected" .expected)"
    done
}

for language in ${*:-c engine redis cpp python swift app workers join instance start howto nats}; do
    "run_$language"
done
