"""`make demo`: encrypts and decrypts a real file, and checks it with another implementation.

Assembles a file of at least 256 MiB (16 MiB if Rijn is pure Python) from files of this machine.
Encrypts and decrypts it with the `rijn` command, and compares. Decrypts the bare format with the
`cryptography` package. Changes a byte, which `rijn` must refuse. Then prints the speed of each
backend.
"""

import filecmp
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from cryptography.cobblestone import Cobblestone128Decryptor
from rich.console import Console
from rich.table import Table

import rijn
from rijn import files
from rijn_bench import speeds

BACKEND = rijn.AESGCM(bytes(16)).backend
SIZE = (16 if BACKEND == "python" else 256) << 20
FOLDER = Path(__file__).resolve().parent.parent / "build" / "demo"
RIJN = [sys.executable, "-m", "rijn"]
PIECE = 1 << 20

console = Console(highlight=False)


def real_files() -> Iterator[Path]:
    """Yields regular files of this machine: files of Python, then of the system."""
    for root in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "/usr"):
        for folder, _, names in os.walk(root):
            for name in sorted(names):
                path = Path(folder, name)
                if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK):
                    yield path


def assemble(path: Path) -> None:
    """Concatenates real files to SIZE bytes, and starts again with the first if they are too few."""
    with path.open("wb") as out:
        while out.tell() < SIZE:
            before = out.tell()
            for source in real_files():
                with source.open("rb") as file:
                    shutil.copyfileobj(file, out, PIECE)
                if out.tell() >= SIZE:
                    break
            if out.tell() == before:
                sys.exit("demo: found no files to read on this machine")


def run(*arguments: str | Path) -> float:
    """Runs the rijn command and returns its seconds. Ends the demo if it fails."""
    start = time.perf_counter()
    done = subprocess.run(
        [*RIJN, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"demo: rijn {arguments[0]} failed ({done.returncode}): {done.stderr.strip()}")
    return time.perf_counter() - start


def step(what: str, seconds: float | None = None, size: int = 0) -> None:
    figure = f"  {seconds:.2f} s" if seconds is not None else ""
    rate = f", {size / seconds / 1e6:,.0f} MB/s" if seconds and size else ""
    console.print(f"[green]✓[/] {what}[dim]{figure}{rate}[/]", soft_wrap=True)


def check_with_cryptography(plain: Path, bare: Path, key: bytes) -> None:
    """Decrypts the C2SP message with the `cryptography` package, chunk by chunk."""
    decryptor = Cobblestone128Decryptor(key, b"")
    with plain.open("rb") as expected, bare.open("rb") as message:
        while piece := message.read(PIECE):
            got = decryptor.update(piece)
            if got != expected.read(len(got)):
                sys.exit("demo: cryptography decrypts the bare form to something else")
        if decryptor.finalize() != expected.read():
            sys.exit("demo: cryptography finds another end of the bare form")


def refuses_alteration(sealed: Path, out: Path, key_file: Path) -> None:
    with sealed.open("r+b") as file:
        file.seek(SIZE // 2)
        byte = file.read(1)[0]
        file.seek(SIZE // 2)
        file.write(bytes([byte ^ 1]))
    done = subprocess.run(
        [*RIJN, "decrypt", "--key-file", str(key_file), str(sealed), "-o", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0 or out.exists():
        sys.exit("demo: an altered file was decrypted")
    step(f"one bit altered: refused, nothing written: [italic]{done.stderr.strip()}[/]")


def print_speeds() -> None:
    with console.status("measuring the backends …"):
        rows = speeds.measure()
    table = Table(title="The backends on this machine (AES-128, one thread, through Python)")
    table.add_column("backend", no_wrap=True)
    table.add_column("CTR MB/s", justify="right")
    table.add_column("GCM MB/s", justify="right")
    table.add_column("16-byte GCM message", justify="right")
    table.add_column("constant time", justify="center")
    for row in rows:
        name = row.backend.name
        note = "" if row.size == speeds.SIZES[-1] else f" [dim](on {row.size >> 10} KiB)[/]"
        table.add_row(
            f"[bold]{name} ← chosen[/]" if name == BACKEND else name + note,
            f"{row.ctr / 1e6:,.2f}",
            f"{row.gcm / 1e6:,.2f}",
            f"{row.message * 1e6:,.2f} µs",
            "yes" if row.backend.constant_time else "no",
        )
    console.print(table)


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    plain, sealed, again = FOLDER / "plain", FOLDER / "plain.rijn", FOLDER / "again"
    bare, key_file = FOLDER / "plain.c2sp", FOLDER / "key"
    try:
        assemble(plain)
        size = plain.stat().st_size
        step(f"a real file of {size / (1 << 20):.0f} MiB, assembled from this machine's files")

        run("keygen", "-o", key_file)
        step("rijn keygen: a 128-bit key, readable by its owner only")
        seconds = run("encrypt", "--key-file", key_file, plain, "-o", sealed)
        step(f"rijn encrypt, backend {BACKEND}", seconds, size)
        seconds = run("decrypt", "--key-file", key_file, sealed, "-o", again)
        step("rijn decrypt", seconds, size)
        if not filecmp.cmp(plain, again, shallow=False):
            sys.exit("demo: the decrypted file differs")
        step("the decrypted file is the original")

        run("encrypt", "--bare", "--key-file", key_file, plain, "-o", bare)
        check_with_cryptography(plain, bare, files.read_key(key_file))
        step("rijn encrypt --bare: the cryptography package's Cobblestone-128 decrypts it")
        again.unlink()
        refuses_alteration(sealed, again, key_file)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    print_speeds()


if __name__ == "__main__":
    main()
