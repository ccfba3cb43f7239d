# Small Debian systems of packages, made by mmdebstrap as root. Other scripts source this file.

debian_mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
debian_keys=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_root ROOT SUITE ARCHITECTURE VARIANT PACKAGE,… OPTION… makes a new folder ROOT from this
# machine's mirror, with further options of mmdebstrap. It tries three times, because apt's own
# retries do not cover an update that fails as a whole. A copy of the unstable suite may be older
# than its Valid-Until date.
debian_root() {
    local pause
    for pause in 5 20 ''; do
        rm -rf "$1"
        mmdebstrap --quiet --variant="$4" --architectures="$3" --include="$5" \
            --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Retries "3"' \
            --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr "${@:6}" \
            "$2" "$1" "deb [signed-by=$debian_keys] $debian_mirror $2 main" && return
        [ "$pause" ] || return 1
        echo "again in $pause s: $2 for $3"
        sleep "$pause"
    done
}

# debian_inside ROOT USER COMMAND… runs a command in it. Mounts and processes that are left end with
# the namespace.
debian_inside() {
    mkdir -p "$1/dev" "$1/proc" # the variant "extract" has none
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -ec '
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        exec chroot --userspec="$2" "$1" "${@:3}"' bash "$1" "$2:$2" "${@:3}"
}

# debian_source SUITE PACKAGE FOLDER unpacks the upstream source of a package, which Debian signs, into
# a new folder FOLDER.
debian_source() {
    local work=$3.apt
    rm -rf "$3" "$work"
    mkdir -p "$3" "$work"/{lists/partial,cache/archives/partial}
    echo "deb-src [signed-by=$debian_keys] $debian_mirror $1 main" >"$work/sources.list"
    local apt=(apt-get -q -o Dir::Etc::sourcelist="$work/sources.list"
        -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$work/lists"
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Retries=3)
    "${apt[@]}" update &&
        (cd "$work" && "${apt[@]}" source --download-only "$2") &&
        rm -f "$work"/*.asc && # its name is like the archive's; apt has checked the archive
        tar xf "$work/$2"_*.orig.tar.* --strip-components=1 -C "$3" || return
    rm -rf "$work"
}
