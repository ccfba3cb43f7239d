"""Writes profiles as one HTML file without other files: figures, flame graphs, tables."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import jinja2

from .. import sheet
from . import figures, stacks
from .measure import machine
from .tools import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .measure import Profile

LONGEST = 25  # rows of a table of functions


def render(profiles: Sequence[Profile]) -> str:
    """Returns the page as text."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = environment.from_string(
        files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    )
    title = figures.title(profiles)
    body = template.render(
        title=title,
        machine=machine(),
        notes=figures.notes(profiles),
        profiles=profiles,
        rows=figures.figures(profiles),
        parts=[
            (profile, _flame(profile), figures.tables(profile, LONGEST)) for profile in profiles
        ],
        scrolling=sheet.scrolling,
    )
    return sheet.document(f"Rijn profile: {title}", body)


def _flame(profile: Profile) -> list[stacks.Box]:
    if isinstance(profile.stacks, Unavailable):
        return []
    return stacks.flame(profile.stacks)
