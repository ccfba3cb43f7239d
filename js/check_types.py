"""Checks the types of the npm package as its users see them.

Every line of the package's README and of the examples compiles with each version of TypeScript,
as an ES module and for a bundler. publint and attw find nothing wrong with the tarball.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE = 300.0

# The oldest supported version, the last one in JavaScript with its generic Uint8Array, and the
# first one in Go.
COMPILERS = {"5.4": "typescript54", "5.9": "typescript59", "7": "typescript7"}
TOOLS = (
    *(f"{name}@npm:typescript@{version}" for version, name in COMPILERS.items()),
    *("@types/node@22", "publint@0.3", "@arethetypeswrong/cli@0.18"),
)

NODE = ("--module", "nodenext")
BUNDLER = ("--module", "esnext", "--moduleResolution", "bundler")
WITH_DOM = ("--lib", "es2022,dom")
EXAMPLES = ("example.ts", "readme.ts")
MODERN = "modern.ts"  # it has generic arrays, since TypeScript 5.7
# The files that compile under some options.
COMPILATIONS = (
    ((EXAMPLES[0],), (*NODE, "--lib", "es2022")),
    (EXAMPLES, (*BUNDLER, *WITH_DOM)),
    ((*EXAMPLES, "example.cts", MODERN), (*NODE, *WITH_DOM)),
)


def run(*command: object, cwd: Path) -> None:
    subprocess.run([str(word) for word in command], check=True, timeout=PATIENCE, cwd=cwd)


def readme_program() -> str:
    """Returns all code of the package's README as one program.

    The blocks follow each other. Both cells of each row of its tables become functions, and the
    program fails unless they give the same bytes.
    """
    text = (HERE / "npm" / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```js\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == text.count("```") // 2, "a block is not JavaScript"
    rows = [
        tuple(" ".join(re.findall(r"`([^`]+)`", cell)) for cell in cells)
        for cells in re.findall(r"^\| (`.*) \| (`.*) \|$", text, re.MULTILINE)
    ]
    assert len(rows) == text.count("\n| `"), "a row has no code on one side"
    compared = [f"  await same({function(left)}, {function(right)});" for left, right in rows]
    helpers = (HERE / "types" / "rows.ts").read_text("utf-8")
    return "\n".join(
        [*blocks, helpers, "{", "  const sealed = gcm.seal(nonce, data, ad);", *compared, "}", ""]
    )


def function(cell: str) -> str:
    """Returns a function of these statements. It returns the value of the last one."""
    *statements, last = cell.split("; ")
    return f"async () => {{ {''.join(f'{one}; ' for one in statements)}return {last}; }}"


def compile_all(home: Path, modules: Path) -> None:
    """Compiles the examples in a folder with the package in its node_modules, and runs them."""
    (home / "package.json").write_text('{ "type": "module" }', "utf-8")
    for name in ("example.ts", "example.cts", "modern.ts"):
        (home / name).write_bytes((HERE / "types" / name).read_bytes())
    (home / "readme.ts").write_text(readme_program(), "utf-8")
    roots = ("--types", "node", "--typeRoots", modules / "@types")
    strict = ("--strict", "--target", "es2022", "--noEmitOnError")
    for version, compiler in COMPILERS.items():
        tsc = modules / compiler / "bin" / "tsc"
        for files, options in COMPILATIONS:
            accepted = [file for file in files if (version, file) != ("5.4", MODERN)]
            run("node", tsc, *strict, *options, *roots, *accepted, cwd=home)
        for program in ("example.js", "example.cjs", "readme.js"):
            run("node", program, cwd=home)
        print(f"PASSED types with TypeScript {version}", flush=True)


def lint(tarball: Path, package: Path, modules: Path) -> None:
    run("node", modules / "publint" / "src" / "cli.js", "--strict", cwd=package)
    run(modules / ".bin" / "attw", tarball, cwd=package)
