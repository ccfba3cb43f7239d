"""The results as one HTML page: no script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape

from . import plots, tables, text
from .results import Results, Row, Task

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fffefb; --ink: #1b1b1b; --soft: #63635e; --grid: #dcdcd6; --rule: #1b1b1b;
  --peer: #85857f; --win: #0b6e4f; --card: #f5f4ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #e9e7e1; --soft: #a3a29b; --grid: #3a3d41; --rule: #e9e7e1;
    --peer: #a0a09a; --win: #63d3a6; --card: #1f2226;
  }
  figure svg { filter: brightness(1.22) saturate(0.95); }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 62rem;
  background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Source Serif 4", Georgia, serif;
}
header { border-bottom: 3px double var(--rule); margin-bottom: 1.5rem; }
.kicker, figcaption, table, .note, nav, summary, svg text {
  font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
.kicker {
  font-size: 0.8rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--soft);
  margin: 0;
}
h1 { font-size: clamp(1.7rem, 5vw, 2.9rem); line-height: 1.1; margin: 0.3rem 0 0.8rem;
  text-wrap: balance; letter-spacing: -0.01em; }
h2 { font-size: clamp(1.3rem, 3.2vw, 1.75rem); line-height: 1.2; margin: 2.8rem 0 0.6rem;
  border-top: 1px solid var(--rule); padding-top: 0.7rem; }
.lead { font-size: 1.15rem; margin: 0 0 1.2rem; max-width: 46rem; }
.note { color: var(--soft); font-size: 0.85rem; line-height: 1.5; max-width: 50rem; }
nav { font-size: 0.9rem; line-height: 2; }
nav a { color: inherit; margin-right: 1.1rem; white-space: nowrap; }
figure { margin: 1.6rem 0 2.2rem; }
figure h3 { font-size: 1.1rem; line-height: 1.3; margin: 0 0 0.5rem; text-wrap: balance; }
figcaption { font-size: 0.85rem; color: var(--soft); margin-top: 0.5rem; max-width: 46rem; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
.narrow { display: none; }
@media (max-width: 40rem) {
  body { padding: 1rem 0.9rem 3rem; font-size: 1rem; }
  .wide { display: none; } .narrow { display: block; }
}
.scroll { overflow-x: auto; margin: 0.8rem 0 1.2rem; }
table { border-collapse: collapse; font-size: 0.85rem; width: 100%;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0.4rem 0; }
th, td { padding: 0.32rem 0.7rem 0.32rem 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--grid); }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: var(--paper); }
th { font-weight: 600; color: var(--soft); }
td.best { color: var(--win); font-weight: 600; }
tr.peer td:first-child { color: var(--soft); }
tr.safe td:first-child { font-weight: 600; }
details { border-top: 1px solid var(--grid); padding: 0.5rem 0; }
summary { cursor: pointer; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.2rem;
  font-size: 0.95rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
"""


def page(results: Results) -> str:
    pictures = plots.figures(results)
    # By algorithm, and within it the same picture timed in C and through Python together.
    algorithms = dict.fromkeys(row.algorithm for row in results.rows)
    sections = "".join(_section(results, name, pictures) for name in algorithms)
    links = " ".join(
        f'<a href="#{escape(name)}">{escape(text.algorithm(name))}</a>' for name in algorithms
    )
    headline = tables.headline(results)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rijn {escape(results.rijn)} measured</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<p class="kicker">rijn bench · {escape(results.created[:10])}</p>
<h1>{escape(_title(results))}</h1>
<p class="lead">{escape(headline)}</p>
<p class="note">{escape(tables.machine_line(results))}. Medians of {results.rounds} interleaved
rounds; compare figures of this page with each other, not with those of another machine.</p>
<nav>{links} <a href="#machine">Machine and method</a></nav>
</header>
<main>
{sections}
{_machine(results)}
</main>
</body>
</html>
"""


def _title(results: Results) -> str:
    """How often the rung that a key gets unless told otherwise is ahead."""
    ahead = measured = 0
    for through in ("c", "python"):
        for task, rows in results.tasks(through).items():
            rung = next((row for row in rows if row.name == results.chosen), None)
            peer = results.best_peer(rows)
            if rung and peer and task.size:
                measured += 1
                ahead += rung.median < peer.median
    if not measured:
        return f"Rijn {results.rijn}, measured"
    return f"Rijn leads the libraries installed here in {ahead} of {measured} measurements"


def _section(results: Results, name: str, pictures: list[plots.Picture]) -> str:
    chosen = [it for it in pictures if f"-{name}-c" in it.name or f"-{name}-python" in it.name]
    exact = [it for it in chosen if it.name.split("-", 1)[1] in (f"{name}-c", f"{name}-python")]
    figures = "".join(_figure(it) for it in exact)
    body = "".join(
        f"<details{' open' if not figures else ''}><summary>{escape(title)}</summary>"
        f"{_table(results, rows)}</details>"
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


def _table(results: Results, rows: list[Row]) -> str:
    sizes = sorted({row.size for row in rows})
    by_size = {size: [row for row in rows if row.size == size] for size in sizes}
    best = {size: min(found, key=lambda row: row.median) for size, found in by_size.items()}
    at = tables.ratio_size(sizes)
    safe = results.safe(by_size[at])
    cells = {(row.contender, row.size): row for row in rows}
    head = "".join(f"<th>{text.size(size) if size else 'time'}</th>" for size in sizes)
    lines = []
    for contender in tables.ranked(rows, at):
        row_class = "" if contender.startswith("rijn/") else ' class="peer"'
        mark = ""
        if safe and safe.contender == contender:
            row_class, mark = ' class="safe"', f"{tables.SAFE} "
        peer, found = results.best_peer(by_size[at]), cells.get((contender, at))
        lead = text.ratio(peer.median / found.median) if peer and found else "–"
        fraction = results.fraction(found) if found else None
        rung = f" ({found.rung})" if found and found.rung and not found.is_rijn else ""
        values = [f"<td>{lead}</td><td>{text.part(fraction) if fraction is not None else '–'}</td>"]
        for size in sizes:
            row = cells.get((contender, size))
            winner = ' class="best"' if row is best[size] else ""
            values.append(f"<td{winner}>{tables.figure(row) if row else '–'}</td>")
        lines.append(
            f"<tr{row_class}><td>{escape(mark + contender + rung)}</td>{''.join(values)}</tr>"
        )
    return (
        f'<div class="scroll"><table><tr><th></th><th>× best peer</th><th>of ceiling</th>{head}</tr>'
        f"{''.join(lines)}</table></div>"
    )


def _machine(results: Results) -> str:
    entries = {key.replace("_", " "): _plain(value) for key, value in results.machine.items()}
    entries["command"] = results.command
    entries["took"] = f"{results.seconds:.0f} s"
    about = "".join(
        f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>" for key, value in entries.items()
    )
    libraries = "".join(
        f"<tr><td>{escape(it.name)}</td><td>{text.THROUGH[it.through]}</td>"
        f"<td>{escape(it.version or it.reason or it.state)}</td>"
        f"<td>{text.claim(it.constant_time)}</td></tr>"
        for it in results.contenders
    )
    return f"""<section id="machine"><h2>Machine and method</h2>
<dl>{about}</dl>
<div class="scroll"><table><tr><th>contender</th><th></th><th>version, or why not</th>
<th>constant-time</th></tr>{libraries}</table></div>
<p class="note">In every round each contender runs once for about {results.millis:g} ms, so that a
machine that slows down slows all alike; medians are told, and their quotients. Before it is timed,
each contender must give the bytes that the others give. Each encryption has a nonce of its own.
× best peer: the speed over that of the fastest other library, at {text.size(tables.RATIO_SIZE)} or
the largest size below. Ceiling: what the AES and carry-less multiply instructions and the memory of
this machine allow, measured in the same rounds. Rijn's docs/measuring.md says it in full.</p>
</section>"""


def _plain(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return value.get("reason") or "yes"
    return value
