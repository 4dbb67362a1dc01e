# Finds the headers of HDF5 (1.10.5 or later), and the name by which its library is loaded when it is used: SILL_HDF5_LIBRARY and
# SILL_HDF5_INCLUDE_DIR, both empty where HDF5 is not installed, or with SILL_HDF5=OFF. FindHDF5 is not used: it would
# take the parallel library where both are installed, whose headers need MPI.
include_guard(GLOBAL)

option(SILL_HDF5 "Read and write HDF5 and netCDF-4 if the headers of HDF5 are installed" ON)
set(SILL_HDF5_LIBRARY)
if(SILL_HDF5)
  find_path(SILL_HDF5_INCLUDE_DIR H5public.h PATH_SUFFIXES hdf5/serial)
  find_library(SILL_HDF5_FILE NAMES hdf5_serial hdf5)
  mark_as_advanced(SILL_HDF5_INCLUDE_DIR SILL_HDF5_FILE)
  if(SILL_HDF5_INCLUDE_DIR AND SILL_HDF5_FILE MATCHES "\\.so")
    file(REAL_PATH "${SILL_HDF5_FILE}" SILL_HDF5_LIBRARY)
    cmake_path(GET SILL_HDF5_LIBRARY FILENAME SILL_HDF5_LIBRARY)
    string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" SILL_HDF5_LIBRARY "${SILL_HDF5_LIBRARY}") # the name in the library
  endif()
endif()
if(SILL_HDF5_LIBRARY)
  message(STATUS "HDF5: ${SILL_HDF5_LIBRARY}, with the headers in ${SILL_HDF5_INCLUDE_DIR}")
else()
  message(STATUS "HDF5 and netCDF-4 are left out: the headers of HDF5 are not installed, or SILL_HDF5 is OFF")
endif()
