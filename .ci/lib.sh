# Sourced by the scripts beside it: runs steps, quiet if they succeed, and prints one tally at the end.

cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
. .ci/progress.sh
BUILD=$ROOT/.build
DIST=$BUILD/dist
LOGS=$BUILD/logs
SWIFT_BIN=$(dirname "$(readlink -f "$(command -v swiftc)")")
STEP_LIMIT=${STEP_LIMIT:-1800} # seconds; only a watchdog
export MAKEFLAGS=--no-print-directory
passed=0
failed=0

# Prints "passed failed" for the log of a step: the sums of a known closing line, or one for the step itself.
counts() {
    log=$1 status=$2
    awk -v status="$status" '
        # Swift Testing: "Test run with 12 tests in 3 suites passed after 0.1 seconds."
        match($0, /Test run with [0-9]+ tests?/) { split(substr($0, RSTART, RLENGTH), word, " "); swift += word[4]; seen = 1 }
        /(Test|Suite) .* failed after/ && !/Suite|Test run/ { bad++ }
        # pytest and the scripts here: "12 passed, 1 failed", in either order.
        /^scenarios:/ { next }
        match($0, /[0-9]+ passed/) { good += substr($0, RSTART, RLENGTH) + 0; seen = 1 }
        match($0, /[0-9]+ failed/) { bad += substr($0, RSTART, RLENGTH) + 0; seen = 1 }
        match($0, /[0-9]+ errors? in [0-9]/) { bad += substr($0, RSTART, RLENGTH) + 0 }
        END {
            if (swift) good += swift - bad
            if (!seen) good = (status == 0)
            if (status != 0 && !bad) bad = 1
            print good + 0, bad + 0
        }' "$log"
}

# step <name> <command...>: runs it with its output in a log, which is shown if it fails, and prints that it is running.
step() {
    name=$1
    shift
    mkdir -p "$LOGS"
    begin=$(date +%s)
    status=0
    begin_progress "$name" alone
    # --foreground: in a process group of its own the command would not get Ctrl-C.
    timeout --foreground --kill-after=10 "$STEP_LIMIT" "$@" >"$LOGS/$name.log" 2>&1 </dev/null || status=$?
    end_progress
    set -- $(counts "$LOGS/$name.log" "$status")
    passed=$((passed + $1))
    failed=$((failed + $2))
    verdict=ok
    [ "$status" -eq 0 ] || verdict=FAILED
    printf '%-6s  %-20s %5d passed, %d failed  (%d s)\n' "$verdict" "$name" "$1" "$2" $(($(date +%s) - begin))
    if [ "$status" -ne 0 ]; then
        tail -n 60 "$LOGS/$name.log" | sed 's/^/    | /'
        echo "    the whole of it: ${LOGS#"$ROOT"/}/$name.log (exit status $status)"
    fi
}

# Adds the closing line of a script that uses finish; a script without one has failed.
add_tally() {
    tally=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$1" | tail -n 1)
    set -- ${tally:-0 1}
    passed=$((passed + $1))
    failed=$((failed + $2))
}

section() { printf '\n== %s\n' "$*"; }

# Prints the closing line; the status is the script's.
finish() {
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}
