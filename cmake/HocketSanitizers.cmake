# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# HOCKET_SANITIZE=thread|address: flags for the whole tree, and the run-time settings of the tests.

if(HOCKET_SANITIZE STREQUAL "thread")
  # g++'s runtime holds at most 8,128 fibers; clang's is the one our contexts are tested with.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(WARNING "HOCKET_SANITIZE=thread wants clang++ 16 or newer; ${CMAKE_CXX_COMPILER_ID} limits the tasks.")
  endif()
  set(hocket_sanitize_flags -fsanitize=thread)
elseif(HOCKET_SANITIZE STREQUAL "address")
  set(hocket_sanitize_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(NOT HOCKET_SANITIZE STREQUAL "")
  message(FATAL_ERROR "HOCKET_SANITIZE is '${HOCKET_SANITIZE}'; it must be thread, address or empty.")
endif()

if(HOCKET_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>
                      "$<$<COMPILE_LANGUAGE:C,CXX>:${hocket_sanitize_flags}>")
  add_link_options(${hocket_sanitize_flags})
  string(REGEX MATCH "^[0-9]+" hocket_compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
  find_program(HOCKET_SYMBOLIZER NAMES llvm-symbolizer-${hocket_compiler_major} llvm-symbolizer)
  mark_as_advanced(HOCKET_SYMBOLIZER)
  set(hocket_symbolizer "")
  if(HOCKET_SYMBOLIZER)
    set(hocket_symbolizer ":external_symbolizer_path=${HOCKET_SYMBOLIZER}")
  endif()
  # What a test runs with; hocket_add_test() puts it into the test's environment.
  set(HOCKET_TEST_ENVIRONMENT
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1${hocket_symbolizer}"
    "ASAN_OPTIONS=detect_stack_use_after_return=1${hocket_symbolizer}"
    "UBSAN_OPTIONS=print_stacktrace=1${hocket_symbolizer}")
endif()
