#!/bin/sh
# The programs of docs/how-to. Needs `make lib python` before. Usage: run.sh <folder to build in> <program>
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1/howto
mkdir -p "$build"
dist=$root/.build/dist

compile() { # <name> <output> [<flag>...]
    name=$1 output=$2
    shift 2
    ${CC:-cc} -std=c11 -Wall -Wextra -D_POSIX_C_SOURCE=200809L -o "$build/$output" "$here/$name.c" -I "$dist/include" "$@" \
        -L "$dist/lib" -lcrosstie -pthread -Wl,-rpath,"$dist/lib"
}

# A pkg-config file as `make install` writes it, for the library in .build/dist.
describe_library() {
    sed "s|@PREFIX@|$dist|; s|@LIBDIR@|$dist/lib|; s|@VERSION@|0.1.0|" "$root/packaging/crosstie.pc.in" >"$build/crosstie.pc"
}

case $2 in
    plugins)
        compile plugins_lamp lamp.so -shared -fPIC
        compile plugins plugins
        "$build/plugins" "$build/lamp.so"
        ;;
    loops_glib)
        # shellcheck disable=SC2046 # the flags are several words
        compile loops_glib loops_glib $(pkg-config --cflags --libs glib-2.0)
        "$build/loops_glib"
        ;;
    logging)
        compile logging logging
        "$build/logging" 2>&1
        ;;
    shipping)
        scratch=$(mktemp -d)
        trap 'rm -rf "$scratch"' EXIT
        describe_library
        PKG_CONFIG_PATH=$build "$here/shipping.sh" "$root/Examples/start/shop.c" "$scratch/built"
        mv "$scratch/built" "$scratch/moved"
        (cd "$scratch/moved" && ls bin lib)
        env -i LD_TRACE_LOADED_OBJECTS=1 "$scratch/moved/bin/shop" |
            sed -n "s|.*=> $scratch/moved/bin/../\(lib/libcrosstie[^ ]*\).*|loads \1|p"
        env -i "$scratch/moved/bin/shop"
        ;;
    *)
        if [ -f "$here/$2.py" ]; then
            "$root/.build/venv/bin/python" "$here/$2.py"
        else
            compile "$2" "$2"
            "$build/$2"
        fi
        ;;
esac
