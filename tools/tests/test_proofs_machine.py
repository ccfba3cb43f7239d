"""The executor of c/proofs stops at what would make a proof vacuous or the code unsafe."""

from __future__ import annotations

import pytest

pytest.importorskip("capstone", reason="install c/proofs/requirements.txt")
pytest.importorskip("elftools", reason="install c/proofs/requirements.txt")

from machine.bits import POISON, Algebra
from machine.faults import Change
from machine.forms import SecretDependence, Stop
from machine.machine import Machine
from machine.operands import decode

CODE, BUFFER = 0x10000, 0x20000
RAX = 0


def machine_of(code: str) -> Machine:
    """Returns a machine with this code, a writable buffer of 16 symbolic bytes, and 16 bytes after it that
    are read-only and zero."""
    data = bytes.fromhex(code)
    it = Machine(Algebra())
    it.map(CODE, len(data), "code", False, bytearray(data), True)
    it.map(BUFFER, 16, "buffer")
    it.map(BUFFER + 16, 16, "constants", False, bytearray(16))
    it.set(BUFFER, [bit for byte in it.bits.string("x", 16) for bit in byte])
    return it


def call(code: str) -> Machine:
    it = machine_of(code)
    it.call(CODE, BUFFER)
    return it


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("8a07 84c0 7500 c3", SecretDependence, "branch"),  # mov al, [rdi]; test al, al; jne
        ("0fb607 8a0407 c3", SecretDependence, "address"),  # movzx eax, [rdi]; mov al, [rdi + rax]
        ("0fb60f d3e0 c3", SecretDependence, "concrete"),  # movzx ecx, [rdi]; shl eax, cl
        ("ffe0", SecretDependence, "concrete"),  # jmp rax, which is undefined
        ("31c0 c1e002 7000 c3", SecretDependence, "branch"),  # shl eax, 2 leaves OF undefined; jo
        ("8a471f 8a4720 c3", Stop, "no region"),  # the byte after both regions
        ("488b470c c3", Stop, "no region"),  # eight bytes from two regions
        ("c6471000 c3", Stop, "read-only"),  # mov byte [rdi + 16], 0
        ("660f6f4701 c3", Stop, "not aligned"),  # movdqa xmm0, [rdi + 1]
        ("660fef4701 c3", Stop, "not aligned"),  # pxor xmm0, [rdi + 1]
        ("0f31 c3", Stop, "not a known instruction"),  # rdtsc
        ("660f6f07 660f3800c0 c3", SecretDependence, "table"),  # pshufb xmm0, xmm0
        ("31db c3", Stop, "preserve rbx"),  # xor ebx, ebx
        ("50 c3", SecretDependence, "concrete"),  # push rax; ret: goes to an undefined address
        ("59 51 51 c3", Stop, "restore rsp"),  # pop rcx; push rcx; push rcx
        ("62f17d49fec0 c3", Stop, "not a known instruction"),  # vpaddd zmm0{k1}, zmm0, zmm0
        ("62f1fd486f8701000000 c3", Stop, "not aligned"),  # vmovdqa64 zmm0, [rdi + 1]
        # mov eax, 15; kmovq k1, rax; vmovdqu8 zmm0{k1}{z}, [rdi + 29]
        ("b80f000000 c4e1fb92c8 62f17fc96f871d000000 c3", Stop, "no region"),
        # mov eax, 15; kmovq k1, rax; vmovdqu8 [rdi + 13]{k1}, zmm0
        ("b80f000000 c4e1fb92c8 62f17f497f870d000000 c3", Stop, "read-only"),
        # kmovq k1, [rdi]; vmovdqu8 zmm0{k1}{z}, [rdi]
        ("c4e1f8900f 62f17fc96f8700000000 c3", SecretDependence, "concrete"),
    ],
)
def test_the_machine_stops(code: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(code)


def test_a_call_that_ends_is_no_error() -> None:
    """Symbolic bits may be moved and mixed, and preserved registers restored."""
    it = call("53 488b1f 48311f 5b 31c0 c3")  # push rbx; mov rbx, [rdi]; xor [rdi], rbx; pop rbx
    assert it.load(BUFFER, 8) == [0] * 64
    assert it.general[RAX] == [0] * 64


def test_a_masked_move_accesses_only_its_elements() -> None:
    """The last 4 of 32 bytes are loaded, and go to the last 4 of the buffer, before read-only ones."""
    load, store = "62f17fc96f871c000000", "62f17f497f870c000000"  # vmovdqu8 with k1
    it = call(f"b80f000000 c4e1fb92c8 {load} {store} c3")  # mov eax, 15; kmovq k1, rax
    assert it.vector[0] == [0] * 512
    assert it.load(BUFFER + 12, 4) == [0] * 32
    assert it.bits.describe(it.load(BUFFER + 11, 1)[0]) == "x[11].0"


def test_what_is_not_written_is_undefined() -> None:
    it = call("8a4424f0 c3")  # mov al, [rsp - 16]
    assert it.general[RAX][:8] == [POISON] * 8


def test_an_endless_loop_ends() -> None:
    it = machine_of("ebfe")
    it.limit = 1000
    with pytest.raises(Stop, match="1000 instructions"):
        it.call(CODE)


@pytest.mark.parametrize("code", ["31d8", "660fefc1", "48c1e805", "660f38dcc1", "660f3a44c100"])
def test_a_planted_fault_changes_one_instruction(code: str) -> None:
    before = bytes.fromhex(code)
    change = Change(0)
    after = change(decode(before, CODE), before)
    assert change.done
    assert after != before
    assert len(after) == len(before)
    assert decode(after, CODE).size == len(before)
    assert change(decode(before, CODE), before) == before  # only once


def test_clearing_a_register_is_no_place_for_a_fault() -> None:
    change = Change(0)
    for code in ("31c0", "660fefc0"):
        assert change(decode(bytes.fromhex(code), CODE), bytes.fromhex(code)) == bytes.fromhex(code)
    assert not change.done
