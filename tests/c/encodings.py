"""Which instructions each object of the library may hold, read from its machine code.

encodings.py OBJECTS...: those of librijn, disassembled by objdump. A file named after an
extension may use that, and what came before it; every other runs on any x86-64. So neither
plain code nor a rung meets an instruction that its CPU lacks, on whichever CPU this runs.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# In the order in which they came, each with what came before.
PLAIN, SSSE3, SSE, AVX, AVX2, AVX512, BMI, AES = range(8)
WORDS = (
    "plain x86-64",
    "SSE3 or SSSE3",
    "SSE4.1, SSE4.2, POPCNT, AES-NI or PCLMULQDQ",
    "AVX",
    "AVX2, or VAES or VPCLMULQDQ on 256 bits",
    "AVX-512",
    "BMI",  # which nothing asks a CPU for
    "AES-NI, PCLMULQDQ or GFNI, on whichever register",
)
# By what its path ends with, without .c.o; by default PLAIN.
ALLOWED = {
    "backends/aesni": SSE,
    "backends/aesni_avx": AVX,
    "backends/avx2": AVX2,
    "backends/avx512": AVX512,
    "backends/gfni": AVX512,
    "backends/ssse3": SSSE3,
    "backends/vaes256": AVX2,
    "backends/vaes512": AVX512,
    "aegis/aesni_sse": SSE,
    "aegis/aesni_avx": AVX,
    "aegis/aesni_avx512vl": AVX512,
    "aegis/avx2": AVX2,
    "aegis/avx512": AVX512,
    "aegis/ssse3": SSSE3,
    "aegis/gfni": AVX512,
    "aegis/vaes256": AVX2,
    "aegis/vaes512": AVX512,
}

# These are for CPUs without the instructions of OF_AES, and but for two those of OF_FIELD.
GFNI = ("backends/gfni", "aegis/gfni")
SOFT = (
    *("backends/ssse3", "backends/avx2", "backends/avx512"),
    *("aegis/ssse3", "aegis/avx2", "aegis/avx512"),
    *GFNI,
)

LINE = re.compile(r"^ +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(\S.*)$")
# After F3 0F: POPCNT and LZCNT. (TZCNT, bc, is what compilers write for BSF, which it is on a
# CPU that does not know it; of LZCNT and BSR that is not so.) After F2 0F: LDDQU, ADDSUB, HADD,
# MOVDDUP; after 66 or F3, MOVSLDUP and others of SSE3.
POPCNT = ("b8", "bd")
SSE3 = ("12", "16", "7c", "7d", "d0", "f0")
# After 0F 38 those of SSSE3; after 0F 3A it is PALIGNR alone.
OF_SSSE3 = (*(f"{code:02x}" for code in range(12)), "1c", "1d", "1e")
# By their names, of what VEX encodes: what is of AVX on whichever register, and on no other than
# xmm; all others on ymm are of AVX2. Those of BMI.
OF_AVX2 = re.compile(
    r"v(pblendd|pbroadcast|broadcasti|extracti|inserti|ps[lr][la]v|pmaskmov|pgather|perm[dq]|gather|perm2i)"
)
OF_INTEGERS = re.compile(r"v(p(?!ermil|test)|aes|movnti|mpsadbw|dbpsad)")
OF_AES = re.compile(r"v?(aes(enc|dec|imc|keygen)|pclmul)")
OF_FIELD = re.compile(r"v?gf2p8")
OF_BMI = re.compile(r"(andn|bextr|bls|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)")
PREFIXES = ("66", "67", "f2", "f3", "2e", "36", "3e", "26", "64", "65")


def needed(code: list[str], text: str) -> int:
    """What an instruction asks for: Intel SDM volume 2, 2.1 to 2.3 and 2.7, and its opcode maps."""
    prefixes = set()
    while code and code[0] in PREFIXES:
        prefixes.add(code.pop(0))
    if code and "40" <= code[0] <= "4f":
        code.pop(0)
    if code and code[0] == "62":
        return AVX512
    if code and code[0] in ("c4", "c5"):
        if OF_BMI.match(text):
            return BMI
        return AVX2 if OF_AVX2.match(text) or ("ymm" in text and OF_INTEGERS.match(text)) else AVX
    if code[:1] != ["0f"] or len(code) < 2:
        return PLAIN
    if code[1] in ("38", "3a"):
        return SSSE3 if code[2] in (OF_SSSE3 if code[1] == "38" else ("0f",)) else SSE
    if "f3" in prefixes and code[1] in POPCNT:
        return SSE
    if code[1] in SSE3 and (
        "f2" in prefixes
        or ("f3" in prefixes and code[1] in ("12", "16"))
        or ("66" in prefixes and code[1] in ("7c", "7d", "d0"))
    ):
        return SSSE3
    return PLAIN


def check(path: Path) -> tuple[int, int]:
    """How many instructions it holds, and how many that it may not hold."""
    name = str(path).split(".c.o")[0].split(".S.o")[0]
    allowed = max(
        (level for end, level in ALLOWED.items() if name.endswith("/" + end)), default=PLAIN
    )
    soft, field = name.endswith(SOFT), name.endswith(GFNI)
    said = subprocess.run(
        ["objdump", "-d", "--wide", "--insn-width=16", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    count = bad = 0
    for line in said.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        count += 1
        level = needed(found[2].split(), found[3])
        if (soft and OF_AES.match(found[3])) or (not field and OF_FIELD.match(found[3])):
            level = AES
        if level > allowed:
            bad += 1
            if bad <= 5:
                print(f"{path}: {WORDS[level]}, where {WORDS[allowed]} ends: {line.strip()}")
    return count, bad


def main() -> int:
    if not shutil.which("objdump"):
        print("needs objdump")
        return 77
    # It must bite.
    planted = {
        "c5 f9 ef c0": AVX,
        "c4 e2 7d dc c1": AVX2,
        "62 f2 7d 48 dc c1": AVX512,
        "66 0f 38 00 c1": SSSE3,
        "66 44 0f 38 0b c1": SSSE3,
        "66 0f 38 1d c1": SSSE3,
        "66 0f 3a 0f c1 08": SSSE3,
        "66 0f 38 10 c1": SSE,
        "66 0f 38 1f c1": SSE,
        "66 0f 3a 0e c1 08": SSE,
        "66 41 0f 38 dc c1": SSE,
        "66 0f 3a 44 c1 00": SSE,
        "f3 48 0f b8 c1": SSE,
        "f2 0f f0 00": SSSE3,
        "66 0f ef c0": PLAIN,
        "48 0f bd c1": PLAIN,
        "f3 48 0f bd c1": SSE,
        "f3 48 0f bc c1": PLAIN,
        "f3 0f 6f 00": PLAIN,
        "f3 0f 1e fa": PLAIN,
    }
    for text in (
        "vaesenc %zmm1,%zmm0,%zmm0",
        "aesenc %xmm1,%xmm0",
        "vpclmulqdq $0x0,%ymm1,%ymm0,%ymm0",
    ):
        assert OF_AES.match(text), text
    for code, level in planted.items():
        text = "vaesenc %ymm1,%ymm0,%ymm0" if level == AVX2 else "…"
        assert needed(code.split(), text) == level, code
    for text, level in {
        "vmovdqu (%rdi),%ymm0": AVX,
        "vxorps %ymm1,%ymm0,%ymm0": AVX,
        "vpxor %xmm1,%xmm0,%xmm0": AVX,
        "vpxor %ymm1,%ymm0,%ymm0": AVX2,
        "vpblendd $0x1,%xmm1,%xmm0,%xmm0": AVX2,
        "vextracti128 $0x1,%ymm0,%xmm0": AVX2,
        "vpclmulqdq $0x0,%ymm1,%ymm0,%ymm0": AVX2,
        "rorx $0x8,%eax,%eax": BMI,
    }.items():
        assert needed(["c4"], text) == level, text
    objects = [Path(name) for name in sys.argv[1:]]
    assert objects
    total = wrong = 0
    for path in objects:
        count, bad = check(path)
        total += count
        wrong += bad
    print(f"{len(objects)} objects, {total} instructions, {wrong} where they may not be")
    assert total > 10_000
    return 1 if wrong else 0


sys.exit(main())
