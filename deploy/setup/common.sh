# Sourced by the scripts of deploy/ and tests/: phases with elapsed time, quiet commands, root.

# phase TEXT: what happens now, with the seconds since the outermost script began.
export PLIMSOLL_SETUP_BEGAN=${PLIMSOLL_SETUP_BEGAN:-$EPOCHSECONDS}
phase() { printf '[%4d s] %s\n' $((EPOCHSECONDS - PLIMSOLL_SETUP_BEGAN)) "$*"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# quietly COMMAND...: shows nothing of a command that succeeds, and the end of one that fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" != 0 ]; then
        tail -n 60 "$log" >&2
        printf '%s: failed (%d): %s\n' "${0##*/}" "$status" "$*" >&2
    fi
    rm -f "$log"
    return "$status"
}

# as_root COMMAND...: runs it directly or with sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -- "$@"
    else
        die "needs root for: $*
Run it as root, or install sudo."
    fi
}

# Where what is downloaded once per machine and user is kept.
plimsoll_cache=${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll
