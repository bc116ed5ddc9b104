# SPDX-License-Identifier: Apache-2.0
# How every library and test of the project is declared.

add_library(nicsim_options INTERFACE)
add_library(nicsim::options ALIAS nicsim_options)
target_compile_features(nicsim_options INTERFACE cxx_std_20)
# Debian's SystemC library is built as C++17 and checks at link time that its users are too.
target_compile_definitions(nicsim_options INTERFACE SC_CPLUSPLUS=201703L)
target_include_directories(nicsim_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/nicsim>)

add_library(nicsim_warnings INTERFACE)
target_compile_options(nicsim_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  # GCC 12 sees an overlap in std::string that is not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${NICSIM_WERROR}>:-Werror>)

# nicsim_library(NAME SOURCES ... DEPENDS ...): the library nicsim::NAME.
function(nicsim_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(nicsim_${name} STATIC ${ARG_SOURCES})
  add_library(nicsim::${name} ALIAS nicsim_${name})
  set_target_properties(nicsim_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(nicsim_${name}
    PUBLIC nicsim::options ${ARG_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:nicsim_warnings>)
  set_property(GLOBAL APPEND PROPERTY NICSIM_LIBRARIES nicsim_${name})
endfunction()

# nicsim_test(NAME SOURCES ... DEPENDS ... [TIMEOUT s]): a GoogleTest program whose every test runs
# in a process of its own, since a process can hold one SystemC simulation only.
include(GoogleTest)
function(nicsim_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    $<TARGET_OBJECTS:nicsim_test_main> ${ARG_DEPENDS} nicsim::sim GTest::gtest GTest::gmock
    nicsim_warnings)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." PROPERTIES TIMEOUT ${ARG_TIMEOUT}
    DISCOVERY_TIMEOUT 60)
endfunction()
