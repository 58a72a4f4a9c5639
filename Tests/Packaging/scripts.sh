# The build scripts: the packages that setup installs, and the progress lines of long steps.

# stand_in <command>: what it prints is read from stdin.
stand_in() {
    mkdir -p bin
    { echo '#!/bin/sh'; cat; } >"bin/$1"
    chmod +x "bin/$1"
}

# setup <expected status> <part>...: with the replaced commands; its output goes to the file `output`.
setup() {
    expected=$1
    shift
    status=0
    PATH=$work/bin:$PATH "$root/packaging/setup-debian.sh" --check "$@" >output 2>&1 || status=$?
    [ "$status" = "$expected" ] || { cat output; wrong "setup $* ended with $status, not $expected"; }
}

says() { grep -q -- "$1" output || { cat output; wrong "it does not say: $1"; }; }
says_nothing_of() { ! grep -q -- "$1" output || { cat output; wrong "it speaks of: $1"; }; }

check_setup() {
    echo 'echo "Swift version 6.3 (swift-6.3-RELEASE)"' | stand_in swift
    # Everything is installed, in Debian 13's names.
    {
        echo 'cat <<EOF'
        sed -n 's/^ *[a-z]*="\(.*\)/\1/p; s/^    \([a-z][^=$]*\)$/\1/p' "$root/packaging/setup-debian.sh" | tr -d '"' |
            tr ' ' '\n' | grep -vx 'libcurl4\|pkg-config\|' | sed 's/.*/installed,&,/'
        echo 'installed,libcurl4t64,libcurl4 (= 8.14.1-2)'
        echo 'installed,pkgconf,something, pkg-config (= 1.8.1-4)'
        echo EOF
    } | stand_in dpkg-query
    setup 0 lib tool python tests

    # A part asks for what it needs, and for nothing else.
    echo 'echo installed,something,' | stand_in dpkg-query
    setup 1 lib
    says libjansson-dev
    for other in cmake valgrind libglib xdg-utils chromium python3-venv ' git'; do
        says_nothing_of "$other"
    done
    setup 1
    says python3-setuptools
    says_nothing_of valgrind
    setup 64 nothing

    # Swift comes first.
    echo 'echo "Swift version 6.2.4 (swift-6.2.4-RELEASE)"' | stand_in swift
    setup 1
    says '6.2, but 6.3 or later'
    says_nothing_of libjansson
    for good in 6.3.1 6.10 7.0-dev; do
        echo "echo 'Swift version $good (swift)'" | stand_in swift
        setup 1
        says libjansson
    done
}

# A quiet step that ends only when its progress line is in the log; otherwise the time limit ends it.
check_progress() {
    mkdir parts && ln -s "$root/.ci" .ci
    cat >parts/part <<EOF
. "$root/.ci/lib.sh"
step quiet timeout 60 sh -c 'until grep -q "^[.]* *quiet" output; do sleep 0.1; done'
finish
EOF
    PROGRESS_EVERY=1 sh parts/part >output || { cat output; exit 1; }
    PROGRESS_EVERY=1 "$root/.ci/progress" loud timeout 60 sh -c 'until grep -q "^[.]* *loud" output; do sleep 0.1; done' \
        2>>output || { cat output; exit 1; }
    status=0
    "$root/.ci/progress" failing sh -c 'exit 3' || status=$?
    [ "$status" = 3 ] || wrong "a command that ended with 3 is said to have ended with $status"
}

# Ctrl-C ends a step together with its command.
check_interrupt() {
    mkdir -p parts && ln -sfn "$root/.ci" .ci
    cat >parts/slow <<EOF
. "$root/.ci/lib.sh"
step slow sh -c 'echo \$\$ >parts/process; exec sleep 3600'
EOF
    "${PYTHON:-/usr/bin/python3}" "$root/Tests/Packaging/interrupt.py" parts/process sh parts/slow ||
        wrong "Ctrl-C does not end a step"
}

# Nothing here can run a code host's workflow or a container: only their commands are checked.
check_workflow() {
    sed -n 's/^ *- run: //p' "$root/.github/workflows/ci.yml" >commands
    grep -qx '\.ci/run' commands || wrong "the workflow does not run .ci/run"
    while read -r command rest; do
        case $command in
        */*) [ -x "$root/$command" ] || wrong "there is no $command" ;;
        *) command -v "$command" >/dev/null || wrong "there is no $command" ;;
        esac
    done <commands
    grep -qx 'packaging/setup-debian.sh lib tool python tests' commands || wrong "the workflow does not set up every part"
    grep -qx 'COPY packaging/setup-debian.sh /tmp/' "$root/Dockerfile" &&
        grep -qx 'RUN /tmp/setup-debian.sh lib tool python tests' "$root/Dockerfile" || wrong "the container does not set up every part"
    [ "$(sed -n 's/^FROM //p' "$root/Dockerfile")" = "$(sed -n 's/^ *image: //p' "$root/.github/workflows/ci.yml")" ] ||
        wrong "the workflow and the container have different images"
    python3 -m json.tool "$root/.devcontainer/devcontainer.json" >/dev/null
}
