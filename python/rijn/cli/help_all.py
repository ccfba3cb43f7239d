"""Help in two lengths: `--help` fits one screen, `--help-all` explains everything.

`--help` leaves out each FurtherOption, and it ends a help text or an epilog at the first form feed
(\\f). Man pages are made from the full texts.
"""

from __future__ import annotations

import inspect

import click

from . import standard

_WANTED = "rijn.help_all"  # in click.Context.meta


def want_all(context: click.Context) -> None:
    """Asks for full texts from this context, and from the contexts of its subcommands."""
    context.meta[_WANTED] = True


class FurtherOption(click.Option):
    """An option that most users do not need."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        return super().get_help_record(ctx) if _WANTED in ctx.meta else None


class Command(click.Command):
    """A command with `--help-all`."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _HELP_ALL]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write(ctx, formatter, self.help)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write(ctx, formatter, self.epilog)
        if _WANTED not in ctx.meta and self._has_more():
            _write(ctx, formatter, f"{ctx.command_path} --help-all prints the full help.")

    def _has_more(self) -> bool:
        further = any(isinstance(each, FurtherOption) for each in self.params)
        return further or "\f" in f"{self.help}{self.epilog}"


def _write(ctx: click.Context, formatter: click.HelpFormatter, text: str | None) -> None:
    full = inspect.cleandoc(text or "")
    shown = full.replace("\f", "") if _WANTED in ctx.meta else full.partition("\f")[0]
    if shown.strip():
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(shown.rstrip())


def _print_all(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        want_all(ctx)
        standard.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL = FurtherOption(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_all,
    help="Show the full help and exit.",
)
