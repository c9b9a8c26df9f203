# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Spack recipe; for a checkout: spack dev-build hocket@main.
from spack.package import *


class Hocket(CMakePackage):
    """A C++20 runtime of lightweight tasks that may block anywhere."""

    version("main")  # spack dev-build gives the sources

    license("Apache-2.0 WITH LLVM-exception")

    variant("shared", default=False, description="Build a shared library")
    variant("boost_context", default=False, description="Switch contexts with Boost.Context")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.4:")
    depends_on("fmt@9:")
    depends_on("boost@1.74: +context", when="+boost_context")


    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    def cmake_args(self):
        parts = ["TESTS", "APPS", "TOOLS", "BENCH"]
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("HOCKET_SWITCH", "boost" if "+boost_context" in self.spec else ""),
            *[self.define(f"HOCKET_BUILD_{part}", False) for part in parts],
        ]
