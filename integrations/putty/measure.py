"""Measures PuTTY's transfers: speed, and CPU time of the client.

    measure.py [--size MIB] [--rounds N] [--cipher NAME...] [--version 0.85] [--out FOLDER]

Transfers a file on tmpfs, over sshd on loopback, both ways, with each cipher and each client: PuTTY
with its portable code, PuTTY with AES-NI, PuTTY on Rijn, and OpenSSH. The rounds are interleaved, and
the results are medians. Writes transfer.json and transfer.md after each round, so an interrupted run
keeps its finished rounds, and transfer.png at the end. RIJN_BACKEND chooses the backend of PuTTY on
Rijn; the files name it. `--size 1 --rounds 1 --cipher aes256-ctr` is a quick trial.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import loopback

from rijn._install import pip_install
from rijn_bench import machine

TOP = Path(__file__).resolve().parents[2] / "build" / "putty"
MAC = "hmac-sha2-256-etm@openssh.com"
CIPHERS = {
    "aes256-ctr": "aes256-ctr",
    "aes128-ctr": "aes128-ctr",
    "aes256-gcm": "aes256-gcm@openssh.com",
    "aes256-cbc": "aes256-cbc",
}
CLIENTS = {
    "software": "PuTTY, software",
    "original": "PuTTY, AES-NI",
    "rijn": "PuTTY on Rijn",
    "openssh": "OpenSSH",
}
WAYS = ("down", "up")
NAMES = {"software": "unaccelerated", "original": "NI accelerated", "rijn": "^Rijn$"}
NAME_SECONDS = 30  # limit until a client has named its implementation
LEAST_RATE = 10e6  # bytes a second; a slower transfer counts as a hang


def requested_backend() -> str:
    """Returns RIJN_BACKEND, or "" for Rijn's own choice."""
    return os.environ.get("RIJN_BACKEND", "")


def backend_of(version: str) -> str:
    """Returns the backend of PuTTY on Rijn. Stops if PuTTY would use its own code."""
    program = TOP / version / "rijn" / "objects"
    ran = loopback.run(
        [str(program), "backend"], {**os.environ, "RIJN_BACKEND": requested_backend()}, NAME_SECONDS
    )
    if ran.late or ran.status:
        sys.exit(f"RIJN_BACKEND={requested_backend()}: PuTTY cannot use this backend: {ran.output}")
    return ran.output.strip()


def check_names(
    host: loopback.Host, port: int, version: str, cipher: str, env: dict[str, str]
) -> None:
    """Stops unless each PuTTY uses the expected implementation. Its log names it."""
    for client, name in NAMES.items():
        command = host.putty(
            TOP / version / client / "plink", port, "-v", f"{host.user}@127.0.0.1", "true"
        )
        ran = loopback.run(command, env, NAME_SECONDS)
        used = re.findall(r"Initialised AES-\d+ \w+ \((.*?)\)", ran.output)
        if ran.late or ran.status or len(used) != 2 or not all(re.search(name, s) for s in used):
            sys.exit(f"{client}, {cipher}: it encrypts with {used}, status {ran.status}")


def measure(
    size: int, rounds: int, ciphers: Sequence[str], version: str
) -> Iterator[list[dict[str, Any]]]:
    """Yields all transfers so far, after each round."""
    runs: list[dict[str, Any]] = []
    seconds = 30 + size / LEAST_RATE
    with loopback.host() as host:
        env = {**host.env, "RIJN_BACKEND": requested_backend()}
        here, there = host.folder / "here", host.folder / "there"
        original = host.folder / "original"
        with original.open("wb") as file:
            for left in range(size, 0, -(1 << 20)):
                file.write(os.urandom(min(left, 1 << 20)))
        for number in range(rounds):
            for cipher in ciphers:
                with host.server(CIPHERS[cipher], MAC) as port:
                    if number == 0:
                        check_names(host, port, version, cipher, env)
                    for way in WAYS:
                        for client in CLIENTS:
                            copy = here if way == "down" else there
                            copy.unlink(missing_ok=True)
                            remote = original if way == "down" else there
                            words = [str(original), host.remote(remote)]
                            if way == "down":
                                words = [host.remote(remote), str(here)]
                            if client == "openssh":
                                command = host.openssh(port, CIPHERS[cipher], *words)
                            else:
                                program = TOP / version / client / "pscp"
                                command = host.putty(program, port, "-q", "-scp", *words)
                            ran = loopback.run(command, env, seconds)
                            if ran.late or ran.status:
                                sys.exit(f"{client}, {cipher}, {way} failed: {ran}")
                            if not filecmp.cmp(original, copy, shallow=False):
                                sys.exit(f"{client}, {cipher}, {way}: the copy differs")
                            runs.append(
                                {
                                    "round": number,
                                    "cipher": cipher,
                                    "way": way,
                                    "client": client,
                                    "seconds": ran.seconds,
                                    "cpu": ran.cpu,
                                }
                            )
                            copy.unlink()
            yield runs
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)


def median(runs: list[dict[str, Any]], cipher: str, way: str, client: str, what: str) -> float:
    chosen = {"cipher": cipher, "way": way, "client": client}
    return statistics.median(r[what] for r in runs if chosen.items() <= r.items())


def table(record: dict[str, Any]) -> str:
    runs, size, here = record["runs"], record["size"], record["machine"]
    rounds = runs[-1]["round"] + 1
    programs = f"PuTTY {record['version']}, Rijn's backend {record['backend']}"
    lines = [
        f"{programs}; {size >> 20} MiB on tmpfs, loopback; rounds: {rounds}.",
        f"On {here['cores']} CPUs of {here['cpu']}, {here['system']}, load {here['load']} before it.",
        "Medians: wall s / MB/s / client CPU s; last column: client CPU on Rijn / with AES-NI.",
        "",
        "| cipher | " + " | ".join(CLIENTS.values()) + " | Rijn / AES-NI |",
        "| --- " * (len(CLIENTS) + 2) + "|",
    ]
    for cipher in record["ciphers"]:
        for way in WAYS:
            cells = []
            for client in CLIENTS:
                wall, cpu = (median(runs, cipher, way, client, w) for w in ("seconds", "cpu"))
                cells.append(f"{wall:.2f} / {size / wall / 1e6:.0f} / {cpu:.2f}")
            ours, theirs = (median(runs, cipher, way, c, "cpu") for c in ("rijn", "original"))
            lines.append(f"| {cipher} {way} | {' | '.join(cells)} | {ours / theirs:.2f} |")
    return "\n".join(lines) + "\n"


def draw(record: dict[str, Any], path: Path) -> None:
    """Draws bars of the client's CPU seconds, in the colours of `rijn bench`."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from rijn_bench import plots

    colours = dict(zip(CLIENTS, (plots.GRID, plots.BACKENDS[1], plots.BACKENDS[0], plots.PEER)))
    cases = [(cipher, way) for cipher in record["ciphers"] for way in WAYS]
    with mpl.rc_context(plots.STYLE):
        figure = Figure(figsize=(plots.WIDE, 4.6), layout="constrained")
        axes = figure.subplots()
        for number, (client, label) in enumerate(CLIENTS.items()):
            places = [i + (number - 1.5) / (len(CLIENTS) + 1) for i in range(len(cases))]
            heights = [median(record["runs"], *case, client, "cpu") for case in cases]
            axes.bar(places, heights, 1 / (len(CLIENTS) + 1), color=colours[client], label=label)
        axes.set_yscale("log")
        names = [f"{cipher}\n{way}" for cipher, way in cases]
        axes.set_xticks(range(len(cases)), names, fontsize=8)
        axes.set_ylabel("client CPU, seconds")
        axes.legend(ncols=len(CLIENTS), loc="upper center", bbox_to_anchor=(0.5, 1.12))
        figure.savefig(path, dpi=120)


def keep(path: Path, text: str) -> None:
    """Writes a file atomically: the previous file stays until the new one is complete."""
    new = path.with_name(path.name + ".part")
    new.write_text(text)
    new.replace(path)


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=1024, metavar="MIB", help="size of the file")
parser.add_argument("--rounds", type=int, default=3, metavar="N")
parser.add_argument(
    "--cipher", nargs="+", default=list(CIPHERS), choices=CIPHERS, metavar="NAME", dest="ciphers"
)
parser.add_argument("--version", default="0.85", choices=["0.78", "0.83", "0.85"])
parser.add_argument("--out", type=Path, default=TOP, metavar="FOLDER")
options = parser.parse_args()
if options.size < 1 or options.rounds < 1:
    parser.error("--size and --rounds must be at least 1")
for kind in ("software", "original", "rijn"):
    if not (TOP / options.version / kind / "built").exists():
        sys.exit(f"not built: integrations/putty/build.sh {options.version}")
loopback.SIGNALS.install()
options.out.mkdir(parents=True, exist_ok=True)
about = {
    "version": options.version,
    "backend": backend_of(options.version),
    "size": options.size << 20,
    "ciphers": options.ciphers,
    "machine": machine.describe(None),
}
for measured in measure(about["size"], options.rounds, options.ciphers, options.version):
    result = {**about, "runs": measured}
    keep(options.out / "transfer.json", json.dumps(result, indent=1) + "\n")
    keep(options.out / "transfer.md", table(result))
print(table(result))
try:
    draw(result, options.out / "transfer.png")
except ImportError as error:
    print(f"no plot: {error} ({pip_install(package='rijn-bench')})")
