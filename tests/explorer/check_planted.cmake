# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One test case: the explorer must find a planted bug, and the replay that it names must fail in the same way.
#   cmake -DPROGRAM=explore -DSCENARIO=... -DBUG=... -DSCHEDULES=... -P check_planted.cmake

function(run_explorer result output)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} "${code}" PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

run_explorer(code first ${SCENARIO} --bug ${BUG} --schedules ${SCHEDULES})
if(NOT code EQUAL 1)
  message(FATAL_ERROR "the planted bug '${BUG}' was not found in ${SCHEDULES} schedules of ${SCENARIO} "
    "(exit code ${code}):\n${first}")
endif()
if(NOT first MATCHES "schedule ([0-9]+) FAILED: [^\n]*digest ([0-9a-f]+)")
  message(FATAL_ERROR "the failure of '${BUG}' does not tell its seed:\n${first}")
endif()
set(seed ${CMAKE_MATCH_1})
set(digest ${CMAKE_MATCH_2})
string(REGEX MATCH "schedule [0-9]+ FAILED: [^\n]*" sentence "${first}")

run_explorer(code second ${SCENARIO} --bug ${BUG} --seed ${seed})
if(NOT code EQUAL 1 OR NOT second MATCHES "digest ${digest}")
  message(FATAL_ERROR "the replay of schedule ${seed} of ${SCENARIO} with '${BUG}' went another way "
    "(exit code ${code}); first:\n${first}\nreplay:\n${second}")
endif()

# Without the bug the same schedule passes: it is the bug that was found.
run_explorer(code third ${SCENARIO} --seed ${seed})
if(NOT code EQUAL 0)
  message(FATAL_ERROR "schedule ${seed} of ${SCENARIO} fails without '${BUG}' too:\n${third}")
endif()
message(STATUS "${BUG}: ${sentence}; its replay failed likewise")
