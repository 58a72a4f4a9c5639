#!/bin/sh
# Workers that share a queue, one of them killed in the middle of a job, and all of them away for a while.
# Needs `make lib python` before. Usage: run.sh [<folder to build in>]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-$root/.build/examples}
mkdir -p "$build"
scratch=$(mktemp -d)
workers=
trap 'for worker in $workers; do kill -9 "$worker" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
journal=$scratch/journal
: >"$journal"

${CC:-cc} -std=c11 -Wall -Wextra -o "$build/feeder" "$here/feeder.c" -I "$root/.build/dist/include" \
    -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"

feed() { "$build/feeder" "$scratch/group" "$1" "$2"; }

start() {
    "$root/.build/venv/bin/python" "$here/worker.py" "$scratch/group" "$journal" &
    workers="$workers $!"
}

stop() {
    for worker in $workers; do
        kill "$worker" && wait "$worker"
    done
    workers=
}

# Waits until the journal has so many lines that begin with a word.
await() { # <count> <word>
    for _ in $(seq 600); do
        [ "$(grep -c "^$2 " "$journal")" -lt "$1" ] || return 0
        sleep 0.1
    done
    echo "there are not $1 lines of '$2'" >&2
    cat "$journal" >&2
    exit 1
}

echo "three workers come"
start; start; start
await 3 ready
echo "jobs 1 to 30 are sent; one worker is killed in the middle of number 13"
feed 1 30
await 1 stuck
victim=$(sed -n 's/^stuck //p' "$journal")
kill -9 "$victim"
workers=$(printf '%s\n' $workers | grep -vx "$victim")
await 30 "done"
echo "another one has done it: $(grep '^done 13 ' "$journal")"
stop
echo "no worker is there; jobs 31 to 40 are sent"
feed 31 40
echo "one worker comes"
start
await 40 "done"
stop
grep '^done' "$journal" | sort -n -k 2 | uniq -c | awk '
    $1 == 1 && $3 == NR { inOrder++ }
    END { print NR " jobs are done, " inOrder " of them once" }'
