"""Makes of rijn.py what mpy-cross compiles for Armv7-M alone: viper as code, where rijn.py has
it as text, and without the functions that it replaces. It takes less of the heap.

    python unfold.py > rijn-armv7m.py
"""

from __future__ import annotations

import re
from pathlib import Path

SECTION = re.compile(r"^# ---- (.*?) -+\n", re.MULTILINE)


def unfolded(text: str) -> str:
    """Raises ValueError where rijn.py is not made as this expects."""
    head, *parts = SECTION.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    names = ["Arguments", "In Python: small integers alone", "In viper", "What there is"]
    if list(sections) != names:
        raise ValueError(f"sections of rijn.py: {list(sections)}")
    arguments, plain, folded, public = sections.values()
    expand = re.search(r"^def _expand\(.*?(?=^def )", plain, re.MULTILINE | re.DOTALL)
    viper = re.search(r'^_VIPER = """\n(.*?)^"""\n', folded, re.MULTILINE | re.DOTALL)
    if not expand or not viper:
        raise ValueError("rijn.py has neither _expand nor _VIPER")
    return head + arguments + expand[0] + viper[1] + 'BACKEND = "viper"\n' + public


if __name__ == "__main__":
    print(unfolded((Path(__file__).parent / "rijn.py").read_text()), end="")
