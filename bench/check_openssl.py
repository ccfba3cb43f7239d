#!/usr/bin/env python3
"""Compares the harness's rows for OpenSSL with OpenSSL's own `openssl speed -evp`.

    bench/check_openssl.py HARNESS [TURNS]

Both run by turns, on one CPU if the system can pin. The difference is computed within each turn, so
a drift of the machine's speed affects both. The result is the median over all turns. `openssl
speed` uses user CPU time, and the harness the thread's CPU time, so other processes are not
included. Both work in place.

The two programs call different functions around each message. For CTR and CBC, `openssl speed`
encrypts one endless message, and the harness sets a counter or an IV for each message. For GCM,
`openssl speed` sets key and nonce for each message (seen in version 3.0.22 with a debugger; earlier
versions encrypt one endless message). So its row is compared with the harness's cold key, which also
makes a tag. These differences cost the same at every size, and a message of 16 bytes consists of
little else. So the last column subtracts the time of a 16-byte message from both.

Exits with 1 if the last column is more than 5 % in any row, or if the two use different libcryptos.
"""

import json
import os
import statistics
import subprocess
import sys
from operator import sub, truediv

LIMIT = 0.05
SHORT = 16
SIZES = (SHORT, 8192, 16384)


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def harness(program: str, algorithm: str, key: str) -> dict[int, float]:
    """Returns the median nanoseconds a message in this turn, by size."""
    sizes = ",".join(map(str, SIZES))
    lines = output(
        *(program, "--json", "--contender", "openssl", "--algorithm", algorithm, "--size", sizes),
        *("--key", key, "--buffer", "in-place", "--no-ceilings", "--rounds", "301"),
    ).splitlines()
    rows = [json.loads(line) for line in lines][1:]
    return {row["size"]: statistics.median(row["ns"]) for row in rows}


def speed(algorithm: str, size: int) -> float:
    """Returns nanoseconds a call. `openssl speed -mr` prints +F:index:name:bytes a second."""
    text = output(
        "openssl", "speed", "-mr", "-seconds", "1", "-bytes", str(size), "-evp", algorithm
    )
    rate = next(line for line in text.splitlines() if line.startswith("+F:"))
    return size / float(rate.split(":")[3]) * 1e9


def main() -> int:
    program = sys.argv[1]
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    machine = json.loads(output(program, "--json", "--list"))
    linked = next(c["version"] for c in machine["contenders"] if c["name"] == "openssl")
    installed = output("openssl", "version").strip()
    print(f"harness: {linked}; openssl speed: {installed}; {turns} turns on {machine['cpu']}")
    if not linked or not installed.startswith(linked):
        print("the two use different libcryptos")
        return 1
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    keys = {"aes-128-ctr": "warm", "aes-128-cbc": "warm", "aes-128-gcm": "cold"}
    # one figure for each turn, by algorithm and size
    ours: dict[str, dict[int, list[float]]] = {a: {s: [] for s in SIZES} for a in keys}
    theirs: dict[str, dict[int, list[float]]] = {a: {s: [] for s in SIZES} for a in keys}
    for _ in range(turns):
        for algorithm, key in keys.items():
            for size, ns in harness(program, algorithm, key).items():
                ours[algorithm][size].append(ns)
            for size in SIZES:
                theirs[algorithm][size].append(speed(algorithm, size))

    worst = 0.0
    print(f"{'':<17} {'bytes':>6} {'harness':>12} {'speed':>12}  difference  less 16 bytes")
    for algorithm, key in keys.items():
        a, b = ours[algorithm], theirs[algorithm]
        for size in SIZES:
            line = f"{algorithm} {key:<5} {size:>6}"
            line += f" {statistics.median(a[size]):>9.1f} ns {statistics.median(b[size]):>9.1f} ns"
            line += f"  {statistics.median(map(truediv, a[size], b[size])) - 1:+10.1%}"
            if size > SHORT:
                long_a = map(sub, a[size], a[SHORT])
                long_b = map(sub, b[size], b[SHORT])
                rest = statistics.median(map(truediv, long_a, long_b)) - 1
                worst = max(worst, abs(rest))
                line += f"  {rest:+13.1%}"
            print(line)
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
