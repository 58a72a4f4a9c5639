#!/bin/sh
# Installs the Debian packages that parts of the project need: setup-debian.sh [--check] [lib] [tool] [python] [tests]
#
# Without parts it installs those of `make`: lib and python. If this user may not run apt-get, it prints the
# command to run, and fails. With --check it never installs.
set -eu

# The needs of a Swift toolchain that was unpacked onto a bare Debian, and those of the library's build.
# g++ brings the matching C++ library.
lib="gcc g++ libc6-dev binutils make pkg-config python3 liblmdb-dev libjansson-dev
    ca-certificates libcurl4 libncurses6 libsqlite3-0 libxml2 tzdata zlib1g-dev"
# The argument parser is downloaded.
tool="git"
python="libpython3-dev python3-venv python3-setuptools python3-wheel"
# Beside build tools and checkers: a browser and its driver, for the sign-in test, a reader of QR codes,
# a sandbox, and Doxygen for the headers' comments.
tests="git cmake valgrind xdg-utils libglib2.0-dev chromium chromium-driver zbar-tools
    bubblewrap doxygen"

checks=""
packages=""
for argument; do
    case $argument in
        --check) checks=yes ;;
        lib) packages="$packages $lib" ;;
        tool) packages="$packages $tool" ;;
        python) packages="$packages $python" ;;
        tests) packages="$packages $tests" ;;
        *) echo "usage: $0 [--check] [lib] [tool] [python] [tests]" >&2 && exit 64 ;;
    esac
done
[ -n "$packages" ] || packages="$lib $python"

# Gives 2 where there is no Swift that runs: it may lack a package.
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

# The names of all that is installed, with what it provides: Debian renames packages (libcurl4 became libcurl4t64).
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
