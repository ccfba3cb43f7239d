"""`make test` and `make demo`: whether what an extra asks for is there, and loads.

    python tools/check_extra.py EXTRA       of the Rijn that is installed

Imports every module of every package that the extra names: a wheel that was built
without its extension, and kept by pip since, installs and imports nothing.
"""

import importlib
import sys
from collections.abc import Iterator
from importlib.metadata import (
    PackageNotFoundError,
    packages_distributions,
    requires,
    version,
)

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def required(extra: str) -> Iterator[Requirement]:
    """What the extra names, and the extras that it names."""
    for line in requires("rijn") or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or not marker.evaluate({"extra": extra}):
            continue
        if requirement.name == "rijn":
            for other in requirement.extras:
                yield from required(other)
        else:
            yield requirement


def main() -> int:
    (extra,) = sys.argv[1:]
    modules: dict[str, list[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(canonicalize_name(name), []).append(module)
    checked, failures = 0, []
    for requirement in required(extra):
        name = canonicalize_name(requirement.name)
        checked += 1
        try:
            found = version(name)
        except PackageNotFoundError:
            failures.append(f"{requirement} is not installed")
            continue
        if found not in requirement.specifier:
            failures.append(f"{requirement} is wanted, {found} installed")
        for module in modules.get(name, []):
            try:
                importlib.import_module(module)
            except Exception as error:  # noqa: BLE001 - whatever a broken package raises
                failures.append(
                    f"{name} {found} is broken: import {module}: {error}\n"
                    f"    {sys.executable} -m pip install --no-cache-dir --force-reinstall"
                    f" --no-deps {name}"
                )
    if not checked:
        failures.append(f"rijn has no extra {extra}")
    for failure in failures:
        print(f"{sys.argv[0]}: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
