# The Debian packages: what they contain, and programs that use them unpacked. Installing them for real needs a Debian
# of its own: debian12/run.

check_deb() {
    unset DEBFULLNAME DEBEMAIL
    # Neither packages of debug symbols nor small ones, for the sake of speed.
    DEB_BUILD_OPTIONS=noautodbgsym DPKG_DEB_COMPRESSOR_LEVEL=0 make_quietly deb
    set -- "$root"/.build/deb/*_"$version"-0upstream1_*.deb
    check_names "$@"
    for package; do
        dpkg-deb --extract "$package" stage
        check_files "$package"
    done
    # They hold what `make install` installs.
    make_quietly install DESTDIR="$work/installed" PREFIX=/usr LIBDIR="/usr/lib/$multiarch" >/dev/null
    rm -r installed/usr/share/doc
    mv installed/usr/share/zsh/site-functions installed/usr/share/zsh/vendor-completions
    (cd installed && find . -type f ! -path '*/man/*') | while read -r file; do
        same "installed/$file" "stage/$file" || wrong "$file is not what make install installs"
    done
    check_symbols "$root"/.build/deb/libcrosstie"$soname"_*.deb
    check_copyright "stage/usr/share/doc/libcrosstie$soname/copyright"
    use_unpacked
    ask_for_swift
    lint "$@"
}

# dh_strip also removes what the compilers say of themselves, which is not loaded.
same() { # <file> <file>
    case $1 in
    */bin/crosstie | *.so.*)
        objcopy -O binary "$1" first && objcopy -O binary "$2" second
        cmp first second
        ;;
    *) cmp "$1" "$2" ;;
    esac
}

check_names() { # <package>...
    soname=${version%.*}
    names=$(for package; do dpkg-deb --field "$package" Package; done | grep -v -e -dbgsym | sort | tr '\n' ' ')
    [ "$names" = "crosstie crosstie-nats libcrosstie-dev libcrosstie$soname python3-crosstie " ] || wrong "these packages were built: $names"
}

# Each package holds the files of its kind, and no other.
check_files() { # <package>
    name=$(dpkg-deb --field "$1" Package)
    case $name in
    *-dbgsym) return ;;
    libcrosstie-dev) kind='include/|lib/[^/]*/(libcrosstie.so|pkgconfig/crosstie(-nats)?.pc|cmake/Crosstie/.*)$|share/man/man3/' ;;
    libcrosstie*) kind="lib/[^/]*/libcrosstie.so.$soname|share/lintian/" ;;
    python3-crosstie) kind='lib/python3/dist-packages/crosstie' ;;
    crosstie-nats) kind='lib/[^/]*/libcrosstie-nats.so.0|share/lintian/' ;;
    crosstie) kind='bin/crosstie$|share/(man/man1|bash-completion|fish|zsh)/' ;;
    esac
    dpkg-deb --contents "$1" | sed 's/^\(-\|l\)/& /; s/ -> .*//' | awk '$1 != "d" && NF > 6 { print $NF }' >files
    grep -q . files || wrong "$name is empty"
    ! grep -Ev "^\./usr/($kind|share/doc/$name/)" files || wrong "these files are in $name"
    for part in $(echo "$kind" | sed 's/(.*//; s/|.*//'); do
        grep -q "/usr/$part" files || wrong "$name has no $part"
    done
    for text in copyright changelog.Debian.gz; do
        grep -qx "./usr/share/doc/$name/$text" files || wrong "$name has no $text"
    done
}

# The list that dpkg-shlibdeps reads has each function of the library. The extension's package has used it.
check_symbols() { # <package>
    dpkg-deb --info "$1" symbols | sed -n 's/^ \(ctie_[a-z0-9_]*\)@.*/\1/p' | sort >listed
    nm --dynamic --defined-only "stage/usr/lib/$multiarch/libcrosstie.so" | sed -n 's/.* \(ctie_[a-z0-9_]*\).*/\1/p' | sort >defined
    grep -qx ctie_open listed && diff listed defined || wrong "the list of symbols is not the library's"
    dpkg-deb --field "$root"/.build/deb/python3-crosstie_*.deb Depends | grep -q "libcrosstie$soname (>= " ||
        wrong "the extension's package does not depend on the library's"
}

check_copyright() { # <file>
    for words in 'Permission is hereby granted' 'As an exception, if you use this Software' 'GCC RUNTIME LIBRARY EXCEPTION' \
        'swift-argument-parser'; do
        grep -qF "$words" "$1" || wrong "the copyright file lacks: $words"
    done
}

use_unpacked() {
    PKG_CONFIG_SYSROOT_DIR=$work/stage build_and_run "$work/stage/usr/lib/$multiarch/pkgconfig"
    build_by_cmake "$work/stage/usr"
    library=$work/stage/usr/lib/$multiarch
    LD_LIBRARY_PATH=$library PYTHONPATH=$work/stage/usr/lib/python3/dist-packages /usr/bin/python3 -c \
        'import crosstie; bus = crosstie.Bus("deb"); bus.route("app://x")(lambda: 42); assert bus.open("app://x").value == 42'
    [ "$(stage/usr/bin/crosstie --version)" = "$version" ] || wrong "the tool has another version"
    [ -z "$(readelf -d stage/usr/lib/python3/dist-packages/crosstie/*.so | grep -E 'RPATH|RUNPATH')" ] ||
        wrong "the extension looks for the library where it was built"
    gzip -dc stage/usr/share/man/man1/crosstie.1.gz | grep -q '^\.TH CROSSTIE 1' || wrong "there is no crosstie(1)"
}

# Build-Depends cannot name Swift, so that debian/rules asks for it.
ask_for_swift() {
    echo 'echo "Swift version 6.2.4 (swift-6.2.4-RELEASE)"' | stand_in swift
    ! (cd "$root/.build/deb/crosstie-$version" && PATH=$work/bin:$PATH debian/rules override_dh_auto_configure) >output 2>&1 ||
        wrong "it builds with a Swift that is too old"
    says '6.2, but 6.3 or later'
}

lint() { # <package>...
    lintian --fail-on error,warning --info "$@" >lintian.log 2>&1 || { cat lintian.log; exit 1; }
}
