"""The functions of a backend, found as the library finds them: in its function tables."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from .elf import Library

HERE = Path(__file__).parent
C = HERE.parents[1]


@cache
def layout() -> dict[str, int]:
    """Returns the offsets that layout.c prints."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "layout"
        include = [f"-I{C / 'src'}", f"-I{C / 'include'}"]
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *include, "-o", program, HERE / "layout.c"], check=True)
        lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in map(str.split, lines.splitlines())}


class Backend:
    """One backend of a compiled library, by the name of its file: fixslice64, aesni, …"""

    def __init__(self, library: Library, name: str) -> None:
        self.library, self.name = library, name
        self.record = library.symbol(f"rijn_backend_{name}")
        public = library.pointer(self.record + layout()["rijn_backend.name"])
        stored = library.read(public, len(name) + 1).rstrip(b"\0").decode()
        if stored.replace("-", "_") != name:
            raise ValueError(f"{library.path}: the table of {name} is that of {stored}")
        self.context_size = self._number("context_size")
        self.blocks = self._number("blocks")  # of a batch

    def _number(self, member: str) -> int:
        where = self.record + layout()[f"rijn_backend.{member}"]
        return int.from_bytes(self.library.read(where, 4), "little")

    def function(self, member: str) -> int:
        """Returns the address of a member, as `key_init` or `gcm.gcm_seal`."""
        mode, _, name = member.rpartition(".")
        if mode:
            table = self.library.symbol(f"rijn_{self.name}_{mode}")
            where = table + layout()[f"rijn_{mode}_table.{name}"]
        else:
            where = self.record + layout()[f"rijn_backend.{name}"]
        address = self.library.pointer(where)
        if address == 0:
            raise ValueError(f"{self.name} has no {member}")
        return address
