# The wheel crosstie-nats: its name, its licenses, and a virtual environment that has nothing else for nats-servers.
nats_wheel() { ls "$root"/.build/wheels-nats/*.whl; }

use_nats_wheel() { # <python> <what>
    env -u CROSSTIE_ENGINES -u LD_LIBRARY_PATH -u PYTHONPATH PYTHONDONTWRITEBYTECODE=1 \
        "$1" -P "$here/use_nats_wheel.py" "$2"
}

check_wheel_nats() {
    case $(nats_wheel) in
    *-py3-none-manylinux_2_34_x86_64.whl) ;;
    *) wrong "it is called $(nats_wheel)" ;;
    esac
    python3 -m zipfile -e "$(nats_wheel)" wheel
    texts=$(find wheel -path '*.dist-info/licenses/*' -type f)
    for words in 'MIT License' 'Apache License' 'Petri Lehtinen' 'protobuf-c authors'; do
        grep -lF "$words" $texts >/dev/null || wrong "no text in the wheel has: $words"
    done
    for library in wheel/crosstie_nats.libs/*.so*; do
        name=$(basename "$library")
        grep -qE "[ (]${name%-*}[,)]" "$root/bindings/python-nats/NOTICE" ||
            wrong "NOTICE does not name $name, which the wheel holds"
    done

    python3 -m venv venv
    install="venv/bin/pip install --quiet --disable-pip-version-check --no-index"
    $install --find-links "$root/.build/wheels" crosstie
    use_nats_wheel venv/bin/python missing
    $install --find-links "$root/.build/wheels" --find-links "$root/.build/wheels-nats" 'crosstie[nats]'
    use_nats_wheel venv/bin/python used
    use_nats_wheel venv/bin/python replaced
}
