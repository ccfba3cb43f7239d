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
    context_settings={"allow_extra_args": True},  # to say what a name goes with
)
@click.option(
    "-a",
    "--algorithm",
    default="aes-128-gcm",
    show_default=True,
    metavar="NAME",
    help="As in rijn bench.",
)
@click.option(
    "--operation",
    type=click.Choice(["encrypt", "decrypt"]),
    default="encrypt",
    show_default=True,
)
@click.option("-s", "--size", default="16K", show_default=True, help="Bytes a message.")
@click.option(
    "--backend", metavar="NAME", help="The AES to profile (see rijn backends); the one in use."
)
@click.option("--compare", nargs=2, metavar="NAME NAME", help="Two backends side by side.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=4.0,
    show_default=True,
    help="How long stacks are sampled.",
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
    """Show where the time of one algorithm goes, on one backend or on two.

    The message's time; instructions and memory accesses counted by callgrind,
    the same in every run; the CPU's own counters, where the kernel gives them;
    the functions, by samples of Python and C together and by cProfile. A summary
    is printed, and one HTML page with a flame graph written. A tool that this
    machine lacks is a line that says what to install; without the package
    jinja2 there is no page.
    """
    for name in context.args:
        option = option_for(name) or "--algorithm"
        named = f"{option} {shlex.quote(name)}"
        raise click.UsageError(f"What is profiled is named as in rijn profile {named}.")
    if backend is not None and compare is not None:
        raise click.UsageError("--compare names both backends: leave --backend out.")

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
            raise click.UsageError("--size is one size, as 16K.")
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
