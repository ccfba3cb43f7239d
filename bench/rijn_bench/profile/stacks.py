"""Reads sampled stacks in py-spy's "raw" format, cleans them, and lays out a flame graph."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# From the outermost frame inwards. A frame is "function (file:line)" for Python, "symbol (library)"
# for native code, or "0xADDRESS (library)" if the library has no symbol.
Stack = tuple[str, ...]

_LOOP = re.compile(r"(?:Loop\.)?run \(.*profile[/\\]loop\.py:[0-9]+\)")
_UNNAMED = re.compile(r"0x[0-9a-f]+ \((.+)\)")
_CLONE = re.compile(r"\.(?:constprop|part|isra|cold)(?:\.[0-9]+)?")
_PYTHON = re.compile(r" \(.+\.py:[0-9]+\)$")


def parse(raw: str) -> Counter[Stack]:
    """Returns the number of samples of each stack. Only frames below the loop are kept."""
    samples: Counter[Stack] = Counter()
    for line in raw.splitlines():
        text, _, count = line.rpartition(" ")
        frames = text.split(";")
        below = [i for i, frame in enumerate(frames) if _LOOP.fullmatch(frame)]
        if below:
            samples[tuple(_cleaned(frames[below[-1] + 1 :]))] += int(count)
    return samples


def _cleaned(frames: list[str]) -> Iterator[str]:
    """Removes the compiler's clone suffixes, and merges successive frames without symbols in a
    library."""
    last = None
    for frame in frames:
        unnamed = _UNNAMED.fullmatch(frame)
        name = f"[{unnamed[1]}]" if unnamed else plain(frame)
        if not (unnamed and name == last):
            yield name
        last = name


def plain(name: str) -> str:
    """Removes the suffix that the compiler appends to clones of a function."""
    return _CLONE.sub("", name)


def kind(frame: str) -> str:
    """Returns the kind of a frame: "python", "rijn" (its native module) or "other"."""
    if _PYTHON.search(frame):
        return "python"
    return "rijn" if "rijn/_native" in frame else "other"


def hottest(samples: Counter[Stack]) -> list[tuple[str, float, float]]:
    """Returns each frame with two shares of the samples: while it ran itself, and while it was on the
    stack. Samples in the loop itself have the name "(the loop)"."""
    total = samples.total()
    alone: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for stack, count in samples.items():
        alone[stack[-1] if stack else "(the loop)"] += count
        for frame in set(stack) or {"(the loop)"}:
            within[frame] += count
    return [(name, count / total, within[name] / total) for name, count in alone.most_common()]


@dataclass
class _Node:
    count: int = 0
    children: dict[str, _Node] = field(default_factory=dict)


@dataclass(frozen=True)
class Box:
    """A frame of the graph. x and width are shares of the total; depth 0 is the outermost frame."""

    name: str
    depth: int
    x: float
    width: float
    samples: int
    kind: str


def flame(samples: Counter[Stack], smallest: float = 0.002) -> list[Box]:
    """Returns the boxes of a flame graph, siblings sorted by name, without boxes narrower than
    `smallest`."""
    root = _Node()
    for stack, count in samples.items():
        node = root
        node.count += count
        for frame in stack:
            node = node.children.setdefault(frame, _Node())
            node.count += count

    def boxes(node: _Node, depth: int, x: int) -> Iterator[Box]:
        for name in sorted(node.children):
            child = node.children[name]
            width = child.count / root.count
            if width >= smallest:
                yield Box(name, depth, x / root.count, width, child.count, kind(name))
                yield from boxes(child, depth + 1, x)
            x += child.count

    return list(boxes(root, 0, 0))
