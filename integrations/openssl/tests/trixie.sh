#!/bin/bash
# Makes a small system of Debian 13, with OpenSSL 3.5, in a new folder. Needs root and mmdebstrap.
#
#   trixie.sh ROOT
set -euo pipefail
. "$(dirname "$0")/../../../python/tests/debian.sh"
debian_root "$1" trixie "$(dpkg --print-architecture)" extract libssl3t64,openssl,libssl-dev,python3
