#!/bin/sh
# Starts an application four times: later ones hand their links to the first. Needs `make lib` before.
# Usage: run.sh [<folder to build in>]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-$root/.build/examples}
mkdir -p "$build"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_RUNTIME_DIR="$scratch" # no instance of this user's is reached

${CC:-cc} -std=c11 -Wall -Wextra -o "$build/notes" "$here/notes.c" -I "$root/.build/dist/include" \
    -L "$root/.build/dist/lib" -lcrosstie -Wl,-rpath,"$root/.build/dist/lib"

# start <name> [<link>]: starts it once more, and prints what it and the first one say.
start() {
    name=$1
    shift
    echo "$name: $("$build/notes" "$@")"
    read -r line <&3
    echo "first: $line"
}

mkfifo "$scratch/output"
"$build/notes" com-example-notes://notes/1 >"$scratch/output" &
exec 3<"$scratch/output"
read -r line <&3
echo "first: $line"
start second com-example-notes://notes/2
start third
start fourth com-example-notes://quit
wait
