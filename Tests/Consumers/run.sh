#!/bin/sh
# Installs the library into an empty prefix, and builds and runs outside projects against it:
# run.sh [pkg_config] [cmake] [fetch] [meson] [swiftpm] [pip] [source]
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/.build/consumers
prefix=$build/prefix
version=$(awk '/define CTIE_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' \
    "$root/include/crosstie/version.h")
flags="-Wall -Wextra -Werror"

pkg_config() {
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    [ "$(pkg-config --modversion crosstie)" = "$version" ] || return 1
    # shellcheck disable=SC2046,SC2086 # flags are several words
    gcc $flags -o "$build/consumer" "$here/consumer.c" $(pkg-config --cflags --libs crosstie) &&
        LD_LIBRARY_PATH=$prefix/lib "$build/consumer" || return 1
    # shellcheck disable=SC2046,SC2086
    g++ -std=c++17 $flags -o "$build/consumer_cpp" "$root/Examples/cpp/first.cpp" $(pkg-config --cflags --libs crosstie) &&
        LD_LIBRARY_PATH=$prefix/lib "$build/consumer_cpp"
}

cmake() {
    command cmake -S "$here/cmake" -B "$build/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" \
        -DCMAKE_CXX_FLAGS="$flags" &&
        command cmake --build "$build/cmake" && "$build/cmake/consumer" && "$build/cmake/consumer_cxx"
}

# A project that builds the library itself. The sources are this tree, in which it is built already.
fetch() {
    rm -rf "$build/fetch"
    command cmake -S "$here/fetch" -B "$build/fetch" -DFETCHCONTENT_SOURCE_DIR_CROSSTIE="$root" -DCMAKE_C_FLAGS="$flags" &&
        command cmake --build "$build/fetch" >"$build/fetch/log" && grep -q 'target crosstie_library' "$build/fetch/log" &&
        "$build/fetch/consumer"
}

# The same in Meson, which knows the version, too.
meson() {
    rm -rf "$build/meson" && mkdir -p "$build/meson/source/subprojects" || return 1
    cp "$here/meson/meson.build" "$here/consumer.c" "$build/meson/source"
    cp "$here/meson/crosstie.wrap" "$build/meson/source/subprojects"
    ln -s "$root" "$build/meson/source/subprojects/crosstie"
    command meson setup "$build/meson/build" "$build/meson/source" -Dwerror=true --force-fallback-for=crosstie >"$build/meson/log" ||
        { cat "$build/meson/log"; return 1; }
    grep -q "crosstie| Project version: $version\$" "$build/meson/log" &&
        command meson compile -C "$build/meson/build" && "$build/meson/build/consumer"
}

# A package is consumed at a version, so the current tree becomes a repository with a tag.
swiftpm() {
    repository=$build/crosstie
    rm -rf "$repository" && mkdir -p "$repository"
    (cd "$root" && git ls-files -z --cached --others --exclude-standard -- Package.swift Sources include Tests/CrosstieTests |
        xargs -0 cp --parents --target-directory="$repository") || return 1
    (cd "$repository" && git init --quiet && git add --all && git -c user.name=t -c user.email=t@t commit --quiet -m t &&
        git tag "$version") || return 1
    # The caches of earlier runs for the tag, but not their builds.
    (cd "$build" && rm -rf swiftpm/checkouts swiftpm/repositories swiftpm/workspace-state.json swiftpm-cache)
    CROSSTIE_REPOSITORY=$repository swift run --package-path "$here/swiftpm" --scratch-path "$build/swiftpm" \
        --cache-path "$build/swiftpm-cache" -j 2 --disable-index-store consumer
    status=$?
    rm -f "$here/swiftpm/Package.resolved"
    [ ! -e "$build/swiftpm/checkouts/swift-argument-parser" ] || { echo "it had to fetch what the tool needs" && return 1; }
    return $status
}

pip() {
    rm -rf "$build/venv"
    make -C "$root" --no-print-directory wheel && /usr/bin/python3 -m venv "$build/venv" &&
        "$build/venv/bin/pip" install --quiet --disable-pip-version-check "$root"/.build/wheels/*.whl &&
        (cd / && "$build/venv/bin/python" "$here/pip/consumer.py")
}

# The content of a source distribution, by a compiler with more warnings than ours: a warning ends the build where the
# project is checked, and nowhere else.
source() {
    python=$root/.build/venv/bin/python
    rm -rf "$build/source" "$root"/bindings/python/src/*.egg-info && mkdir -p "$build/source/python" || return 1
    (cd "$root/bindings/python" && CROSSTIE_PREFIX=$prefix "$python" -c \
        'import sys, setuptools.build_meta as builder; builder.build_sdist(sys.argv[1])' "$build/source") &&
        tar -xzf "$build"/source/*.tar.gz --strip-components=1 -C "$build/source/python" || return 1
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" CFLAGS=-Wpadded
    build_source() { "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
        --wheel-dir "$build/source" "$build/source/python"; }
    ! CROSSTIE_STRICT=1 build_source >"$build/source/log" 2>&1 || { echo "nothing was warned of" && return 1; }
    grep -q 'Werror=padded' "$build/source/log" || { cat "$build/source/log" && return 1; }
    (unset CROSSTIE_STRICT && build_source) && "$python" -m venv "$build/source/venv" &&
        "$build/source/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$build"/source/*.whl &&
        [ "$(cd / && LD_LIBRARY_PATH=$prefix/lib "$build/source/venv/bin/python" -c 'import crosstie; print(crosstie.__version__)')" = "$version" ]
}

rm -rf "$prefix" "$build/cmake"
mkdir -p "$build"
make -C "$root" --no-print-directory --silent install PREFIX="$prefix" >/dev/null || exit 1

passed=0
failed=0
for consumer in ${*:-pkg_config cmake fetch meson swiftpm pip source}; do
    if "$consumer" >"$build/$consumer.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $consumer"
        cat "$build/$consumer.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
