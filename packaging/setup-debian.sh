#!/bin/sh
# Installs the Debian packages that building needs: setup-debian.sh [--check] [--tests]
#
# Where this user may not run apt-get it prints the command to run, and fails. With --check it never installs; with
# --tests it looks for what the tests need, too.
set -eu

PACKAGES="gcc g++ libc6-dev binutils make pkg-config git
    liblmdb-dev libjansson-dev libpython3-dev python3 python3-venv
    cmake valgrind xdg-utils libglib2.0-dev"

# A browser and what drives it, for somebody to sign in there, and a reader of QR codes.
TEST_PACKAGES="chromium chromium-driver zbar-tools"

# What the Swift toolchain itself needs, where it was unpacked onto a bare Debian.
SWIFT_PACKAGES="ca-certificates libcurl4 libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 tzdata zlib1g-dev"

installed() {
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

checks=""
for argument; do
    case $argument in
        --check) checks=yes ;;
        --tests) PACKAGES="$PACKAGES $TEST_PACKAGES" ;;
        *) echo "usage: $0 [--check] [--tests]" >&2 && exit 64 ;;
    esac
done

missing=""
if command -v dpkg-query >/dev/null; then
    for package in $PACKAGES $SWIFT_PACKAGES; do
        installed "$package" || missing="$missing $package"
    done
else
    echo "This is not a Debian system; install by hand what corresponds to:" $PACKAGES >&2
fi

if [ -n "$missing" ]; then
    install="apt-get install -y --no-install-recommends$missing"
    if [ -z "$checks" ] && [ "$(id -u)" = 0 ]; then
        as_root=""
    elif [ -z "$checks" ] && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        printf 'Some packages are missing. Run this, then try again:\n    sudo apt-get update && sudo %s\n' "$install" >&2
        exit 1
    fi
    echo "installing:$missing"
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive $install -qq >/dev/null
fi

if ! swift --version >/dev/null 2>&1; then
    echo "There is no working 'swift' on the path. Swift 6.3 or later: https://www.swift.org/install/linux/" >&2
    exit 1
fi
