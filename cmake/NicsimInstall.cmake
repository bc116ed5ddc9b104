# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and find_package(nicsim): libraries, headers, the program and its data.
include(CMakePackageConfigHelpers)

get_property(nicsim_libraries GLOBAL PROPERTY NICSIM_LIBRARIES)
install(TARGETS nicsim_options ${nicsim_libraries} EXPORT nicsimTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder sim pcie models host_driver waves scenarios)
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nicsim/${folder}
    FILES_MATCHING PATTERN "*.h")
endforeach()
install(EXPORT nicsimTargets NAMESPACE nicsim::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nicsim)
configure_package_config_file(cmake/nicsimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nicsimConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nicsim)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nicsimConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/nicsimConfig.cmake
  ${PROJECT_BINARY_DIR}/nicsimConfigVersion.cmake
  cmake/NicsimDependencies.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nicsim)
