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

# make_steps: a folder with the scripts that run steps, and the table in stdin.
make_steps() {
    rm -rf .ci && mkdir .ci && ln -s "$root"/.ci/*.py .ci/
    cat >.ci/steps
}

# steps <expected status>: runs the table of make_steps; what it prints goes to the file `output`.
steps() {
    status=0
    PROGRESS_EVERY=1 .ci/steps.py some >output 2>&1 || status=$?
    [ "$status" = "$1" ] || { cat output; wrong "the steps ended with $status, not $1"; }
}

# A step with one lane runs beside another, but not beside one that holds the same, and not beside one with both lanes: `meet`
# waits for the file of another step, and `alone` fails if another step runs.
check_steps() {
    cat >meet <<'EOF'
touch "$1"; until [ -e "$2" ]; do sleep 0.1; done
EOF
    cat >alone <<'EOF'
mkdir "$1" && sleep 0.5 && rmdir "$1"
EOF
    make_steps <<'EOF'
== other
never  1                   false
== some
left   1                   timeout 60 sh meet l r  # a comment
right  1 after=never       timeout 60 sh meet r l
first  1 holds=thing,a     sh alone place
second 1 holds=thing,a     sh alone place
whole  2                   sh alone place
third  1 holds=a           sh alone place
last   0 after=third,left  echo 3 passed, 0 failed
EOF
    steps 0
    says '^ok  *last  *3 passed, 0 failed'
    says '^9 passed, 0 failed$'
    says_nothing_of never
}

# A step fails with its log's tail, and so do those that come after it; the others run. The reasons come again at the end.
check_failing() {
    make_steps <<'EOF'
== build
good   1               true
== some
build-it 1             true
bad    1               sh -c 'echo FAILED first; echo what is wrong; exit 3'
next   1 after=bad     touch made
later  1 after=next    touch made
other  1               echo 2 passed, 1 skipped
EOF
    steps 1
    says '^FAILED  bad  *0 passed, 1 failed'
    says '| what is wrong'
    says '^bad: FAILED first'
    says 'bad.log (exit status 3)'
    says '^FAILED  later  *not run: next failed'
    says '^2 passed, 3 failed$'
    [ ! -e made ] || wrong "a step ran although one that it comes after has failed"
    printf '== some\na 1 after=b true\n' | make_steps
    steps 1 # no step has that name
}

# A quiet step that ends only when its progress line is in the log; otherwise the time limit ends it.
check_progress() {
    make_steps <<'EOF'
== some
quiet 1 timeout 60 sh -c 'until grep -q "^[.]* *quiet" output; do sleep 0.1; done'
EOF
    steps 0
    PROGRESS_EVERY=1 "$root/.ci/progress" loud timeout 60 sh -c 'until grep -q "^[.]* *loud" output; do sleep 0.1; done' \
        2>>output || { cat output; exit 1; }
    status=0
    "$root/.ci/progress" failing sh -c 'exit 3' || status=$?
    [ "$status" = 3 ] || wrong "a command that ended with 3 is said to have ended with $status"
}

# Ctrl-C ends a step together with its command.
check_interrupt() {
    make_steps <<'EOF'
== some
slow 1 sh -c 'echo $$ >process; exec sleep 3600'
EOF
    "${PYTHON:-/usr/bin/python3}" "$root/Tests/Packaging/interrupt.py" process .ci/steps.py some ||
        wrong "Ctrl-C does not end a step"
}

# CI leaves out no part of the tests and no check.
check_table() {
    sed 's/#.*//' "$root/.ci/steps" >table
    targets=$(sed -n 's/^\(test-[a-z]*\):.*/\1/p' "$root/Makefile" "$root/Tests/nats.mk" | grep -vx 'test-wheels')
    for command in $(cd "$root" && ls .ci/check-*) $targets; do
        grep -q -- " $command$" table || wrong "no step runs $command"
    done
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
