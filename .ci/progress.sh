# Sourced: prints a line now and then about the running step, so that a long step does not look stuck.

# begin_progress <what> [alone]: until end_progress, a line every PROGRESS_EVERY seconds; or, alone on a terminal, one
# line that counts. The command itself has to stay in the foreground: in the background it would not get Ctrl-C.
begin_progress() {
    counting=
    if [ "${2:-}" ] && [ -t 1 ]; then counting=yes; fi
    tell_progress "$1" "$(date +%s)" &
    progress=$!
}

end_progress() {
    kill "$progress" 2>/dev/null
    wait "$progress" 2>/dev/null || :
    [ -z "$counting" ] || printf '\r\033[K'
}

# It ends with the script, also if the script is killed.
tell_progress() {
    pause=${PROGRESS_EVERY:-8} nap=
    [ -z "$counting" ] || pause=1
    trap 'kill $nap 2>/dev/null; exit 0' TERM
    while :; do
        sleep "$pause" </dev/null >/dev/null 2>&1 &
        nap=$!
        wait "$nap"
        kill -0 $$ 2>/dev/null || exit 0
        line=$(printf '%-6s  %-20s %5d s' ... "$1" $(($(date +%s) - $2)))
        if [ "$counting" ]; then printf '\r%s' "$line"; else printf '%s\n' "$line"; fi
    done
}
