#!/bin/sh
# Plays every scenario in C, Python and Swift, on what `make lib python` has built.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$PWD/.build
dist=$build/dist
status=0

mkdir -p "$build/scenarios"
echo "C:"
${CC:-gcc} -std=gnu11 -O1 -g -Wall -Wextra -Werror -pthread ${SCENARIO_FLAGS:-} -I "$dist/include" \
    -o "$build/scenarios/player" Tests/Scenarios/runners/c/*.c -L "$dist/lib" -lcrosstie -Wl,-rpath,"$dist/lib" &&
    ${SCENARIO_UNDER:-} "$build/scenarios/player" Tests/Scenarios || status=1

echo "Python:"
"$build/venv/bin/python" Tests/Scenarios/runners/python/player.py Tests/Scenarios || status=1

echo "Swift:"
log=$build/scenarios/swift.log
swift test -j "${JOBS:-2}" --filter ScenarioTests >"$log" 2>&1 || {
    status=1
    grep -E '✘|↳|error:' "$log"
}
grep -E '^scenarios:|^[0-9]+ passed' "$log"
exit $status
