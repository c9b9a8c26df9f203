# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# vcpkg overlay port: builds the checkout it lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
    -DHOCKET_BUILD_TESTS=OFF -DHOCKET_BUILD_APPS=OFF -DHOCKET_BUILD_TOOLS=OFF -DHOCKET_BUILD_BENCH=OFF
    -DHOCKET_SWITCH=asm)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/hocket)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
