# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Cross-compiles for 64-bit ARM with the distribution's compiler; libraries come from HOCKET_AARCH64_ROOT, which
# scripts/aarch64-root.sh makes, and programs run under qemu there.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(HOCKET_AARCH64_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root" CACHE PATH "arm64 libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HOCKET_AARCH64_ROOT)
get_filename_component(HOCKET_AARCH64_ROOT "${HOCKET_AARCH64_ROOT}" ABSOLUTE)
if(NOT EXISTS "${HOCKET_AARCH64_ROOT}/complete")
  message(FATAL_ERROR "There are no arm64 libraries in ${HOCKET_AARCH64_ROOT}; make them with scripts/aarch64-root.sh.")
endif()

set(CMAKE_FIND_ROOT_PATH "${HOCKET_AARCH64_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${HOCKET_AARCH64_ROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
  "${HOCKET_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${HOCKET_AARCH64_ROOT}/usr/share/pkgconfig")
# Headers that differ by processor (hwloc's) lie apart; a cross compiler looks there for its own only.
set(CMAKE_C_FLAGS_INIT "-idirafter ${HOCKET_AARCH64_ROOT}/usr/include/aarch64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
# For what the libraries themselves need; the C library is the compiler's own.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${HOCKET_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")

# HOCKET_EMULATED tells the tests, which leave out what qemu cannot do (docs/contributing.md).
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;${HOCKET_AARCH64_ROOT};-E;HOCKET_EMULATED=1")
