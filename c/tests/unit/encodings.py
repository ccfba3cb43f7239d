"""Checks that the library requires the CPU features that the machine code of each object needs.

encodings.py OBJECTS...: the objects of librijn, disassembled with objdump. The object of a backend
may use the features that the backend requires (`.cpu` in src/backends/NAME.c). The object of an
AEGIS kernel may use the features that each of its kernels requires (src/aegis/kernels.c,
src/backends.def). Other objects may only use features of all CPUs of the machine. So no CPU runs an
instruction that it does not have. The check works on any CPU.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"

# Features that other features imply, by the architecture or because src/cpu.c only detects them
# together. PREFETCHW: every CPU with VAES has it.
IMPLIED = {
    "SSSE3": ("SSE2", "SSE3"),
    "SSE41": ("SSE2", "SSE3"),
    "AES": ("SSE2",),
    "PCLMULQDQ": ("SSE2",),
    "AVX": ("SSE2",),
    "AVX2": ("AVX",),
    "VAES": ("AVX", "PREFETCHW"),
    "VPCLMULQDQ": ("AVX",),
    "AVX512F": ("AVX",),
    "AVX512BW": ("AVX512F",),
    "AVX512VL": ("AVX512F",),
    "AVX512DQ": ("AVX512F",),
}


def closed(features: set[str]) -> set[str]:
    """Returns the features with all that they imply."""
    found = set(features)
    for feature in features:
        found |= closed({*IMPLIED.get(feature, ())})
    return found


def features_in(text: str) -> set[str]:
    """Returns the features whose union the text contains."""
    united = re.findall(r"RIJN_CPU\(\w+\)(?:[\s\\]*\|[\s\\]*RIJN_CPU\(\w+\))*", text)
    if len(united) > 1:
        sys.exit(f"not a union of CPU features: {text.strip()}")
    return set(re.findall(r"RIJN_CPU\((\w+)\)", text))


def required() -> dict[str, set[str]]:
    """Returns the features that the code of each file of src may use, by folder and name."""
    backends = {}
    for path in sorted((SOURCE / "backends").glob("*.c")):
        found = re.search(r"^    \.cpu = ([^,]*),", path.read_text("utf-8"), re.MULTILINE)
        backends[path.stem] = features_in(found[1]) if found else set()
    files = {f"backends/{name}": features for name, features in backends.items()}
    text = (SOURCE / "aegis" / "kernels.c").read_text("utf-8")
    sets: dict[str, list[tuple[str, set[str]]]] = {}  # code and its own features
    for name, body in re.findall(r"#define KERNELS_(\w+)\(id, public\)((?:.*\\\n)*.*)", text):
        sets[name] = [(code, set()) for code in re.findall(r"ONLY\(id, [^()]*, (\w+)\)", body)]
        sets[name] += [
            (code, features_in(row))
            for row, code in re.findall(r"([^{}]*)\.code = rijn_aegis_code_(\w+)\}", body)
        ]
        if len(sets[name]) != body.count("ONLY(") + body.count(".name = ") or not sets[name]:
            sys.exit(f"src/aegis/kernels.c: not every row of KERNELS_{name} is understood")
    listed = (SOURCE / "backends.def").read_text("utf-8")
    for backend, kernels in re.findall(
        r"^RIJN_BACKEND\(\w+, (\w+), .*, (\w+)\)$", listed, re.MULTILINE
    ):
        for code, more in sets[kernels]:
            features = backends[backend] | more
            name = f"aegis/{code}"
            files[name] = files[name] & features if name in files else features
    return files


LINE = re.compile(r"^ +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(\S.*)$")
PREFIXES = ("66", "67", "f2", "f3", "2e", "36", "3e", "26", "64", "65", "f0")


def codes(text: str) -> set[str]:
    """Returns the codes in ranges: "00-0b 1c" gives 00 to 0b, and 1c."""
    found: set[str] = set()
    for part in text.split():
        first, _, last = part.partition("-")
        found |= {f"{code:02x}" for code in range(int(first, 16), int(last or first, 16) + 1)}
    return found


# Intel SDM volume 2, appendix A: the opcodes after 0F 38, and after 0F 3A.
MAP_38 = [
    (codes("00-0b 1c-1e"), "SSSE3"),
    (codes("10 14 15 17 20-25 28-2b 30-35 38-41"), "SSE41"),
    (codes("37"), "SSE4.2"),
    (codes("c8-cd"), "SHA"),
    (codes("cf"), "GFNI"),
    (codes("db-df"), "AES"),
    (codes("f0 f1"), "MOVBE or CRC32"),
    (codes("f6"), "ADX"),
]
MAP_3A = [
    (codes("0f"), "SSSE3"),
    (codes("08-0e 14-17 20-22 40-42"), "SSE41"),
    (codes("44"), "PCLMULQDQ"),
    (codes("60-63"), "SSE4.2"),
    (codes("cc"), "SHA"),
    (codes("ce cf"), "GFNI"),
    (codes("df"), "AES"),
]
# After F2 0F: LDDQU, ADDSUB, HADD, MOVDDUP; after 66 or F3, MOVSLDUP and others of SSE3.
SSE3 = ("12", "16", "7c", "7d", "d0", "f0")

# Names of instructions with VEX encoding. OF_AVX2: AVX2 on all registers. OF_INTEGERS: AVX on xmm,
# AVX2 on ymm.
OF_AVX2 = re.compile(
    r"v(pblendd|pbroadcast|broadcasti|extracti|inserti|ps[lr][la]v|pmaskmov|pgather|perm[dq]|permp[sd] |gather|perm2i)"
)
OF_INTEGERS = re.compile(r"v(p(?!ermil|test)|movnti|mpsadbw|dbpsad)")
OF_BMI = re.compile(r"(andn|bextr|bls|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx) ")
OF_FMA = re.compile(r"vf(n)?m(add|sub)|vcvtp[hs]2p[hs] ")
OF_MASKS = re.compile(r"k(mov|andn?|or|xn?or|not|ortest|test|add|unpck|shift[lr])(\w+)")

COMPARED = "pcmp(eq|gt|lt|le|neq|nlt|nle)?u?"
# Names of instructions with EVEX encoding, by their feature. Other names are unknown here.
OF_AVX512 = {
    "AVX512DQ": re.compile(
        r"v((extract|insert|broadcast)[fi](64x2|32x8)|broadcast[fi]32x2|pmullq|pmov[dq]2m|pmovm2[dq]"
        r"|(andn?|x?or)p[sd]|p(ext|ins)r[dq])"
    ),
    "AVX512BW": re.compile(
        r"v(movdqu(8|16)|pshufb|pshuf[hl]w|p(add|sub)u?s?[bw]|ps(ll|rl|ra)v?w|ps[lr]ldq|palignr"
        r"|punpck[lh](bw|wd)|pack[us]s(wb|dw)|perm([it]2)?w|pblendm[bw]|ptestn?m[bw]|pbroadcast[bw]"
        r"|pmov([bw]2m|m2[bw]|u?s?wb|[sz]xbw)|pmul(h|hu|l|hrs)w|pmadd(wd|ubsw)|pavg[bw]"
        r"|p(min|max)[su][bw]|psadbw|pabs[bw]|pextr[bw]|pinsr[bw]|" + COMPARED + "[bw])"
    ),
    "AVX512F": re.compile(
        r"v(movdq[au](32|64)|mov[au]p[sd]|mov(d|q|ss|sd|ntdqa?|ntp[sd]|ddup|[hl]p[sd])|p(xor|andn?|or)[dq]"
        r"|pternlog[dq]|p(add|sub)[dq]|ps(ll|rl|ra)v?[dq]|pro[lr]v?[dq]|perm([it]2)?([dq]|p[sd])"
        r"|punpck[lh]q?dq|pshufd|shuf[fi](32x4|64x2)|shufp[sd]|align[dq]|pbroadcast[dq]"
        r"|(extract|insert|broadcast)[fi](32x4|64x4)|p(blendm|compress|expand|testn?m)[dq]|pmul(ld|u?dq)"
        r"|broadcasts[sd]|p(min|max)[su][dq]|pabs[dq]|pmov(q[dwb]|d[wb])|pmov[sz]x(b[dq]|w[dq]|dq)|unpck[lh]p[sd]"
        r"|" + COMPARED + "[dq])"
    ),
}
# Instructions with a single number in an xmm register, which do not need AVX512VL.
SCALAR = re.compile(r"v(mov(d|q|ss|sd|[hl]p[sd])|pextr[bwdq]|pinsr[bwdq]) ")


def of_masks(name: str) -> str:
    """Returns the feature of an instruction on k0 to k7, by the size at the end of its name."""
    found = OF_MASKS.fullmatch(name)
    assert found, name
    size = "w" if found[2] == "bw" else found[2]
    if size == "b" or (size == "w" and found[1] in ("add", "test")):
        return "AVX512DQ"
    return "AVX512F" if size == "w" else "AVX512BW"


def evex(text: str) -> set[str]:
    text = text.removeprefix("{evex} ")
    name = text.split()[0]
    found = {
        feature
        for pattern, feature in ((r"vaes", "VAES"), (r"vpclmul", "VPCLMULQDQ"), (r"vgf2p8", "GFNI"))
        if re.match(pattern, name)
    } or {feature for feature, names in OF_AVX512.items() if names.fullmatch(name)}
    found = found or {f"{name}, which tests/unit/encodings.py does not know"}
    if "zmm" not in text and not SCALAR.match(text):
        found.add("AVX512VL")
    return found | {"AVX512F"}


def vex(text: str) -> set[str]:
    name = text.split()[0]
    wide = "ymm" in text
    if OF_BMI.match(text):
        return {"BMI"}
    if OF_FMA.match(text):
        return {"FMA or F16C"}
    if OF_MASKS.fullmatch(name):
        return {of_masks(name)}
    if name.startswith("vaes"):
        return {"VAES" if wide else "AES", "AVX"}
    if name.startswith("vpclmul"):
        return {"VPCLMULQDQ" if wide else "PCLMULQDQ", "AVX"}
    if name.startswith("vgf2p8"):
        return {"GFNI", "AVX"}
    return {"AVX2" if OF_AVX2.match(text) or (wide and OF_INTEGERS.match(text)) else "AVX"}


def needed(code: list[str], text: str, bits: int = 64) -> set[str]:
    """Returns the features that an instruction needs (Intel SDM volume 2, 2.1 to 2.3, 2.7, opcode maps).

    SSE2 stands for all of SSE and SSE2, which every x86-64 has.
    """
    prefixes = set()
    while code and code[0] in PREFIXES:
        prefixes.add(code.pop(0))
    if bits == 64 and code and "40" <= code[0] <= "4f":
        code.pop(0)
    if code and code[0] == "62" and re.match(r"\{evex\}|v", text):
        return evex(text)
    if code and code[0] in ("c4", "c5") and not re.match(r"l[de]s ", text):
        return vex(text)
    plain = {"SSE2"} if re.search(r"%xmm", text) else set()
    if code[:1] != ["0f"] or len(code) < 2:
        return plain
    if code[1] in ("38", "3a"):
        for known, feature in MAP_38 if code[1] == "38" else MAP_3A:
            if code[2] in known:
                return {feature}
        return {f"an opcode that tests/unit/encodings.py does not know: {' '.join(code)}"}
    # Compilers use TZCNT (bc) instead of BSF: CPUs without TZCNT run it as BSF. LZCNT is no such
    # substitute for BSR.
    if "f3" in prefixes and code[1] in ("b8", "bd"):
        return {"POPCNT" if code[1] == "b8" else "LZCNT"}
    if code[1] == "0d" and text.startswith("prefetchw"):
        return {"PREFETCHW"}
    if code[1] in SSE3 and (
        "f2" in prefixes
        or ("f3" in prefixes and code[1] in ("12", "16"))
        or ("66" in prefixes and code[1] in ("7c", "7d", "d0"))
    ):
        return {"SSE3"}
    return plain


def check(path: Path, files: dict[str, set[str]]) -> tuple[int, int]:
    """Returns the number of instructions, and how many need a feature that is not required."""
    stem = Path(re.split(r"\.[cS]\.o", str(path))[0])
    listing = subprocess.run(
        ["objdump", "-d", "--wide", "--insn-width=16", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    bits = 64 if "elf64" in listing or "x86-64" in listing else 32
    allowed = closed(files.get(f"{stem.parent.name}/{stem.name}", set()))
    allowed |= {"SSE2"} if bits == 64 else set()
    count = bad = 0
    for line in listing.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        count += 1
        missing = needed(found[2].split(), found[3], bits) - allowed
        if missing:
            bad += 1
            if bad <= 5:
                print(
                    f"{path}: needs {' and '.join(sorted(missing))}, which is not required: {line.strip()}"
                )
    return count, bad


def check_itself() -> None:
    """Checks the check with known instructions."""
    encoded = {
        "66 0f 38 00 c1": "SSSE3",
        "66 44 0f 38 0b c1": "SSSE3",
        "66 0f 38 1d c1": "SSSE3",
        "66 0f 3a 0f c1 08": "SSSE3",
        "66 0f 38 10 c1": "SSE41",
        "66 0f 3a 0e c1 08": "SSE41",
        "66 0f 38 37 c1": "SSE4.2",
        "66 41 0f 38 dc c1": "AES",
        "66 0f 3a df c1 01": "AES",
        "66 0f 3a 44 c1 00": "PCLMULQDQ",
        "66 0f 3a cf c1 00": "GFNI",
        "f3 48 0f b8 c1": "POPCNT",
        "f3 48 0f bd c1": "LZCNT",
        "f2 0f f0 00": "SSE3",
        "66 0f ef c0": "",
        "48 0f bd c1": "",
        "f3 48 0f bc c1": "",
        "f3 0f 6f 00": "",
        "f3 0f 1e fa": "",
    }
    for code, feature in encoded.items():
        assert needed(code.split(), "…") == ({feature} if feature else set()), code
    assert needed(["66", "0f", "ef", "c0"], "pxor   %xmm0,%xmm0", 32) == {"SSE2"}
    written = {
        "vmovdqu (%rdi),%ymm0": "AVX",
        "vxorps %ymm1,%ymm0,%ymm0": "AVX",
        "vpxor %xmm1,%xmm0,%xmm0": "AVX",
        "vpxor %ymm1,%ymm0,%ymm0": "AVX2",
        "vpblendd $0x1,%xmm1,%xmm0,%xmm0": "AVX2",
        "vextracti128 $0x1,%ymm0,%xmm0": "AVX2",
        "vaesenc %xmm1,%xmm0,%xmm0": "AES AVX",
        "vaesenc %ymm1,%ymm0,%ymm0": "VAES AVX",
        "vpclmulqdq $0x0,%xmm1,%xmm0,%xmm0": "PCLMULQDQ AVX",
        "vpclmulqdq $0x0,%ymm1,%ymm0,%ymm0": "VPCLMULQDQ AVX",
        "rorx $0x8,%eax,%eax": "BMI",
        "kmovb %k1,%eax": "AVX512DQ",
        "kmovw %k1,%eax": "AVX512F",
        "kunpckbw %k1,%k2,%k3": "AVX512F",
        "kmovq %k1,%rax": "AVX512BW",
    }
    for text, features in written.items():
        assert needed(["c4"], text) == set(features.split()), text
    written = {
        "vextracti64x2 $0x1,%zmm0,%xmm1": "AVX512F AVX512DQ",
        "vextracti64x2 $0x1,%ymm16,%xmm1": "AVX512F AVX512DQ AVX512VL",
        "vextracti32x4 $0x1,%zmm0,%xmm1": "AVX512F",
        "vpternlogq $0x96,%xmm1,%xmm2,%xmm3": "AVX512F AVX512VL",
        "vpshufb %zmm1,%zmm2,%zmm3": "AVX512F AVX512BW",
        "vpcmpnltb %zmm1,%zmm2,%k1": "AVX512F AVX512BW",
        "vpcmpleuq %ymm1,%ymm2,%k1": "AVX512F AVX512VL",
        "vpcompressq %zmm1,%zmm0{%k7}{z}": "AVX512F",
        "vmovq %xmm16,%rax": "AVX512F",
        "vpinsrq $0x1,%rax,%xmm16,%xmm17": "AVX512F AVX512DQ",
        "vaesenc %zmm1,%zmm0,%zmm0": "AVX512F VAES",
        "{evex} vgf2p8affineqb $0x0,%ymm1,%ymm0,%ymm0": "AVX512F AVX512VL GFNI",
    }
    for text, features in written.items():
        assert needed(["62"], text) == set(features.split()), text
    assert "does not know" in str(needed(["62"], "vpermb %zmm1,%zmm2,%zmm3"))
    files = required()
    assert files["backends/aesni"] == {"AES", "PCLMULQDQ", "SSSE3", "SSE41"}
    assert files["aegis/fixslice64"] == set()
    assert files["aegis/aesni_avx512vl"] > files["aegis/aesni_avx"] == files["backends/aesni_avx"]


def main() -> int:
    if not shutil.which("objdump"):
        print("needs objdump")
        return 77
    check_itself()
    files = required()
    objects = [Path(name) for name in sys.argv[1:]]
    assert objects
    total = wrong = 0
    for path in objects:
        count, bad = check(path, files)
        total += count
        wrong += bad
    print(
        f"{len(objects)} objects, {total} instructions, {wrong} with a feature that is not required"
    )
    assert total > 10_000
    return 1 if wrong else 0


sys.exit(main())
