# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the packages; hwloc, fmt and threads are required, the others decide which parts are built.

# Says, once and in one line, that a part is not built and which package it lacks.
function(hocket_left_out what package)
  message(STATUS "hocket: left out: ${what} (package not found: ${package}; see docs/dependencies.md)")
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET GLOBAL hwloc>=2.4)  # PkgConfig::hwloc
find_package(fmt REQUIRED)                                           # fmt::fmt

# Backtraces of suspended tasks in reports; HOCKET_LIBDW=OFF leaves them out.
option(HOCKET_LIBDW "Use elfutils' libdw, if it is there, for backtraces of suspended tasks" ON)
if(HOCKET_LIBDW)
  pkg_check_modules(libdw QUIET IMPORTED_TARGET GLOBAL libdw>=0.180)  # PkgConfig::libdw
  if(NOT libdw_FOUND)
    hocket_left_out("backtraces of suspended tasks" "libdw")
  endif()
else()
  set(libdw_FOUND FALSE)
endif()

# The context switch: our own assembly where we have it, Boost.Context elsewhere or on request.
set(HOCKET_SWITCH_PROCESSOR "")  # names the files in src/context
if(CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(HOCKET_SWITCH_PROCESSOR x86_64)
elseif(CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(HOCKET_SWITCH_PROCESSOR aarch64)
endif()
if(HOCKET_SWITCH STREQUAL "asm" AND HOCKET_SWITCH_PROCESSOR STREQUAL "")
  message(FATAL_ERROR "HOCKET_SWITCH is 'asm', but there is no assembly for '${CMAKE_SYSTEM_PROCESSOR}'; it must be boost or empty.")
endif()
if(HOCKET_SWITCH STREQUAL "")
  if(HOCKET_SWITCH_PROCESSOR)
    set(HOCKET_SWITCH asm)
  else()
    set(HOCKET_SWITCH boost)
  endif()
elseif(NOT HOCKET_SWITCH MATCHES "^(asm|boost)$")
  message(FATAL_ERROR "HOCKET_SWITCH is '${HOCKET_SWITCH}'; it must be asm, boost or empty.")
endif()
if(HOCKET_SWITCH STREQUAL "boost")
  find_package(Boost 1.74 REQUIRED COMPONENTS context)  # Boost::context
endif()
message(STATUS "hocket: context switch: ${HOCKET_SWITCH}")

if(HOCKET_BUILD_APPS OR HOCKET_BUILD_TOOLS OR HOCKET_BUILD_BENCH)
  find_package(CLI11 QUIET)
  find_package(nlohmann_json QUIET)
  pkg_check_modules(nettle QUIET IMPORTED_TARGET GLOBAL nettle)  # SHA-1, for uts
endif()
if(HOCKET_BUILD_TESTS)
  find_package(GTest QUIET)
  find_package(Python3 QUIET COMPONENTS Interpreter)
endif()

if(HOCKET_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(LANGUAGES CXX)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()
