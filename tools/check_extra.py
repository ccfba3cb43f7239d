"""Checks that the requirements of a distribution are installed and load, for `make test` and `make demo`.

    python tools/check_extra.py 'rijn[test]'     the requirements of this extra of the installed Rijn
    python tools/check_extra.py 'rijn-bench[test]'

Imports every module of every required package: pip may have kept a wheel that was built without its
extension, which installs and then fails to import.
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


def required(asked: Requirement) -> Iterator[Requirement]:
    """Yield the requirements of a distribution with these extras. Rijn's own extras are replaced by
    their requirements."""
    for line in requires(asked.name) or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": it}) for it in ("", *asked.extras)):
            continue
        if requirement.name == "rijn":
            yield from required(requirement)
        else:
            yield requirement


def main() -> int:
    (asked,) = sys.argv[1:]
    modules: dict[str, list[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(canonicalize_name(name), []).append(module)
    checked, failures = 0, []
    for requirement in required(Requirement(asked)):
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
        failures.append(f"{asked}: no such extra, or it needs nothing")
    for failure in failures:
        print(f"{sys.argv[0]}: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
