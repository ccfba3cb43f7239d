"""Rewrites rijn.py for mpy-cross, so that it takes less heap, and prints the result:

    python pack.py rijn            for every port: the viper text is compressed, and MicroPython
                                   expands it before it compiles viper; the table _T is computed
    python pack.py rijn-armv7m     for Armv7-M only: viper functions as code instead of text,
                                   without the Python functions that they replace

Both behave like rijn.py.
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
WORD = 32  # the longest sequence that one byte replaces is shorter

# Computes the table _T. It precedes the functions in viper.
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

# The inverse of `shorter`, and its call.
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
    """Returns rijn.py for Armv7-M. Raises ValueError if rijn.py lacks an expected part."""
    head, *parts = SECTION.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    names = ["Arguments", "In Python", "In viper", "Classes"]
    if list(sections) != names:
        raise ValueError(f"sections of rijn.py: {list(sections)}")
    arguments, plain, folded, public = sections.values()
    expand = re.search(r"^def _expand\(.*?(?=^def )", plain, re.MULTILINE | re.DOTALL)
    viper = VIPER.search(folded)
    if not expand or not viper:
        raise ValueError("rijn.py lacks _expand or _VIPER")
    return head + arguments + expand[0] + viper[1] + 'BACKEND = "viper"\n' + public


def squeezed(text: str) -> str:
    """Removes comments and empty lines, and indents by one space."""
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    bare = [line.lstrip() for line in lines]
    return "".join(
        " " * ((len(line) - len(rest)) // 4) + rest + "\n"
        for line, rest in zip(lines, bare, strict=True)
        if rest
    )


def shorter(text: str) -> bytes:
    """Compresses ASCII text: bytes from 128 on replace frequent words.

    Each step replaces the word that saves most, until none saves a byte. Returns the words, with
    a zero after each, then the rest of the text.
    """
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
    """Returns rijn.py for every port. Raises ValueError if rijn.py lacks an expected part."""
    viper = VIPER.search(text)
    if not viper or not TABLE.search(text) or text.count(COMPILED) != 1:
        raise ValueError("rijn.py must have one _VIPER, one _T and one exec")
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
