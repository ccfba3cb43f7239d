"""rijn profile"""

from __future__ import annotations

import shlex
from importlib.util import find_spec

import click

from rijn.cli.destination import STDOUT, Destination
from rijn.cli.terminal import console

from .bench_command import install, option_for, require

EPILOG = """\b
Examples:
  rijn profile                                        the backend in use
  rijn profile --backend table --algorithm aes-256-ctr --size 1M
  rijn profile --compare python table --size 1K       side by side, with ratios
"""


@click.command(
    "profile",
    epilog=EPILOG,
    short_help="Show where the time goes.",
    context_settings={"allow_extra_args": True},  # for the message that names the right option
)
@click.option(
    "-a",
    "--algorithm",
    default="aes-128-gcm",
    show_default=True,
    metavar="NAME",
    help="See rijn bench.",
)
@click.option(
    "--operation",
    type=click.Choice(["encrypt", "decrypt"]),
    default="encrypt",
    show_default=True,
)
@click.option("-s", "--size", default="16K", show_default=True, help="Bytes of a message.")
@click.option("--backend", metavar="NAME", help="See rijn backends.  [default: the backend in use]")
@click.option("--compare", nargs=2, metavar="NAME NAME", help="Profile two backends side by side.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=4.0,
    show_default=True,
    help="Duration of the stack sampling.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(readable=False),
    help="The page.  [default: rijn-profile-ALGORITHM-BACKEND-SIZE.html]",
)
@click.option("-f", "--force", is_flag=True, help="Overwrite the page if it exists.")
@click.pass_context
def command(
    context: click.Context,
    algorithm: str,
    operation: str,
    size: str,
    backend: str | None,
    compare: tuple[str, str] | None,
    seconds: float,
    output: str | None,
    force: bool,
) -> None:
    """Show where one algorithm spends its time, on one backend or on two.

    Prints a summary and writes an HTML page with a flame graph:

    \b
    - the time of a message
    - instructions and memory accesses, counted by callgrind, the same in every run
    - the CPU's counters, if the kernel allows it
    - functions, from samples of Python and C together, and from cProfile

    If a tool is missing, a line says how to install it. The page needs the package jinja2.
    """
    for name in context.args:
        option = option_for(name) or "--algorithm"
        named = f"{option} {shlex.quote(name)}"
        raise click.UsageError(f"Unexpected argument {name!r}: use rijn profile {named}.")
    if backend is not None and compare is not None:
        raise click.UsageError("--compare names both backends: omit --backend.")

    import rijn

    from . import plan
    from .profile.measure import profile
    from .profile.subject import Subject

    require("rich")
    from rich.console import Console

    from .profile import terminal

    paged = find_spec("jinja2") is not None
    if output is not None and not paged:
        require("jinja2")

    try:
        sizes = plan.sizes(size)
        if len(sizes) != 1:
            raise click.UsageError("--size takes one size, for example 16K.")
        names = compare or (backend or rijn.AES(bytes(16)).backend,)
        subjects = [Subject(algorithm, operation, name, sizes[0]) for name in names]
        for subject in subjects:
            subject.check()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    file = output or f"rijn-profile-{algorithm}-{'-'.join(names)}-{sizes[0]}.html"
    destination = Destination(file, None, force=force, content="plaintext") if paged else None

    with Console(stderr=True).status("") as status:
        found = profile(subjects, seconds, lambda step: status.update(f"{step} …"))
    if file != STDOUT:
        terminal.show(found, console())
    if destination is None:
        click.echo(f"wrote no page: jinja2 is not installed ({install()})", err=True)
        return
    from .profile import page

    with destination as result:
        result.write(page.render(found).encode())
    if file != STDOUT:
        click.echo(f"wrote {file}")
