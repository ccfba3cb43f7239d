"""Builds the example with the package, and runs it."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Seal(ConanFile):
    settings = ("os", "compiler", "build_type", "arch")
    generators = ("CMakeDeps",)

    def requirements(self) -> None:
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        cmake_layout(self)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # it would be beside the sources
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self) -> None:
        if can_run(self):
            program = Path(self.build_folder) / self.cpp.build.bindir / "seal"
            self.run(f'"{program}"', env="conanrun")
