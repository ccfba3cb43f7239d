"""The style of the HTML pages of `rijn bench` and `rijn profile`: no scripts and no other files,
light and dark mode, wide and narrow windows.

Each picture is drawn for both widths, and one of them is shown. Nothing else is ever hidden: a
table that is too wide scrolls.
"""

from __future__ import annotations

from html import escape

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fffefb; --ink: #1b1b1b; --soft: #63635e; --grid: #dcdcd6; --rule: #1b1b1b;
  --peer: #85857f; --win: #0b6e4f; --leaky: #b3261e;
  --python: #4b8bbe; --rijn: #e07b39; --other: #9aa0a6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #e9e7e1; --soft: #a3a29b; --grid: #3a3d41; --rule: #e9e7e1;
    --peer: #a0a09a; --win: #63d3a6; --leaky: #ff8a80;
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
h3 { font-size: 1.1rem; line-height: 1.3; margin: 1.4rem 0 0.5rem; text-wrap: balance; }
figure h3 { margin-top: 0; }
figcaption { font-size: 0.85rem; color: var(--soft); margin-top: 0.5rem; max-width: 46rem; }
figure svg { display: block; width: 100%; height: auto; overflow: visible; }
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
.leaky { color: var(--leaky); font-weight: 700; }
td.best { color: var(--win); font-weight: 600; }
tr.peer td:first-child { color: var(--soft); }
tr.safe td:first-child { font-weight: 600; }
details { border-top: 1px solid var(--grid); padding: 0.5rem 0; }
summary { cursor: pointer; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.2rem;
  font-size: 0.95rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.parts { display: grid; gap: 0 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
.parts > section { min-width: 0; }
.lines td:first-child { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 10rem; }
.flame { display: block; width: 100%; }
.flame rect { stroke: var(--paper); stroke-width: 1; }
.flame text { fill: #111; font: 12px ui-monospace, monospace; }
.python { fill: var(--python); background: var(--python); }
.rijn { fill: var(--rijn); background: var(--rijn); }
.other { fill: var(--other); background: var(--other); }
.key span { display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.3em 0 1em; }
.key span:first-child { margin-left: 0; }
"""


def document(title: str, body: str) -> str:
    """Returns a page. `body` is HTML."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""


def scrolling(label: str, rows: str) -> str:
    """Returns a table that scrolls in a narrow window, also with the keyboard."""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"<table>{rows}</table></div>"
    )
