# sill_tests(<layer> [LINK <target>...] [SHARES <number>] [MPI <file>...])
#
# Declares the tests of a layer from the files in tests/<layer> and below:
#   *_test.cpp      -> the program test_<layer>, one entry <layer> of ctest
#   *_mpi_test.cpp  -> the program test_<layer>_mpi, entries <layer>_mpi.np<N> for each N of SILL_MPI_TEST_RANKS
#   any other *.cpp -> linked into both
# Where the MPI tests take long, they are run in SHARES, each an entry with a time limit of its own (.1, .2, ...).
# A layer without such files has no such program. MPI names the files of the unit tests that a build without MPI does not
# have; it has no MPI tests.
#
# Programs test_<layer> of layers that see neither files nor ranks belong to the target `pure_unit_tests` and not to
# `all`: for each change they are built with sanitizers alone (script/test). ctest builds them where it runs them.
include_guard(GLOBAL)
set(sill_pure_layers base layout plan formats choose)
add_custom_target(pure_unit_tests)

if(NOT SILL_HAS_MPI)
  set(SILL_MPI_TEST_RANKS "") # whatever an earlier configuration has cached
else()
  set(SILL_MPI_TEST_RANKS "1;2;3;4" CACHE STRING "Numbers of ranks that the MPI tests run on; empty for no MPI tests")
endif()

if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()

# What the launchers need to be told in containers and with more ranks than cores; shared with script/test.
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/mpi_environment" sill_mpi_environment REGEX "^[A-Z_a-z]+=")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/mpi_environment")

function(sill_add_test_program program layer)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LINK")
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE sill_options sill::${layer} fmt::fmt GTest::gtest rapidcheck rapidcheck_gtest
                                           Threads::Threads ${arg_LINK})
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  # Half of the time of a build went into compiling tests. What they test is compiled as the preset says.
  target_compile_options(${program} PRIVATE -O0)
  if("undefined" IN_LIST SILL_SANITIZE)
    # Of tests' own code the memory is watched alone: the rest takes a third of the time of their compiler.
    target_compile_options(${program} PRIVATE -fno-sanitize=undefined)
  endif()
  set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
endfunction()

# Properties are tried on fewer cases where each takes many times as long.
set(sill_test_environment "")
if(SILL_SANITIZE)
  # Traces name sources by addr2line, where llvm-symbolizer is not installed.
  set(sill_test_environment RC_PARAMS=max_success=25 ASAN_OPTIONS=allow_addr2line=1 UBSAN_OPTIONS=allow_addr2line=1
                            TSAN_OPTIONS=allow_addr2line=1)
endif()

function(sill_tests layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SHARES" "LINK;MPI")
  if(NOT arg_SHARES)
    set(arg_SHARES 1)
  endif()
  set(folder "${PROJECT_SOURCE_DIR}/tests/${layer}")
  file(GLOB_RECURSE support_sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(mpi_sources ${support_sources})
  set(unit_sources ${support_sources})
  list(FILTER support_sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER mpi_sources INCLUDE REGEX "_mpi_test\\.cpp$")
  list(FILTER unit_sources INCLUDE REGEX "_test\\.cpp$")
  list(FILTER unit_sources EXCLUDE REGEX "_mpi_test\\.cpp$")
  sill_choose_by_mpi(unit_sources MPI ${arg_MPI})

  if(unit_sources AND SILL_UNIT_TESTS)
    sill_add_test_program(test_${layer} ${layer} SOURCES ${unit_sources} ${support_sources} LINK GTest::gtest_main
                          ${arg_LINK})
    add_test(NAME ${layer} COMMAND test_${layer})
    set_tests_properties(${layer} PROPERTIES TIMEOUT 900 LABELS unit ENVIRONMENT "${sill_test_environment}")
    if(layer IN_LIST sill_pure_layers)
      set_target_properties(test_${layer} PROPERTIES EXCLUDE_FROM_ALL ON)
      add_dependencies(pure_unit_tests test_${layer})
      set_property(TEST ${layer} APPEND PROPERTY LABELS pure)
      set_property(TEST ${layer} PROPERTY FIXTURES_REQUIRED pure_unit_tests)
    endif()
  endif()

  if(mpi_sources AND SILL_MPI_TEST_RANKS)
    sill_add_test_program(test_${layer}_mpi ${layer} SOURCES ${mpi_sources} ${support_sources} LINK sill_mpi_main
                          ${arg_LINK})
    foreach(ranks IN LISTS SILL_MPI_TEST_RANKS)
      foreach(share RANGE 1 ${arg_SHARES})
        set(name ${layer}_mpi.np${ranks})
        set(environment ${sill_mpi_environment} ${sill_test_environment})
        if(arg_SHARES GREATER 1)
          string(APPEND name ".${share}")
          math(EXPR index "${share} - 1")
          list(APPEND environment GTEST_TOTAL_SHARDS=${arg_SHARES} GTEST_SHARD_INDEX=${index})
        endif()
        if("address" IN_LIST SILL_SANITIZE)
          list(APPEND environment ASAN_OPTIONS=allow_addr2line=1:detect_leaks=0) # MPI libraries keep what they allocate
        endif()
        add_test(NAME ${name} COMMAND ${SILL_MPIEXEC} ${SILL_MPIEXEC_FLAGS} -n ${ranks} $<TARGET_FILE:test_${layer}_mpi>)
        set_tests_properties(${name} PROPERTIES TIMEOUT 600 PROCESSORS ${ranks} LABELS mpi ENVIRONMENT "${environment}")
      endforeach()
    endforeach()
  endif()
endfunction()
