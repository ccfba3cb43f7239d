"""The layers of docs/architecture.md: no module of rijn imports a higher layer, and no two folders of
c/src depend on each other."""

from __future__ import annotations

import ast
import os.path
import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from rijn.registry import listed_backends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]

if not (ROOT / "pyproject.toml").exists():
    pytest.skip("no checkout", allow_module_level=True)

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
Graph = dict[str, dict[str, set[str]]]
"""From each node to those it leans on, and why: a line for each reason."""


def circles(graph: Graph) -> list[str]:
    """Returns every tie that lies on a circle, with its reasons."""
    return ties_where(graph, lambda one, other: one in reached(graph, other))


def mutual(graph: Graph) -> list[str]:
    """Returns every tie between two that depend on each other, with its reasons."""
    return ties_where(graph, lambda one, other: one in graph.get(other, {}))


def reached(graph: Graph, start: str) -> set[str]:
    found, todo = set[str](), [start]
    while todo:
        new = graph.get(todo.pop(), {}).keys() - found
        found |= new
        todo.extend(new)
    return found


def ties_where(graph: Graph, wrong: Callable[[str, str], bool]) -> list[str]:
    return [
        f"{one} -> {other}: {reason}"
        for one, ties in sorted(graph.items())
        for other, reasons in sorted(ties.items())
        if wrong(one, other)
        for reason in sorted(reasons)
    ]


# ---- Python: modules and their imports --------------------------------------------------

# Families of backends. They import the public classes, which import the registry. So the registry loads
# the family of a key's backend by name, as a plug-in.
PLUG_INS = ("rijn.native", "rijn.pure.public")


PACKAGES = ("python/rijn", "bench/rijn_bench")


def python_files() -> dict[str, str]:
    return {
        path.relative_to((ROOT / package).parent).as_posix(): path.read_text("utf-8")
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py*")
        if path.suffix in (".py", ".pyi")
    }


def dotted(path: str) -> str:
    return path.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")


def of_bench(module: str) -> bool:
    return module.partition(".")[0] == "rijn_bench"


def imports(files: Mapping[str, str]) -> Graph:
    """Returns the modules that each module imports: at the top, in functions, for types alone, and by
    name through importlib. `from package import module` counts as an import of the module, not of
    the package."""
    modules = {dotted(path): path for path in files}
    graph: Graph = {module: {} for module in modules}
    for module, path in modules.items():
        package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
        for name, line in imported(ast.parse(files[path]), package):
            home = name if name in modules else name.rpartition(".")[0]
            if (
                home in modules
                and home != module
                and not (module == "rijn.registry" and home in PLUG_INS)
            ):
                graph[module].setdefault(home, set()).add(f"{path}:{line}")
    return graph


def imported(tree: ast.Module, package: str) -> Iterator[tuple[str, int]]:
    """Yields the imported names of a module of this package, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level]
            base = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            for alias in node.names:
                yield f"{base}.{alias.name}", node.lineno
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
            for name in by_name(node.args[0], tree):
                absolute = (
                    name
                    if name.startswith(("rijn.", "rijn_bench."))
                    else f"{package}.{name.lstrip('.')}"
                )
                yield absolute, node.lineno


def by_name(argument: ast.expr, tree: ast.Module) -> Iterator[str]:
    """Returns the possible arguments of an import_module call. If the name is composed, its end may
    be any string of the file."""
    if isinstance(argument, ast.Constant | ast.IfExp):
        yield from strings(argument)
        return
    parts = argument.values if isinstance(argument, ast.JoinedStr) else []
    start = "".join(strings(parts[0])) if parts and isinstance(parts[0], ast.Constant) else ""
    for end in strings(tree):
        yield start + end


def strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def test_no_module_imports_what_stands_on_it() -> None:
    graph = imports(python_files())
    assert len(graph) > 80
    assert graph["rijn.block"].keys() == {
        *("rijn._check", "rijn._key", "rijn._traceback", "rijn.incremental", "rijn.registry")
    }
    # modules that are loaded by name
    assert graph["rijn"].keys() >= {"rijn.aead", "rijn.selftest"}
    assert graph["rijn.pure.backends"].keys() >= {"rijn.pure.python", "rijn.pure.modes.gcm"}
    assert circles(graph) == []


def above(graph: Graph) -> list[str]:
    """Returns the imports of rijn_bench in rijn."""
    return ties_where(graph, lambda one, other: of_bench(other) and not of_bench(one))


def test_rijn_does_not_know_its_benchmark() -> None:
    """rijn finds the commands of rijn-bench as entry points."""
    files = python_files()
    graph = imports(files)
    assert sum(map(of_bench, graph)) > 25
    assert "rijn.cli.destination" in graph["rijn_bench.bench_command"]
    assert above(graph) == []
    for name in ("rijn_bench", "rijn-bench"):
        using = {path for path, text in files.items() if path.startswith("rijn/") and name in text}
        assert using <= {"rijn/_install.py", "rijn/cli/__init__.py"}, using
    for line in (
        "from rijn_bench import plan",
        'import importlib as i; i.import_module("rijn_bench.plan")',
    ):
        changed = {**files, "rijn/cli/info.py": f"{files['rijn/cli/info.py']}\n{line}\n"}
        assert len(above(imports(changed))) == 1, line


def test_commands_know_no_engine() -> None:
    """rijn.cli.columns.engines and rijn.cli.distributed choose it."""
    graph = imports(python_files())
    engines = {
        "rijn.cli.columns.local": "rijn.cli.columns.engines",
        "rijn.cli.columns.cluster": "rijn.cli.columns.engines",
        "rijn.spark.files": "rijn.cli.distributed",
    }
    for engine, chooser in engines.items():
        users = {it for it, ties in graph.items() if engine in ties and it.startswith("rijn.cli")}
        assert users == {chooser}, engine


def test_families_of_backends_are_plug_ins() -> None:
    """Only the registry knows them."""
    for module, ties in imports(python_files()).items():
        for name in PLUG_INS:
            assert name not in ties or module.startswith(name), module


@pytest.mark.parametrize(
    ("mender", "breaker"),
    [
        ("from . import b", "from .a import X"),
        ("from .b import Y", "def f() -> None:\n    from .a import X"),
        ("import rijn.b", "if TYPE_CHECKING:\n    from rijn.a import X"),
        ("from .b import Y", 'from importlib import import_module\nimport_module("rijn.a")'),
        ("from .b import Y", 'import importlib\nimportlib.import_module(".a", __package__)'),
        ("from .b import Y", 'N = "a"\n__import__(f"{__package__}.{N}")'),
        ("from .b import Y", 'N = ("a",)\nimport_module(f"rijn.{N[0]}")'),
        ("from .b import Y", 'N, X = {1: "d"}, 1\nimport_module(f".deep.{N[X]}", __package__)'),
        ("from .b import Y", "from .c import Z"),
        ("from .b import Y", "from .deep.d import Z"),
        ("from .b import Y", "import rijn"),
    ],
)
def test_a_circle_of_imports_is_found(mender: str, breaker: str) -> None:
    files = {
        "rijn/__init__.py": "from .a import X",
        "rijn/a.py": mender,
        "rijn/b.py": "import os",
        "rijn/c.py": "from . import a",
        "rijn/deep/__init__.py": "",
        "rijn/deep/d.py": "from ..a import X\nfrom .. import b",
    }
    assert circles(imports(files)) == []
    found = circles(imports({**files, "rijn/b.py": breaker}))
    assert any(line.startswith("rijn.a -> rijn.b: rijn/a.py:1") for line in found)


# ---- The folders at the top ---------------------------------------------------------------

# Each folder depends only on the ones below. All may read `vectors` and `docs`, which read nothing.
FLOORS = (
    ("c", "vectors", "docs"),
    ("python",),
    ("bench",),
    ("integrations", "js", "rust"),
    ("tools",),
    (".ci",),
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
CODE = ("c", "h", "S", "py", "pyi", "sh", "mjs", "js", "rs", "cmake", "txt", "mk", "toml", "xml")
CODE += ("java",)
NAMES = "|".join(map(re.escape, FLOOR))
# A path in a string, a shell word or CMake: from the top, or with `..`.
PATH = re.compile(rf"(?<![\w.-])((?:\.\./)*)((?:{NAMES})/[\w.-]+)")
# A path in Python: from the file itself, or from ROOT.
BUILT = re.compile(r"(?:ROOT|parents\[(\d)\]) / \"([\w.-]+)")
IMPORT = re.compile(r"^\s*(?:from|import) (rijn_bench|rijn)\b", re.MULTILINE)
REMARK = {
    **dict.fromkeys(("c", "h", "S", "js", "mjs", "java", "rs"), COMMENT),
    **dict.fromkeys(("py", "pyi"), re.compile(r'"""(?:.|\n)*?"""|(?:^|(?<=\s))#[^\n]*')),
    "xml": re.compile(r"<!--.*?-->", re.DOTALL),
}
HASH = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)


def code_files() -> dict[str, str]:
    """Yields the files of the top folders that are built or run. Data files of tests are left out."""
    found = {}
    for path in (path for name in FLOOR for path in (ROOT / name).rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        code = path.suffix[1:] in CODE or path.name in ("run", "Makefile")
        if code and path.is_file() and not name.startswith(("vectors/", "docs/")):
            found[name] = path.read_text("utf-8")
    return found


def arrows(files: Mapping[str, str]) -> Graph:
    """Returns the top folders that each top folder reads, includes, imports, builds or runs."""
    graph: Graph = {name: {} for name in FLOOR}
    for name, text in files.items():
        top, suffix = name.partition("/")[0], PurePosixPath(name).suffix[1:]
        code = REMARK.get(suffix, HASH).sub(" ", text)
        found = set[str]()
        for up, path in PATH.findall(code):
            start = PurePosixPath(name).parent if up else PurePosixPath()
            found.add(os.path.normpath(start / up / path))
        for parents, path in BUILT.findall(code):
            start = PurePosixPath(name).parents[int(parents)] if parents else PurePosixPath()
            found.add(str(start / path))
        found |= {{"rijn": "python/rijn"}.get(it, "bench") for it in IMPORT.findall(code)}
        for path in found:
            other = path.partition("/")[0]
            if other in FLOOR and other != top and (ROOT / path).exists():
                graph[top].setdefault(other, set()).add(f"{name} has {path}")
    return graph


def upwards(graph: Graph) -> list[str]:
    """Returns the arrows to a folder of the same layer or a higher one."""
    return ties_where(graph, lambda one, other: FLOOR[other] >= FLOOR[one])


def test_no_folder_at_the_top_stands_on_one_above() -> None:
    graph = arrows(code_files())
    drawn = [f"{one} -> {', '.join(sorted(ties))}" for one, ties in graph.items() if ties]
    print("\n".join(drawn))
    assert graph["python"].keys() >= {"c", "vectors"}
    assert graph[".ci"].keys() >= {"c", "python", "integrations"}
    assert graph["c"].keys() <= {"docs"}
    assert upwards(graph) == []
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c/src/key.c", '#include "../../python/binding/layouts.h"'),
        ("c/CMakeLists.txt", "add_subdirectory(../bench/harness bench)"),
        ("c/tests/ct/counts.sh", 'cc "$root/bench/harness/plan.c"'),
        ("python/tests/test_x.py", 'TOOL = Path(__file__).parents[2] / "tools" / "mutate.py"'),
        ("python/rijn/x.py", 'ROOT / "integrations"'),
        ("bench/tests/x.py", 'run("tools/demo.py")'),
        ("js/build.py", 'open("integrations/duckdb/build.py")'),
        ("rust/build.rs", 'Path::new("../js/build.py")'),
    ],
)
def test_an_arrow_upwards_is_found(name: str, text: str) -> None:
    assert upwards(arrows({name: text}))


# ---- C: folders and their calls ------------------------------------------------------


def c_files() -> dict[str, str]:
    src = ROOT / "c" / "src"
    return {
        path.relative_to(src).as_posix(): path.read_text("utf-8") for path in src.rglob("*.[chS]")
    }


INCLUDE = re.compile(r'#\s*include\s+(?:"([^"]+)"|([A-Z]\w*))')
FUNCTION = re.compile(  # at the start of a line, with a body
    r"^(?!typedef|else|return|#)[A-Za-z_][\w \t\n*]*?\b(\w+)\((?:[^;{}()]|\([^()]*\))*\)\s*\{",
    re.MULTILINE,
)
DATA = re.compile(
    r"^(?!static|extern|typedef)[a-z][\w \t*]*\b(rijn_\w+)(?:\[\w*\])?\s*=", re.MULTILINE
)
LABEL = re.compile(r"^\s*\.globl\s+(\w+)", re.MULTILINE)
CALL = re.compile(r"(?<![\w.>])(\w+)\s*\(")
PUBLIC = re.compile(r"\brijn_\w+")
PASTED = re.compile(r"\b(rijn_\w+)##")
CONTRACT = "backend.h"


def folder(path: str) -> str:
    return PurePosixPath(path).parent.as_posix()


def defined(code: Mapping[str, str]) -> dict[str, set[str]]:
    """Returns the functions and public data, with the files that define each."""
    found: dict[str, set[str]] = {}
    for path, text in code.items():
        for pattern in (FUNCTION, DATA, LABEL):
            for match in pattern.finditer(text):
                found.setdefault(match[1], set()).add(path)
    return found


def operations(text: str) -> set[str]:
    """Returns the functions that a header's comments name, with parentheses."""
    return {name for comment in COMMENT.findall(text) for name in re.findall(r"(\w+)\(", comment)}


def leanings(files: Mapping[str, str]) -> Graph:
    """Returns the folders of src that each folder depends on. "." stands for the files directly in src.

    A folder depends on another if it includes its file, by a macro too, calls its function, or
    mentions its public name (rijn_…), even in a declaration.

    Every folder may use the headers directly in src. A header may require operations from the file
    that includes it, in its comment or in backend.h. A template that calls such an operation does
    not depend on the files that define it.
    """
    code = {path: COMMENT.sub(" ", text) for path, text in files.items()}
    definers = defined(code)
    contract = operations(files.get(CONTRACT, ""))
    graph: Graph = {folder(path): {} for path in files}

    def lean(path: str, other: str, reason: str) -> None:
        if folder(other) != folder(path):
            graph[folder(path)].setdefault(folder(other), set()).add(f"{path} {reason}")

    for path, text in code.items():
        for literal, macro in INCLUDE.findall(text):
            for given in [literal] if literal else values(macro, code.values()):
                beside = os.path.normpath(PurePosixPath(path).parent / given)
                other = beside if beside in code else given  # as the compiler searches it
                if other in code and folder(other) != ".":
                    lean(path, other, f"includes {other}")
        gifts = contract | operations(files[path]) if path.endswith(".h") else set()
        names = {*CALL.findall(text)} - gifts | {*PUBLIC.findall(text)}
        for prefix in PASTED.findall(text):
            names |= {name for name in definers if name.startswith(prefix)}
        for name in names:
            homes = definers.get(name, set())
            here = {home for home in homes if folder(home) == folder(path)}
            everybodys = {home for home in homes if folder(home) == "." and home.endswith(".h")}
            if not here and not everybodys:
                for home in homes:
                    lean(path, home, f"names {name} of {home}")
    return graph


def values(macro: str, texts: Iterable[str]) -> list[str]:
    """Returns the quoted values that the sources define for this macro."""
    pattern = re.compile(rf'#\s*define\s+{macro}\s+"([^"]+)"')
    return [value for text in texts for value in pattern.findall(text)]


def test_no_two_folders_lean_on_each_other() -> None:
    graph = leanings(c_files())
    assert graph["backends"].keys() >= {"modes", "tables"}
    assert "backends" in graph["."]  # the registry
    assert "." in graph["modes"]
    assert mutual(graph) == []


def homonyms(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns functions with the same name in two folders, and the folders. Operations are left out,
    because they must have the same name: backend.h names them, or a header requires them."""
    alike = set(re.findall(r"\w+", " ".join(COMMENT.findall(files.get(CONTRACT, "")))))
    for path, text in files.items():
        if path.endswith(".h"):
            alike |= operations(text)
    found = defined({path: COMMENT.sub(" ", text) for path, text in files.items()})
    return {
        name: sorted(paths)
        for name, paths in found.items()
        if name not in alike and len({folder(path) for path in paths}) > 1
    }


def test_no_function_has_its_name_in_two_folders() -> None:
    """The name alone identifies a function. This includes the binding, which uses all folders."""
    files = c_files()
    for path in (ROOT / "python" / "binding").glob("*.[ch]"):
        files[f"binding/{path.name}"] = path.read_text("utf-8")
    assert homonyms(files) == {}
    files["binding/extra.c"] = "static bool check_nonce(int size)\n{\n    return size;\n}\n"
    assert homonyms(files) == {"check_nonce": ["aegis/aegis.c", "binding/extra.c"]}


SOURCES = {
    "backend.h": "/* aes_encrypt(vec *v): the contract */\nint rijn_find(void);",
    "backends.c": "#define ONE(name) &rijn_backend_##name\nint rijn_find(void)\n{\n}\n",
    "bytes.h": "static inline int load(void)\n{\n}\n",
    "backends/one.c": (
        '#include "../backend.h"\n#include "../modes/x.h"\n'
        "static void aes_encrypt(vec *v)\n{\n    load();\n}\nint ror(int a)\n{\n}\n"
        "const rijn_backend rijn_backend_one = {0};\n"
    ),
    "modes/x.h": (
        '/* ror(int) is the includer\'s */\n#include "../bytes.h"\n'
        "static void seal(void)\n{\n    aes_encrypt(load()); ror(1); way.ror();\n}\n"
    ),
    "modes/x.c": '#include "../api.h"\nint rijn_x(void)\n{\n    return rijn_find();\n}\n',
    "api.h": "/* declares nothing of the modes: rijn_x() */\n",
    "aegis/a.c": '#include "../backend.h"\n',
    "tables/t.h": "\n",
}


@pytest.mark.parametrize(
    ("path", "added"),
    [
        ("api.h", "int rijn_x(void);\n"),
        ("backends.c", '#include "modes/x.h"\n'),
        ("modes/x.h", '#include "../backends/one.h"\n'),
        ("modes/x.h", '#include "backends/one.h"\n'),
        ("modes/x.c", "static int f(void)\n{\n    return ror(1);\n}\n"),
        ("modes/x.c", "extern const rijn_backend rijn_backend_one;\n"),
        ("modes/x.h", "#include OPERATIONS\n"),
        ("aegis/a.c", '#include "../backends/one.c"\n'),
        ("bytes.h", "#define USE(x) rijn_x()\n"),
    ],
)
def test_a_two_way_tie_is_found(path: str, added: str) -> None:
    files = {
        **SOURCES,
        "backends/one.h": '#define OPERATIONS "../backends/one.h"\n',
        "backends/two.c": '#include "../aegis/a.h"\n',
        "aegis/a.h": "",
    }
    assert mutual(leanings(files)) == []
    found = mutual(leanings({**files, path: files[path] + added}))
    assert any(line.split(": ", 1)[1].startswith(path + " ") for line in found)


# ---- C: functions that compilers must not merge ----------------------------------

TWINS = """#include "backend.h"
%(kind)s __attribute__((noinline)) int one(int x) { return x * 77 + x / 5 + (x ^ 3); }
%(kind)s __attribute__((noinline)) int two(int x) { return x * 77 + x / 5 + (x ^ 3); }
int both(int x);
int both(int x) { return one(x) - two(x + 1); }
"""


def records() -> Iterator[tuple[str, str]]:
    """Returns the functions of function tables that the templates define, with their files."""
    contract = (ROOT / "c" / "src" / "backend.h").read_text("utf-8")
    structs = re.findall(r"^typedef struct rijn_\w+ \{.*?^\}", contract, re.MULTILINE | re.DOTALL)
    names = {*re.findall(r"\(\*(\w+)\)\(", "".join(structs))}
    assert len(names) > 30
    names |= {"ghash_blocks", "call_##name", "next_##name", "AEGIS(many)"}
    for path, text in c_files().items():
        for match in re.finditer(
            r"^ *([\w ]+?) (?:void|rijn_status|rijn_tag_words|uint64_t) (AEGIS\(many\)|[\w#]+)\([^;{]*\)[ \\]*\n *\{",
            text,
            re.MULTILINE,
        ):
            if match[2] in names:
                names.discard(match[2])
                yield f"{path}: {match[2]}", match[1]
    assert names == {"ghash"}  # ghash_blocks in the function table


def test_functions_of_records_stay_apart() -> None:
    assert {name for name, kind in records() if kind != "RIJN_OPERATION"} == set()


GROUP = r"(?:NATIVE_\w+|CIPHER_APART)"


def groups(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Returns the optional groups of backend.h, and where each is documented, defined and tested for."""
    found: dict[str, set[str]] = {}
    for name in re.findall(rf"^ \* ({GROUP})", files[CONTRACT], re.MULTILINE):
        found.setdefault(name, set()).add("documented")
    for path, text in files.items():
        for name in re.findall(rf"^#define ({GROUP})\b", text, re.MULTILINE):
            found.setdefault(name, set()).add("defined")
        for condition in re.findall(r"^#(?:if|elif).*", text, re.MULTILINE):
            for name in re.findall(GROUP, condition):
                asked = folder(path) == "modes"
                found.setdefault(name, set()).add("asked for" if asked else f"asked by {path}")
    return found


def with_includes(files: Mapping[str, str], path: str) -> set[str]:
    """Returns the path, and the files of src that it includes directly and through others."""
    found, todo = {path}, [path]
    while todo:
        at = todo.pop()
        for given in re.findall(r'#\s*include\s+"([^"]+)"', files[at]):
            beside = os.path.normpath(PurePosixPath(at).parent / given)
            for other in {beside, given} & files.keys() - found:
                found.add(other)
                todo.append(other)
    return found


def lonely(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Returns the groups that a single backend defines, with its files."""
    users: dict[str, list[str]] = {name: [] for name in groups(files)}
    for path in sorted(files):
        if folder(path) == "backends" and path.endswith(".c"):
            text = "\n".join(files[it] for it in with_includes(files, path))
            for name in set(re.findall(rf"^#define ({GROUP})\b", text, re.MULTILINE)):
                users[name].append(path)
    return {name: paths for name, paths in users.items() if len(paths) < 2}


def test_every_group_of_operations_is_documented_and_used() -> None:
    found = groups(c_files())
    everything = frozenset({"documented", "defined", "asked for"})
    assert set(map(frozenset, found.values())) == {everything}
    assert lonely(c_files()) == {}


def test_a_group_of_a_single_backend_is_found() -> None:
    files = {CONTRACT: "/*\n * NATIVE_X: x\n */", "x86/x.h": "#define NATIVE_X\n"}
    files["backends/a.c"] = '#include "../x86/y.h"'
    files["x86/y.h"] = '#include "x.h"'
    assert lonely(files) == {"NATIVE_X": ["backends/a.c"]}
    files["backends/b.c"] = files["backends/a.c"]
    assert lonely(files) == {}


def test_a_group_that_only_a_template_knows_is_found() -> None:
    files = {CONTRACT: "/* \n * NATIVE_X: x\n */", "x86/x.h": "#define NATIVE_X\n"}
    files["modes/x.h"] = "#ifdef NATIVE_X\n#elif !defined(NATIVE_Y)\n#endif\n"
    assert groups(files)["NATIVE_X"] == {"documented", "defined", "asked for"}
    assert groups(files)["NATIVE_Y"] == {"asked for"}


@pytest.mark.parametrize("kind", ["static", "RIJN_OPERATION", "RIJN_APART static"])
def test_the_compiler_folds_nothing_else(kind: str, tmp_path: Path) -> None:
    """Without CMake's flag against merging, gcc merges two equal functions only if no attribute keeps
    them apart."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    source = tmp_path / "twins.c"
    source.write_text(TWINS % {"kind": kind})
    flags = ["-std=c11", "-O2", "-fipa-icf", f"-I{ROOT / 'c/include'}", f"-I{ROOT / 'c/src'}"]
    command = [compiler, *flags, "-S", str(source), "-o", str(tmp_path / "twins.s")]
    subprocess.run(command, check=True, timeout=300)
    code = (tmp_path / "twins.s").read_text()
    folded = len(re.findall(r"^(?:one|two):$", code, re.MULTILINE)) < 2
    assert folded == (kind == "static"), code


# ---- C: the files of one folder -----------------------------------------------------------


def files_of(folder: str) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in (ROOT / folder).glob("*.[ch]")}


def binding_files() -> dict[str, str]:
    return files_of("python/binding")


def files_that_lean(files: Mapping[str, str]) -> Graph:
    """Returns the files of one folder that each of its files depends on, by an include or by a
    function's name. X.c and X.h count as one file."""
    code = {name: COMMENT.sub(" ", text) for name, text in files.items()}
    owners: dict[str, str] = {}
    for name, text in code.items():
        for match in FUNCTION.finditer(text):
            if not match[0].startswith("static"):
                owners[match[1]] = name[:-2]
    graph: Graph = {name[:-2]: {} for name in code}
    for name, text in code.items():
        own = name[:-2]
        for header in re.findall(r'#include "(\w+)\.h"', text):
            if header in graph and header != own:
                graph[own].setdefault(header, set()).add(f"{name} includes {header}.h")
        if name.endswith(".c"):
            for word in {*re.findall(r"\w+", text)} & owners.keys():
                if owners[word] != own:
                    graph[own].setdefault(owners[word], set()).add(f"{name} names {word}")
    return graph


def test_no_file_of_the_binding_leans_on_itself() -> None:
    graph = files_that_lean(binding_files())
    assert {"aead", "stream"} <= graph["module"].keys() | graph["aead"].keys()
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("stream.c", "bool again(PyObject *module) { return add_aeads(module); }"),
        ("layouts.h", '#include "column.h"'),
        ("binding.c", "long other(void) { return this_process().id + add_macs(NULL); }"),
    ],
)
def test_a_circle_in_the_binding_is_found(name: str, more: str) -> None:
    files = binding_files()
    assert circles(files_that_lean({**files, name: files[name] + "\n" + more + "\n"}))


def test_no_file_of_the_batches_leans_on_itself() -> None:
    files = files_of("c/src/batch")
    assert max(len(text.splitlines()) for text in files.values()) <= 350
    graph = files_that_lean(files)
    assert graph["many"].keys() >= {"plan", "measure", "gather", "run_batch", "call"}
    assert graph["gather"].keys() >= {"run_batch", "nonces", "prefix_order"}
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("load.c", "void again(rijn_call *call) { rijn_run_batches(call, 0, 1); }"),
        ("xaes.h", '#include "call.h"'),
        ("plan.c", "size_t room(void) { return rijn_many_room(1); }"),
    ],
)
def test_a_circle_in_the_batches_is_found(name: str, more: str) -> None:
    files = files_of("c/src/batch")
    assert circles(files_that_lean({**files, name: files[name] + "\n" + more + "\n"}))


# ---- C: the library's clients -----------------------------------------------------------

CLIENTS = ("python/binding", "bench/harness", "bench/tests", "c/examples", "integrations", "js")
BUILDS = ("CMakeLists.txt", "*.cmake", "*.mk", "Makefile", "*.sh", "*.py")
# A folder of headers in a compiler's or CMake's argument.
HEADERS = re.compile(
    r"-I ?[^\s'\",]*?\{?ROOT / '([\w/]+)'"
    r"|-I ?[\w${}()/.]*\bsrc\b"
    r"|include_directories\([^)]*?\bsrc\b(?!/)[^)]*\)"
)


def private_includes(path: str, text: str) -> list[str]:
    """Returns the files of src that a client's file includes: by a path, or by a name that is neither
    beside it nor public: in include, or for tests in tests/check."""
    beside = (ROOT / path).parent
    public = [ROOT / "c" / "include"]
    if path.startswith("bench/tests/"):
        public.append(ROOT / "c" / "tests" / "check")
    return [
        name
        for name in re.findall(r'#\s*include\s+["<]([^">]+)[">]', text)
        if not ("/" not in name and any((folder / name).exists() for folder in public))
        and (
            (ROOT / "c" / "src") in (beside / name).resolve().parents
            or (not (beside / name).exists() and (ROOT / "c" / "src" / name).exists())
        )
    ]


def private_folders(text: str) -> list[str]:
    """Returns the lines of a build script that add folders of src to the search path for headers."""
    return [
        match[0] for match in HEADERS.finditer(text) if match[1] is None or match[1] != "c/include"
    ]


def test_clients_include_public_headers_alone() -> None:
    """Clients include rijn.h and rijn_machine.h, and their builds name only the folder include."""
    found = {}
    for client in CLIENTS:
        files = [*(ROOT / client).rglob("*.[ch]")]
        assert files, client
        for path in files:
            name = path.relative_to(ROOT).as_posix()
            found[name] = private_includes(name, path.read_text("utf-8"))
    clients = ("bench/harness", "c/examples", "integrations", "js")
    builds = [path for name in BUILDS for top in clients for path in (ROOT / top).rglob(name)]
    builds += [ROOT / "bench/CMakeLists.txt", ROOT / "python/CMakeLists.txt"]
    assert len(builds) > 20
    for path in builds:
        found[path.relative_to(ROOT).as_posix()] = private_folders(path.read_text("utf-8"))
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_a_private_header_is_found() -> None:
    """The test finds each way to include a private header."""
    assert private_includes("python/binding/module.c", '#include "cpu.h"\n') == ["cpu.h"]
    assert private_includes("js/x.c", '#include "../c/src/bytes.h"') == ["../c/src/bytes.h"]
    assert private_includes("python/binding/x.c", '#include "layouts.h"\n#include "rijn.h"') == []
    for line in (
        "f\"-I{ROOT / 'c/include'}\", f\"-I{ROOT / 'c/src'}\"",
        "target_include_directories(_native PRIVATE src)",
        "target_include_directories(x PRIVATE ${PROJECT_SOURCE_DIR}/src\n  PUBLIC .)",
        "CFLAGS += -I$(RIJN_DIR)/src",
    ):
        assert private_folders(line), line
    assert private_folders("f\"-I{ROOT / 'c/include'}\" -I$(RIJN_DIR)/include") == []


# ---- The names of backends ----------------------------------------------------------------


def test_a_backend_is_named_wherever_backends_are() -> None:
    """The registry in C has the backends of the list, in its order, and every other list of names
    has the same names."""

    def read(path: str) -> str:
        return (ROOT / path).read_text("utf-8")

    names = [listed.name for listed in listed_backends()]
    lines = re.findall(r"^RIJN_BACKEND\(", read("c/src/backends.def"), re.MULTILINE)
    assert len(names) == len(lines)
    assert {"aesni", "fixslice64", "table"} <= set(names)
    for name in names:
        assert f"`{name}`" in read("docs/measurements.md"), name
        assert f"`{name}`" in read("docs/claims.md"), name


# ---- The page ---------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
# Folders that a path on the page may start from.
BASES = (".", "c", "c/src", "c/tests", "python", "python/rijn", "python/tests", "docs")
SUFFIXES = ("c", "h", "S", "py", "pyi", "md", "sh", "toml", "txt")
FILE = re.compile(rf"[\w*./-]*\w\.(?:{'|'.join(SUFFIXES)}|def)\b|\b\w[\w-]*(?:/[\w*-]+)+")


def sources() -> Iterator[Path]:
    """Returns the text of all files except the pages."""
    for name in ("c", "python", "bench", "integrations", "tools"):
        for path in (ROOT / name).rglob("*"):
            if path.suffix[1:] in SUFFIXES:
                yield path


def test_the_page_is_short() -> None:
    assert len(PAGE.splitlines()) <= 200


def test_every_file_on_the_page_exists() -> None:
    paths = {path for path in FILE.findall(PAGE) if "NAME" not in path}
    assert len(paths) > 60
    for path in sorted(paths):
        tail = path.removeprefix("../")
        assert any([*(ROOT / base).glob(tail)] for base in BASES), path


def test_every_link_on_the_page_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        path, _, anchor = target.partition("#")
        text = (ROOT / "docs" / path).read_text("utf-8")
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        assert not anchor or anchor in [it.lower().replace(" ", "-") for it in headings], target


def test_every_name_on_the_page_exists() -> None:
    """Checks everything in backquotes or in a drawing that looks like a name."""
    words = set(re.findall(r"\w+", " ".join(path.read_text("utf-8") for path in sources())))
    named = re.findall(r"`([^`]+)`", PAGE) + re.findall(r"^    .*$", PAGE, re.MULTILINE)
    names = {
        name
        for text in named
        for name in re.findall(r"\b[A-Za-z]\w*_\w+|\b[A-Z]\w*[A-Z]\w*|\b\w+(?=\()", text)
    }
    names |= set(re.findall(r"`([A-Za-z]\w+)`", PAGE))
    assert len(names) > 50
    assert sorted(names - words - {"NAME"}) == []


# In a drawing: NAME or NAME, NAME, then the file that defines them.
STEP = re.compile(
    r"^    ([A-Za-z_.]+(?:\(\w+\))?(?:, \w+)*)  +((?:[\w-]+/)+\w+\.(?:c|h|py))\b", re.MULTILINE
)


def misplaced(page: str) -> list[str]:
    """Returns the names in drawings that their file does not define."""
    found = []
    for names, path in STEP.findall(page):
        text = COMMENT.sub("", (ROOT / path).read_text("utf-8"))
        for name in re.findall(r"\w+", names):
            if path.endswith(".py"):
                definition = rf"^ *(?:class|def) {name}\b"
            else:  # NAME(...) {, or MACRO(NAME)(...) {
                definition = rf"^(?!typedef|#)[A-Za-z][^;{{}}]*\b{name}\b\)?\([^;{{}}]*\)\s*\{{"
            if name != "AEGIS" and not re.search(definition, text, re.MULTILINE):
                found.append(f"{path}: {name}")
    return found


def test_every_step_on_the_page_is_in_its_file() -> None:
    steps = PAGE.partition("\n## How a call passes through\n")[2].partition("\n## ")[0]
    assert len(STEP.findall(steps)) > 25
    assert misplaced(steps) == []


@pytest.mark.parametrize(
    ("name", "path", "wrong"),
    [
        ("ghash", "c/src/carryless/hash.h", False),
        ("ghash", "c/src/carryless/ghash.h", True),  # only called there
        ("rijn_gcm_seal", "c/src/modes/gcm.c", False),
        ("rijn_gcm_seal", "c/src/batch/chunks.c", True),
        ("AEGIS(call)", "c/src/aegis/variant.h", False),
        ("Message.seal", "python/rijn/chunked/message.py", False),
        ("FileMetadata", "python/rijn/cli/columns/local.py", True),
    ],
)
def test_a_step_in_another_file_is_found(name: str, path: str, wrong: bool) -> None:
    assert bool(misplaced(f"    {name}   {path}   it works\n")) == wrong


def test_no_folder_is_missing_on_the_page() -> None:
    """The page names every folder of src and every file directly in python/rijn."""
    folders = {path.name for path in (ROOT / "c" / "src").iterdir() if path.is_dir()}
    for name in folders:
        assert f"c/src/{name}" in PAGE, name
    for path in (ROOT / "python" / "rijn").iterdir():
        if (path / "__init__.py").exists() or re.fullmatch(r"(?!__)\w+\.py", path.name):
            assert re.search(rf"\b{path.name}\b", PAGE), path.name


def test_the_binding_imports_names_that_the_headers_declare() -> None:
    """For Windows, python/CMakeLists.txt reads from Python's headers what python3.dll exports. This macro
    makes other names of the declared ones."""
    sources = [path.read_text("utf-8") for path in (ROOT / "python" / "binding").glob("*.[ch]")]
    assert sources
    assert not any("PY_SSIZE_T_CLEAN" in text for text in sources)
