#!/usr/bin/env python3
"""Writes librijn as one C file, for programs that compile it with their own sources:

    python3 c/amalgamate.py FOLDER

    FOLDER/rijn.h           the public header
    FOLDER/rijn.c           every backend; the choice is made at run time. cc -O2 -c rijn.c
    FOLDER/rijn-portable.c  the backends fixslice64 and fixslice32 alone, without comments

Needs a C compiler, whose preprocessor tells which names each source declares. Every machine's sources are
read on any machine.

How a file is made. Sources of librijn (units) come one after the other. Each backend includes the same
templates, with its own constants and types. So a template stands in the file once, as a part that
RIJN_PART selects, and the file includes itself to repeat the part. Names that several units declare get
the unit's name: `#define gcm_seal RIJN_OF(gcm_seal)`. What a unit defines as macros is undefined at its
end. The headers in SHARED declare what units have in common, and come first, once.
"""

from __future__ import annotations

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent
SRC, INCLUDE = ROOT / "src", ROOT / "include"

# Headers that units have in common. They declare the same whatever unit includes them.
SHARED = [
    "include/rijn.h", "include/rijn_machine.h", "src/build.h", "src/batch.h", "src/backend.h",
    "src/bytes.h", "src/ct.h", "src/double.h", "src/rounds.h", "src/wipe.h", "src/cpu.h", "src/backends.h",
    "src/check.h", "src/scrub.h", "src/api.h", "src/aegis/kernel.h", "src/aegis/message.h",
    "src/modes/message.h", "src/modes/counter.h", "src/modes/cmac.h", "src/batch/plan.h",
    "src/batch/call.h", "src/batch/batch_modes.h", "src/batch/xaes.h",
]  # fmt: skip

COMMON_FILES = {*SHARED, "include/rijn_algorithms.def", "src/backends.def"}

# The portable file has no other machine's code, and no registers.
PORTABLE = re.compile(
    r"src/(modes|batch|circuits)/|src/[^/]+$|src/arm/thumb2[.]h$|src/backends/fixslice|src/aegis/(aegis|kernel|fixslice|planes|variant|message)"
)
LEFT_OUT = re.compile(r"src/(x86|arm|riscv|wasm|carryless|tables)/|src/aegis/packed[.]h$")
PORTABLE_BACKENDS = re.compile(r"^RIJN_BACKEND\((?!FIXSLICE).*\n", re.MULTILINE)

# The macros by which sources tell machines and compilers apart, for the names that they declare there.
# The values are those of gcc; any compiler's preprocessor takes them.
COMMON = ["__linux__", "__unix__", "__ELF__", "__GNUC__=12", "SYS_getrandom"]
WIDE = ["__LP64__", "__SIZEOF_INT128__=16"]
MACHINES = [
    ["__x86_64__", *WIDE, "__OPTIMIZE__"],
    ["__x86_64__", *WIDE, "__OPTIMIZE__", "__clang__", "__clang_major__=19"],
    ["__x86_64__", *WIDE, "_WIN32", "_WIN64"],
    ["__i386__", "__OPTIMIZE__"],
    ["__arm__", "__ARM_ARCH_PROFILE='M'", "__OPTIMIZE_SIZE__"],
    ["__aarch64__", "__AARCH64EL__", "__ARM_NEON", *WIDE, "__OPTIMIZE__"],
    ["__riscv", "__riscv_xlen=64", *WIDE, "__OPTIMIZE__"],
    ["__wasm__", "__wasm_simd128__", "__clang__", "__clang_major__=19"],
]

# Headers that may not follow the definitions of names. Those of the compiler are included once, before
# any function has more instructions than the rest.
HOISTED = """\
#if defined(__clang__) /* no machine needs all inline functions */
#pragma clang diagnostic ignored "-Wunused-function"
#endif
#ifndef RIJN_THUMB2
#define RIJN_THUMB2 0 /* 1: with arm/thumb2.S */
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* syscall, of glibc and musl */
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__aarch64__) && defined(__clang__) && __clang_major__ < 16 /* as in arm/neon.h */
#ifndef __ARM_FEATURE_AES
#define RIJN_UNDEFINE_AES
#define __ARM_FEATURE_AES 1
#endif
#ifndef __ARM_FEATURE_SHA3
#define RIJN_UNDEFINE_SHA3
#define __ARM_FEATURE_SHA3 1
#endif
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#ifdef RIJN_UNDEFINE_AES /* cpu.c asks what the whole program may use */
#undef __ARM_FEATURE_AES
#endif
#ifdef RIJN_UNDEFINE_SHA3
#undef __ARM_FEATURE_SHA3
#endif
"""
WITH_HOISTED = re.compile(
    r"std(atomic|bool|def|int)|string|\w*mmintrin|immintrin|arm_neon|wasm_simd128"
)

WORD = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|[A-Za-z_]\w*|\d[\w.]*|->|[=!<>]=|\.\.\.|\s+|.',
    re.DOTALL,
)
CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\w+|->|[=!<>]=|\.\.\.|\S')
QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
ANGLED = re.compile(r"^[ \t]*#[ \t]*include[ \t]+<([^>]+)>", re.MULTILINE)
# A macro that makes a name of a name: its parameter, and what stands before and behind it.
PASTED = re.compile(r"^#define \w+\((\w+)\) (?:(\w+)##)?\1(?:##(\w+))?$", re.MULTILINE)
# The operations of an AEGIS kernel, which aegis/variant.h includes by this macro.
OPERATIONS = re.compile(r'^#define AEGIS_OPERATIONS "(.+)"', re.MULTILINE)
# A line that machines or compilers read in different ways.
OF_MACHINE = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*\b(__|_WIN)\w", re.MULTILINE)
# Names of the compiler and the system, which a unit may define and nothing may undefine.
RESERVED = re.compile(r"_[_A-Z]|WIN32_")
UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


class Problem(Exception):
    """The sources do not fit into one file. The message says what to change."""


def path_of(file: Path) -> str:
    return file.resolve().relative_to(ROOT).as_posix()


@cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def included(name: str, path: str) -> str:
    """Returns the path of the file that `#include "name"` in `path` finds."""
    for folder in ((ROOT / path).parent, INCLUDE, SRC):
        if (folder / name).is_file():
            return path_of(folder / name)
    raise Problem(f"{path} includes {name}, which is not there")


def reached(units: list[str]) -> set[str]:
    """Returns the units and all that they include."""
    found, waiting = set[str](), list(units)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            names = [*QUOTED.findall(text_of(path)), *OPERATIONS.findall(text_of(path))]
            waiting += [included(name, path) for name in names]
    return found


def in_order(headers: list[str]) -> list[str]:
    """Puts each header behind those that it includes."""
    ordered: list[str] = []

    def add(path: str) -> None:
        for name in QUOTED.findall(text_of(path)):
            if (other := included(name, path)) in headers and other not in ordered:
                add(other)
        if path not in ordered:
            ordered.append(path)

    for path in headers:
        add(path)
    return ordered


# ---- The names that units declare ----


def preprocessed(unit: str, macros: Iterable[str], stubs: Path) -> str:
    """Returns the unit's own text after preprocessing. System headers are empty."""
    folders = [f"-I{folder}" for folder in (stubs, INCLUDE, SRC)]
    command = ["cc", "-E", "-undef", "-nostdinc", "-w", *(f"-D{it}" for it in (*COMMON, *macros))]
    done = subprocess.run(
        [*command, *folders, ROOT / unit], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise Problem(f"{unit} is not preprocessed: {done.stderr}")
    lines, is_own = [], True
    for line in done.stdout.split("\n"):
        if marker := re.match(r'# \d+ "([^"]+)"', line):
            is_own = not is_common(marker[1])
        elif is_own and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


@cache
def is_common(file: str) -> bool:
    path = Path(file).resolve()
    return path.is_relative_to(ROOT) and path_of(path) in COMMON_FILES


def after(tokens: list[str], at: int, begin: str, end: str) -> int:
    """Returns the index behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i] == begin) - (tokens[i] == end)
        if depth == 0:
            return i + 1
    raise Problem(f"no {end} closes {begin}: {' '.join(tokens[at - 20 : at + 20])}")


def enumerators(tokens: list[str], begin: int, end: int) -> Iterator[str]:
    depth, expected = 0, True
    for token in tokens[begin + 1 : end - 1]:
        depth += (token in "([{") - (token in ")]}")
        if depth == 0 and token == ",":
            expected = True
        elif expected and WORD.fullmatch(token):
            yield token
            expected = False


def declarators(words: list[str]) -> Iterator[str]:
    """Yields the names that a declaration declares, from its tokens up to the semicolon."""
    is_type = words[0] == "typedef"
    depth, outside = 0, list[str]()  # without the sizes of arrays
    for word in words:
        depth += word == "["
        if depth == 0:
            outside.append(word)
        depth -= word == "]"
    words = outside
    if "(" in words and "=" not in words:
        pointers = [
            name
            for a, b, name in zip(words, words[1:], words[2:], strict=False)
            if (a, b) == ("(", "*")
        ]
        yield from pointers[:1] if is_type and pointers else [words[words.index("(") - 1]]
        return
    part: list[str] = []
    for word in [*words, ","]:
        depth += (word in "([{") - (word in ")]}")
        if word == "," and depth == 0:
            name = list(itertools.takewhile(lambda it: it != "=", part))[-1:]
            if name and len(words) > 1:
                yield name[0]
            part = []
        else:
            part.append(word)


SKIPPED = ("__attribute__", "_Pragma", "_Alignas", "_Static_assert", "__asm__")


def declared(tokens: list[str]) -> Iterator[str]:
    """Yields each name at file scope: functions, variables, types, tags and enumerators."""
    words: list[str] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token in SKIPPED and i + 1 < len(tokens) and tokens[i + 1] == "(":
            i = after(tokens, i + 1, "(", ")")
        elif token == "{":
            end = after(tokens, i, "{", "}")
            if "(" in words and "=" not in words and words[0] != "typedef":
                yield words[words.index("(") - 1]
                words = []
            else:
                if "=" not in words and words[-2:-1] in (["struct"], ["union"], ["enum"]):
                    yield words[-1]
                if "enum" in words[-2:]:
                    yield from enumerators(tokens, i, end)
                words.append("{}")
            i = end
        elif token == ";":
            if words:
                yield from filter(WORD.fullmatch, declarators(words))
            words = []
            i += 1
        else:
            words.append(token)
            i += 1


def declarations(units: list[str]) -> dict[str, set[str]]:
    """Returns the units that declare each name outside the shared headers, on any machine."""
    found: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        stubs = Path(folder)
        for path in SRC.rglob("*.[ch]"):
            for name in ANGLED.findall(path.read_text("utf-8")):
                (stubs / name).parent.mkdir(parents=True, exist_ok=True)
                (stubs / name).touch()
        for unit in units:
            own = reached([unit]) - COMMON_FILES
            differs = any(OF_MACHINE.search(text_of(path)) for path in own)
            texts = {
                preprocessed(unit, it, stubs) for it in (MACHINES if differs else MACHINES[:1])
            }
            for name in {name for text in texts for name in declared(CODE.findall(text))}:
                if not name.lower().startswith("rijn_"):
                    found[name].add(unit)
    return found


# ---- The file ----


class Names(NamedTuple):
    """Names that get the unit's name, because several units declare them, or one declares and others
    use them; those among them that are members of structs as well; and those that are macros, too."""

    repeated: set[str]
    members: set[str]
    macros: set[str]


def without_comments(text: str) -> str:
    return "".join(" " if token.startswith("/*") else token for token in TOKEN.findall(text))


class File:
    """One file in the making."""

    def __init__(self, name: str, is_portable: bool, declared_by: dict[str, set[str]]) -> None:
        self.name, self.is_portable = name, is_portable
        units = [it for it in map(path_of, SRC.rglob("*.c")) if self.takes(it)]
        self.units = sorted(units, key=lambda it: (not self.uses_system(it), it))
        self.parts: dict[str, int] = {}
        files = {it for it in reached(self.units) if it.startswith("include/") or self.takes(it)}
        self.shared = in_order([it for it in SHARED if it in files])
        self.repeated = files - set(self.shared) - set(self.units)
        self.declared_by = {name: by & {*self.units} for name, by in declared_by.items()}
        own = [*self.units, *self.repeated]
        text = {path: without_comments(text_of(path)) for path in {*own, *self.shared}}
        self.macros = {name for path in own for name in DEFINED.findall(text[path])}
        self.macros -= {name for name in self.macros if RESERVED.match(name)}
        kept = {name for path in self.shared for name in DEFINED.findall(text[path])}
        kept -= {name for path in files for name in UNDEFINED.findall(text_of(path))}
        if both := self.macros & kept:
            raise Problem(f"macros of units and of shared headers: {', '.join(sorted(both))}")
        words = {path: set(WORD.findall(text[path])) for path in own}
        # A variable of these sources with the name of something in the unit would shadow it.
        beside = {unit: words.keys() - reached([unit]) for unit in self.units}
        repeated = {
            name
            for name, units in self.declared_by.items()
            if len(units) > 1 or any(name in words[path] for it in units for path in beside[it])
        }
        used = {
            name for path in text for name in re.findall(r"(?:\.|->)\s*([A-Za-z_]\w*)", text[path])
        }
        self.names = Names(repeated, repeated & used, repeated & self.macros)
        # What macros that make a name of a name put before it and behind it.
        found = [it for path in own for it in PASTED.findall(text[path])]
        self.pasted = {(begin, end) for _, begin, end in found if begin or end}

    def takes(self, path: str) -> bool:
        if path == "src/backends/asm.c":  # its code is in a file of its own
            return False
        return not self.is_portable or PORTABLE.match(path) is not None

    def uses_system(self, unit: str) -> bool:
        return any(
            not WITH_HOISTED.fullmatch(it.removesuffix(".h"))
            for it in ANGLED.findall(text_of(unit))
        )

    # The text of a source.

    def source(self, path: str, renamed: bool) -> str:
        text = text_of(path)
        if self.is_portable:
            if path == "src/backends.def":
                text = PORTABLE_BACKENDS.sub("", text)
            text = self.reduced(without_comments(text))
        if renamed:
            text = self.aliased(text)
        lines = []
        for line in text.split("\n"):
            if quoted := QUOTED.match(line):
                line = self.include(included(quoted[1], path))
            elif angled := ANGLED.match(line):
                line = "" if WITH_HOISTED.fullmatch(angled[1].removesuffix(".h")) else line
            elif operations := OPERATIONS.match(line):
                line = f"#define AEGIS_OPERATIONS {self.part(included(operations[1], path))}"
            elif re.match(r"#\s*include AEGIS_OPERATIONS", line):
                line = f'#define RIJN_PART AEGIS_OPERATIONS\n#include "{self.name}"'
            elif line.startswith("#define _DEFAULT_SOURCE"):
                line = ""
            lines.append(line)
        return "\n".join(lines).strip("\n") + "\n"

    def include(self, path: str) -> str:
        if path in self.shared:
            return ""
        if path not in self.repeated:
            if not LEFT_OUT.match(path):
                raise Problem(f"{path} is left out, but included")
            return ""
        number = self.part(path)
        what = "" if self.is_portable else f" /* {path} */"
        return f'#define RIJN_PART {number}{what}\n#include "{self.name}"'

    def part(self, path: str) -> int:
        return self.parts.setdefault(path, len(self.parts) + 1)

    def aliased(self, text: str) -> str:
        """Gives names another spelling where they are not members. A struct's members keep them."""
        names = self.names.members
        out: list[str] = []
        before = [""]  # tokens that are neither space nor comment
        structs: list[bool] = []  # for each open brace
        tokens = TOKEN.findall(text)
        following = [""] * len(tokens)
        upcoming = ""
        for i in range(len(tokens) - 1, -1, -1):
            following[i] = upcoming
            if not tokens[i].isspace() and not tokens[i].startswith("/*"):
                upcoming = tokens[i]
        for i, token in enumerate(tokens):
            if token.isspace() or token.startswith("/*"):
                out.append(token)
                continue
            if token == "{":
                structs.append("struct" in before[-2:] or "union" in before[-2:])
            elif token == "}" and structs:
                structs.pop()
            is_member = before[-1] in (".", "->") or (
                bool(structs) and structs[-1] and following[i] in (";", ",", "[", ":", ")")
            )
            out.append(f"{token}_here" if token in names and not is_member else token)
            before = [*before[-2:], token]
        return "".join(out)

    def reduced(self, text: str) -> str:
        """Leaves out what a macro that no file defines would add, and spaces."""
        kept: list[str] = []
        # Of each open #if: whether this macro decides it, and whether its lines are kept.
        open_: list[tuple[bool, bool]] = []
        for line in text.split("\n"):
            directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(\w*)", line)
            if directive:
                kind, name = directive.groups()
                if kind in ("if", "ifdef", "ifndef"):
                    decided = (
                        kind != "if" and name.startswith("NATIVE_") and name not in self.macros
                    )
                    open_.append((decided, not decided or kind == "ifndef"))
                    if decided:
                        continue
                elif open_[-1][0]:
                    if kind == "endif":
                        open_.pop()
                    elif kind == "elif":
                        raise Problem(f"#elif after a macro of no file: {line}")
                    else:
                        open_[-1] = (True, not open_[-1][1])
                    continue
                elif kind == "endif":
                    if all(keeps for _, keeps in open_):
                        kept.append(line)
                    open_.pop()
                    continue
            if line.strip() and all(keeps for _, keeps in open_):
                stripped = line.lstrip(" ")
                kept.append("\t" * ((len(line) - len(stripped)) // 4) + stripped.rstrip())
        return "\n".join(kept)

    # The whole.

    def heading(self, text: str) -> str:
        return "" if self.is_portable else f"\n/* ---- {text} ---- */\n\n"

    def renames(self, names: Iterable[str]) -> str:
        """Returns the definitions of names as `aliased` spells them, also where a macro makes them."""
        text = ""
        for name in sorted(names):
            spelled = f"{name}_here" if name in self.names.members else name
            text += f"#define {spelled} RIJN_OF({name})\n"
            for begin, end in sorted(self.pasted):
                middle = name.removeprefix(begin).removesuffix(end)
                if begin + middle + end == name and middle in self.names.members:
                    text += f"#define {begin}{middle}_here{end} {spelled}\n"
        return text

    def unit(self, path: str, renamed: bool) -> str:
        name = re.sub(r"\W", "_", path.removeprefix("src/").removesuffix(".c"))
        targeted = path.startswith(("src/backends/", "src/aegis/"))
        text = self.heading(path) + f"#define RIJN_UNIT {name}\n"
        if targeted:
            text += "RIJN_OPTIONS(push)\n"
        own = {it for it in self.names.macros if path in self.declared_by[it]}
        if renamed and own:
            text += self.renames(own)
        text += self.source(path, renamed)
        if targeted:
            text += "RIJN_OPTIONS(pop)\n"
        return text + f'#define RIJN_PART 0\n#include "{self.name}"\n'

    def text(self, banner: str) -> str:
        early = [it for it in self.units if self.uses_system(it)]
        main = HOISTED
        main += "".join(
            (self.heading(it) + self.source(it, False))
            if it != "include/rijn.h"
            else '#include "rijn.h"\n'
            for it in self.shared
        )
        main += self.heading("Names of a unit") + NAMING
        main += "".join(self.unit(it, False) for it in early)
        main += WITHOUT_WINDOWS
        main += self.heading("Names that several units declare")
        main += self.renames(self.names.repeated - self.names.macros)
        main += "".join(self.unit(it, True) for it in self.units if it not in early)
        parts, done = "", 0
        while done < len(self.parts):  # a part may add parts
            path = list(self.parts)[done]
            done += 1
            parts += f"#elif RIJN_PART == {done}\n#undef RIJN_PART\n{self.heading(path)}"
            parts += self.source(path, True)
        end = "".join(f"#undef {name}\n" for name in sorted(self.macros | {"RIJN_UNIT"}))
        text = f"{banner}#ifndef RIJN_PART\n{main}#elif RIJN_PART == 0\n#undef RIJN_PART\n{end}{parts}#endif\n"
        return re.sub(r"\n{3,}", "\n\n", text)


# windows.h defines them as nothing.
WITHOUT_WINDOWS = "#if defined(_WIN32)\n#undef FAR\n#undef NEAR\n#undef far\n#undef near\n#endif\n"

NAMING = """\
#define RIJN_OF(name) RIJN_OF_UNIT(name, RIJN_UNIT)
#define RIJN_OF_UNIT(name, unit) RIJN_JOINED(name, unit)
#define RIJN_JOINED(name, unit) name##_##unit
#if defined(__GNUC__) && !defined(__clang__)
#define RIJN_OPTIONS(what) RIJN_PRAGMA(GCC what##_options)
#else
#define RIJN_OPTIONS(what)
#endif
"""

BANNER = """\
/* librijn {version} in one file: {what}.
 * SPDX-License-Identifier: MIT
 *
 *     cc -O2 -c {name}
 *
 * rijn.h is the manual. Compile this file by itself, because it defines many short names as macros. Keep its
 * name, because it includes itself: RIJN_PART selects a part that several backends repeat. c/amalgamate.py
 * made it from the sources of librijn; change those. */
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts().items():
            part = folder / f"{name}.part"
            part.write_text(text, "utf-8")
            part.replace(folder / name)
            print(f"{len(text.encode()):>9,} {folder / name}")
    except (Problem, OSError) as error:
        sys.exit(f"no file: {error}")


def texts() -> dict[str, str]:
    """Returns the text of each file."""
    header = text_of("include/rijn.h")
    found = re.search(r'^#define RIJN_VERSION "(.*)"$', header, re.MULTILINE)
    if not found:
        raise Problem("rijn.h has no version")
    declared_by = declarations([path_of(it) for it in sorted(SRC.rglob("*.c"))])
    made = {"rijn.h": header}
    for name, what, is_portable in (
        ("rijn.c", "every backend", False),
        ("rijn-portable.c", "the backends fixslice64 and fixslice32", True),
    ):
        banner = BANNER.format(version=found[1], what=what, name=name)
        made[name] = File(name, is_portable, declared_by).text(banner)
    return made


if __name__ == "__main__":
    main()
