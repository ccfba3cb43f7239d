"""Whole streams through chunked encryption, several runs of chunks at once.

One thread (the caller's) reads the source and writes the result, both strictly
in order; `jobs` others seal or open runs of 64 chunks, with the GIL released by
the native module. The buffers of `jobs + 1` runs circulate and nothing is
copied between them, so memory does not grow with the stream: 2 MiB a run.

    source --readinto--> [input 1 MiB] --seal--> [output 1 MiB] --write--> result
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, BinaryIO

from .chunked import CHUNK, Message, read_full, truncated

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = 64  # chunks; large enough that a hand-over costs nothing beside the work
MAX_JOBS = 24  # 25 runs of 2 MiB: half of what the program may use


class _Slot:
    """The buffers of one run, and the work that is being done on them."""

    __slots__ = ("future", "input", "output", "size")

    future: Future[int]  # the bytes written to output
    size: int  # the bytes read into input

    def __init__(self, input_size: int, output_size: int) -> None:
        self.input = memoryview(bytearray(input_size))
        self.output = memoryview(bytearray(output_size))


def seal_stream(
    message: Message,
    source: BinaryIO,
    write: Callable[[memoryview], object],
    *,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda size: None,
) -> None:
    """Encrypts source, to its end, as the whole message. Once: a second source under the same
    Message would be encrypted with the keystream of the first.

    write    takes all bytes of a view before it returns; the view changes afterwards
    advance  is told how many more bytes of the source stand in the result
    """
    write(memoryview(message.prefix))

    def seal(first: int, slot: _Slot, size: int, last: bool) -> int:
        sealed = size + (size // CHUNK + last) * message.aead.tag_size
        return message.seal(first, slot.input[:size], slot.output[:sealed], last=last)

    _run(source, seal, write, (CHUNK, message.sealed_chunk), jobs, advance)


def open_stream(
    message: Message,
    source: BinaryIO,
    write: Callable[[memoryview], object],
    *,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda size: None,
) -> None:
    """Decrypts source, which stands behind the message's prefix, to its end.

    Only authentic plaintext is written, in order; but only when this returns is
    it certain that all of it has been. Damaged, Truncated. Else as seal_stream.
    """
    tag_size = message.aead.tag_size

    def open_run(first: int, slot: _Slot, size: int, last: bool) -> int:
        whole, rest = divmod(size, message.sealed_chunk)
        if last and rest >= tag_size:
            plain = size - (whole + 1) * tag_size
            return message.open(first, slot.input[:size], slot.output[:plain], last=True)
        plain = whole * CHUNK
        message.open(first, slot.input[: size - rest], slot.output[:plain], last=False)
        if last:  # what is there is sound, so its end is missing
            raise truncated(message.offset(first + whole) + rest)
        return plain

    _run(source, open_run, write, (message.sealed_chunk, CHUNK), jobs, advance)


def _run(
    source: BinaryIO,
    work: Callable[[int, _Slot, int, bool], int],
    write: Callable[[memoryview], object],
    chunk_sizes: tuple[int, int],
    jobs: int,
    advance: Callable[[int], object],
) -> None:
    """The loop both share: work(first, slot, size, last) fills slot.output from slot.input.

    A run is the last when the source ends before the input is full; the input
    of a last run may be empty. chunk_sizes: of a whole chunk, in and out.
    """
    jobs = max(1, min(jobs, MAX_JOBS))
    input_size, output_size = (RUN * size for size in chunk_sizes)
    free = deque(_Slot(input_size, output_size) for _ in range(jobs + 1))
    busy: deque[_Slot] = deque()
    first = 0
    last = False

    def finish() -> None:
        slot = busy.popleft()
        written = slot.future.result()
        write(slot.output[:written])
        advance(slot.size)
        free.append(slot)

    with ThreadPoolExecutor(jobs, thread_name_prefix="rijn") as pool:
        try:
            while not last:
                if not free:
                    finish()
                slot = free.popleft()
                slot.size = read_full(source, slot.input)
                last = slot.size < input_size
                slot.future = pool.submit(work, first, slot, slot.size, last)
                busy.append(slot)
                first += RUN
            while busy:
                finish()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
