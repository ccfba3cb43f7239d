"""Writes the results as one HTML page, without scripts and without other files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from . import plots, sheet, tables, text
from .grid import Cells
from .results import Results, Row, Task

NAMED = 3  # with more other libraries, the headline has only their number


def page(results: Results) -> str:
    pictures = plots.figures(results)
    # A section for each algorithm, with the pictures for C and for Python.
    algorithms = dict.fromkeys(row.algorithm for row in results.rows)
    sections = "".join(_section(results, name, pictures) for name in algorithms)
    links = " ".join(
        f'<a href="#{escape(name)}">{escape(text.algorithm(name))}</a>' for name in algorithms
    )
    lead = f"{tables.headline(results)} {_compared(results)}"
    note = f"""{escape(tables.machine_line(results))}. Medians of {results.rounds} interleaved
rounds. Compare figures of this page only with each other, not with figures of other machines."""
    return sheet.document(
        f"Rijn {results.rijn} measured",
        f"""<header>
<p class="kicker">rijn bench · {escape(results.created[:10])}</p>
<h1>{escape(_title(results))}</h1>
<p class="lead">{escape(lead)}</p>
<p class="note">{note}</p>
<nav>{links} <a href="#machine">Machine and method</a></nav>
</header>
<main>
{sections}
{_machine(results)}
</main>""",
    )


def study_page(results: Results, study_tables: Sequence[Cells]) -> str:
    """Returns a page with the tables of a study, and a picture for each of its tasks."""
    shown = "".join(_cells(it) for it in study_tables)
    figures = "".join(_figure(it) for it in plots.times(results))
    notes = " · ".join(note for it in study_tables for note in it.notes)
    note = f"""{escape(tables.machine_line(results))}. Medians of {results.rounds} interleaved
rounds. {escape(notes)}"""
    return sheet.document(
        f"Rijn {results.rijn} measured",
        f"""<header>
<p class="kicker">rijn bench · {escape(results.created[:10])}</p>
<h1>{escape(results.command)}</h1>
<p class="note">{note}</p>
</header>
<main>
{shown}
{figures}
{_about(results)}
</section>
</main>""",
    )


def _cells(cells: Cells) -> str:
    head = "".join(f"<th>{escape(it).replace(chr(10), '<br>')}</th>" for it in cells.columns)
    lines = (f"<tr>{''.join(f'<td>{escape(it)}</td>' for it in line)}</tr>" for line in cells.rows)
    title = escape(cells.title)
    return f"<h2>{title}</h2>" + sheet.scrolling(cells.title, f"<tr>{head}</tr>{''.join(lines)}")


def _title(results: Results) -> str:
    """Returns the headline: in how many measurements the default backend is ahead of peers."""
    ahead = measured = 0
    for through in ("c", "python"):
        for task, rows in results.tasks(through).items():
            backend = next((row for row in rows if row.name == results.chosen), None)
            peer = results.best_peer(rows)
            if backend and peer and task.size:
                measured += 1
                ahead += backend.median < peer.median
    if not measured:
        return f"Rijn {results.rijn}, without other libraries"
    present, _ = tables.others(results)
    whom = text.listed(present) if len(present) <= NAMED else f"{len(present)} other libraries"
    return f"Rijn’s {results.chosen} and {whom}: ahead in {ahead} of {measured} measurements"


def _compared(results: Results) -> str:
    """Returns the sentences that name the measured and the missing libraries."""
    present, absent = tables.others(results)
    sentences = [f"Compared with {text.listed(present)}."] if len(present) > NAMED else []
    if absent:
        sentences.append(f"Not in this run: {', '.join(absent)}.")
    return " ".join(sentences)


def _section(results: Results, name: str, pictures: list[plots.Picture]) -> str:
    chosen = [it for it in pictures if f"-{name}-c" in it.name or f"-{name}-python" in it.name]
    exact = [it for it in chosen if it.name.split("-", 1)[1] in (f"{name}-c", f"{name}-python")]
    figures = "".join(_figure(it) for it in exact)
    body = "".join(
        f"<details{' open' if not figures else ''}><summary>{escape(title)}</summary>"
        f"{_table(results, title, rows)}</details>"
        for title, rows in _groups(results, name)
    )
    return f'<section id="{escape(name)}"><h2>{escape(text.algorithm(name))}</h2>{figures}{body}</section>'


def _figure(picture: plots.Picture) -> str:
    title = picture.title.replace("-", "\N{NON-BREAKING HYPHEN}")  # AES-128-GCM stays whole
    return (
        f"<figure><h3>{escape(title)}</h3>"
        f'<div class="wide">{picture.svg(plots.WIDE)}</div>'
        f'<div class="narrow">{picture.svg(plots.NARROW)}</div>'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
    )


def _groups(results: Results, name: str) -> list[tuple[str, list[Row]]]:
    found: dict[tuple[str, Task], list[Row]] = {}
    for through in ("c", "python"):
        for task, rows in results.tasks(through).items():
            if task.algorithm == name:
                group = task._replace(size=min(1, task.size))
                found.setdefault((through, group), []).extend(rows)
    return [
        (
            f"{text.family(task)}, {text.THROUGH[through]}"
            + (f", {text.BUFFER[task.buffer]}" if task.size else ", key set-up alone"),
            rows,
        )
        for (through, task), rows in found.items()
    ]


def _table(results: Results, title: str, rows: list[Row]) -> str:
    sizes = sorted({row.size for row in rows})
    by_size = {size: [row for row in rows if row.size == size] for size in sizes}
    best = {size: min(found, key=lambda row: row.median) for size, found in by_size.items()}
    at = tables.ratio_size(sizes)
    safe = results.safe(by_size[at])
    size_note = f"<br>{text.size(at)}" if at else ""
    cells = {(row.contender, row.size): row for row in rows}
    units = {size: tables.unit(found) for size, found in by_size.items()}
    head = "".join(
        f"<th>{text.size(size) if size else 'time'}<br>{units[size]}</th>" for size in sizes
    )
    lines = []
    for contender in tables.ranked(rows, at):
        row_class = "" if contender.startswith("rijn/") else ' class="peer"'
        mark = ""
        if safe and safe.contender == contender:
            row_class, mark = ' class="safe"', f"{tables.SAFE} "
        peer, found = results.best_peer(by_size[at]), cells.get((contender, at))
        lead = text.ratio(peer.median / found.median) if peer and found else "–"
        fraction = results.fraction(found) if found else None
        instructions = (
            f" ({found.instructions})" if found and found.instructions and not found.is_rijn else ""
        )
        values = [f"<td>{lead}</td><td>{text.part(fraction) if fraction is not None else '–'}</td>"]
        for size in sizes:
            row = cells.get((contender, size))
            winner = ' class="best"' if row is best[size] else ""
            values.append(f"<td{winner}>{tables.within(units[size], row) if row else '–'}</td>")
        lines.append(
            f"<tr{row_class}><td>{escape(mark + contender + instructions)}{_leaky(results, contender)}</td>"
            f"{''.join(values)}</tr>"
        )
    return (
        sheet.scrolling(
            title,
            f"<tr><th></th><th>× best peer{size_note}</th><th>of ceiling{size_note}</th>{head}</tr>{''.join(lines)}",
        )
        + f'<p class="note">{MARKS}</p>'
    )


MARKS = (
    f'{tables.SAFE} fastest constant-time backend · <span class="leaky">{tables.LEAKY}</span> '
    "not constant time, or nothing claimed · no mark: constant time, or another library without a "
    "claim"
)


def _leaky(results: Results, contender: str) -> str:
    """Returns the mark for a contender that is not constant time or has no claim, or ""."""
    if not results.marked(contender):
        return ""
    title = "not constant time, or nothing claimed"
    return f' <span class="leaky" title="{title}">{tables.LEAKY}</span>'


def _machine(results: Results) -> str:
    return f"""{_about(results)}
<p class="note">In every round each contender runs once for about {results.millis:g} ms. If the
machine slows down, it slows all of them. The figures are medians and their quotients. Before the
measurement, all contenders must give the same bytes. Each encryption has its own nonce. × best peer:
speed / speed of the fastest other library, at {text.size(tables.RATIO_SIZE)} or the largest size
below. Ceiling: the limit of this machine's AES and carry-less multiply instructions and its memory,
measured in the same rounds. Rijn's docs/measuring.md has the details.</p>
</section>"""


def _about(results: Results) -> str:
    entries = {key.replace("_", " "): _plain(value) for key, value in results.machine.items()}
    entries["command"] = results.command
    entries["took"] = f"{results.seconds:.0f} s"
    about = "".join(
        f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>" for key, value in entries.items()
    )
    libraries = "".join(
        f"<tr><td>{escape(it.name)}{_leaky(results, it.name)}</td><td>{text.THROUGH[it.through]}</td>"
        f"<td>{escape(it.version if it.state == 'ready' else it.reason or it.state)}</td>"
        f"<td>{'no' if results.marked(it.name) else text.claim(it.constant_time)}</td></tr>"
        for it in results.contenders
    )
    contenders = sheet.scrolling(
        "Contenders",
        "<tr><th>contender</th><th></th><th>version, or why not</th><th>constant time</th></tr>"
        + libraries,
    )
    return f"""<section id="machine"><h2>Machine and method</h2>
<dl>{about}</dl>
{contenders}"""


def _plain(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return value.get("reason") or "yes"
    return value
