"""Parquet files with another footer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def rewritten(name: str, work: Callable[[Any], None]) -> None:
    """Give the file a footer that is its own after some work."""
    from rijn.cli.columns import footer, thrift

    data = Path(name).read_bytes()
    made = footer.footer_of(data)
    file, _ = thrift.read(made)
    work(file)
    made, begin = thrift.write(file), len(data) - 8 - len(made)
    Path(name).write_bytes(data[:begin] + made + len(made).to_bytes(4, "little") + b"PAR1")
