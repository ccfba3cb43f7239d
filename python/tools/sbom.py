"""Writes CycloneDX 1.6 lists of what an artifact contains and was built with (an SBOM). Needs
cyclonedx-python-lib.
"""

from __future__ import annotations

import hashlib
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
# Extras for those who work on Rijn. Users install the others.
DEVELOPERS = {"columns-test", "demo", "docs", "test", "test-source"}
# So that the same sources give the same bytes.
TIME = datetime(1980, 1, 1, tzinfo=UTC)


def component(
    kind: str, name: str, number: str, scope: ComponentScope | None = None, group: str | None = None
) -> Component:
    return Component(
        type=ComponentType.LIBRARY,
        group=group,
        name=name,
        version=number or None,
        scope=scope,
        purl=PackageURL(kind, group, name, number or None),
        bom_ref=f"{kind}:{name}",
    )


def optional(root: Path) -> list[Component]:
    """Returns the packages that the extras of rijn ask for. Rijn itself is not among them."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {
        asked.name: str(asked.specifier)
        for extra in extras.keys() - DEVELOPERS
        for asked in map(Requirement, extras[extra])
        if asked.name != project["name"]
    }
    found = []
    for name, range_ in sorted(wanted.items()):
        package = component("pypi", name, "", ComponentScope.OPTIONAL)
        package.properties.add(Property(name="rijn:versions", value=range_))
        found.append(package)
    return found


def crates(root: Path) -> list[Component]:
    """Returns the crates that the crate rijn uses. Its build alone uses those with scope `excluded`."""
    manifest = tomllib.loads((root / "rust" / "Cargo.toml").read_text("utf-8"))
    found = []
    for table in ("dependencies", "build-dependencies"):
        for name, asked in sorted(manifest[table].items()):
            said = asked if isinstance(asked, dict) else {"version": asked}
            scope = ComponentScope.REQUIRED
            if table == "build-dependencies":
                scope = ComponentScope.EXCLUDED
            elif said.get("optional"):
                scope = ComponentScope.OPTIONAL
            package = component("cargo", name, "", scope)
            package.properties.add(Property(name="rijn:versions", value=said["version"]))
            found.append(package)
    return found


def document(
    kind: str,
    name: str,
    number: str,
    *,
    built_with: dict[str, str],
    compiled: bool = True,
    group: str | None = None,
    root: Path = ROOT,
    file: Path | None = None,
) -> str:
    """Returns the JSON text for an artifact of purl type `kind`.

    It names librijn if the artifact is `compiled`, the tools of built_with with their versions, for
    rijn's wheels the packages that extras add, for the crate the crates that it uses, and with `file`
    the artifact's SHA-256.
    """
    subject = component(kind, name, number, group=group)
    subject.licenses.add(LicenseExpression("MIT"))
    if file:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        subject.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=digest))
    bom = Bom()
    bom.metadata.component = subject
    bom.metadata.timestamp = TIME
    for tool, its in built_with.items():
        bom.metadata.tools.components.add(component("generic", tool, its))
    inside = []
    if compiled and name != "librijn":
        library = component("generic", "librijn", number)
        library.licenses.add(LicenseExpression("MIT"))
        inside.append(library)
    if (kind, name) == ("pypi", "rijn"):
        inside += optional(root)
    elif (kind, name) == ("cargo", "rijn"):
        inside += crates(root)
    bom.components.update(inside)
    bom.register_dependency(subject, inside)
    made_of = [kind, name, number, file.name if file else "", *sorted(built_with.items())]
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, repr(made_of))
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"
