#!/bin/sh
# Prints the table of `make bench`. Needs `make lib python` before.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# The curves of growth have no peers.
case " $* " in *" --only growth "*) ;; *) "$here/setup.sh" ;; esac
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/env python3 "$here/run.py" "$@"
