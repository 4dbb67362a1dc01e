# Whether the Fortran module is built, and which MPI of Fortran it knows.
#
# SILL_FORTRAN is on where a Fortran compiler is found. The module needs none of MPI's Fortran parts; where the MPI of
# the build has the module mpi_f08 for this compiler, MPI_Fortran_HAVE_F08_MODULE says so. Its sessions are opened on
# communicators, so a build without MPI has no module.
include_guard(GLOBAL)

if(NOT SILL_HAS_MPI)
  if(SILL_FORTRAN)
    message(FATAL_ERROR "SILL_FORTRAN is ON, which SILL_MPI=none does not have: use a new build folder, or set it to OFF.")
  endif()
  set(SILL_FORTRAN OFF)
  return()
endif()

include(CheckLanguage)
set(found OFF)
if(NOT SILL_SANITIZE)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    set(found ON)
  endif()
endif()
option(SILL_FORTRAN "Build the Fortran module" ${found})

if(SILL_FORTRAN)
  if(SILL_SANITIZE)
    message(FATAL_ERROR "SILL_FORTRAN does not go together with SILL_SANITIZE, whose libraries are not installed.")
  endif()
  enable_language(Fortran)
  # The wrapper of the same name as that of C, from the same folder.
  set(suffix)
  set(folder)
  if(MPI_C_COMPILER)
    get_filename_component(folder "${MPI_C_COMPILER}" DIRECTORY)
    if(MPI_C_COMPILER MATCHES "/mpicc(\\.[a-z]+)$")
      set(suffix ${CMAKE_MATCH_1})
    endif()
  endif()
  find_program(MPI_Fortran_COMPILER NAMES mpifort${suffix} mpif90${suffix} HINTS "${folder}" NAMES_PER_DIR)
  mark_as_advanced(MPI_Fortran_COMPILER)
  find_package(MPI QUIET COMPONENTS Fortran)
endif()
