"""Builds the jars:

    python build.py DIRECTORY [LIBRARY]

writes DIRECTORY/rijn-spark_SCALA-VERSION.jar for each of JARS, with a native library for each of MACHINES. It
needs mvn, a JDK of 17 or later, cmake, and the C compilers of MACHINES. LIBRARY is a librijn.a of these
sources for this machine; without it, librijn is compiled. Maven downloads to its usual place.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MACHINES = ("x86_64", "aarch64")
LIBRARY = "librijn_spark.so"
# The version of Scala, which the jar's name has, and Maven's options. pom.xml has the versions of Spark.
JARS = {"2.13": (), "2.12": ("--activate-profiles", "spark3")}


def version() -> str:
    """Returns the version. Stops unless rijn.h and pom.xml have the same."""
    header = (ROOT / "c/include" / "rijn.h").read_text("utf-8")
    pom = (HERE / "pom.xml").read_text("utf-8")
    versions = [
        re.findall(r'^#define RIJN_VERSION "(.*)"$', header, re.MULTILINE),
        re.findall(r"^  <version>(.*)</version>$", pom, re.MULTILINE),
    ]
    if versions[0] != versions[1]:
        sys.exit(f"rijn.h has version {versions[0]}, pom.xml {versions[1]}")
    return versions[0][0]


def jdk() -> Path:
    """Returns the folder of javac's JDK."""
    javac = shutil.which("javac")
    if javac is None:
        sys.exit("the jar needs a JDK (Debian: openjdk-17-jdk-headless)")
    return Path(javac).resolve().parents[1]


def native(directory: Path, machine: str, library: Path | None) -> Path:
    """Builds the native library of a machine and its test, smoke. Returns their folder."""
    compiler = "cc" if machine == platform.machine() else f"{machine}-linux-gnu-gcc"
    if shutil.which(compiler) is None:
        sys.exit(
            f"the jar needs {compiler} (Debian: gcc, gcc-{machine.replace('_', '-')}-linux-gnu)"
        )
    target = directory / "native" / machine
    options = [
        f"-DCMAKE_C_COMPILER={compiler}",
        "-DCMAKE_SYSTEM_NAME=Linux",
        f"-DCMAKE_SYSTEM_PROCESSOR={machine}",
        f"-DJNI_INCLUDE={jdk() / 'include'}",
        f"-DRIJN_LIBRARY={library if library and machine == platform.machine() else ''}",
        "-DRIJN_WERROR=ON",
    ]
    subprocess.run(["cmake", "-S", HERE / "native", "-B", target, *options], check=True)
    building = ["cmake", "--build", target, "--target", "rijn_spark", "smoke"]
    subprocess.run([*building, "-j", str(os.cpu_count())], check=True)
    return target


def maven(directory: Path, *words: str) -> None:
    command = ["mvn", "--quiet", "--batch-mode", f"-Drijn.build={directory}", *words]
    subprocess.run(command, cwd=HERE, check=True)


def main() -> None:
    directory = Path(sys.argv[1]).resolve()
    library = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    number = version()
    if shutil.which("mvn") is None:
        sys.exit("the jar needs Maven (Debian: maven)")
    resources = directory / "resources"
    shutil.rmtree(resources, ignore_errors=True)
    for machine in MACHINES:
        folder = resources / "rijn" / "spark" / "native" / f"linux-{machine}"
        folder.mkdir(parents=True)
        shutil.copyfile(native(directory, machine, library) / LIBRARY, folder / LIBRARY)
    (resources / "META-INF").mkdir()
    shutil.copyfile(ROOT / "LICENSE", resources / "META-INF" / "LICENSE")
    for scala, options in JARS.items():
        name = f"rijn-spark_{scala}-{number}.jar"
        maven(directory, *options, "package", "-DskipTests")
        shutil.copyfile(directory / f"maven_{scala}" / name, directory / name)
        print(directory / name)


if __name__ == "__main__":
    main()
