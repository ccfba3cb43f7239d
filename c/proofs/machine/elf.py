"""A compiled library, placed at an address: its bytes, symbols and relocated pointers.

Pointers are read as the dynamic linker leaves them. So a driver finds a function as the library does:
through the function table of a backend.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE, R_X86_64_64 = 6, 7, 8, 1


@dataclass
class Segment:
    start: int
    data: bytearray  # with zeros up to its size in memory
    writable: bool
    executable: bool
    constant: int  # bytes at its start that nothing changes after loading


class Library:
    """A shared library for x86-64, loaded at `base`.

    `imports` are the addresses of functions that it takes from other libraries, by name. They are not
    mapped: machine.py gives some a meaning, and calling others is an error.
    """

    IMPORTS = 0x7F000000

    def __init__(self, path: str | Path, base: int = 0x10000000) -> None:
        self.path, self.base = Path(path), base
        self.imports: dict[str, int] = {}
        with open(path, "rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != "EM_X86_64" or elf["e_type"] != "ET_DYN":
                raise ValueError(f"{path}: not a shared library for x86-64")
            relocated = {it["p_vaddr"]: it["p_memsz"] for it in elf.iter_segments("PT_GNU_RELRO")}
            self.segments = [
                Segment(
                    base + it["p_vaddr"],
                    bytearray(it.data().ljust(it["p_memsz"], b"\0")),
                    writable := bool(it["p_flags"] & 2),
                    bool(it["p_flags"] & 1),
                    relocated.get(it["p_vaddr"], 0) if writable else it["p_memsz"],
                )
                for it in elf.iter_segments("PT_LOAD")
            ]
            table = elf.get_section_by_name(".symtab")
            if not isinstance(table, SymbolTableSection):
                raise ValueError(f"{path}: stripped. Build it without -s")  # noqa: TRY004
            self.symbols: dict[str, list[tuple[int, int]]] = {}
            for symbol in table.iter_symbols():
                if symbol["st_shndx"] != "SHN_UNDEF" and symbol.name:
                    place = (base + symbol["st_value"], symbol["st_size"])
                    self.symbols.setdefault(symbol.name, []).append(place)
            for section in elf.iter_sections():
                if isinstance(section, RelocationSection):
                    self._relocate(section, elf.get_section(section["sh_link"]))

    def _relocate(self, section: RelocationSection, symbols: SymbolTableSection) -> None:
        for it in section.iter_relocations():
            kind = it["r_info_type"]
            if kind == R_X86_64_RELATIVE:
                value = self.base + it["r_addend"]
            elif kind in (R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_64):
                symbol = symbols.get_symbol(it["r_info_sym"])
                if symbol["st_shndx"] != "SHN_UNDEF":
                    value = self.base + symbol["st_value"]
                elif symbol["st_info"]["bind"] == "STB_WEAK":
                    value = 0
                else:
                    value = self.imports.setdefault(
                        symbol.name, self.IMPORTS + 16 * len(self.imports)
                    )
                value += it["r_addend"]
            else:
                raise ValueError(f"{self.path}: relocation of type {kind}")
            self.write(self.base + it["r_offset"], value.to_bytes(8, "little"))

    def _segment(self, address: int, size: int) -> Segment:
        for it in self.segments:
            if it.start <= address and address + size <= it.start + len(it.data):
                return it
        raise ValueError(f"{self.path}: nothing at {address:#x}")

    def read(self, address: int, size: int) -> bytes:
        it = self._segment(address, size)
        return bytes(it.data[address - it.start :][:size])

    def write(self, address: int, data: bytes) -> None:
        """Changes the image, for relocations and planted faults."""
        it = self._segment(address, len(data))
        it.data[address - it.start : address - it.start + len(data)] = data

    def pointer(self, address: int) -> int:
        return int.from_bytes(self.read(address, 8), "little")

    def symbol(self, name: str) -> int:
        """Returns the address of a symbol that exists once."""
        places = {address for address, _ in self.symbols.get(name, [])}
        if len(places) != 1:
            raise ValueError(f"{self.path}: {len(places)} symbols are named {name}")
        return places.pop()
