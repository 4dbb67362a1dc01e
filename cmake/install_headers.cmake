# Installs the public headers: those a program begins with, and what these include. Run by `cmake --install`, with
# `source` (the folder src), `destination` (an absolute folder, before DESTDIR) and `has_mpi` set.
cmake_policy(VERSION 3.25)

# io, survey and solutions are what programs call; formats has the types they pass; comm gives ranks to programs with and without
# MPI of their own.
file(GLOB_RECURSE headers RELATIVE "${source}" "${source}/sill/io/*.hpp" "${source}/sill/survey/*.hpp"
     "${source}/sill/solutions/*.hpp"
     "${source}/sill/formats/*.hpp")
list(APPEND headers sill/comm/launch.hpp sill/layout/decomposition.hpp)
if(has_mpi)
  list(APPEND headers sill/comm/mpi_communicator.hpp)
endif()

set(seen)
while(headers)
  list(POP_FRONT headers header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen "${header}")
  file(STRINGS "${source}/${header}" includes REGEX "^#include \"sill/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include "${include}")
    list(APPEND headers "${include}")
  endforeach()
endwhile()

foreach(header IN LISTS seen)
  get_filename_component(folder "${header}" DIRECTORY)
  file(INSTALL "${source}/${header}" DESTINATION "${destination}/${folder}")
endforeach()
