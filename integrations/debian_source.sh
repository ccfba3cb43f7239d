#!/bin/bash
# Fetches and unpacks the source of a package from Debian, and checks it against the signed index:
#
#   integrations/debian_source.sh PACKAGE VERSION SUITE FOLDER
#
# VERSION is the start of upstream's version (0.78, 1.26). The newest matching version of SUITE is
# fetched. FOLDER/source gets the source with Debian's patches. FOLDER/source/.unpacked is written
# last, when the source is complete. A complete source is not fetched again.
#
# The script compares every file with the checksums in the index, whose signature apt has verified.
# apt itself is not enough: it leaves a broken download under its final name, and only its exit status
# shows the error. The exit status is not reliable either: it is also an error if a mirror lacks
# upstream's signature (.asc), which is not needed.
#
# Needs dpkg-dev and apt. The system's apt configuration is not changed. Files come from the system's
# own Debian mirror. DEBIAN_MIRROR=URL sets another mirror, DEBIAN_KEYRING=FILE another file with
# Debian's archive key.
set -euo pipefail

keyring=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

[ $# -eq 4 ] || fail "usage: ${0##*/} PACKAGE VERSION SUITE FOLDER"
package=$1 version=$2 suite=$3 folder=$4
[ ! -e "$folder/source/.unpacked" ] || exit 0
for tool in apt-get dpkg-source sha256sum; do
    command -v "$tool" >/dev/null || fail "$tool is not installed (Debian: apt dpkg-dev)"
done
[ -r "$keyring" ] || fail "cannot read $keyring (Debian: debian-archive-keyring)"

mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' \
    'Label: Debian' | head -n 1)}
[ -n "$mirror" ] || fail "this system has no Debian mirror, or needs apt-get update:" \
    "set DEBIAN_MIRROR=URL"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
echo "deb-src [signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<END
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
Acquire::Retries "3";
Acquire::http::Timeout "60";
END
export APT_CONFIG=$apt/apt.conf

echo "$package $version: fetching the source of Debian $suite"
apt-get -qq update
apt-cache showsrc --only-source "$package" >"$apt/index"
full=$(sed -n 's/^Version: //p' "$apt/index" | grep "^${version//./\\.}[-.+]" | sort -V | tail -n 1) ||
    fail "Debian $suite no longer has $package $version"
awk -v wanted="$full" '
    /^Version: / { version = $2 }
    /^[^ ]/ { sums = 0 }
    /^Checksums-Sha256:/ { sums = 1; next }
    /^$/ { if (version == wanted) printf "%s", found; version = found = "" }
    sums && $3 !~ /\.asc$/ { found = found $1 "  " $3 "\n" }
    END { if (version == wanted) printf "%s", found }' "$apt/index" | sort -u >"$apt/sums"
dsc=$(sed -n 's/^[0-9a-f]*  \(.*\.dsc\)$/\1/p' "$apt/sums")
[ -n "$dsc" ] || fail "the index of Debian $suite lists no files of $package $full"

(cd "$folder" && apt-get -qq source --only-source --download-only "$package=$full") ||
    echo "(some files are not available; the required files are checked now)"
(cd "$folder" && sha256sum --check --quiet apt/sums) ||
    fail "the source of $package $full differs from Debian's index; it was not unpacked"
rm -rf "$folder/source"
(cd "$folder" && dpkg-source -q --no-check -x "$dsc" source)
touch "$folder/source/.unpacked"
