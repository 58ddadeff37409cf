# Sourced by the scripts of deploy/ and tests/: phases with elapsed time, quiet commands, root.

# phase TEXT: prints the current step, with the seconds since the outermost script began.
export PLIMSOLL_SETUP_BEGAN=${PLIMSOLL_SETUP_BEGAN:-$EPOCHSECONDS}
phase() { printf '[%4d s] %s\n' $((EPOCHSECONDS - PLIMSOLL_SETUP_BEGAN)) "$*"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# quietly COMMAND...: hides the output of a command, and shows its end if the command fails.
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

# as_root COMMAND...: runs it as root, with sudo if needed.
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

# patiently COMMAND...: tries it up to three times, because networks fail now and then.
patiently() {
    local pause
    for pause in 5 20; do
        "$@" && return
        printf '%s: retrying in %d s\n' "${0##*/}" "$pause" >&2
        sleep "$pause"
    done
    "$@"
}

# The folder for downloads that are kept per machine and user.
plimsoll_cache=${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll

# fetch_once FOLDER FILL: creates the folder by calling FILL with an empty one, unless it exists. It appears only when
# it is complete, and only one of several processes creates it.
fetch_once() {
    local folder=$1 fill=$2
    [ ! -e "$folder/.complete" ] || return 0
    mkdir -p "${folder%/*}"
    (
        flock 9
        [ ! -e "$folder/.complete" ] || exit 0
        work=$(mktemp -d "$folder.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        chmod 755 "$work"
        "$fill" "$work"
        touch "$work/.complete"
        rm -rf "$folder"
        mv "$work" "$folder"
    ) 9>"$folder.lock"
}

# pip_into FOLDER: installs the packages that standard input names with their hashes; wheels only, without dependencies.
pip_into() {
    local requirements
    requirements=$(mktemp)
    cat >"$requirements"
    patiently quietly python3 -m pip install --target "$1" --no-deps --no-compile --only-binary :all: \
        --require-hashes -r "$requirements"
    rm -f "$requirements"
}
