# Finds the MPI that was asked for by SILL_MPI and its launcher.
#
# Debian installs Open MPI and MPICH side by side and marks the programs with a suffix (mpicc.openmpi, mpirun.mpich); the
# plain names point to one of the two. A launcher of the wrong MPI starts N programs of size 1, so both are chosen
# together. Elsewhere the plain names are taken, and the compiled header must agree with SILL_MPI.
#
# Gives the target sill_mpi (MPI's C API), which the layer comm alone links, publicly: its header mpi_communicator.hpp
# includes mpi.h. Also SILL_MPIEXEC with SILL_MPIEXEC_FLAGS.
include_guard(GLOBAL)

set(SILL_MPI "openmpi" CACHE STRING "Implementation of MPI: openmpi or mpich")
set_property(CACHE SILL_MPI PROPERTY STRINGS openmpi mpich)
if(NOT SILL_MPI MATCHES "^(openmpi|mpich)$")
  message(FATAL_ERROR "SILL_MPI is '${SILL_MPI}'; it can be openmpi or mpich")
endif()

find_program(MPI_C_COMPILER NAMES mpicc.${SILL_MPI} mpicc)
find_program(SILL_MPIEXEC NAMES mpirun.${SILL_MPI} mpiexec.${SILL_MPI} mpirun mpiexec REQUIRED)
mark_as_advanced(MPI_C_COMPILER)
set(MPIEXEC_EXECUTABLE "${SILL_MPIEXEC}" CACHE FILEPATH "Launcher of MPI programs" FORCE)
find_package(MPI REQUIRED COMPONENTS C)

add_library(sill_mpi INTERFACE)
target_link_libraries(sill_mpi INTERFACE MPI::MPI_C)
# The C++ bindings that MPI dropped in 2012 would otherwise be declared, and warned about, in every source.
target_compile_definitions(sill_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

if(SILL_MPI STREQUAL "openmpi")
  set(SILL_MPIEXEC_FLAGS --oversubscribe)
  set(version_macro OMPI_MAJOR_VERSION)
else()
  set(SILL_MPIEXEC_FLAGS)
  set(version_macro MPICH_VERSION)
endif()

include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(${version_macro} mpi.h SILL_MPI_HEADER_IS_${SILL_MPI})
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT SILL_MPI_HEADER_IS_${SILL_MPI})
  message(FATAL_ERROR "SILL_MPI is ${SILL_MPI}, but the mpi.h of ${MPI_C_COMPILER} is of another MPI. "
                      "Set SILL_MPI to the MPI that is installed, or MPI_C_COMPILER and SILL_MPIEXEC to the right programs.")
endif()
