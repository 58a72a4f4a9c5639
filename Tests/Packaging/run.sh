#!/bin/sh
# Installing and removing, the licenses, and the build scripts. Needs `make lib tool wheel wheel-nats` before. Usage: run.sh
# [<check>...]; each check is a function of one of the files beside this one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/.build/packaging
version=$(awk '/define CTIE_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' \
    "$root/include/crosstie/version.h")
. "$here/install.sh"
. "$here/licenses.sh"
. "$here/nats.sh"
. "$here/deb.sh"
. "$here/scripts.sh"
. "$here/release.sh"

# Ends a check, which runs in a shell of its own, with what is wrong.
wrong() {
    echo "$*"
    exit 1
}

# Exit 77 means skipped: what this system does not allow.
passed=0
failed=0
for check in ${*:-prefix multiarch destdir uninstall recipe licenses wheel wheel_nats deb setup steps failing table progress interrupt workflow release signature}; do
    work=$build/$check
    rm -rf "$work" && mkdir -p "$work" || exit 1
    (set -e; cd "$work"; "check_$check") >"$build/$check.log" 2>&1 </dev/null
    case $? in
    0) passed=$((passed + 1)) ;;
    77) echo "skipped: $check: $(tail -n 1 "$build/$check.log")" ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: $check"
        cat "$build/$check.log"
        ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
