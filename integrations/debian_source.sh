#!/bin/bash
# Fetches and unpacks the source of a package from Debian, as Debian's signed index has it:
#
#   integrations/debian_source.sh PACKAGE VERSION SUITE FOLDER
#
# VERSION is upstream's, as far as it matters (0.78, 1.26); the newest of SUITE that begins so
# is taken. Afterwards FOLDER/source has it, Debian's patches applied, and FOLDER/source/.unpacked,
# written last, says that it is whole. What is there is not fetched again.
#
# Every file is held against the sums in the index, whose signature apt has verified. apt itself
# leaves a file whose transfer broke under its final name, and says so only by its exit status;
# that one means little here, for upstream's own signature (.asc), which nothing needs, may be
# missing from a mirror.
#
# Needs dpkg-dev and apt; nothing of the system's apt configuration is changed. It comes from the
# mirror that the system itself takes Debian from; DEBIAN_MIRROR=URL names another, and
# DEBIAN_KEYRING=FILE another place of Debian's archive key.
set -euo pipefail

keyring=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

[ $# -eq 4 ] || fail "takes PACKAGE VERSION SUITE FOLDER"
package=$1 version=$2 suite=$3 folder=$4
[ ! -e "$folder/source/.unpacked" ] || exit 0
for tool in apt-get dpkg-source sha256sum; do
    command -v "$tool" >/dev/null || fail "$tool is missing (Debian: apt dpkg-dev)"
done
[ -r "$keyring" ] || fail "$keyring is missing (Debian: debian-archive-keyring)"

mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' \
    'Label: Debian' | head -n 1)}
[ -n "$mirror" ] || fail "this system has no mirror of Debian (or needs apt-get update first):" \
    "name one by DEBIAN_MIRROR=URL"

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
    fail "Debian $suite has no $package $version any more"
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
    echo "(not everything was to be had; what matters is checked now)"
(cd "$folder" && sha256sum --check --quiet apt/sums) ||
    fail "the source of $package $full is not what Debian's index says; it was not unpacked"
rm -rf "$folder/source"
(cd "$folder" && dpkg-source -q --no-check -x "$dsc" source)
touch "$folder/source/.unpacked"
