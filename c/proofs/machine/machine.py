"""A machine whose registers and memory hold symbolic bits, and which runs x86-64 code on them.

It stops with an error at anything that would make a proof vacuous or the code unsafe: a branch or an
address that depends on a symbolic bit, an access outside the mapped regions, a write to a region that
is read-only, an unknown form of an instruction.

    machine = Machine(Algebra(), Library("librijn.so"))
    machine.map(0x1000, 16, "key")
    machine.store(0x1000, bits)
    machine.call(address, 0x1000, 16)      # by the System V calls of x86-64
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from .arithmetic import Value, constant, number
from .bits import POISON, Algebra
from .elf import Library
from .forms import SecretDependence, Semantics, Stop, concrete
from .operands import Instruction, Memory, Operand, Register, decode
from .refused import Refused
from .x86 import semantics

Sabotage = Callable[[Instruction, bytes], bytes]  # returns the code to run instead
CAPSTONE = "5.0.9"  # the decoder is trusted: comparison with a processor was by this version

GENERAL = [
    "rax",
    "rcx",
    "rdx",
    "rbx",
    "rsp",
    "rbp",
    "rsi",
    "rdi",
    "r8",
    "r9",
    "r10",
    "r11",
    "r12",
    "r13",
    "r14",
    "r15",
]
PRESERVED = [GENERAL.index(it) for it in ("rbx", "rbp", "r12", "r13", "r14", "r15")]
RSP = GENERAL.index("rsp")
ARGUMENTS = [GENERAL.index(it) for it in ("rdi", "rsi", "rdx", "rcx", "r8", "r9")]
RED_ZONE = 128  # bytes below rsp that no signal changes
FLAGS = ("CF", "PF", "AF", "ZF", "SF", "OF")


@dataclass
class Region:
    """A range of memory that the code may access. Bytes without data are undefined at first."""

    start: int
    size: int
    name: str
    writable: bool
    data: bytearray | None = None
    executable: bool = False


class Machine:
    STACK, STACK_SIZE = 0x7FF00000, 1 << 20
    END = 0x7E000000  # the return address of a call
    WIDTH = 512  # bits of a vector register

    def __init__(self, bits: Algebra, library: Library | None = None) -> None:
        if (installed := version("capstone")) != CAPSTONE:
            raise Stop(f"capstone {installed}: install {CAPSTONE}, which was compared")
        self.bits, self.library = bits, library
        self.general: list[Value] = [[POISON] * 64 for _ in GENERAL]
        self.vector: list[Value] = [[POISON] * self.WIDTH for _ in range(32)]
        self.masks: list[Value] = [[POISON] * 64 for _ in range(8)]
        self.flags: dict[str, int] = dict.fromkeys(FLAGS, POISON)
        self.regions: list[Region] = []
        self.memory: dict[int, Value] = {}
        self.pc, self.steps, self.limit = 0, 0, 2_000_000
        self.codes: set[bytes] = set()  # of the instructions that ran
        self.sabotage: Sabotage | None = None
        self._kept: dict[int, Value] = {}
        self._instructions: dict[int, tuple[Instruction, Semantics]] = {}
        self.map(self.STACK, self.STACK_SIZE, "stack")
        self._stack = self.regions[-1]
        # Variables of the library are not mapped: what they hold is no input of a proof.
        for it in library.segments if library is not None else ():
            name = library.path.name if library else ""
            self.map(it.start, it.constant, name, False, it.data, it.executable)

    # ---- Memory ----

    def map(
        self,
        start: int,
        size: int,
        name: str,
        writable: bool = True,
        data: bytearray | None = None,
        executable: bool = False,
    ) -> None:
        """Lets the code access `size` bytes, and nothing beside them."""
        for it in self.regions:
            if start < it.start + it.size and it.start < start + size:
                raise ValueError(f"{name} overlaps {it.name}")
        self.regions.append(Region(start, size, name, writable, data, executable))

    def region(self, address: int, size: int) -> Region:
        for it in self.regions:
            if it.start <= address and address + size <= it.start + it.size:
                if it is self._stack and address < concrete(self.general[RSP]) - RED_ZONE:
                    raise Stop(f"at {self.pc:#x}: {address:#x} is below the stack")
                return it
        raise Stop(f"at {self.pc:#x}: {size} bytes at {address:#x} are in no region")

    def load(self, address: int, size: int) -> Value:
        """Returns `size` bytes as bits."""
        it = self.region(address, size)
        value: Value = []
        for at in range(address, address + size):
            known = self.memory.get(at)
            if known is not None:
                value += known
            elif it.data is not None:
                value += constant(it.data[at - it.start], 8)
            else:
                value += [POISON] * 8
        return value

    def store(self, address: int, value: Value) -> None:
        it = self.region(address, len(value) // 8)
        if not it.writable:
            raise Stop(f"at {self.pc:#x}: a write to {it.name}, which is read-only")
        self.set(address, self.bits.settled(value))

    def set(self, address: int, value: Value) -> None:
        """Stores without a check of permission, for drivers."""
        for i in range(len(value) // 8):
            self.memory[address + i] = value[8 * i : 8 * i + 8]

    # ---- Registers ----

    def get(self, it: Register) -> Value:
        bank = self.vector if it.vector else self.masks if it.mask else self.general
        return bank[it.index][it.offset : it.offset + it.size]

    def put(self, it: Register, value: Value) -> None:
        """Writes a mask, or a general register. Half of one clears its upper half."""
        if len(value) != it.size:
            raise Stop(f"at {self.pc:#x}: {len(value)} bits for a register of {it.size}")
        if it.mask:
            self.masks[it.index] = value
        elif it.size == 32:
            self.general[it.index] = [*value, *[0] * 32]
        else:
            whole = list(self.general[it.index])
            whole[it.offset : it.offset + it.size] = value
            self.general[it.index] = whole

    def put_vector(self, index: int, value: Value, clear: bool) -> None:
        """Writes the low bits of a vector register. VEX and EVEX forms clear the others."""
        rest = [0] * (self.WIDTH - len(value)) if clear else self.vector[index][len(value) :]
        self.vector[index] = [*value, *rest]

    # ---- Operands ----

    def address(self, it: Memory) -> int:
        """Returns the address of an operand, which must be concrete."""
        total = it.displacement
        for index, size, scale in it.parts:
            value = number(self.general[index][:size])
            if value is None:
                raise SecretDependence(f"at {self.pc:#x}: the address depends on a symbolic bit")
            total += value * scale
        return total & (1 << 64) - 1

    def read(self, it: Operand, size: int | None = None) -> Value:
        """Returns an operand. `size` is in bits: of memory that the decoder gives no size for, and of
        immediate numbers, which are extended."""
        if isinstance(it, Register):
            value = self.get(it)
            return value if size is None else value[:size]
        if isinstance(it, Memory):
            if it.repeated > 1:
                return self.load(self.address(it), it.size // 8) * it.repeated
            return self.load(self.address(it), (size or it.size) // 8)
        return constant(it.value, size or it.size)

    def write(self, it: Operand, value: Value) -> None:
        if isinstance(it, Register) and not it.vector:
            self.put(it, value)
        elif isinstance(it, Memory):
            self.store(self.address(it), value)
        else:
            raise Stop(f"at {self.pc:#x}: a result for {it}")

    # ---- Execution ----

    def step(self) -> None:
        """Runs the instruction at pc, and moves on."""
        known = self._instructions.get(self.pc)
        if known is None:
            known = self._instructions[self.pc] = self._decoded(self.pc)
        it, execute = known
        self.steps += 1
        if self.steps > self.limit:
            raise Stop(f"more than {self.limit} instructions")
        here, self.next = self.pc, self.pc + it.size
        try:
            execute(self, it)
        except Refused as error:
            raise type(error)(f"{self.place(here)}: {it}: {error}") from None
        self.pc = self.next

    def _decoded(self, pc: int) -> tuple[Instruction, Semantics]:
        code = self._code(pc)
        if self.sabotage is not None:
            code = self.sabotage(decode(code, pc), code)
        it = decode(code, pc)
        self.codes.add(it.code)
        return it, semantics(it)

    def _code(self, pc: int) -> bytes:
        region = self.region(pc, 1)
        size = min(15, region.start + region.size - pc)
        value = number(self.load(pc, size))
        if value is None or region.writable or not region.executable:
            raise Stop(f"{pc:#x}: no code")
        return value.to_bytes(size, "little")

    def place(self, pc: int) -> str:
        """Names an address as symbol + offset."""
        for name, places in self.library.symbols.items() if self.library else ():
            for start, size in places:
                if start <= pc < start + size:
                    return f"{name}+{pc - start:#x}"
        return f"{pc:#x}"

    def call(self, function: int, *arguments: int) -> None:
        """Calls a function by the System V calls of x86-64, and checks what it has to preserve.

        The function finds nothing of an earlier call: other registers and the stack are undefined. The
        stack ends with its arguments, and is aligned to 16 bytes alone."""
        extra = arguments[6:]
        top = (self.STACK + self.STACK_SIZE - 8 * len(extra)) // 32 * 32 - 16
        self._stack.size = top + 8 * len(extra) - self.STACK
        for at in [it for it in self.memory if it >= self.STACK]:
            del self.memory[at]
        kept = self._preserved()
        self.general = [kept.get(i, [POISON] * 64) for i in range(len(GENERAL))]
        self._forget_vectors()
        self.flags = dict.fromkeys(FLAGS, POISON)
        for i, it in enumerate(extra):
            self.set(top + 8 * i, constant(it, 64))
        self.set(top - 8, constant(self.END, 64))
        for register, it in zip(ARGUMENTS, arguments):
            self.general[register] = constant(it, 64)
        self.general[RSP] = constant(top - 8, 64)
        self.pc = function
        imports = {at: name for name, at in self.library.imports.items()} if self.library else {}
        while self.pc != self.END:
            if Library.IMPORTS <= self.pc < self.STACK:
                self._imported(imports)
            else:
                self.step()
        if number(self.general[RSP]) != top:
            raise Stop(f"{self.place(function)} does not restore rsp")
        for i, value in kept.items():
            if self.general[i] != value:
                raise Stop(f"{self.place(function)} does not preserve {GENERAL[i]}")

    def _forget_vectors(self) -> None:
        self.vector = [[POISON] * self.WIDTH for _ in self.vector]
        self.masks = [[POISON] * 64 for _ in self.masks]

    def _preserved(self) -> dict[int, Value]:
        """Returns fresh variables for the registers that a function has to preserve."""
        if not self._kept:
            for i in PRESERVED:
                self._kept[i] = [self.bits.variable(f"{GENERAL[i]}.{j}") for j in range(64)]
        return self._kept

    def _imported(self, names: dict[int, str]) -> None:
        """Does the work of a function of the C library, and returns from it."""
        name = names.get(self.pc, "?")
        if name not in ("memcpy", "memmove", "memset"):
            raise Stop(f"a call of {name}")
        to, size = (concrete(self.general[ARGUMENTS[i]]) for i in (0, 2))
        if size and name == "memset":
            self.store(to, self.general[ARGUMENTS[1]][:8] * size)
        elif size:
            source = concrete(self.general[ARGUMENTS[1]])
            if name == "memcpy" and source < to + size and to < source + size:
                raise Stop("memcpy of ranges that overlap")
            self.store(to, self.load(source, size))
        for i in range(len(GENERAL)):
            if i not in PRESERVED and i != RSP:
                self.general[i] = [POISON] * 64
        self.general[0] = constant(to, 64)
        self._forget_vectors()
        self.flags = dict.fromkeys(FLAGS, POISON)
        top = concrete(self.general[RSP])
        self.pc = concrete(self.load(top, 8))
        self.general[RSP] = constant(top + 8, 64)
