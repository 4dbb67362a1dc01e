# Removes the debug symbols, which `cmake --install` puts beside what they are of, from what is packaged. Run by CPack.
file(GLOB_RECURSE symbols LIST_DIRECTORIES OFF "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.debug")
foreach(file IN LISTS symbols)
  get_filename_component(folder "${file}" DIRECTORY)
  file(REMOVE_RECURSE "${folder}")
endforeach()
