"""`make screenshots`: pictures for people to look at, in build/screenshots.

They show terminals of 80 and 60 columns, the report at 1200 and 400 pixels, and the first page of
the site. No test compares them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "screenshots"
RUN = ROOT / "docs" / "figures.json"
SITE = ROOT / "build" / "docs" / "index.html"
COMMANDS = (["--help"], ["encrypt", "--help"], ["backends"], ["bench", "--from", str(RUN)])


def terminal(arguments: list[str], columns: int) -> Path:
    """Returns a page with the output of `rijn ARGUMENTS` on a terminal with this many columns."""
    seen = {"COLUMNS": str(columns), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    done = subprocess.run(
        [sys.executable, "-m", "rijn", *arguments],
        env=os.environ | seen,
        capture_output=True,
        text=True,
        check=True,
    )
    console = Console(width=columns, record=True, file=open(os.devnull, "w"), legacy_windows=False)  # noqa: SIM115
    console.print(Text.from_ansi(done.stdout), soft_wrap=False)
    name = "-".join(word.lstrip("-") for word in arguments if word != str(RUN))
    page = OUT / f"rijn-{name}-{columns}.html"
    page.write_text(console.export_html(inline_styles=True), "utf-8")
    return page


def phone(page: Path) -> Path:
    """Returns a page that shows this one at 400 pixels, because no browser window is so narrow."""
    frame = OUT / f"{page.stem}-400.html"
    look = "border: 0; width: 400px; height: 1990px"
    frame.write_text(f'<iframe src="{page.as_uri()}" style="{look}"></iframe>', "utf-8")
    return frame


def photograph(page: Path, width: int, height: int) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("screenshots: needs chromium (Debian: chromium)")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                f"--screenshot={OUT / f'{page.stem}-{width}.png'}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    for columns in (80, 60):
        for arguments in COMMANDS:
            photograph(terminal(arguments, columns), columns * 10, 1000)
    report = OUT / "report.html"
    subprocess.run(
        [sys.executable, "-m", "rijn", "bench", "--from", RUN, "--html", report], check=True
    )
    for page in (report, SITE):
        photograph(page, 1200, 2000)
        photograph(phone(page), 500, 2000)
    print(OUT)


if __name__ == "__main__":
    main()
