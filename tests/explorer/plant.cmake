# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Planted bugs: copies of the library's sources in which a piece of text is replaced by one that is right or
# wrong as the program was told (--bug NAME). The text must be there exactly once, or the configuration fails.

function(hocket_plant_text file text replacement)
  set(from "${PROJECT_SOURCE_DIR}/src/${file}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${from}")
  get_property(source GLOBAL PROPERTY "hocket_planted_${file}")
  if("${source}" STREQUAL "")
    file(READ "${from}" source)
  endif()
  string(FIND "${source}" "${text}" first)
  string(FIND "${source}" "${text}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "tests/explorer: the text to plant a bug in must be in src/${file} exactly once; "
      "change planted_bugs.cmake to what the source now says. The text:\n${text}")
  endif()
  string(REPLACE "${text}" "${replacement}" source "${source}")
  set_property(GLOBAL PROPERTY "hocket_planted_${file}" "${source}")
  set_property(GLOBAL APPEND PROPERTY hocket_planted_files "${file}")
endfunction()

# hocket_plant(name scenario file about text wrong): with the bug, `wrong` stands for `text`, a whole statement or
# several. The scenario is one that finds it.
function(hocket_plant name scenario file about text wrong)
  hocket_plant_also("${name}" "${file}" "${text}" "${wrong}")
  hocket_plant_row("${name}" "${scenario}" "${about}")
endfunction()

# hocket_plant_value(...): the same where `text` is an expression.
function(hocket_plant_value name scenario file about text wrong)
  hocket_plant_text("${file}" "${text}" "(::explorer::planted(\"${name}\") ? (${wrong}) : (${text}))")
  hocket_plant_row("${name}" "${scenario}" "${about}")
endfunction()

# hocket_plant_also(name file text wrong): a second place of a bug.
function(hocket_plant_also name file text wrong)
  hocket_plant_text("${file}" "${text}" "if (::explorer::planted(\"${name}\")) { ${wrong} } else { ${text} }")
endfunction()

function(hocket_plant_row name scenario about)
  set_property(GLOBAL APPEND_STRING PROPERTY hocket_planted_table "    {\"${name}\", \"${about}\"},\n")
  set_property(GLOBAL APPEND PROPERTY hocket_planted_names "${name}")
  set_property(GLOBAL PROPERTY "hocket_planted_scenario_${name}" "${scenario}")
endfunction()

# hocket_plant_end(folder table): writes the copies, and the table of names as a source file.
function(hocket_plant_end folder table)
  get_property(files GLOBAL PROPERTY hocket_planted_files)
  list(REMOVE_DUPLICATES files)
  foreach(file IN LISTS files)
    get_property(source GLOBAL PROPERTY "hocket_planted_${file}")
    hocket_write_if_changed("${folder}/${file}" "${source}")
  endforeach()
  get_property(rows GLOBAL PROPERTY hocket_planted_table)
  hocket_write_if_changed("${table}" "// Written by tests/explorer/plant.cmake.
#include \"planted_bugs.hpp\"

namespace explorer {
const planted_bug planted_bugs[] = {
${rows}};
const std::size_t planted_bug_count = sizeof planted_bugs / sizeof planted_bugs[0];
}  // namespace explorer
")
endfunction()

function(hocket_write_if_changed file text)
  set(old "")
  if(EXISTS "${file}")
    file(READ "${file}" old)
  endif()
  if(NOT "${old}" STREQUAL "${text}")
    file(WRITE "${file}" "${text}")
  endif()
endfunction()
