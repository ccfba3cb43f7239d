"""Conan 2: `conan create c/packaging/conan` builds librijn from the sources beside it."""

from pathlib import Path
from typing import ClassVar

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

SOURCES = ("include/*", "src/*", "cmake/*", "CMakeLists.txt", "LICENSE")


class Rijn(ConanFile):
    name = "librijn"
    license = "MIT"
    description = "AES and AEGIS, as fast as the machine can"
    topics = ("cryptography", "aes", "aegis", "aead")
    package_type = "library"
    settings = ("os", "compiler", "build_type", "arch")
    options: ClassVar = {"shared": [True, False], "leaky": [True, False], "backends": ["ANY"]}
    # leaky: also `table` and `asm`, which are not constant time. backends: names; "" is all.
    default_options: ClassVar = {"shared": False, "leaky": False, "backends": ""}
    languages = ("C",)

    def set_version(self) -> None:
        header = load(self, Path(self.recipe_folder).parents[1] / "include" / "rijn.h")
        self.version = header.split('#define RIJN_VERSION "', 1)[1].split('"', 1)[0]

    def export_sources(self) -> None:
        library = Path(self.recipe_folder).parents[1]
        for pattern in SOURCES:
            copy(self, pattern, library, self.export_sources_folder)

    def layout(self) -> None:
        cmake_layout(self)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "EXAMPLES", "CT"):
            toolchain.cache_variables[f"RIJN_BUILD_{name}"] = False
        toolchain.cache_variables["RIJN_LEAKY"] = bool(self.options.leaky)
        toolchain.cache_variables["RIJN_BACKENDS"] = str(self.options.backends)
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="rijn" if self.options.shared else "rijn_static")

    def package(self) -> None:
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        copy(
            self,
            "rijn.h",
            Path(self.source_folder) / "include",
            Path(self.package_folder) / "include",
        )
        wanted = (
            ("librijn.so*", "librijn*.dylib", "rijn.dll", "*rijn.dll.a")
            if self.options.shared
            else ("librijn*.a", "rijn_static.lib")
        )
        for pattern in wanted:
            folder = "bin" if pattern.endswith(".dll") else "lib"
            copy(
                self,
                pattern,
                self.build_folder,
                Path(self.package_folder) / folder,
                keep_path=False,
            )

    def package_info(self) -> None:
        # On Windows an import library already has the shorter name (cmake/RijnInstall.cmake).
        longer = self.settings.os == "Windows" and not self.options.shared
        self.cpp_info.libs = ["rijn_static" if longer else "rijn"]
        self.cpp_info.set_property("cmake_file_name", "rijn")
        self.cpp_info.set_property(
            "cmake_target_name", "rijn::rijn" if self.options.shared else "rijn::rijn_static"
        )
        self.cpp_info.set_property("pkg_config_name", "rijn")
        if self.options.shared:
            self.cpp_info.defines = ["RIJN_SHARED"]
