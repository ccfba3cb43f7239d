"""The backends that need a package: without it the list gives a reason. The list imports no
package. Numba compiles once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from backends import OPTIONAL
from limits import LIMIT

import rijn
from rijn._install import pip_install


def answer(code: str, **environment: str) -> object:
    """Returns the JSON that the code prints in a fresh interpreter."""
    inherited = {name: value for name, value in os.environ.items() if name != "RIJN_BACKEND"}
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", OPTIONAL)
def test_listed_with_a_reason_where_the_package_is_missing(name: str) -> None:
    code = f"""
import json, sys
sys.modules[{name!r}] = None
import rijn
record = next(b for b in rijn.backends() if b.name == {name!r})
try:
    rijn.AES(bytes(16), backend={name!r})
except rijn.BackendError as error:
    print(json.dumps([record.available, record.reason, str(error), rijn.AES(bytes(16)).backend]))
"""
    found = answer(code)
    assert isinstance(found, list)
    available, reason, message, chosen = found
    assert available is False
    assert reason == f"needs the package {name}: {pip_install(name)}"
    assert reason in message
    assert chosen not in OPTIONAL


def test_the_list_imports_no_package() -> None:
    code = """
import json, sys, rijn
rijn.backends(), rijn.AES(bytes(16)).ecb_encrypt(bytes(16))
rijn.AESGCM(bytes(16), backend="python").encrypt(bytes(12), bytes(100))
print(json.dumps([name for name in ("numpy", "numba") if name in sys.modules]))
"""
    assert answer(code) == []


def test_available_as_installed() -> None:
    records = {b.name: b for b in rijn.backends()}
    for name in OPTIONAL:
        assert records[name].available is (find_spec(name) is not None)
        assert not records[name].automatic


SPECIALISATIONS = """
import json, rijn
data = bytes(range(48))
for given in (data, bytearray(data), memoryview(data), memoryview(bytearray(data))):
    aes = rijn.AES(bytes(16), backend="numba")
    aes.cbc_decrypt(data[:16], aes.cbc_encrypt(data[:16], given))
    aes.ecb_decrypt(given), aes.ecb_encrypt(given), aes.ctr_encrypt(data[:16], given)
    rijn.AESGCM(bytes(16), backend="numba").encrypt(bytes(12), given, given)
from rijn.pure import numba_table
functions = [f for f in vars(numba_table).values() if hasattr(f, "signatures")]
print(json.dumps({
    f.__name__: [
        len(f.signatures), sum(f.stats.cache_hits.values()), sum(f.stats.cache_misses.values())
    ]
    for f in functions if f.signatures
}))
"""

USED = {
    "ecb_encrypt",
    "ecb_decrypt",
    "cbc_encrypt",
    "counter_mode",
    "inverse_keys",
    "product_table",
    "ghash",
}


needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="backend numba: needs the package numba"
)


@needs_numba
def test_numba_compiles_once(tmp_path: Path) -> None:
    """One machine code for every kind of buffer. A second process compiles nothing."""
    for first in (True, False):
        found = answer(SPECIALISATIONS, NUMBA_CACHE_DIR=str(tmp_path))
        assert isinstance(found, dict)
        assert set(found) >= USED
        for name in USED:
            signatures, hits, misses = found[name]
            assert signatures == 1, name
            assert (hits, misses) == ((0, 1) if first else (1, 0)), name


@needs_numba
def test_numba_without_a_writable_cache() -> None:
    code = """
import json, rijn
from rijn.pure import numba_table
hits = numba_table.encrypt.stats.cache_path
print(json.dumps([hits, rijn.AES(bytes(16), backend="numba").ecb_encrypt(bytes(16)).hex()]))
"""
    found = answer(code, NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator", NUMBA_CACHE_DIR="")
    assert found == [None, rijn.AES(bytes(16)).ecb_encrypt(bytes(16)).hex()]
