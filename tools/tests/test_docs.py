"""Tests of the pages: examples run, both calls of each row of docs/migration.md give the same result,
and every link leads to an existing file and heading."""

from __future__ import annotations

import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from backends import needs_native, noise
from limits import LIMIT

import rijn
from rijn import files, registry
from rijn_bench import studies
from rijn_bench.results import Results

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/*.md",
        "integrations/**/*.md",
        "js/**/*.md",
        "c/*.md",
        "c/proofs/*.md",
        "rust/*.md",
    )
    for path in ROOT.glob(pattern)
    if "node_modules" not in path.parts
)
TEXTS = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in PAGES}
MIGRATION = TEXTS["docs/migration.md"]
MEASUREMENTS = "docs/measurements.md"

FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


# ---- Examples ----


PAGES_THAT_RUN = ["README.md", "docs/conventions.md", "docs/many.md", "docs/tutorial.md"]


def examples(page: str) -> str:
    return "\n".join(PYTHON.findall(TEXTS[page]))


@needs_native
@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_the_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with the files that the tutorial's commands have made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_bytes(b"Dear Bob\n")
    os.close(os.open(tmp_path / "my.key", os.O_CREAT | os.O_WRONLY, 0o600))
    (tmp_path / "my.key").write_text(files.format_key(os.urandom(16)))
    words = ("encrypt", "-k", "my.key", "letter.txt")
    subprocess.run([sys.executable, "-m", "rijn", *words], check=True, timeout=LIMIT)
    assert examples(page)
    exec(compile(examples(page), page, "exec"), {})  # noqa: S102 the pages are ours
    if page == "docs/tutorial.md":
        assert (tmp_path / "copy.txt").read_bytes() == b"Dear Bob\n"
        assert not (tmp_path / "letter.part").exists()


# Calls the functions of docs/c.md.
GUIDE_MAIN = r"""#include <stdio.h>
int main(void)
{
    const uint8_t bytes[32] = {1}, nonce[16] = {2};
    uint8_t data[10000] = {0}, tag[16];
    rijn_key key;

    rijn_status status = one_message(bytes, nonce);
    if (status == RIJN_OK)
        status = by_aegis(bytes, nonce, data, sizeof data, tag);
    if (status == RIJN_OK)
        status = rijn_key_init(&key, bytes, 16, NULL);
    if (status == RIJN_OK)
        status = in_pieces(&key, nonce, data, sizeof data, tag);
    rijn_key_wipe(&key);
    printf("librijn %s: %s\n", rijn_version(), rijn_status_text(status));
    return status == RIJN_OK ? 0 : 1;
}
"""


def test_the_c_guide_is_a_program(tmp_path: Path) -> None:
    library, compiler = ROOT / "build" / "c" / "librijn.a", shutil.which("cc")
    if compiler is None or not library.exists():
        pytest.skip("needs a C compiler and build/c/librijn.a")
    source = tmp_path / "guide.c"
    blocks = re.findall(r"^```c\n(.*?)^```", TEXTS["docs/c.md"], re.MULTILINE | re.DOTALL)
    source.write_text("\n".join([*blocks, GUIDE_MAIN]))
    flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Werror",
        "-I",
        str(ROOT / "c" / "include"),
    ]
    program = str(tmp_path / "guide")
    subprocess.run([compiler, *flags, source, library, "-o", program], check=True, timeout=LIMIT)
    done = subprocess.run([program], capture_output=True, check=True, timeout=LIMIT)
    assert done.stdout.startswith(b"librijn ")


def compiles(tmp_path: Path, program: str, *flags: str) -> bool:
    """Tells whether a C compiler accepts the program without a warning."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    source = tmp_path / "program.c"
    source.write_text(program)
    command = [compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", *flags]
    command += [
        "-I",
        str(ROOT / "c" / "include"),
        "-c",
        str(source),
        "-o",
        str(tmp_path / "program.o"),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    print(done.stderr)
    return done.returncode == 0


# The function around the page's C example.
AROUND = {
    "README.md": """#include <stdio.h>
void f(const uint8_t *bytes, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
       size_t size);
void f(const uint8_t *bytes, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *in,
       size_t size)
{
%s
}
""",
    "docs/many.md": """#include <rijn.h>
#include <stdlib.h>
rijn_status f(rijn_key key, size_t n, const uint8_t *text, size_t text_size, int32_t *begins,
              uint8_t *bits);
rijn_status f(rijn_key key, size_t n, const uint8_t *text, size_t text_size, int32_t *begins,
              uint8_t *bits)
{
    size_t failures;
%s
}
""",
}


@pytest.mark.parametrize("page", AROUND)
def test_examples_of_c_check_every_status(page: str, tmp_path: Path) -> None:
    (example,) = re.findall(r"^```c\n(.*?)^```", TEXTS[page], re.MULTILINE | re.DOTALL)
    includes = "".join(re.findall(r"^#include.*\n", example, re.MULTILINE))
    rest = re.sub(r"^#include.*\n", "", example, flags=re.MULTILINE)
    assert compiles(tmp_path, includes + AROUND[page] % rest)
    ignored = re.sub(r"^(if .*\n)? *(rijn_)?status = ", "", rest, count=1, flags=re.MULTILINE)
    assert ignored != rest
    assert not compiles(tmp_path, includes + AROUND[page] % ignored)


def test_every_page_with_c_is_compiled() -> None:
    pages = {page for page, text in TEXTS.items() if re.search("^```c$", text, re.MULTILINE)}
    assert pages == {"docs/c.md", *AROUND}


def test_examples_check_every_status(tmp_path: Path) -> None:
    programs = sorted((ROOT / "c" / "examples").glob("*.c"))
    assert len(programs) >= 3
    for path in programs:
        assert compiles(tmp_path, path.read_text("utf-8")), path
    ignoring = "#include <rijn.h>\nvoid f(rijn_key *);\nvoid f(rijn_key *key)\n{\n    %s\n}\n"
    call = "rijn_ecb_encrypt(key, NULL, NULL, 0);"
    assert not compiles(tmp_path, ignoring % call)
    assert compiles(tmp_path, ignoring % call, "-DRIJN_CHECKED=")  # as the header declares


def test_every_status_asks_for_the_warning() -> None:
    """RIJN_API contains the attribute with which compilers warn callers that ignore a result."""
    header = (ROOT / "c" / "include" / "rijn.h").read_text("utf-8")
    assert re.search("^#define RIJN_API .*RIJN_CHECKED$", header, re.MULTILINE)
    functions = re.findall(r"^(.*)\brijn_status\s+(rijn_\w+)\(", header, re.MULTILINE)
    assert len(functions) > 90
    assert [name for before, name in functions if before != "RIJN_API "] == []


@pytest.mark.parametrize("page", TEXTS)
def test_functions_of_c_that_pages_name_exist(page: str) -> None:
    """Functions of DuckDB's and Spark's SQL exist too."""
    spark = "integrations/spark/src/main/java/rijn/spark/RijnExtensions.java"
    sources = ("c/include/rijn.h", "integrations/duckdb/extension.c", spark)
    header = "".join((ROOT / name).read_text("utf-8") for name in sources)
    for name in re.findall(r"\brijn_[a-z_]+_(?:init|seal|open|start|finish|verify)\b", TEXTS[page]):
        assert re.search(rf"\b{name}\b", header), name


# ---- docs/migration.md ----

ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
SECTIONS = re.split(r"^## ", MIGRATION, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda text: text.partition("\n")[0])
def test_two_calls_give_the_same(section: str) -> None:
    source = "\n".join(PYTHON.findall(section))
    for package in re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE):
        if find_spec(package) is None:
            pytest.skip(f"needs {package}")
    key, nonce, iv, data, ad = noise(16, 1), noise(12, 2), noise(16, 3), noise(48, 4), noise(9, 5)
    sealed = rijn.AESGCM(key).encrypt(nonce, data, ad)
    names = {
        "rijn": rijn, "key": key, "nonce": nonce, "iv": iv, "data": data, "ad": ad,
        "sealed": sealed,
    }  # fmt: skip
    exec(compile(source, "docs/migration.md", "exec"), names)  # noqa: S102 the pages are ours
    rows = ROW.findall(section)
    assert rows or "box.seal" in source
    for theirs, ours in rows:
        assert "rijn." in ours and "rijn." not in theirs
        assert eval(theirs, names) == eval(ours, names), (theirs, ours)


def test_each_row_is_two_calls() -> None:
    lines = [line for line in MIGRATION.splitlines() if line.startswith("| `")]
    # All but the head `cryptography` | Rijn.
    assert len(ROW.findall(MIGRATION)) == len(lines) - 1 > 30


# ---- Figures ----


def test_the_picture_has_the_colours_of_the_reports() -> None:
    """The colors are defined once."""
    plots = pytest.importorskip("rijn_bench.plots", reason="plots need Matplotlib")
    colour = re.compile("#[0-9a-f]{6}")
    assert not colour.search((ROOT / "tools/figures.py").read_text("utf-8"))
    ours = {plots.GRID, plots.LEAKY, plots.PEER, *plots.BACKENDS}
    drawn = colour.findall((ROOT / "docs/backends.svg").read_text("utf-8"))
    assert {plots.LEAKY, plots.PEER, plots.BACKENDS[0]} <= set(drawn)
    assert set(drawn) - ours <= {"#000000", "#ffffff"}


@needs_native
def test_pages_have_the_figures_of_the_run() -> None:
    """`python tools/figures.py` writes them into measurements.md and README.md."""
    tool = runpy.run_path(str(ROOT / "tools" / "figures.py"))
    results = Results.from_json((ROOT / "docs/figures.json").read_text("utf-8"))
    assert tool["TABLE"].search(TEXTS[MEASUREMENTS])[0] == tool["table"](results)
    for name, *_ in tool["peers"](results):
        assert f"*{name}*" in TEXTS[MEASUREMENTS]
    assert tool["RATIO"].findall(TEXTS["README.md"]) == [tool["ratio"](results)]


@needs_native
def test_the_tables_of_backends_are_current() -> None:
    """`python tools/figures.py` writes them."""
    tool = runpy.run_path(str(ROOT / "tools" / "figures.py"))
    for page, made in tool["BACKENDS"].items():
        assert tool["LIST"].search(TEXTS[page])[0] == made(), page
    listed = [it.name for it in registry.listed_backends()]
    for page in (MEASUREMENTS, "docs/security.md", "docs/claims.md"):
        written = TABLES[page](tool)
        assert sorted(set(listed) & set(re.findall(r"`([\w-]+)`", written))) == sorted(listed), page


@needs_native
def test_columns_of_tables_are_those_of_the_backends() -> None:
    """`python tools/figures.py` writes them."""
    tool = runpy.run_path(str(ROOT / "tools" / "figures.py"))
    for page, (column, cell) in tool["COLUMNS"].items():
        assert tool["filled"](TEXTS[page], column, cell) == TEXTS[page], page
        other = tool["filled"](TEXTS[page], column, lambda name: "?")
        assert len(set(other.split("\n")) - set(TEXTS[page].split("\n"))) >= 3, page
    with pytest.raises(ValueError, match="several cells"):
        tool["filled"](TEXTS["docs/x86.md"], "blocks in flight", str.upper)


# Tables of each page that together have every backend.
TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    MEASUREMENTS: lambda tool: "".join(
        tool[name].search(TEXTS[MEASUREMENTS])[0] for name in ("TABLE", "LIST")
    ),
    "docs/security.md": lambda tool: tool["LIST"].search(TEXTS["docs/security.md"])[0],
    "docs/claims.md": lambda tool: tool["LIST"].search(TEXTS["docs/claims.md"])[0],
}


def rows(page: str, head: str) -> list[list[str]]:
    """Returns the cells of the table that starts with this line."""
    text = TEXTS[page]
    assert text.count(f"\n{head}\n") == 1, head
    body = text.partition(f"\n{head}\n")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


@needs_native
def test_figures_of_other_sizes_are_marked() -> None:
    """A figure of another size than its column's says so."""
    tool = runpy.run_path(str(ROOT / "tools" / "figures.py"))
    results = Results.from_json((ROOT / "docs/figures.json").read_text("utf-8"))
    lines = tool["TABLE"].search(TEXTS[MEASUREMENTS])[0].splitlines()
    assert lines[0].count("of 1 MiB, MB/s") == 2
    cells = {line.split("|")[1].strip(" `*"): line.split("|")[3:5] for line in lines[2:-2]}
    largest: dict[str, int] = {}
    for row in results.rows:
        largest[row.name] = max(row.size, largest.get(row.name, 0))
    assert set(cells) == set(largest)
    for name, size in largest.items():
        told = [cell for cell in cells[name] if "–" not in cell]
        assert told and all(("(" in cell) is (size != 1 << 20) for cell in told), name
    assert str(results.machine["load"]) in lines[-1] and results.machine["cpu"] in lines[-1]


def test_each_ratio_names_its_run() -> None:
    """README.md's ratios are in the sections that they link. tools/figures.py writes the first."""
    _, *quoted = rows("README.md", "| encryption | compared with others |")
    assert len(quoted) >= 2
    for _, cell in quoted:
        found = re.match(r"\[([\d.]+ × the speed)\]\(docs/measurements\.md#([\w-]+)\) of ", cell)
        assert found, cell
        assert found[1] in section(MEASUREMENTS, found[2]), cell


def test_ratios_follow_from_the_times_above_them() -> None:
    """Checks ipsec-mb's time over `vaes512`. Ratios below 1 are bold."""
    table = rows(MEASUREMENTS, "| ns | 16 B | 64 B | 256 B | 1,350 B | 16 KiB |")
    assert len(table) == 15
    for (_, *ours), (_, *theirs), (what, *ratios) in zip(*[iter(table)] * 3, strict=True):
        assert what == "ratio"
        for our, their, told in zip(ours, theirs, ratios, strict=True):
            if our == "–":
                assert their == told == "–"
                continue
            ratio = float(their.replace(",", "")) / float(our.replace(",", ""))
            assert told == (f"{ratio:.2f}" if ratio >= 1 else f"**{ratio:.2f}**")


def test_counted_instructions_are_those_of_the_pages() -> None:
    """Of those that `rijn bench --as languages` and `--as aegis` print."""

    def figures(page: str) -> set[str]:
        return set(re.findall(r"\d[\d,.]*\d", TEXTS[page]))

    micropython = figures("integrations/micropython/README.md")
    cortex, others = figures("docs/microcontrollers.md"), figures("docs/other-machines.md")
    for label, _, one, many, _ in studies.LANGUAGES_COUNTED:
        if one:
            assert {f"{one:,}", f"{many:,}"} <= micropython, label
        else:  # the page counts a byte, rounded to a tenth
            near = {f"{many / 16 + step:.1f}" for step in (-0.1, 0, 0.1)}
            assert near & cortex, label
    for machine, algorithm, _, _, count in studies.AEGIS_COUNTED:
        page = cortex if machine == "Cortex-M4" else others
        assert {f"{count}", f"{count:.2f}"} & page, (machine, algorithm)


# ---- Links ----


def anchor_of(heading: str) -> str:
    """The name of a heading, as hosts of repositories and Sphinx make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def section(page: str, anchor: str) -> str:
    """A section of a page, down to the next heading."""
    parts = re.split(r"^#+ +(.+?) *$", TEXTS[page], flags=re.MULTILINE)
    (found,) = (
        body
        for head, body in zip(parts[1::2], parts[2::2], strict=True)
        if anchor_of(head) == anchor
    )
    return found


def anchors(text: str) -> set[str]:
    """The names of all headings of a page: a number tells equal ones from each other."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ +(.+?) *$", FENCE.sub("", text), re.MULTILINE):
        name = anchor_of(heading)
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    for link in LINK.findall(FENCE.sub("", TEXTS[page])):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page
        assert target.is_relative_to(ROOT) and target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text("utf-8")), link


def test_every_page_is_in_the_site() -> None:
    contents = re.findall(
        r"^```\{toctree\}\n(.*?)^```", TEXTS["docs/index.md"], re.MULTILINE | re.DOTALL
    )
    lines = {line for tree in contents for line in tree.splitlines() if line and line[0] != ":"}
    listed = {re.sub(r".*<(\w+)>", r"\1", line) for line in lines}
    there = {Path(page).stem for page in TEXTS if page.startswith("docs/")} - {"index"}
    assert listed == there


def test_what_pages_link_is_in_the_site() -> None:
    """The site shows pages of other folders too, and no link leads to a folder."""
    include = re.compile(r"```\{include\} (\S+)\n```\n")
    ours = {page: TEXTS[page] for page in TEXTS if page.startswith("docs/")}
    shown = {
        str((ROOT / "docs" / found[1]).resolve().relative_to(ROOT))
        for text in ours.values()
        if (found := include.fullmatch(text))
    }
    assert {"SECURITY.md", "CONTRIBUTING.md", "bench/README.md"} < shown
    for page in (*ours, *shown):
        for link in LINK.findall(
            FENCE.sub("", TEXTS.get(page) or (ROOT / page).read_text("utf-8"))
        ):
            if re.match(r"[a-z]+:|#", link):
                continue
            target = (ROOT / page).parent.joinpath(link.partition("#")[0]).resolve()
            assert target.is_file(), (page, link)
            if target.suffix == ".md":
                assert str(target.relative_to(ROOT)) in {*ours, *shown}, (page, link)


def test_every_promise_names_its_test() -> None:
    """Checks the table of docs/security.md. Its timings agree with the package."""
    page = TEXTS["docs/security.md"]
    promises = re.search(r"\| promise \|[^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)", page)
    assert promises
    for row in promises[1].splitlines():
        named = re.findall(r"`((?:c|python)/tests/[^`]+)`", row.split(" | ")[1])
        assert named, row
        for path, _, function in (name.partition("::") for name in named):
            text = (ROOT / path).read_text("utf-8")
            assert not function or f"def {function}(" in text, (path, function)
    timing = page[page.index("## Timing") : page.index("## Not promised")]
    rows = dict(re.findall(r"^\| (`[^|]*) \| ([^|]*) \|$", timing, re.MULTILINE))
    said = {name: text for names, text in rows.items() for name in re.findall("`(.*?)`", names)}
    for backend in rijn.backends():
        assert (said[backend.name].startswith(("yes", "believed"))) == (
            backend.constant_time is True
        )


def test_functions_that_the_library_takes_of_the_c_library_are_named() -> None:
    """Checks the shared library of a build without sanitizers or similar additions."""
    library, nm = ROOT / "build" / "c" / "librijn.so", shutil.which("nm")
    machine = (platform.machine(), sys.platform)
    if nm is None or not library.exists() or machine != ("x86_64", "linux"):
        pytest.skip("needs nm and build/c/librijn.so of x86-64 Linux")
    found = subprocess.run([nm, "-D", "-u", library], capture_output=True, text=True, check=True)
    taken = set(re.findall(r"^ +U (\w+)", found.stdout, re.MULTILINE))
    section = (
        TEXTS["docs/c.md"].partition("functions of the C library")[2].partition("Elsewhere")[0]
    )
    assert taken - set(re.findall(r"`(\w+)`", section)) <= {"__stack_chk_fail"}
    assert {"memcpy", "getenv", "syscall"} <= taken


@needs_native
def test_the_reference_has_every_name() -> None:
    shown = set(re.findall(r"^\.\. auto\w+:: rijn\.(\w+)$", TEXTS["docs/api.md"], re.MULTILINE))
    modules = {"fsspec"}  # needs a package
    assert shown == (set(rijn.__all__) | modules) - {"__version__"}
    for name in shown:
        assert getattr(rijn, name, None) or import_module(f"rijn.{name}")
