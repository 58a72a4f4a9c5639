# `make install` and `make uninstall`, with all the places that they take.
consumers=$here/../Consumers
multiarch=$(gcc -print-multiarch)

make_quietly() { make -C "$root" --no-print-directory --silent "$@"; }

# build_and_run <folder that pkg-config looks into>: an outside program, which the loader has to find the library for.
build_and_run() {
    # shellcheck disable=SC2046 # flags are several words
    gcc -o consumer "$consumers/consumer.c" $(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs crosstie)
    LD_LIBRARY_PATH=${1%/pkgconfig} ./consumer
}

build_by_cmake() { # <prefix>
    rm -rf cmake
    cmake -S "$consumers/cmake" -B cmake -DCMAKE_PREFIX_PATH="$1" >cmake.log || { cat cmake.log; exit 1; }
    cmake --build cmake >cmake.log || { cat cmake.log; exit 1; }
    cmake/consumer && cmake/consumer_cxx
}

# In a prefix that the loader does not search, install prints the steps; each of them is tried.
check_prefix() {
    prefix=$work/prefix
    make_quietly install PREFIX="$prefix" >output
    cp "$consumers/consumer.c" program.c
    grep -q ldconfig output || wrong "install did not say how the loader finds the library"
    eval "$(sed -n 's/.*\(export PKG_CONFIG_PATH=.*\)/\1/p' output)"

    eval "$(sed -n 's/^ *\(cc .*\)/\1/p' output)"
    ./a.out || wrong "the way by -rpath does not work"
    cc program.c $(pkg-config --cflags --libs crosstie)
    ! ./a.out 2>/dev/null || wrong "the loader finds the library without any of the ways: this check checks nothing"
    (eval "$(sed -n 's/^ *\(export LD_LIBRARY_PATH=.*\)/\1/p' output)" && ./a.out) ||
        wrong "the way by LD_LIBRARY_PATH does not work"
}

# Programs ask for the library by its soname, which before 1.0 has the minor number: a link of that name leads to it.
check_links() { # <directory>
    soname=libcrosstie.so.${version%.*}
    readelf -d "$1/libcrosstie.so" | grep -q "SONAME.*\[$soname\]" || wrong "the soname is not $soname"
    [ "$(readlink "$1/libcrosstie.so") $(readlink "$1/$soname")" = "$soname libcrosstie.so.$version" ] ||
        wrong "the links are others: $(ls -l "$1")"
}

# LIBDIR below the prefix, in a tree that is moved afterwards; and elsewhere.
check_multiarch() {
    make_quietly install PREFIX="$work/usr" LIBDIR="$work/usr/lib/$multiarch" >/dev/null
    [ "$(ls usr/lib)" = "$multiarch" ] || wrong "there is more in lib than LIBDIR: $(ls usr/lib)"
    [ "$(PKG_CONFIG_PATH=$work/usr/lib/$multiarch/pkgconfig pkg-config --modversion crosstie)" = "$version" ] ||
        wrong "pkg-config tells another version"
    check_links "$work/usr/lib/$multiarch"
    build_and_run "$work/usr/lib/$multiarch/pkgconfig"
    mv usr moved
    build_by_cmake "$work/moved"

    make_quietly install PREFIX="$work/here" LIBDIR="$work/there/lib" >/dev/null
    build_and_run "$work/there/lib/pkgconfig"
    build_by_cmake "$work/there"
}

# Staged files name their final paths, and work from the stage.
check_destdir() {
    make_quietly install DESTDIR="$work/stage" PREFIX=/usr LIBDIR="/usr/lib/$multiarch" >output
    grep -q 'ldconfig afterwards' output || wrong "install did not say who runs ldconfig"
    [ "$(ls stage)" = usr ] || wrong "something is staged beside /usr: $(ls stage)"
    ! grep -rl --include='*.pc' --include='*.cmake' --include='*.h' "$work" stage || wrong "these name the stage"
    PKG_CONFIG_SYSROOT_DIR=$work/stage build_and_run "$work/stage/usr/lib/$multiarch/pkgconfig"
    build_by_cmake "$work/stage/usr"
}

# Nothing stays, and nothing else goes.
check_uninstall() {
    mkdir -p prefix/bin prefix/lib/cmake/Other prefix/include/crosstie prefix/share/doc/other
    touch prefix/lib/libcrosstie.so.99 prefix/lib/cmake/Other/file prefix/include/crosstie/others.h \
        prefix/share/doc/other/copyright prefix/bin/other
    install_and_remove prefix PREFIX="$work/prefix"
    mkdir empty stage
    install_and_remove empty PREFIX="$work/empty" LIBDIR="$work/empty/lib/$multiarch"
    install_and_remove stage DESTDIR="$work/stage" PREFIX=/usr/local

    mkdir -p system/usr/bin
    make_quietly install DESTDIR="$work/system" PREFIX=/usr >/dev/null
    make_quietly uninstall DESTDIR="$work/system" PREFIX=/usr >/dev/null
    [ -d system/usr/bin ] || wrong "uninstall has removed a directory of the system"
}

install_and_remove() { # <directory> <places...>
    directory=$1
    shift
    find "$directory" ! -path '*/usr*' | sort >before
    make_quietly install "$@" >/dev/null
    [ "$(find "$directory" -name libcrosstie.so)" ] || wrong "install $* has installed nothing"
    make_quietly uninstall "$@" >/dev/null
    find "$directory" ! -path '*/usr*' | sort >after
    diff before after || wrong "install and uninstall $*: this is not as it was before"
    [ -z "$(find "$directory/usr" -not -type d 2>/dev/null)" ] || wrong "something stays below $directory/usr"
}

# The recipe of README.md, as root on a system of its own: the real one is not touched.
check_recipe() {
    unshare --map-root-user --mount true 2>/dev/null || { echo "this system allows no namespaces"; exit 77; }
    cp "$root/Examples/c/first.c" program.c
    sed -n '/^\*\*C and C++/,/^```cmake/{/^```sh/,/^```/p}' "$root/README.md" | sed '/^```/d' >recipe
    grep -q 'make install' recipe || wrong "README.md has no recipe any more where this looks for it"
    cp -a /etc etc 2>/dev/null || :
    unshare --map-root-user --mount "$here/on-own-system" "$work" "$root"
}
