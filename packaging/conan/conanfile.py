# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Conan 2 recipe: builds the checkout it lies in.
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps


class Hocket(ConanFile):
    name = "hocket"
    version = "0.1.0"
    license = "Apache-2.0 WITH LLVM-exception"
    description = "A C++20 runtime of lightweight tasks that may block anywhere"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ["CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"]:
            copy(self, pattern, src=top, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("hwloc/[>=2.4 <3]")
        self.requires("fmt/[>=9 <12]")

    def build_requirements(self):
        self.tool_requires("pkgconf/[>=2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ["TESTS", "APPS", "TOOLS", "BENCH"]:
            toolchain.cache_variables[f"HOCKET_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["hocket"]
        self.cpp_info.system_libs = ["pthread"]
        self.cpp_info.requires = ["hwloc::hwloc", "fmt::fmt"]
