# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hocket_install(): library, headers, man pages, CMake package and pkg-config file; hocket_install_program(target):
# a command.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(hocket_install)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hocket)
  install(TARGETS hocket EXPORT hocketTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
  foreach(page hocket.1 hocket.7)
    string(REGEX REPLACE ".*\\." "" man_section ${page})
    install(FILES "${PROJECT_SOURCE_DIR}/docs/man/${page}"
      DESTINATION ${CMAKE_INSTALL_MANDIR}/man${man_section} COMPONENT man)
  endforeach()

  install(FILES "${PROJECT_SOURCE_DIR}/tools/gdb/hocket_gdb.py" DESTINATION ${CMAKE_INSTALL_DATADIR}/hocket/gdb)

  install(EXPORT hocketTargets NAMESPACE hocket:: DESTINATION ${package_dir})
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/hocketConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/hocketConfig.cmake" INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/hocketConfigVersion.cmake"
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/hocketConfig.cmake" "${PROJECT_BINARY_DIR}/hocketConfigVersion.cmake"
    DESTINATION ${package_dir})
  hocket_install_pkgconfig()
endfunction()

# The .pc file says what the CMake target says: its public definitions and options are read from it.
function(hocket_install_pkgconfig)
  get_target_property(type hocket TYPE)
  set(requires "hwloc fmt")
  if(libdw_FOUND)
    string(APPEND requires " libdw")
  endif()
  set(private_libs "")
  if(HOCKET_SWITCH STREQUAL "boost")
    set(private_libs " -lboost_context")
  endif()
  if(type STREQUAL "STATIC_LIBRARY")  # a plain `pkg-config --libs` must be enough to link
    set(HOCKET_PC_REQUIRES "Requires: ${requires}")
    set(HOCKET_PC_LIBS "-lhocket${private_libs} -pthread")
  else()
    set(HOCKET_PC_REQUIRES "Requires.private: ${requires}")
    set(HOCKET_PC_LIBS "-lhocket -pthread")
  endif()
  file(RELATIVE_PATH HOCKET_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")  # the tree may be moved
  set(definitions $<TARGET_PROPERTY:hocket,INTERFACE_COMPILE_DEFINITIONS>)
  get_target_property(options hocket INTERFACE_COMPILE_OPTIONS)
  if(NOT options)
    set(options "")
  endif()
  string(REPLACE "$<COMPILE_LANGUAGE:CXX>" "1" options "${options}")  # the file is for C++ users
  set(HOCKET_PC_CFLAGS "$<$<BOOL:${definitions}>: -D$<JOIN:${definitions}, -D>>$<$<BOOL:${options}>: $<JOIN:${options}, >>")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/hocket.pc.in" "${PROJECT_BINARY_DIR}/hocket.pc.gen" @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/hocket.pc" INPUT "${PROJECT_BINARY_DIR}/hocket.pc.gen" TARGET hocket)
  install(FILES "${PROJECT_BINARY_DIR}/hocket.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

function(hocket_install_program target)
  if(HOCKET_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()
