#!/bin/sh
# Workers that share a queue on a nats-server: one of them is killed in the middle of a job, then the server. Then a C program
# calls a component of a Python program through the server.
# Needs `make lib python nats` before, and nats-server. Usage: run.sh [<folder to build in>]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-$root/.build/examples}
mkdir -p "$build"
scratch=$(mktemp -d)
workers= server=
trap 'for process in $workers $server; do kill -9 "$process" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
journal=$scratch/journal
: >"$journal"
CROSSTIE_ENGINES=$root/.build/dist/lib
export CROSSTIE_ENGINES

for program in feeder caller; do
    ${CC:-cc} -std=c11 -Wall -Wextra -o "$build/$program-nats" "$here/$program.c" -I "$root/.build/dist/include" \
        -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"
done

# Waits until a command succeeds.
await() {
    for _ in $(seq 600); do
        "$@" && return 0
        sleep 0.1
    done
    echo "this has not come: $*" >&2
    cat "$journal" "$scratch/log" >&2
    exit 1
}

# has <count> <word>: the journal has so many lines that begin with the word
has() { [ "$(grep -c "^$2 " "$journal")" -ge "$1" ]; }

# The first time the server chooses a port, and writes it into a file.
serve() { # <port>
    nats-server --jetstream --store_dir "$scratch/store" --addr 127.0.0.1 --port "$1" --ports_file_dir "$scratch" \
        --log "$scratch/log" &
    server=$!
}
is_serving() { ls "$scratch"/*.ports >/dev/null 2>&1; }

start() { # <program>
    "$root/.build/venv/bin/python" "$here/$1.py" "$address" "$journal" &
    workers="$workers $!"
}

end_workers() {
    for worker in $workers; do
        kill "$worker" && wait "$worker"
    done
    workers=
}

echo "a server and two workers come"
serve -1
await is_serving
port=$(sed -n 's,.*nats://127\.0\.0\.1:\([0-9]*\)".*,\1,p' "$scratch"/*.ports | head -n 1)
address=nats://127.0.0.1:$port/com.example.workers
start worker; start worker
await has 2 ready
echo "jobs 1 to 30 are sent; one worker is killed in the middle of number 13"
"$build/feeder-nats" "$address" 1 30
await has 1 stuck
victim=$(sed -n 's/^stuck //p' "$journal")
kill -9 "$victim"
workers=$(printf '%s\n' $workers | grep -vx "$victim")
await has 30 "done"
echo "another one has done it: $(grep '^done 13 ' "$journal")"
echo "the server is killed, and started again; jobs 31 to 40 are sent"
kill -9 "$server"
wait "$server" 2>/dev/null || true
rm "$scratch"/*.ports
serve "$port"
await is_serving
"$build/feeder-nats" "$address" 31 40
await has 40 "done"
end_workers
grep '^done' "$journal" | sort -n -k 2 | cut -d ' ' -f 2 | uniq | awk '
    $1 == NR { inOrder++ }
    END { print NR " jobs are done: " inOrder " of 40" }'
echo "a C program calls a component of a Python program"
start packer
await has 1 packer
"$build/caller-nats" "$address" 41 43
end_workers
