"""rijn-aes-demo runs AES over a file, with arguments like `cp`, to compare backends.

It is not a command of `rijn`, because it does not protect: it does not authenticate, takes the key and
the IV from the command line, and does not check that no IV is used twice.
"""

from __future__ import annotations

import stat
import string
import time
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..disk.acl import status_of
from .destination import STDOUT, Destination
from .failures import Exit, Failure
from .options import open_source, remaining, source_name
from .progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from ..incremental import Incremental

_Function = TypeVar("_Function", bound="Callable[..., Any]")

BLOCK = 16
KEY = 32  # bytes: AES-256
PIECE = 256 << 10  # bytes in memory at a time; a multiple of BLOCK
WARM_UP = 4 << 10  # bytes for each backend before the timing; a multiple of BLOCK
MODES = ("cbc", "sdctr")

NOT_PROTECTION = """\b
This is a demonstration, not protection: it does not notice an altered file,
and other users can see the key in the list of processes. `rijn encrypt`
protects files.
"""

EPILOG = """\b
Examples:
  rijn-aes-demo encode --key $KEY --iv $IV disk.img disk.aes
  rijn-aes-demo decode --key $KEY --iv $IV disk.aes disk.copy
  rijn-aes-demo encode --mode sdctr --backend fixslice64,aesni --key $KEY --iv $IV a b
  openssl rand -hex 32                         makes a key; -hex 16 an IV

\b
The first command prints the time and speed of AES on this machine, in MB/s (10^6
bytes). The third compares a software backend and a hardware backend on the same
bytes. `rijn backends` lists the backends.

"""


@click.group(
    epilog=EPILOG,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
def cli() -> None:
    """Run AES-256 over a file, and print how fast it was.

    This is a demonstration, not protection: it does not notice an altered file, and
    other users can see the key in the list of processes. `rijn encrypt` protects files.
    """


def main(arguments: list[str] | None = None) -> int:
    """Runs `rijn-aes-demo`, as rijn.cli.run does."""
    from . import run

    return run(cli, "rijn-aes-demo", arguments)


def _bytes(size: int) -> Callable[[click.Context, click.Parameter, str], bytes]:
    """Returns a callback that parses an option with `size` bytes in hexadecimal digits."""

    def read(_ctx: click.Context, _param: click.Parameter, value: str) -> bytes:
        if len(value) != 2 * size or not set(value) <= set(string.hexdigits):
            # The value is not repeated: it may be a key.
            raise click.BadParameter(f"it takes {2 * size} hexadecimal digits, {size:,} bytes.")
        return bytes.fromhex(value)

    return read


def _options(function: _Function) -> _Function:
    for option in (
        click.option("-f", "--force", is_flag=True, help="Replace DST if it exists."),
        click.option(
            "--backend",
            metavar="LIST",
            help="Run these backends, for example fixslice64,aesni.  [default: the one in use]",
        ),
        click.option(
            "--mode",
            type=click.Choice(MODES),
            default=MODES[0],
            show_default=True,
            help="CBC without padding, or SSH's counter mode.",
        ),
        click.option(
            "--iv", required=True, metavar="HEX", callback=_bytes(BLOCK), help="32 digits."
        ),
        click.option(
            "--key", required=True, metavar="HEX", callback=_bytes(KEY), help="64 digits."
        ),
        click.argument("dst"),
        click.argument("src"),
    ):
        function = option(function)
    return function


@cli.command("encode", epilog=NOT_PROTECTION, short_help="Encrypt SRC to DST.")
@_options
def encode(**options: Any) -> None:
    """Encrypt SRC to DST with AES-256. The size of SRC must be a multiple of 16 bytes.

    - is standard input or output. If you name several backends, each one encrypts every
    piece of the file. The results must be equal, and DST gets one of them.
    """
    _convert("encode", **options)


@cli.command("decode", epilog=NOT_PROTECTION, short_help="Decrypt SRC to DST.")
@_options
def decode(**options: Any) -> None:
    """Decrypt SRC, which `encode` wrote with the same key, IV and mode, to DST.

    - is standard input or output. With a wrong key, IV or mode the result is wrong, and
    nothing notices it.
    """
    _convert("decode", **options)


class _Backend:
    """Runs one backend on the file, and measures its time."""

    def __init__(self, backend: str | None, way: str, mode: str, key: bytes, iv: bytes) -> None:
        """ValueError for an unknown or unavailable backend."""
        import rijn

        aes = rijn.AES(key, backend=backend)
        self.name = aes.backend
        self.seconds = 0.0
        starts: dict[tuple[str, str], Callable[[bytes], Incremental]] = {
            ("cbc", "encode"): aes.cbc_encryptor,
            ("cbc", "decode"): aes.cbc_decryptor,
            ("sdctr", "encode"): aes.ctr_encryptor,
            ("sdctr", "decode"): aes.ctr_decryptor,
        }
        self._out = bytearray(PIECE)  # kept, so that the timing includes no allocation
        self._out[:] = b"\xff" * PIECE  # nor page faults
        starts[mode, way](iv).update_into(bytes(WARM_UP), self._out)  # nor loading code
        self._stream = starts[mode, way](iv)

    def update(self, piece: memoryview) -> bytes:
        start = time.perf_counter()
        count = self._stream.update_into(piece, self._out)
        self.seconds += time.perf_counter() - start
        return bytes(self._out[:count])


def _convert(
    way: str,
    src: str,
    dst: str,
    key: bytes,
    iv: bytes,
    mode: str,
    backend: str | None,
    force: bool,
) -> None:
    try:
        names = [None] if backend is None else list(dict.fromkeys(backend.split(",")))
        backends = [_Backend(name, way, mode, key, iv) for name in names]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    with open_source(src, unchanging=True) as source:
        status = status_of(source.fileno())
        if stat.S_ISREG(status.st_mode):
            _check_whole(remaining(source) or 0, src)  # before the result exists
        destination = Destination(
            dst,
            status,
            force=force,
            content="ciphertext" if way == "encode" else "plaintext",
        )
        label = "encoding" if way == "encode" else "decoding"
        with destination as result, Progress(label, remaining(source)) as progress:
            size = 0
            buffer = memoryview(bytearray(PIECE))
            while piece := _fill(source, buffer):
                size += len(piece)
                _check_whole(size, src)
                result.write(_agreed(backends, piece))
                progress.advance(len(piece))
    _report(backends, size, to_stderr=dst == STDOUT)


def _fill(source: BinaryIO, buffer: memoryview) -> memoryview:
    """Reads the next bytes of the source: as many as the buffer holds, or fewer at the end."""
    count = 0
    while count < len(buffer) and (got := source.readinto(buffer[count:])):  # type: ignore[attr-defined]
        count += got
    return buffer[:count]


def _check_whole(size: int, src: str) -> None:
    if size % BLOCK:
        raise Failure(
            f"{source_name(src)}: its {size:,} bytes are not a multiple of {BLOCK}",
            "the demonstration has no padding; rijn encrypt takes any size",
            Exit.OTHER,
        )


def _agreed(backends: list[_Backend], piece: memoryview) -> bytes:
    """Returns the piece's result. Failure if the backends give different results."""
    first, *others = backends
    result = first.update(piece)
    for other in others:
        if other.update(piece) != result:
            raise Failure(
                f"{other.name} gives different bytes than {first.name}",
                "run rijn selftest",
                Exit.OTHER,
            )
    return result


def _report(backends: list[_Backend], size: int, *, to_stderr: bool) -> None:
    """Prints the time and MB/s of each backend, and the speed-up over the first. The time covers
    only AES, not reading and writing."""
    width = max(len(backend.name) for backend in backends)
    for backend in backends:
        line = f"{backend.name:{width}}  {backend.seconds:9.6f} s"
        if size:
            line += f"  {size / 1e6 / max(backend.seconds, 1e-9):10,.1f} MB/s"
            if backend is not backends[0]:
                ratio = backends[0].seconds / max(backend.seconds, 1e-9)
                line += f"  {ratio:.2f} x {backends[0].name}"
        click.echo(line, err=to_stderr)
