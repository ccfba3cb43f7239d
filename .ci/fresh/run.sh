#!/bin/bash
# Runs README's two commands as a new user does: in a clone of the last commit, on a Debian that has
# only the packages that README requires, as an unprivileged user, without caches. It runs both
# without Python's headers, then, with --full, make demo again with them in the same clone. The network
# only gives access to pip's package index.
#
#   .ci/fresh/run.sh DIRECTORY [--full]
#
# Needs root and mmdebstrap. Without them it uses this machine, with an empty HOME and a PATH that
# holds only programs of the system's packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
checkout=$(cd "$here/../.." && pwd)
packages=python3,python3-venv,gcc,libc6-dev,make,git

# Copies this machine's settings for the package index: variables and files.
environment=(LANG=C.UTF-8 PIP_NO_CACHE_DIR=1)
while IFS= read -r name; do
    environment+=("$name=${!name}")
done < <(compgen -e | grep -iE '^(PIP_.*|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|https?_proxy|no_proxy)$')
files=(/etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs
    "${PIP_CERT:-}" "${PIP_CONFIG_FILE:-}" "${PIP_FIND_LINKS:-}" "${SSL_CERT_FILE:-}"
    "${REQUESTS_CA_BUNDLE:-}")

clone() { # FOLDER
    rm -rf "$1"
    git -c safe.directory='*' clone --quiet --no-hardlinks "$checkout" "$1"
}

if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
    echo "== this machine, with an empty HOME"
    rm -rf "$work/home"
    mkdir -p "$work/home"
    clone "$work/home/rijn"
    cd "$work/home/rijn"
    env -i PATH=/usr/bin:/bin HOME="$work/home" "${environment[@]}" .ci/fresh/stranger.sh
    exit
fi

source "$here/../../python/tests/debian.sh"
root=$work/root
echo "== bookworm, with ${packages//,/ }"
debian_root "$root" bookworm "$(dpkg --print-architecture)" minbase "$packages"
present=()
for file in "${files[@]}"; do
    [ -e "$file" ] && present+=("${file#/}")
done
tar -C / --create --dereference "${present[@]}" | tar -C "$root" --extract
chroot "$root" useradd --create-home stranger
clone "$root/home/stranger/rijn"
chroot "$root" chown -R stranger: /home/stranger

inside() { # USER COMMAND...
    debian_inside "$root" "$1" \
        env -i --chdir=/home/stranger/rijn PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/home/stranger "${environment[@]}" "${@:2}"
}

inside stranger .ci/fresh/stranger.sh
if [ "${2:-}" != --full ]; then
    echo "SKIPPED make demo, with python3-dev: every other stage has it; use --full"
    rm -rf "$root"
    exit
fi
echo "== with python3-dev"
inside root bash -ec '
    apt-get -q -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false update
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        -o Acquire::Retries=3 install python3-dev'
inside stranger make demo # make test is, with them, what every other machine runs
inside stranger .venv/bin/python -c 'import rijn._native'
echo "PASSED make demo, with python3-dev"
rm -rf "$root"
