"""rijn bench"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rijn._install import pip_install
from rijn.cli.destination import STDOUT, Destination
from rijn.cli.failures import Exit, Failure
from rijn.cli.terminal import console
from rijn.disk.acl import status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .plan import Plan
    from .results import Results
    from .run import Progress
    from .studies import Study

_Function = TypeVar("_Function", bound="Callable[..., Any]")

# Options that a study takes only if its `takes` lists them, with their defaults.
_RESTRICTED_OPTIONS = {
    "algorithm": None,
    "operation": None,
    "backend": None,
    "peers": None,
    "threads": 1,
    "full": False,
    **dict.fromkeys(("rows", "parts", "parquet")),
}
# Options that only a study takes.
_STUDY_OPTIONS = ("rows", "parts", "parquet")
STUDIES = ("pure", "python-bitsliced", "putty", "languages", "aegis", "pyaes", "columns")

EPILOG = """\b
Examples:
  rijn bench                                  backends and libraries on this machine
  rijn bench --algorithm gcm --size 16..16M
  rijn bench --html report.html --png plots   write a page and pictures too
  rijn bench --full --json full.json          every mode, key and buffer: hours
  rijn bench --from full.json --html full.html
  rijn bench --as putty --quick --files perf  the table of PuTTY's benchmark
  rijn bench --as columns --parts duckdb,polars
  rijn bench compare old.json new.json

\b
docs/measuring.md in Rijn's sources describes the method.
"""


def _file_option(name: str, help_text: str) -> Callable[[_Function], _Function]:
    """Makes an option with an optional value. Without it, the output goes to stdout."""
    return click.option(
        name,
        is_flag=False,
        flag_value="-",
        metavar="[FILE]",
        help=f"{help_text}; without FILE: to stdout.",
    )


def option_for(name: str) -> str | None:
    """Returns the option for a name: of an algorithm or a backend. None for other names."""
    import rijn

    from .plan import ALGORITHMS, Impossible, names

    if any(name == each.name for each in rijn.backends()):
        return "--backend"
    try:
        names(name, list(ALGORITHMS), "algorithm")
    except Impossible:
        return None
    return "--algorithm"


class _Bench(click.Group):
    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        found = super().get_command(ctx, name)
        if found is None and (option := option_for(name)):
            ctx.fail(f"No such command {name!r}: use rijn bench {option} {name}")
        return found


@click.group(
    "bench",
    cls=_Bench,
    invoke_without_command=True,
    epilog=EPILOG,
    short_help="Compare Rijn's backends with other libraries.",
)
@click.option("--algorithm", metavar="LIST", help="For example aes-128-gcm,aes-256; or all.")
@click.option("--operation", metavar="LIST", help="encrypt, decrypt, rekey; or all.")
@click.option("--backend", metavar="LIST", help="Rijn's backends (see rijn backends); or all.")
@click.option("--peers", metavar="LIST", help="Other libraries; or all, or none.")
@click.option("--size", metavar="LIST", help="Bytes, for example 16,1350,4K..16M.")
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N")
@click.option("--quick", is_flag=True, help="Measure less, in under a minute.")
@click.option("--full", is_flag=True, help="Every algorithm, operation, size, key and buffer.")
@click.option(
    "--as", "study", type=click.Choice(STUDIES), help="Print a table as other projects do."
)
@click.option(
    "--rows", type=click.IntRange(1, 1 << 27), metavar="N", help="With --as columns: rows."
)
@click.option("--parts", metavar="LIST", help="With --as columns: formats, polars …; or all.")
@click.option("--parquet", metavar="SIZE", help="With --as columns: file size, such as 1024M.")
@_file_option("--json", "Write all rounds and the machine")
@_file_option("--csv", "Write a line for each row")
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(readable=False),
    help="Write a report with plots, one file.",
)
@click.option(
    "--png", metavar="FOLDER", type=click.Path(readable=False), help="Write the plots as pictures."
)
@click.option(
    "--files",
    metavar="FOLDER",
    type=click.Path(readable=False),
    help="With --as putty: one file for each backend.",
)
@click.option("-f", "--force", is_flag=True, help="Replace files; write to folders with others.")
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(readable=False),
    help="Show a file of --json; measure nothing.",
)
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int | None:
    """Measure Rijn's backends and other libraries, in interleaved rounds, in C and through
    Python.

    Without options this takes less than two minutes.
    """
    if ctx.invoked_subcommand is not None:
        return None
    return _bench(options)


@command.command("compare", short_help="Show what became faster or slower, beyond the noise.")
@click.argument("old")
@click.argument("new")
@click.option("--agreement", is_flag=True, help="Check that ratios of backends repeat within 5 %.")
def compare(old: str, new: str, agreement: bool) -> int:
    """Compare two results of rijn bench --json.

    With --agreement: compare the ratios between backends in both results, from 1 KiB on.
    The exit code is 1 if the median difference is more than 5 %.
    """
    require("rich")
    from . import compare as comparison
    from . import tables

    results = _load(old), _load(new)
    printed = console()
    if agreement:
        pairs = comparison.agreement(*results)
        if not pairs:
            raise Failure(
                "the two runs have no ratios in common",
                "run both with the same options",
                Exit.OTHER,
            )
        return int(Exit.OK if tables.print_agreement(pairs, printed) else Exit.OTHER)
    found = comparison.compare(*results)
    if not found.changes:
        raise Failure(
            "the two runs have no rows in common", "run both with the same options", Exit.OTHER
        )
    tables.print_comparison(found, printed)
    return int(Exit.OK)


def _bench(options: dict[str, Any]) -> int:
    require("rich")
    if options["html"] or options["png"]:
        require("matplotlib")
    from . import plan as planning

    if options["quick"] and options["full"]:
        raise click.UsageError("Choose --quick or --full.")
    if options["files"] and options["study"] != "putty":
        raise click.UsageError("--files needs --as putty.")
    if options["study"]:
        return _study(options)
    for name in _STUDY_OPTIONS:
        if options[name]:
            raise click.UsageError(f"--{name} needs --as columns.")
    try:
        plan = _chosen_plan(options)
    except planning.Impossible as error:
        raise click.UsageError(f"{error}.") from None
    outputs = _Outputs(options)
    results = _load(options["source"]) if options["source"] else _measured(plan)
    _write(results, outputs)
    return int(Exit.OK)


def _study(options: dict[str, Any]) -> int:
    from . import plan as planning
    from . import studies

    study = studies.STUDIES[options["study"]]
    for name, unset in _RESTRICTED_OPTIONS.items():
        if options[name] != unset and name not in study.takes:
            raise click.UsageError(f"--{name} cannot be used with --as {options['study']}.")
    given = {name: options[name] for name in study.takes if options[name]}
    if not options["source"]:
        for module in study.needs:
            require(module, study.extra)
    try:
        sizes = planning.sizes(options["size"]) if options["size"] else None
        plan = study.plan_for(sizes, quick=options["quick"], **given)
    except planning.Impossible as error:
        raise click.UsageError(f"{error}.") from None
    outputs = _Outputs(options)
    results = _load(options["source"]) if options["source"] else _measured(plan, study.measure)
    if "files" in outputs.folders:
        files = studies.putty_files(results)
        outputs.write_folder("files", {name: text.encode() for name, text in files.items()})
    _write_files(results, outputs, study)
    if not outputs.printed:
        study.show(results, console())
    return int(Exit.OK)


def _chosen_plan(options: dict[str, Any]) -> Plan:
    from . import plan as planning
    from .peers import PEERS

    preset = "quick" if options["quick"] else "full" if options["full"] else "default"
    names = planning.names
    chosen: dict[str, Any] = {"threads": options["threads"]}
    if options["algorithm"]:
        known = planning.built() if options["algorithm"] == "all" else list(planning.ALGORITHMS)
        chosen["algorithms"] = names(options["algorithm"], known, "algorithm")
    if options["operation"]:
        chosen["operations"] = names(options["operation"], planning.OPERATIONS, "operation")
    if options["size"]:
        chosen["sizes"] = planning.sizes(options["size"])
    if options["backend"] not in (None, "all"):
        import rijn

        known = [backend.name for backend in rijn.backends()]
        chosen["backends"] = tuple(names(options["backend"], known, "backend"))
    if options["peers"] == "none":
        chosen["peers"] = ()
    elif options["peers"] not in (None, "all"):
        known = [*(peer.name for peer in PEERS), *planning.C_PEERS]
        chosen["peers"] = tuple(names(options["peers"], known, "peer"))
    return planning.preset(preset, **chosen)


def _measured(plan: Plan, measure: Any = None) -> Results:
    from . import run
    from .harness import HarnessFailed

    command_line = shlex.join(["rijn", *sys.argv[1:]])
    with _progress(run.steps(plan)) as progress:
        try:
            return (measure or run.measure)(plan, command_line, progress)
        except (run.Disagreement, HarnessFailed) as error:
            raise Failure(
                str(error), "leave that contender out: it gives wrong results", Exit.OTHER
            ) from None


@contextmanager
def _progress(total: int) -> Iterator[Progress]:
    """Shows a bar with the remaining time, on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _label, _steps: None
        return
    from rich import progress
    from rich.console import Console

    bar = progress.Progress(
        progress.BarColumn(30),
        progress.TaskProgressColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=total)

        def advance(label: str, steps: int) -> None:
            bar.update(task, advance=steps, description=label or None)

        yield advance


class _Outputs:
    """The output files and folders, checked before anything is measured."""

    def __init__(self, options: dict[str, Any]) -> None:
        """Raises Failure if a file would be overwritten, UsageError if two outputs are the same."""
        self._force = options["force"]
        self._source = status_of(options["source"]) if options["source"] else None
        self.printed = [kind for kind in ("json", "csv") if options[kind] == STDOUT]
        self.files = {
            kind: self._file(options[kind])
            for kind in ("json", "csv", "html")
            if options[kind] and kind not in self.printed
        }
        self.folders = {kind: Path(options[kind]) for kind in ("png", "files") if options[kind]}
        names = [each.name for each in self.files.values()]
        names += [str(folder) for folder in self.folders.values()]
        if len({os.path.realpath(name) for name in names}) < len(names):
            raise click.UsageError("Two of the outputs are the same file.")
        for folder in self.folders.values():
            if not self._force and folder.is_dir() and any(folder.iterdir()):
                raise Failure(
                    f"{folder}: is not empty", "--force writes to it anyway", Exit.REFUSED
                )

    def _file(self, name: str) -> Destination:
        return Destination(name, self._source, force=self._force, content="plaintext")

    def write(self, kind: str, content: str) -> None:
        with self.files[kind] as result:
            result.write(content.encode())

    def write_folder(self, kind: str, contents: dict[str, bytes]) -> None:
        """Writes the files of a folder. Creates the folder if needed."""
        folder = self.folders[kind]
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with self._file(str(folder / name)) as result:
                result.write(content)


def _write(results: Results, outputs: _Outputs) -> None:
    from . import tables

    _write_files(results, outputs)  # first: the reader of the table may close the pipe
    if not outputs.printed:
        tables.print_results(results, console())


def _write_files(results: Results, outputs: _Outputs, study: Study | None = None) -> None:
    alone = study if study and study.rows_alone else None
    for kind, content in (("json", results.as_json), ("csv", results.as_csv)):
        if kind in outputs.printed:
            click.echo(content(), nl=False)
        elif kind in outputs.files:
            outputs.write(kind, content())
    if "html" in outputs.files:
        from . import report

        page = report.study_page(results, alone.cells(results)) if alone else report.page(results)
        outputs.write("html", page)
    if "png" in outputs.folders:
        from . import plots

        found = plots.times(results) if alone else plots.figures(results)
        pictures = {f"{figure.name}.png": figure.png() for figure in found}
        outputs.write_folder("png", pictures)


def _load(name: str) -> Results:
    from .results import NotResults, Results

    try:
        return Results.from_json(Path(name).read_text("utf-8"))
    except (NotResults, UnicodeDecodeError) as error:
        raise Failure(f"{name}: {error}", "give a file of rijn bench --json", Exit.OTHER) from None


def require(module: str, extra: str = "") -> None:
    """Raises Failure if the package `module` is not installed."""
    if find_spec(module) is None:
        raise Failure(f"{module} is not installed", f"use {install(extra)}", Exit.OTHER)


def install(extra: str = "") -> str:
    """Returns the command that installs rijn-bench, the packages it needs, and an extra."""
    return pip_install(extra, "rijn-bench")
