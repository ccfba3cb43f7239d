"""The machine of c/proofs stops at what would make a proof accept a wrong program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("capstone", reason="install c/proofs/requirements.txt")
pytest.importorskip("elftools", reason="install c/proofs/requirements.txt")

from elftools.elf.elffile import ELFFile
from machine.arithmetic import Value, constant
from machine.bits import POISON, Algebra, Poison
from machine.elf import Library
from machine.forms import Stop
from machine.machine import Machine
from machine.operands import decode

CODE, IN, OUT = 0x5000, 0x100001, 0x200001


def assembled(text: str, folder: Path) -> bytes:
    path = folder / "code.o"
    text = f".intel_syntax noprefix\n{text}\n"
    command = ["cc", "-c", "-x", "assembler", "-o", str(path), "-"]
    subprocess.run(command, input=text, text=True, check=True)
    with path.open("rb") as file:
        data: bytes = ELFFile(file).get_section_by_name(".text").data()
    return data


def machine_for(text: str, folder: Path) -> Machine:
    """Returns a machine with this code, 16 symbolic bytes of input and room for 16 of output."""
    machine, code = Machine(Algebra()), assembled(text, folder)
    machine.map(CODE, len(code), "code", False, bytearray(code), True)
    machine.map(IN, 16, "in", False)
    machine.map(OUT, 16, "out")
    machine.set(IN, [bit for byte in machine.bits.string("in", 16) for bit in byte])
    return machine


def is_undefined(value: Value) -> bool:
    return all(isinstance(bit, Poison) for bit in value)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("movdqu xmm5, [rdi]", "movdqu [rdi], xmm5"),
        ("mov r11, [rdi]", "mov [rdi], r11; mov [rdi + 8], r11"),
        ("mov rsi, [rdi]", "mov [rdi], rsi; mov [rdi + 8], rsi"),
        (
            "movdqu xmm0, [rdi]; movups [rsp - 72], xmm0",
            "movups xmm0, [rsp - 72]; movups [rdi], xmm0",
        ),
    ],
)
def test_a_call_finds_nothing_of_the_call_before(first: str, then: str, tmp_path: Path) -> None:
    machine = machine_for(f"{first}; ret; .balign 64; {then}; ret", tmp_path)
    machine.call(CODE, IN)
    machine.call(CODE + 64, OUT)
    assert is_undefined(machine.load(OUT, 16))


@pytest.mark.parametrize("place", ["rsp + 8", "rsp + 64", "rsp - 137", "rsp - 4096"])
def test_only_its_own_stack_is_written(place: str, tmp_path: Path) -> None:
    machine = machine_for(f"mov byte ptr [{place}], 0; ret", tmp_path)
    with pytest.raises(Stop):
        machine.call(CODE)


def test_arguments_on_the_stack_are_found(tmp_path: Path) -> None:
    machine = machine_for("mov rax, [rsp + 8]; add rax, [rsp + 16]; mov [rdi], rax; ret", tmp_path)
    machine.call(CODE, OUT, 0, 0, 0, 0, 0, 5, 7)
    assert machine.load(OUT, 8) == constant(12, 64)


def test_the_stack_is_aligned_to_16_bytes_alone(tmp_path: Path) -> None:
    machine = machine_for("vmovdqa ymm0, [rsp - 24]; ret", tmp_path)
    for extra in (0, 1, 2, 3):
        with pytest.raises(Stop, match="not aligned"):
            machine.call(CODE, *range(6 + extra))


def test_the_s_box_of_undefined_bits_is_undefined(tmp_path: Path) -> None:
    machine = machine_for(
        "aesenclast xmm0, xmm2; aesenclast xmm1, xmm2; pxor xmm0, xmm1; ret", tmp_path
    )
    machine.call(CODE)
    assert is_undefined(machine.vector[0][:128])
    bits = Algebra()
    (byte,) = bits.string("x", 1)
    for box in (bits.sbox, bits.inverse_sbox):
        assert is_undefined(box([POISON, *byte[1:]]))


@pytest.mark.parametrize("text", ["mov rax, [edi - 4]", "lea rax, [edi + edi]"])
def test_addresses_have_64_bits(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="32 bits"):
        decode(assembled(text, tmp_path), CODE)


def test_only_code_runs(tmp_path: Path) -> None:
    machine = machine_for("ret", tmp_path)
    machine.map(0x9000, 1, "writable", True, bytearray(b"\xc3"), True)
    machine.map(0xA000, 1, "constants", False, bytearray(b"\xc3"))
    for place in (0x9000, 0xA000):
        with pytest.raises(Stop, match="no code"):
            machine.call(place)


SOURCE = """
#include <string.h>
static int calls;
static volatile int limit = 3;
static int *const table[] = {&calls};
int counts(void) { return ++calls; }
int reads(void) { return limit; }
int **follows(void) { return (int **)table[0]; }
void copies(char *to, const char *from, unsigned long size) { memcpy(to, from, size); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    path = tmp_path_factory.mktemp("library") / "small.so"
    command = ["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-Wl,-z,relro,-z,now", "-x", "c"]
    subprocess.run([*command, "-o", str(path), "-"], input=SOURCE, text=True, check=True)
    return Library(path)


@pytest.mark.parametrize("name", ["counts", "reads"])
def test_variables_of_the_library_are_no_input_of_a_proof(name: str, library: Library) -> None:
    with pytest.raises(Stop, match="in no region"):
        Machine(Algebra(), library).call(library.symbol(name))


def test_relocated_pointers_are_constants(library: Library) -> None:
    Machine(Algebra(), library).call(library.symbol("follows"))


def test_memcpy_does_not_overlap(library: Library) -> None:
    machine = Machine(Algebra(), library)
    machine.map(OUT, 16, "out")
    machine.set(OUT, [bit for byte in machine.bits.string("x", 16) for bit in byte])
    copies = library.symbol("copies")
    machine.call(copies, OUT + 8, OUT, 8)
    with pytest.raises(Stop, match="overlap"):
        machine.call(copies, OUT + 7, OUT, 8)
