"""Makes of rijn.py what mpy-cross compiles, so that it takes less of the heap:

    python pack.py rijn            for every port: viper as a shorter text, from which MicroPython
                                   makes its own where it compiles viper, and its table with it
    python pack.py rijn-armv7m     for Armv7-M alone: viper as code, where rijn.py has it as text,
                                   and without the functions that it replaces

Both do what rijn.py does.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

SECTION = re.compile(r"^# ---- (.*?) -+\n", re.MULTILINE)
VIPER = re.compile(r'^_VIPER = """\n(.*?)^"""\n', re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^# [^\n]*\n# [^\n]*\n_T = \(\n.*?^\)\n", re.MULTILINE | re.DOTALL)
COMPILED = "exec(_VIPER, globals())"
WORD = 32  # bytes of the longest that is replaced by one

# What stands in the place of the table, and before the functions in viper.
COLUMNS = """\
def _columns():
 t = bytearray(2048)
 for i in range(256):
  s = _SBOX[i]
  d = s << 1 ^ (s >> 7) * 283
  t[8 * i:8 * i + 8] = bytes((d, s, s, d ^ s)) * 2
 return t
_T = _columns()
del _columns
"""

# What makes a text of what `shorter` makes, and its call.
LONGER = """\
def _longer(short):
    words = short.split(b"\\0")
    text = words.pop()
    while words:
        text = text.replace(bytes((127 + len(words),)), words.pop())
    return str(text, "ascii")


"""
COMPILED_LONGER = "exec(_longer(_VIPER), globals())"


def armv7m(text: str) -> str:
    """Raises ValueError where rijn.py is not made as this expects."""
    head, *parts = SECTION.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    names = ["Arguments", "In Python: small integers alone", "In viper", "What there is"]
    if list(sections) != names:
        raise ValueError(f"sections of rijn.py: {list(sections)}")
    arguments, plain, folded, public = sections.values()
    expand = re.search(r"^def _expand\(.*?(?=^def )", plain, re.MULTILINE | re.DOTALL)
    viper = VIPER.search(folded)
    if not expand or not viper:
        raise ValueError("rijn.py has neither _expand nor _VIPER")
    return head + arguments + expand[0] + viper[1] + 'BACKEND = "viper"\n' + public


def squeezed(text: str) -> str:
    """Python without comments and empty lines, each indentation one space."""
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    bare = [line.lstrip() for line in lines]
    return "".join(
        " " * ((len(line) - len(rest)) // 4) + rest + "\n"
        for line, rest in zip(lines, bare, strict=True)
        if rest
    )


def shorter(text: str) -> bytes:
    """What comes often in a text of ASCII becomes one byte above it, each time what saves most,
    as long as that is something: the words, a zero behind each, and what is left."""
    words: list[bytes] = []
    left = text.encode("ascii")
    for byte in range(128, 256):
        gains = {}
        for size in range(2, WORD):
            counts = Counter(left[i : i + size] for i in range(len(left) - size + 1))
            for word, _ in counts.most_common(4):
                gains[word] = left.count(word) * (size - 1) - size - 1
        word = max(gains, key=lambda word: (gains[word], word))
        if gains[word] <= 0:
            break
        words.append(word)
        left = left.replace(word, bytes([byte]))
    return b"\0".join([*words, left])


def portable(text: str) -> str:
    """Raises ValueError where rijn.py is not made as this expects."""
    viper = VIPER.search(text)
    if not viper or not TABLE.search(text) or text.count(COMPILED) != 1:
        raise ValueError("rijn.py has not one _VIPER, one _T and one exec")
    short = shorter(COLUMNS + squeezed(viper[1]))
    text = VIPER.sub(lambda _: f"_VIPER = {short!r}\n{LONGER}", text)
    text = text.replace(COMPILED, COMPILED_LONGER).replace(
        "del _compile\n", "del _compile, _longer\n"
    )
    return TABLE.sub("", text)


FILES = {"rijn": portable, "rijn-armv7m": armv7m}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in FILES:
        sys.exit("usage: python pack.py " + "|".join(FILES))
    print(FILES[sys.argv[1]]((Path(__file__).parent / "rijn.py").read_text()), end="")
