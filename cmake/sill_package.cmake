# Debian packages of what `cmake --install` installs, by CPack (script/package): `sill`, the program with its man pages and
# completions, and `libsill-dev`, the library, headers, documents and examples.
include_guard(GLOBAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sill)
set(CPACK_PACKAGE_CONTACT "The developers of Sill")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program dev)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME sill)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libcairo2, fonts-dejavu-core") # loaded when a picture is drawn
if(SILL_HDF5_LIBRARY) # loaded when an HDF5 file is read or written
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libhdf5-103-1")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsill-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
if(SILL_MPI STREQUAL "none")
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "")
elseif(SILL_MPI STREQUAL "mpich")
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libmpich-dev)
else()
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libopenmpi-dev)
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "tools for seismic data, alone or under MPI\n Sill describes, checks, sorts, cuts, merges, edits, repairs, converts, compares, processes and shows SEG-Y and Seismic Unix files.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "parallel I/O for seismic data and wave simulations\n The library of Sill for C++, C and Fortran, its documents and examples.")
include(CPack)
