# Options of the build, and the target `sill_options` that carries language, warnings and sanitizers to every target of
# ours.

option(SILL_WERROR "Treat warnings as errors" OFF)
option(SILL_UNIT_TESTS "Build the tests that need no MPI" ON)
option(SILL_FUZZ "Build the fuzzers of tests/fuzz, with Clang" OFF)
set(SILL_SANITIZE "" CACHE STRING "Sanitizers to compile with, a list: address;undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Type of build" FORCE)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

add_library(sill_options INTERFACE)
target_compile_features(sill_options INTERFACE cxx_std_20)
target_compile_options(
  sill_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Woverloaded-virtual
            -Wcast-align
            -Wimplicit-fallthrough
            $<$<BOOL:${SILL_WERROR}>:-Werror>)
set(CMAKE_CXX_EXTENSIONS OFF)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(sill_options INTERFACE -Wno-restrict)
endif()

if(SILL_SANITIZE)
  list(JOIN SILL_SANITIZE "," sanitizers)
  target_compile_options(sill_options INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's flow analysis sees the sanitizers' own branches and warns falsely.
    target_compile_options(sill_options INTERFACE -Wno-maybe-uninitialized -Wno-null-dereference -Wno-stringop-overflow)
  endif()
  target_compile_definitions(sill_options INTERFACE SILL_SANITIZED)
  target_link_options(sill_options INTERFACE -fsanitize=${sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND "thread" IN_LIST SILL_SANITIZE)
    # Shared, the runtime's operator new gives way to that of tests.
    execute_process(
      COMMAND "${CMAKE_CXX_COMPILER}" -print-resource-dir OUTPUT_VARIABLE sill_clang OUTPUT_STRIP_TRAILING_WHITESPACE)
    target_link_options(sill_options INTERFACE -shared-libsan "LINKER:-rpath,${sill_clang}/lib/linux")
  endif()
endif()

if(SILL_FUZZ)
  target_compile_options(sill_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
