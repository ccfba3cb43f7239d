"""What the tests of the OpenSSL provider share: configurations, counts of its work, time limits."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIMIT = 120  # seconds for one process, which no machine should need
ROW = struct.Struct("48sQQ")  # `struct row` of witness.c

# `?provider=rijn` alone would also give Rijn's AES to OpenSSL's random generator. `random` must stand
# before `ssl_conf`, which starts the generator.
CONFIG = """openssl_conf = init
[init]
{random}
providers = providers
alg_section = algorithms
{ssl}
[providers]
default = usual
{provider} = tested
[usual]
activate = 1
[tested]
{module}
activate = 1
[algorithms]
default_properties = ?provider={provider}
[random]
properties = provider=default
[ssl]
system_default = tls
[tls]
{tls}
"""


def config(
    file: Path,
    module: Path | None,
    *,
    provider: str = "rijn",
    random: bool = True,
    suite: str = "",
) -> Path:
    """Writes OpenSSL's configuration file, which prefers the provider.

    Without a module, the provider is one of OpenSSL's own. Without `random`, the preference also
    holds for the random generator. `suite` is the only one of TLS 1.3.
    """
    file.write_text(
        CONFIG.format(
            provider=provider,
            module=f"module = {module}" if module else "",
            random="random = random" if random else "",
            ssl="ssl_conf = ssl" if suite else "",
            tls=f"Ciphersuites = {suite}" if suite else "",
        )
    )
    return file


@dataclass(frozen=True)
class Work:
    """The work that the provider did for an algorithm."""

    contexts: int
    bytes: int


def work_of(counts: Path) -> dict[str, Work]:
    """Reads the counts that witness.c wrote. Algorithms that nobody used are left out."""
    found = {}
    for name, contexts, size in ROW.iter_unpack(counts.read_bytes()):
        if contexts:
            found[name.rstrip(b"\0").decode()] = Work(contexts, size)
    return found


def inside(path: Path, root: Path) -> Path:
    """Returns the path that a program in this root directory has."""
    return Path("/") / path.relative_to(root)


class Witness:
    """A configuration that prefers Rijn and counts its work. All files are below `root`."""

    def __init__(
        self,
        folder: Path,
        witness: Path,
        module: Path,
        *,
        random: bool = True,
        suite: str = "",
        root: Path = Path("/"),
    ) -> None:
        self.counts = folder / "counts"
        self.counts.write_bytes(b"")
        self.counts.chmod(0o666)  # for programs that give up root
        self.config = config(folder / "rijn.cnf", inside(witness, root), random=random, suite=suite)
        self.env = {
            **os.environ,
            "OPENSSL_CONF": str(inside(self.config, root)),
            "WITNESS_MODULE": str(inside(module, root)),
            "WITNESS_COUNTS": str(inside(self.counts, root)),
        }

    def work_done(self) -> dict[str, Work]:
        return work_of(self.counts)

    def used(self, name: str, least: int = 1) -> None:
        """Checks that Rijn processed at least so many bytes."""
        done = self.work_done().get(name, Work(0, 0))
        assert done.bytes >= least, (
            f"{name}: {done}, wanted {least} bytes; in all {self.work_done()}"
        )


def run(
    command: Sequence[str | Path], *, check: bool = True, limit: float = LIMIT, **options: object
) -> subprocess.CompletedProcess[str]:
    """Runs a program. Its output is in an error, if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=limit,
        **options,  # type: ignore[call-overload]
    )
    if check and done.returncode:
        raise AssertionError(f"{command} ends with {done.returncode}:\n{done.stdout[-3000:]}")
    return done
