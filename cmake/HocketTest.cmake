# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hocket_add_test(): one test program, one ctest case, with the labels that decide when it runs.

# A tree that is built for one variant (a sanitizer, another switch) sets these two:
set(HOCKET_TESTS all CACHE STRING "Which tests to build: all, kernel (those labelled so), or core (of these, labelled so)")
set_property(CACHE HOCKET_TESTS PROPERTY STRINGS all kernel core)
set(HOCKET_TEST_PREFIX "" CACHE STRING "Put before each test's name, for summaries of several trees")

# hocket_add_test(name SOURCES file... LABELS quick|long [kernel|model...] [LIBRARIES target...] [ARGS arg...]
#                 [TIMEOUT seconds] [SERIAL] [SHARED_HEADERS])
# Links hocket::hocket and GoogleTest's main. kernel: also runs under the sanitizers and in the variants; core: of
# these, also with link-time optimisation.
# SERIAL: alone on the machine (memory-hungry tests). SHARED_HEADERS: begins with support/workers.hpp, which is
# compiled once for all of these; not for one with compile options of its own.
function(hocket_add_test name)
  cmake_parse_arguments(arg "SERIAL;SHARED_HEADERS" "TIMEOUT" "SOURCES;LABELS;LIBRARIES;ARGS" ${ARGN})
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "hocket_add_test(${name}): SOURCES is empty; name at least one file.")
  endif()
  if(NOT "quick" IN_LIST arg_LABELS AND NOT "long" IN_LIST arg_LABELS)
    message(FATAL_ERROR "hocket_add_test(${name}): LABELS must hold quick or long; it is '${arg_LABELS}'.")
  endif()
  if(NOT HOCKET_TESTS STREQUAL "all" AND NOT HOCKET_TESTS IN_LIST arg_LABELS)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE hocket::hocket GTest::gtest GTest::gtest_main ${arg_LIBRARIES})
  hocket_warnings(${name})
  if(arg_SHARED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM hocket_test_headers)
  endif()
  add_test(NAME ${HOCKET_TEST_PREFIX}${name} COMMAND ${name} ${arg_ARGS})
  hocket_test_properties(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
  if(arg_SERIAL)
    set_tests_properties(${HOCKET_TEST_PREFIX}${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# hocket_test_properties(name LABELS ... [TIMEOUT seconds]): for a case made with add_test() by hand, whose name
# must begin with ${HOCKET_TEST_PREFIX}; name is given here without it.
function(hocket_test_properties name)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS" ${ARGN})
  set(timeout 120)
  if(arg_TIMEOUT)
    set(timeout ${arg_TIMEOUT})
  endif()
  if(HOCKET_SANITIZE)
    math(EXPR timeout "${timeout} * 4")
  endif()
  set_tests_properties(${HOCKET_TEST_PREFIX}${name} PROPERTIES
    LABELS "${arg_LABELS}" TIMEOUT ${timeout} ENVIRONMENT "${HOCKET_TEST_ENVIRONMENT}")
endfunction()
