"""The options and habits that encrypt and decrypt share."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_Function = TypeVar("_Function", bound="Callable[..., Any]")

STDIN = "-"
SUFFIX = ".rijn"
BARE_SUFFIX = ".c2sp"


def aead_option(help_text: str) -> Callable[[_Function], _Function]:
    return click.option("--aead", metavar="NAME", help=help_text)


def work_options(function: _Function) -> _Function:
    for option in (
        click.option("--backend", metavar="NAME", help="The AES to use (see rijn backends)."),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            show_default="all cores",
            help="Work on chunks with N threads.",
        ),
        click.option("-f", "--force", is_flag=True, help="Overwrite DST if it exists."),
        click.option(
            "--bare",
            is_flag=True,
            help="The C2SP message alone, without Rijn's header; needs --key-file.",
        ),
        click.argument("dst", required=False),
        click.argument("src", required=False),
    ):
        function = option(function)
    return function


def all_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def open_source(src: str | None) -> BinaryIO:
    """The source, unbuffered. OSError, UsageError."""
    if src is None and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("Name a file, or give - to type the input.")
    if src is None or src == STDIN:
        return cast("BinaryIO", open(0, "rb", buffering=0, closefd=False))
    return cast("BinaryIO", open(src, "rb", buffering=0))


def source_name(src: str | None) -> str:
    return "standard input" if src is None or src == STDIN else src


def remaining(source: BinaryIO) -> int | None:
    """The bytes that a regular file still holds; None for anything else."""
    status = os.fstat(source.fileno())
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return None
    return max(0, status.st_size - source.tell())
