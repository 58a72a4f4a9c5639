# Sourced by the scripts beside it: the places of the results, and one tally at the end.

cd "$(dirname "$0")/.." || exit 1
ROOT=$PWD
BUILD=$ROOT/.build
DIST=$BUILD/dist
SWIFT_BIN=$(dirname "$(readlink -f "$(command -v swiftc)")")
export MAKEFLAGS=--no-print-directory
passed=0
failed=0

# Prints the closing line; the status is the script's.
finish() {
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}
