#!/bin/sh
# Installs the Debian packages for parts of the project:
# setup-debian.sh [--check] [lib] [tool] [python] [nats] [nats-tests] [deb] [tests]
#
# Without arguments the parts are those of `make`: lib and python. If this user may not run apt-get it prints the
# command, and fails. With --check it never installs.
set -eu

# The dependencies of the Swift toolchain, if it was unpacked onto a bare Debian, and those of the library. g++ brings
# its C++ library.
lib="gcc g++ libc6-dev binutils make pkg-config python3 liblmdb-dev libjansson-dev
    ca-certificates libcurl4 libncurses6 libsqlite3-0 libxml2 tzdata zlib1g-dev"
# The argument parser is fetched.
tool="git"
python="libpython3-dev python3-venv python3-setuptools python3-wheel"
# The client of nats-servers, and the keys that log in there.
nats="gcc libc6-dev make pkg-config libjansson-dev libnats-dev libssl-dev"
deb="dpkg-dev debhelper dh-python"
# Tools for building and checking; a session bus; a browser and its driver, for signing in; a reader of QR codes; a
# sandbox; systemd for its cleaner of temporary files (the cleaner's own package removes systemd) and for busctl. Doxygen
# reads the headers' comments, Graphviz draws the pages' pictures, and lintian checks Debian packages. A server that
# keeps records, and its client's library, for the example of a transport.
tests="git cmake meson valgrind xdg-utils desktop-file-utils libglib2.0-bin libglib2.0-dev dbus-daemon chromium
    chromium-driver zbar-tools bubblewrap systemd doxygen graphviz lintian redis-server libhiredis-dev"
# Servers for the tests over them, and the certificates of these servers.
servers="nats-server openssl"

checks=""
packages=""
for argument; do
    case $argument in
        --check) checks=yes ;;
        lib) packages="$packages $lib" ;;
        tool) packages="$packages $tool" ;;
        python) packages="$packages $python" ;;
        nats) packages="$packages $nats" ;;
        deb) packages="$packages $deb" ;;
        nats-tests) packages="$packages $nats $servers" ;;
        tests) packages="$packages $deb $nats $servers $tests" ;;
        *) echo "usage: $0 [--check] [lib] [tool] [python] [nats] [nats-tests] [deb] [tests]" >&2 && exit 64 ;;
    esac
done
[ -n "$packages" ] || packages="$lib $python"

# Returns 2 if Swift does not run: it may lack a package.
check_swift() {
    command -v swift >/dev/null || {
        echo "There is no 'swift' on the path. Swift 6.3 or later: https://www.swift.org/install/linux/" >&2
        exit 1
    }
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
    [ -n "$version" ] || return 2
    major=${version% *} minor=${version#* }
    [ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -ge 3 ]; } || {
        echo "$(command -v swift) is Swift $major.$minor, but 6.3 or later is needed: https://www.swift.org/install/linux/" >&2
        exit 1
    }
}

# The names of all installed packages, with those that they provide: Debian renames packages (libcurl4 became
# libcurl4t64).
installed() {
    dpkg-query --show --showformat='${db:Status-Status},${Package},${Provides}\n' 2>/dev/null |
        sed -n 's/^installed,//p' | tr ',' '\n' | sed 's/^ *//; s/[ :(].*//'
}

swift_runs=yes
check_swift || swift_runs=""

missing=""
if command -v dpkg-query >/dev/null; then
    present=$(installed)
    for package in $(printf '%s\n' $packages | awk '!seen[$0]++'); do
        printf '%s\n' "$present" | grep -Fqx "$package" || missing="$missing $package"
    done
else
    echo "This is not a Debian system; install by hand what corresponds to:" $packages >&2
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

[ "$swift_runs" ] || check_swift || {
    echo "$(command -v swift) does not run; try: swift --version" >&2
    exit 1
}
