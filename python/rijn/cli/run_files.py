"""Runs one command on several files: finds their results, reports each one, and returns the exit
code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from ..disk.same_file import unchanged
from . import results, standard, streams
from .destination import STDOUT, Destination
from .failures import REPORTED, WORST, Exit, Failure, Interrupted, is_named, printable, report
from .options import STDIN, may_replace, source_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Pair(NamedTuple):
    """A source and its result."""

    source: str
    result: str | None  # None: -o is not given, and the source's name gives no result
    named: bool  # whether -o names it
    placed: bool  # whether -o names it or its folder
    label: str  # the number among several, for a progress bar; "" for one


def pairs(
    files: Sequence[str], output: str | None, beside: Callable[[str], str | None]
) -> list[Pair]:
    """Returns a pair for each of `files`, or for standard input if there are none. UsageError, Failure.

    Without -o the result of a stream is standard output.

    output  the value of -o, if it is given
    beside  returns the name of the result in the source's folder
    """
    if "" in files:
        raise click.UsageError("An argument is empty: is a shell variable unset?")
    if output == "":
        raise click.UsageError("The name after -o is empty: is a shell variable unset?")
    sources = list(files) or [STDIN]
    if sources.count(STDIN) > 1:
        raise click.UsageError("Standard input can be read only once.")
    into = (
        output is not None
        and output != STDOUT
        and (output.endswith(os.sep) or os.path.isdir(output))
    )
    if into and not os.path.isdir(str(output)):
        raise Failure(f"{output}: there is no such folder", "make it first", Exit.OTHER)
    named = output is not None and not into
    if named and len(sources) > 1:
        hint = "" if output == STDOUT else f": use a folder, -o {output}/"
        raise click.UsageError(
            f"-o {output} is one result, but there are {len(sources):,} sources{hint}."
        )
    found = []
    for number, source in enumerate(sources, 1):
        if output is not None:
            result = _within(output, source, beside) if into else output
        elif source == STDIN or streams.is_stream(source):
            result = STDOUT
        else:
            result = beside(source)
        label = f" {number:,} of {len(sources):,}" if len(sources) > 1 else ""
        found.append(Pair(source, result, named, output is not None, label))
    return found


def _within(folder: str, source: str, beside: Callable[[str], str | None]) -> str | None:
    if source == STDIN or streams.descriptor(source) is not None:
        raise click.UsageError(
            f"{folder} is a folder, and {source_name(source)} has no name for a file in it."
        )
    result = beside(source)
    return None if result is None else os.path.join(folder, os.path.basename(result))


def check_apart(found: Sequence[Pair]) -> None:
    """Checks that no result has the name of another result or of another source: one of the two would
    be lost. UsageError."""
    sources = {os.path.realpath(pair.source): pair.source for pair in found}
    results: dict[str, str] = {}
    streamed = [source_name(pair.source) for pair in found if pair.result == STDOUT]
    if len(streamed) > 1:
        raise click.UsageError(
            f"{streamed[0]} and {streamed[1]} would both go to standard output: name the result of each."
        )
    for pair in found:
        if pair.result is None or pair.result == STDOUT:
            continue
        path = os.path.realpath(pair.result)
        if path in results:
            raise click.UsageError(
                f"{results[path]} and {pair.source} would both become {pair.result}."
            )
        if sources.get(path, pair.source) != pair.source:
            raise click.UsageError(
                f"{pair.source} would become {pair.result}, which is also a source."
            )
        results[path] = pair.source


def check_distinct(found: Sequence[Pair]) -> None:
    """Refuses a source that has two names in the list: a command that replaces its sources would take
    its own result for the source. UsageError."""
    seen: dict[str, str] = {}
    for pair in found:
        path = os.path.realpath(pair.source)
        if path in seen:
            raise click.UsageError(
                f"{seen[path]} and {pair.source} are the same file: name it once."
            )
        seen[path] = pair.source


def work_on_each(
    found: Sequence[Pair],
    make_result: Callable[[Pair], str],
    done: str,
    say: Callable[[str], object] | None,
    *,
    pipes: bool = False,
) -> int:
    """Calls make_result(pair) for each pair. Continues after a failure, and returns the worst exit code.

    make_result  makes one result, and returns a text about it
    done   the verb for the last line, as in "3 of 4 files encrypted"
    say    prints a line about each of several sources; None: prints errors only
    pipes  whether -o - writes a result to standard output
    """
    if len(found) == 1:
        make_result(found[0])
        if say is not None:
            _tell_of_output(found, pipes=pipes)
        return Exit.OK
    codes: list[int] = []
    finished, failed, stopped = 0, 0, ""
    for number, pair in enumerate(found, 1):
        name = source_name(pair.source)
        try:
            said = make_result(pair)
        except (MemoryError, Interrupted, BrokenPipeError):
            raise  # every other file would fail too
        except REPORTED as error:
            codes.append(report(named_after(error, name), "rijn", results.describe(whole=False)))
            results.forget_begun()
            if isinstance(error, click.UsageError):  # every other file would fail too
                stopped = f": stopped at {'the first' if number == 1 else f'number {number:,}'}"
                break
            failed += 1
        else:
            finished += 1
            if say is not None:
                say(printable(f"{name}: {said}"))
    if codes or say is not None:
        others = f", {failed:,} failed" if failed else ""
        standard.say(f"rijn: {finished:,} of {len(found):,} files {done}{others}{stopped}")
    if finished and say is not None:
        _tell_of_output(found, pipes=pipes)
    return max(codes, key=WORST.index, default=Exit.OK)


def _tell_of_output(found: Sequence[Pair], *, pipes: bool) -> None:
    """Prints a note if standard output is redirected but got nothing, and -o is not given."""
    if not standard.is_unused() or any(
        pair.placed or pair.result in (None, STDOUT) for pair in found
    ):
        return
    wrote = f"wrote {found[0].result}" if len(found) == 1 else "each result is a file"
    hint = " (-o - writes there)" if pipes and len(found) == 1 else ""
    standard.say(printable(f"rijn: {wrote}; nothing was written to standard output{hint}"))


def named_after(error: BaseException, name: str) -> BaseException:
    """Returns the error with the file's name."""
    if isinstance(error, OSError) and not is_named(error):
        error.filename = name
    if isinstance(error, Failure) and not str(error).startswith(f"{name}: "):
        return Failure(f"{name}: {error}", error.hint, error.code)
    return error


def result_of(
    pair: Pair,
    read: os.stat_result,
    suffix: str,
    key_files: Sequence[os.stat_result],
    *,
    content: Literal["ciphertext", "plaintext"],
    force: bool,
    remove: bool,
) -> Destination:
    """Returns the destination of a pair's result. Failure, UsageError.

    read       the status of the open source
    suffix     the suffix that encrypt adds
    key_files  the statuses of the files that keys come from
    content    the kind of data in the result
    force      whether --force is given
    remove     whether --rm is given
    """
    assert pair.result is not None
    destination = Destination(
        pair.result,
        read,
        force=force,
        content=content,
        keys=key_files,
        replaceable=may_replace(pair.named, suffix),
        redirected=not pair.placed,
    )
    if remove:
        _check_removable(pair, destination)
    return destination


def _check_removable(pair: Pair, destination: Destination) -> None:
    """Checks for --rm that the source and the result are files. UsageError."""
    if pair.source == STDIN or streams.is_stream(pair.source) or not destination.has_name:
        raise click.UsageError("--rm needs a FILE, and a result that is a file.")


def remove_source(pair: Pair, read: os.stat_result) -> None:
    """Removes the source for --rm, when the result is complete. Failure if the source has changed
    since it was read."""
    try:
        if unchanged(pair.source, read):
            os.unlink(pair.source)
            return
        reason = "it is a link or not a file, or it changed meanwhile"
    except OSError as error:
        reason = error.strerror or str(error)
    raise Failure(
        f"{pair.source}: {pair.result} is whole, but the source is not removed: {reason}",
        "check it, and remove it yourself",
        Exit.OTHER,
    )
