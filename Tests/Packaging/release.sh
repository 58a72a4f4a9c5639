# The release script, on a small repository with the files that it reads.

# A repository with a release of the version in its header, ready but for the changelog.
make_repository() {
    for file in include/crosstie/version.h bindings/python/pyproject.toml bindings/python/setup.py \
        bindings/python-nats/pyproject.toml packaging/crosstie.3 \
        "packaging/abi-${version%.*}.txt" packaging/release; do
        mkdir -p "source/${file%/*}" && cp "$root/$file" "source/$file"
    done
    printf '.build/\n' >source/.gitignore
    printf '# Changes\n\n## %s, not released yet\n' "$version" >source/CHANGELOG.md
    HOME=$work GIT_CONFIG_NOSYSTEM=1
    export HOME GIT_CONFIG_NOSYSTEM
    git -c init.defaultBranch=main init -q source
    git -C source config user.name tester && git -C source config user.email tester@example.com
    commit
}

commit() { git -C source add -A && git -C source commit -q -m "a commit"; }

# release <expected status> <argument>...: its output goes to the file `output`.
release() {
    expected=$1
    shift
    status=0
    source/packaging/release "$@" >output 2>&1 || status=$?
    [ "$status" = "$expected" ] || { cat output; wrong "release $* ended with $status, not $expected"; }
}

has_tag() { git -C source rev-parse --quiet --verify "refs/tags/v$version" >/dev/null; }

check_release() {
    make_repository
    release 64 --nothing
    release 1 --dry-run
    says "WRONG  the changelog"
    [ ! -e source/.build ] || wrong "it has made something although a check failed"

    sed -i 's/, not released yet/, 2030-01-02/' source/CHANGELOG.md
    release 1 --dry-run
    says "WRONG  the work tree"
    commit
    release 0 --dry-run
    ! has_tag || wrong "a dry run has made a tag"
    (cd source/.build/release && sha256sum --check --quiet SHA256SUMS)
    tar -tzf "source/.build/release/crosstie-$version.tar.gz" | grep -qx "crosstie-$version/include/crosstie/version.h" ||
        wrong "the tarball lacks a header"
    stamp=$(od -An -tx1 -j4 -N4 "source/.build/release/crosstie-$version.tar.gz" | tr -d ' ')
    [ "$stamp" = 00000000 ] || wrong "the tarball has the time of its making, so its sum is another each time"

    sed -i "s/^version = .*/version = \"9.9.9\"/" source/bindings/python/pyproject.toml
    commit
    release 1 --dry-run
    says "WRONG  pyproject.toml"
    git -C source reset -q --hard HEAD~1

    printf 'test:\n\tfalse\n' >source/Makefile
    commit
    release 2 --dry-run --test
    printf 'test:\n\t@test -e include/crosstie/version.h && ! test -e .git && echo tested\n' >source/Makefile
    commit
    release 0 --dry-run --test
    says tested

    release 0
    has_tag || wrong "there is no tag"
    release 1
    says "WRONG  there is no tag"
}

check_signature() {
    command -v gpg >/dev/null || { echo "there is no gpg"; exit 77; }
    make_repository
    GNUPGHOME=$(mktemp -d) # a short path: the agent's socket is in it
    export GNUPGHOME
    trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
    gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key tester@example.com ed25519 sign never
    git -C source config user.signingkey tester@example.com
    sed -i 's/, not released yet/, 2030-01-02/' source/CHANGELOG.md
    commit
    release 0
    gpg --batch --quiet --verify source/.build/release/SHA256SUMS.asc source/.build/release/SHA256SUMS
    git -C source verify-tag "v$version"
}
