# What Debian wants of the files of packages (policy 12.1, 12.5), from what `cmake --install` put in
# CPACK_TEMPORARY_INSTALL_DIRECTORY: no debug symbols, compressed man pages, a copyright file in each package. Run by CPack.
set(installed "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")

file(GLOB_RECURSE symbols LIST_DIRECTORIES OFF "${installed}/*.debug")
foreach(file IN LISTS symbols)
  get_filename_component(folder "${file}" DIRECTORY)
  file(REMOVE_RECURSE "${folder}")
endforeach()

file(GLOB pages "${installed}/program/usr/share/man/man*/*.[1-9]")
if(pages)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

foreach(package IN ITEMS program/usr/share/doc/sill dev/usr/share/doc/libsill-dev)
  file(COPY "${CMAKE_CURRENT_LIST_DIR}/../packaging/debian/copyright" DESTINATION "${installed}/${package}")
endforeach()
