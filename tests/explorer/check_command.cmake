# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One test case of the command `explore`: its list, its determinism, its exit codes and sentences.
#   cmake -DPROGRAM=explore "-DSCENARIOS=a;b" -P check_command.cmake

function(expect what code pattern)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT got EQUAL code OR NOT "${out}${err}" MATCHES "${pattern}")
    message(SEND_ERROR "${what}: `explore ${ARGN}` should end with ${code} and say '${pattern}'; "
      "it ended with ${got} and said:\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

expect("list" 0 "scenarios:" --list)
string(REGEX REPLACE "\nplanted bugs.*" "\n" output "${output}")
string(REGEX MATCHALL "\n  [a-z_]+" listed "${output}")
list(TRANSFORM listed STRIP)
if(NOT "${listed}" STREQUAL "${SCENARIOS}")
  message(SEND_ERROR "the scenarios of explore --list are not those that have a test case: ${listed}")
endif()
expect("help" 0 "usage: explore SCENARIO" --help)

# The same seed, the same steps; other seeds, others.
foreach(scenario IN ITEMS fork_steal queues_mutual wait_any sleep_inject_two end_foreign_two_workers)
  set(digests)
  foreach(seed 5 6 7 8)
    expect("determinism" 0 "digest [0-9a-f]+" ${scenario} --seed ${seed})
    string(REGEX MATCH "digest [0-9a-f]+" first "${output}")
    expect("determinism of ${scenario}" 0 "${first}" ${scenario} --seed ${seed})
    list(APPEND digests "${first}")
  endforeach()
  list(REMOVE_DUPLICATES digests)
  list(LENGTH digests different)
  if(different EQUAL 1)
    message(SEND_ERROR "schedules 5 to 8 of ${scenario} are all the same")
  endif()
endforeach()

# Time is part of a schedule, and virtual: many replays go one way.
foreach(scenario IN ITEMS event_limit handle_limit sleeping_tasks)
  expect("determinism" 0 "digest [0-9a-f]+" ${scenario} --seed 1)
  string(REGEX MATCH "digest [0-9a-f]+" first "${output}")
  foreach(replay RANGE 40)
    expect("determinism of ${scenario} in time" 0 "${first}" ${scenario} --seed 1)
  endforeach()
endforeach()

expect("no scenario" 2 "no scenario is named")
expect("unknown scenario" 2 "there is no scenario 'fork'" fork)
expect("unknown option" 2 "'--seeds' is not understood" fork_steal --seeds 3)
expect("second scenario" 2 "'fork_give' is not understood" fork_steal fork_give)
expect("missing value" 2 "--seed lacks its value" fork_steal --seed)
expect("bad number" 2 "--schedules is 'many'" fork_steal --schedules many)
expect("too small" 2 "--schedules is '0'" fork_steal --schedules 0)
expect("too large" 2 "--preemptions is '17'" fork_steal --preemptions 17)
expect("no bug here" 2 "no planted bug 'x'" fork_steal --bug x)
expect("least" 0 "1 schedules passed" fork_steal --schedules 1 --preemptions 0)
expect("most preemptions" 0 "10 schedules passed" fork_steal --schedules 10 --preemptions 16)
