# SPDX-License-Identifier: Apache-2.0
# Everything comes from the system's packages; nothing is downloaded.

find_package(SystemCLanguage QUIET)
if(NOT TARGET SystemC::systemc)
  find_path(SystemC_INCLUDE_DIR systemc REQUIRED)
  find_library(SystemC_LIBRARY systemc REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}")
endif()

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
# yaml-cpp names its target with a namespace only since 0.8.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
if(NICSIM_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(NICSIM_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
