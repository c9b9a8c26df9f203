# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One step of the packaging tests (cmake -DSTEP=... -P): install, or build and run the consumer in one way.

set(consumer "${SOURCE}/tests/packaging/consumer")
set(work "${WORK}/${STEP}")
set(ENV{LD_LIBRARY_PATH} "${PREFIX}/${LIBDIR}:$ENV{LD_LIBRARY_PATH}")
set(ENV{PKG_CONFIG_PATH} "${PREFIX}/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH}")

function(execute)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "packaging.${STEP}: this failed (${result}): ${command}")
  endif()
endfunction()

# Configures the project in `folder`, builds it, runs its program.
function(build_and_run folder)
  execute("${CMAKE_COMMAND}" -S "${folder}" -B "${work}" -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${CC} ${ARGN})
  execute("${CMAKE_COMMAND}" --build "${work}" --parallel)
  execute("${work}/consumer" ${VERSION})
endfunction()

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

if(STEP STREQUAL "install")
  file(REMOVE_RECURSE "${PREFIX}")
  execute("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")

elseif(STEP STREQUAL "find_package")
  build_and_run("${consumer}" "-Dhocket_DIR=${PREFIX}/${LIBDIR}/cmake/hocket" -DWANTED_VERSION=${VERSION})

elseif(STEP STREQUAL "find_package_version")  # a version we are not must be refused
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${consumer}" -B "${work}" -DCMAKE_CXX_COMPILER=${CXX}
      "-Dhocket_DIR=${PREFIX}/${LIBDIR}/cmake/hocket" -DWANTED_VERSION=99.0
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  if(result EQUAL 0 OR NOT errors MATCHES "version \"99.0\"")
    message(FATAL_ERROR "find_package(hocket 99.0) must be refused because of the version; it said: ${errors}")
  endif()

elseif(STEP STREQUAL "pkg_config")
  execute_process(COMMAND pkg-config --cflags --libs "hocket = ${VERSION}"
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "pkg-config does not find hocket ${VERSION} under ${PREFIX}")
  endif()
  separate_arguments(flags UNIX_COMMAND "${flags}")
  execute("${CXX}" -std=c++20 -O2 "${consumer}/main.cpp" -o "${work}/consumer" ${flags})
  execute("${work}/consumer" ${VERSION})

elseif(STEP STREQUAL "add_subdirectory")
  build_and_run("${SOURCE}/tests/packaging/subdirectory" "-DHOCKET_SOURCE=${SOURCE}"
    -DBUILD_SHARED_LIBS=${SHARED} -DHOCKET_SWITCH=${SWITCH})
  file(GLOB extras "${work}/hocket/apps" "${work}/hocket/bench" "${work}/hocket/tools" "${work}/hocket/tests")
  if(extras)
    message(FATAL_ERROR "as a subdirectory hocket must build its library only; it also configured: ${extras}")
  endif()

else()
  message(FATAL_ERROR "STEP is '${STEP}'; see tests/packaging/CMakeLists.txt for the steps.")
endif()
