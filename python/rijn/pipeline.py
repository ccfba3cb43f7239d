"""Whole streams through chunked encryption, several runs of chunks at once.

One thread (the caller's) writes the result, strictly in order; `jobs` others seal or open
runs of 64 chunks, with the GIL released by the native module. The buffers of `jobs + 1` runs
circulate and nothing is copied between them, so memory does not grow with the stream: 2 MiB
a run.

    source --read--> [input 1 MiB] --seal--> [output 1 MiB] --write--> result

A source that is a regular file is read by those threads too, each its own run; any other,
and what a file may have gained since, by the caller's, in order: a signal must be able to
interrupt a read that waits. On two cores, with files in memory, the writing alone takes three
quarters of the time that cp takes.

A regular file of less than one run starts no thread: the caller reads it, seals or opens it
and writes it. A thread pool costs more time than a small file does.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, BinaryIO, ParamSpec, TypeVar

from .chunked import CHUNK, Message, read_full, truncated

if TYPE_CHECKING:
    from collections.abc import Callable

_Takes = ParamSpec("_Takes")
_Result = TypeVar("_Result")

RUN = 64  # chunks; large enough that a hand-over costs nothing beside the work
SLOW = "reference"  # takes a tenth of a second for a chunk: a run is one, lest Ctrl-C wait for 64
MAX_JOBS = 24  # 25 runs of 2 MiB: half of what the program may use


class _Slot:
    """The buffers of one run, and the work that is being done on them."""

    __slots__ = ("future", "input", "number", "output", "size")

    number: int  # of the run
    future: Future[int]  # the bytes written to output
    size: int  # the bytes read into input

    def __init__(self, input_size: int, output_size: int) -> None:
        self.input = memoryview(bytearray(input_size))
        self.output = memoryview(bytearray(output_size))


class _Here(Executor):
    """Does all work at once, in the thread that submits it."""

    def submit(
        self,
        function: Callable[_Takes, _Result],
        /,
        *arguments: _Takes.args,
        **named: _Takes.kwargs,
    ) -> Future[_Result]:
        future = Future[_Result]()
        future.set_result(function(*arguments, **named))
        return future


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

    _run(source, seal, write, (CHUNK, message.sealed_chunk), _chunks(message), jobs, advance)


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

    _run(source, open_run, write, (message.sealed_chunk, CHUNK), _chunks(message), jobs, advance)


def _chunks(message: Message) -> int:
    """Of a run."""
    return 1 if message.backend == SLOW else RUN


def _run(
    source: BinaryIO,
    work: Callable[[int, _Slot, int, bool], int],
    write: Callable[[memoryview], object],
    chunk_sizes: tuple[int, int],
    chunks: int,
    jobs: int,
    advance: Callable[[int], object],
) -> None:
    """The loop both share: work(first, slot, size, last) fills slot.output from slot.input.

    A run is the last when the source ends before the input is full; the input
    of a last run may be empty. chunk_sizes: of a whole chunk, in and out; chunks: of a run.
    """
    jobs = max(1, min(jobs, MAX_JOBS))
    start, size = _extent(source)
    if size:  # a small file takes small buffers, and no more threads than it has runs
        chunks = min(chunks, size // chunk_sizes[0] + 1)
        whole_runs = size // (chunks * chunk_sizes[0])
        jobs = min(jobs, whole_runs + 1) if whole_runs else 0
    input_size, output_size = (chunks * size for size in chunk_sizes)
    free = deque(_Slot(input_size, output_size) for _ in range(jobs + 1))
    busy: deque[_Slot] = deque()
    there = size // input_size  # runs that the threads may read
    number = 0  # of the next run
    last = False

    def job(slot: _Slot, last: bool) -> int:
        """The bytes in slot.output; -1 where the file has shrunk."""
        if slot.number < there:
            place = start + slot.number * input_size
            if _read_at(source.fileno(), slot.input, place) < input_size:
                return -1
            slot.size = input_size
        return work(slot.number * chunks, slot, slot.size, last)

    def begin() -> None:
        nonlocal number, last
        slot = free.popleft()
        slot.number = number
        if number >= there:
            if number == there and size:
                source.seek(start + there * input_size)
            slot.size = read_full(source, slot.input)
            last = slot.size < input_size
        slot.future = pool.submit(job, slot, last)
        busy.append(slot)
        number += 1

    def finish() -> None:
        nonlocal number, last, there
        slot = busy.popleft()
        written = slot.future.result()
        if written < 0:  # from here on in order, to the end that there is
            number = there = slot.number
            last = False
            wait(other.future for other in busy)
            free.extend(busy)
            busy.clear()
        else:
            write(slot.output[:written])
            advance(slot.size)
        free.append(slot)

    with ThreadPoolExecutor(jobs, thread_name_prefix="rijn") if jobs else _Here() as pool:
        try:
            while busy or not last:
                if free and not last:
                    begin()
                else:
                    finish()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _extent(source: BinaryIO) -> tuple[int, int]:
    """Where the source stands, and how many bytes it has from there, if it is a file whose
    bytes can be read at any place without waiting; else 0, 0."""
    try:
        status = os.fstat(source.fileno())
    except OSError:  # io.UnsupportedOperation
        return 0, 0
    if not (stat.S_ISREG(status.st_mode) and hasattr(os, "preadv")):
        return 0, 0
    start = source.tell()
    return start, max(0, status.st_size - start)


def _read_at(fd: int, view: memoryview, place: int) -> int:
    """As chunked.read_full, at a place."""
    filled = 0
    while count := os.preadv(fd, [view[filled:]], place + filled):
        filled += count
        if filled == len(view):
            break
    return filled
