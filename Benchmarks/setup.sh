#!/bin/sh
# Installs the peers that `make bench` measures beside this project: from Debian where root may, and from PyPI into the
# build folder. A peer that is missing afterwards is skipped with a line that says so.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
packages="golang-go golang-github-julienschmidt-httprouter-dev libhttp-parser-dev libzmq3-dev liblmdb-dev
    libsqlite3-dev libsystemd-dev libdbus-1-dev dbus-daemon redis-server libhiredis-dev mosquitto libmosquitto-dev nats-server
    libnats-dev libglib2.0-dev pkg-config"

missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing="$missing $package"
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ]; then
        # shellcheck disable=SC2086 # a list of names
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
    else
        echo "peers are missing; to have them: sudo apt-get install$missing"
    fi
fi

"$root/.build/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --target "$root/.build/bench/python" --upgrade -r "$root/Benchmarks/python/requirements.txt" ||
    echo "the Python peers could not be installed"
