#!/bin/bash
# Unpacks CBMC of Debian 13 into a new folder, for the proofs. Needs root, mmdebstrap and 300 MB. CBMC
# then runs with that folder's libraries, also on Debian 12.
#
#   tools/cbmc.sh [FOLDER]      default: build/cbmc
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/cbmc}
. python/tests/debian.sh
mkdir -p "$(dirname "$folder")"
debian_root "$folder" trixie "$(dpkg --print-architecture)" extract cbmc
