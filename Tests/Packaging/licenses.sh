# License texts, and the name of the wheel.
texts="LICENSE NOTICE $(cd "$root/packaging/licenses" && echo *)"

wheel() { ls "$root"/.build/wheels/*.whl; }

check_texts() { # <folder>
    for text in $texts; do
        source=$root/packaging/licenses/$text
        [ -e "$source" ] || source=$root/$text
        cmp "$source" "$(find "$1" -name "$text" -type f)" || wrong "$text is not in $1"
    done
    for words in 'MIT License' 'OpenLDAP Public License' 'Petri Lehtinen' 'Runtime Library Exception to the Apache 2.0' \
        'GNU GENERAL PUBLIC LICENSE' 'GCC RUNTIME LIBRARY EXCEPTION'; do
        grep -rqF "$words" "$1" || wrong "no text in $1 has: $words"
    done
}

check_licenses() {
    make_quietly install DESTDIR="$work/stage" PREFIX=/usr >/dev/null
    check_texts "$work/stage/usr/share/doc/crosstie"

    python3 -m zipfile -e "$(wheel)" wheel
    check_texts "$(echo "$work"/wheel/crosstie-*.dist-info)"
    [ "$(grep -c '^License-File: ' wheel/*.dist-info/METADATA)" = "$(echo "$texts" | wc -w)" ] ||
        wrong "the wheel's metadata does not name every text"
    for library in wheel/crosstie.libs/*.so*; do
        name=$(basename "$library")
        grep -qF "(${name%%-*})" "$root/NOTICE" || wrong "NOTICE does not name $name, which the wheel holds"
    done
}

# Distributions from 2021 on can take it.
check_wheel() {
    PATH=$root/.build/venv/bin:$PATH auditwheel show "$(wheel)" >output
    tr '\n' ' ' <output | grep -q '"manylinux_2_34_x86_64"' || { cat output; exit 1; }
    case $(wheel) in
    *-manylinux_2_34_x86_64.whl) ;;
    *) wrong "it is called $(wheel)" ;;
    esac
}
