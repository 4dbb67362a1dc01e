# Finds MPI and the launcher that belongs to it.
#
# SILL_MPI=any takes the MPI that CMake finds: the compiler itself where it is a wrapper (Cray), MPI_C_COMPILER, or the
# first mpicc. SILL_MPI=openmpi or mpich insists on one; mpich stands for all that descend from it (Intel MPI, Cray
# MPICH, MVAPICH). Debian installs both side by side and marks the programs with a suffix (mpicc.openmpi, mpirun.mpich);
# the plain names point to one of the two.
#
# A launcher of the wrong MPI starts N programs of size 1. So header and launcher are asked what they are, and what does
# not go together is refused.
#
# SILL_MPI=none builds without MPI: no mpi.h is included, and the program and the library run as one process. Sources that
# call MPI are then left out, and others take their places (sill_choose_by_mpi).
#
# Gives the target sill_mpi (MPI's C API), which the layer comm alone links, publicly: its header mpi_communicator.hpp
# includes mpi.h. Also SILL_HAS_MPI (1 or 0), SILL_MPI_FAMILY (openmpi, mpich, other or none), and SILL_MPIEXEC with SILL_MPIEXEC_FLAGS, which only
# tests need.
include_guard(GLOBAL)

set(SILL_MPI "any" CACHE STRING "Implementation of MPI: any, openmpi, mpich or none")
set_property(CACHE SILL_MPI PROPERTY STRINGS any openmpi mpich none)
if(NOT SILL_MPI MATCHES "^(any|openmpi|mpich|none)$")
  message(FATAL_ERROR "SILL_MPI is '${SILL_MPI}'; it can be any, openmpi, mpich or none")
endif()

# sill_choose_by_mpi(<list> [MPI <name>...] [WITHOUT_MPI <name>...])
#
# Removes from a list of files those that the build does not have: with MPI the files WITHOUT_MPI, without it the files
# MPI. Names are those of files, without folders. Unity builds compile the named files by themselves.
function(sill_choose_by_mpi list)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "MPI;WITHOUT_MPI")
  set(files ${${list}})
  set(left_out ${arg_WITHOUT_MPI})
  if(SILL_MPI STREQUAL "none")
    set(left_out ${arg_MPI})
  endif()
  foreach(name IN LISTS left_out)
    list(FILTER files EXCLUDE REGEX "/${name}$")
  endforeach()
  # All other files are then batched alike in all builds, so that a compiler cache has them.
  foreach(name IN LISTS arg_MPI arg_WITHOUT_MPI)
    set(chosen ${files})
    list(FILTER chosen INCLUDE REGEX "/${name}$")
    set_source_files_properties(${chosen} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  set(${list} "${files}" PARENT_SCOPE)
endfunction()

if(SILL_MPI STREQUAL "none")
  add_library(sill_mpi INTERFACE)
  set(SILL_MPI_FAMILY none)
  set(SILL_HAS_MPI 0)
  return()
endif()
set(SILL_HAS_MPI 1)

if(NOT SILL_MPI STREQUAL "any")
  find_program(MPI_C_COMPILER NAMES mpicc.${SILL_MPI} mpicc)
  mark_as_advanced(MPI_C_COMPILER)
endif()
find_package(MPI REQUIRED COMPONENTS C)

add_library(sill_mpi INTERFACE)
target_link_libraries(sill_mpi INTERFACE MPI::MPI_C)
# The C++ bindings that MPI dropped in 2012 would otherwise be declared, and warned about, in every source.
target_compile_definitions(sill_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

# Each answer is cached under the path of the header, so that another header is tested again.
include(CheckSymbolExists)
string(MAKE_C_IDENTIFIER "${MPI_C_HEADER_DIR}${MPI_C_COMPILER}" header)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OMPI_MAJOR_VERSION mpi.h SILL_MPI_IS_OPENMPI_${header})
check_symbol_exists(MPICH_VERSION mpi.h SILL_MPI_IS_MPICH_${header})
unset(CMAKE_REQUIRED_LIBRARIES)
if(SILL_MPI_IS_OPENMPI_${header})
  set(SILL_MPI_FAMILY openmpi)
elseif(SILL_MPI_IS_MPICH_${header})
  set(SILL_MPI_FAMILY mpich)
else()
  set(SILL_MPI_FAMILY other)
endif()
if(NOT SILL_MPI STREQUAL "any" AND NOT SILL_MPI STREQUAL SILL_MPI_FAMILY)
  message(FATAL_ERROR "SILL_MPI is ${SILL_MPI}, but the mpi.h of ${MPI_C_COMPILER} is of another MPI. "
                      "In a new build folder, set SILL_MPI to the MPI that is installed, or to any, or MPI_C_COMPILER "
                      "to the right program.")
endif()

# The launcher of the same name as the compiler, from the same folder, if there is one.
set(suffix)
set(folder)
if(MPI_C_COMPILER)
  get_filename_component(folder "${MPI_C_COMPILER}" DIRECTORY)
  if(MPI_C_COMPILER MATCHES "/mpicc(\\.[a-z]+)$")
    set(suffix ${CMAKE_MATCH_1})
  endif()
endif()
find_program(SILL_MPIEXEC NAMES mpirun${suffix} mpiexec${suffix} mpirun mpiexec HINTS "${folder}" NAMES_PER_DIR)

if(SILL_MPIEXEC)
  set(MPIEXEC_EXECUTABLE "${SILL_MPIEXEC}" CACHE FILEPATH "Launcher of MPI programs" FORCE)
  execute_process(COMMAND "${SILL_MPIEXEC}" --version OUTPUT_VARIABLE version ERROR_VARIABLE version TIMEOUT 20)
  set(launcher_family ${SILL_MPI_FAMILY}) # unless it says something else
  if(version MATCHES "Open ?MPI|OpenRTE|Open RTE|PRRTE")
    set(launcher_family openmpi)
  elseif(version MATCHES "HYDRA|Intel\\(R\\) MPI|MPICH|MVAPICH")
    set(launcher_family mpich)
  endif()
  if(NOT launcher_family STREQUAL SILL_MPI_FAMILY)
    message(FATAL_ERROR "The mpi.h that was found is of ${SILL_MPI_FAMILY}, but the launcher ${SILL_MPIEXEC} is of "
                        "${launcher_family}. Set SILL_MPIEXEC to the launcher of the same MPI.")
  endif()
elseif(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  message(FATAL_ERROR "There is no mpirun or mpiexec, which the tests need. Set SILL_MPIEXEC to the launcher of this "
                      "MPI (on some sites srun), or BUILD_TESTING to OFF.")
endif()
# The compiler of C++ programs that belongs to it: a first guess for those who use the installed library.
find_program(SILL_MPI_CXX_COMPILER NAMES mpicxx${suffix} mpic++${suffix} mpicxx mpic++ HINTS "${folder}" NAMES_PER_DIR)
mark_as_advanced(SILL_MPI_CXX_COMPILER)

set(SILL_MPIEXEC_FLAGS)
if(SILL_MPI_FAMILY STREQUAL "openmpi")
  set(SILL_MPIEXEC_FLAGS --oversubscribe)
endif()
