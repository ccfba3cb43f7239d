"""How users install Rijn, for messages.

PUBLISHED alone says whether a package index has Rijn. `python tools/install_lines.py` writes the pages
for it.
"""

PUBLISHED = False


def pip_install(extra: str = "", package: str = "rijn") -> str:
    """Returns the command that installs the package `rijn` or `rijn-bench`, with an extra."""
    target = package if PUBLISHED else {"rijn": ".", "rijn-bench": "./bench"}[package]
    if extra:
        target = f"'{target}[{extra}]'"
    return f"pip install {target}" if PUBLISHED else f"pip install {target} in Rijn's sources"
