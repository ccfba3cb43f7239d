#!/bin/bash
# Unpacks CBMC of Debian 13 into a new folder. Needs root, mmdebstrap and 300 MB. prove.py runs CBMC there
# with the libraries of the folder, so it works in Debian 12, too.
#
#   root.sh [ROOT]      default: build/cbmc of the repository, where prove.py looks
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${1:-$here/../../../build/cbmc}
mkdir -p "$(dirname "$root")"
. "$here/../../../python/tests/debian.sh"
debian_root "$root" trixie "$(dpkg --print-architecture)" extract cbmc
