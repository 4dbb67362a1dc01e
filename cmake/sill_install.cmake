# What `cmake --install` puts where (GNUInstallDirs): the program, the library, its public headers, what find_package
# and pkg-config read, the licence, documents and examples.
include_guard(GLOBAL)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What the program is made of is in the component program, all else in dev.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

# Where fmt or MPI lie outside of the system's folders, programs that are installed find them all the same. The build
# tree has the same RUNPATH: CMake would pad another one with colons, to replace it later, and an empty element of a
# RUNPATH is the current folder.
set(rpath_properties INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)
set_target_properties(sill_library PROPERTIES ${rpath_properties})
if(SILL_BUILD_PROGRAM)
  set_target_properties(sill PROPERTIES ${rpath_properties})
  install(TARGETS sill COMPONENT program)
  # Man pages and completions; a program for another machine cannot write them here.
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:sill>\" help --write-manual \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
            COMPONENT program)
  endif()
endif()

install(TARGETS sill_library EXPORT sill INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# Users get a program of 7 MB; its debug symbols, six times as large, lie apart.
function(sill_split_debug_symbols target folder component)
  if(NOT IS_ABSOLUTE "${folder}")
    set(folder "\${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
  install(CODE "set(file \"${folder}/$<TARGET_FILE_NAME:${target}>\")
set(objcopy \"${CMAKE_OBJCOPY}\")
set(strip \"${CMAKE_STRIP}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/split_debug_symbols.cmake\")"
          COMPONENT ${component})
endfunction()
if(CMAKE_OBJCOPY AND CMAKE_STRIP)
  if(SILL_BUILD_PROGRAM)
    sill_split_debug_symbols(sill "${CMAKE_INSTALL_BINDIR}" program)
  endif()
  if(BUILD_SHARED_LIBS)
    sill_split_debug_symbols(sill_library "${CMAKE_INSTALL_LIBDIR}" dev)
  endif()
endif()
# Run at each install, so that it sees what the headers include by then, and the prefix that is chosen then.
set(headers_in "${CMAKE_INSTALL_INCLUDEDIR}")
if(NOT IS_ABSOLUTE "${headers_in}")
  set(headers_in "\${CMAKE_INSTALL_PREFIX}/${headers_in}")
endif()
install(CODE "set(source \"${PROJECT_SOURCE_DIR}/src\")\nset(destination \"${headers_in}\")\nset(has_mpi ${SILL_HAS_MPI})")
install(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake")

install(FILES bindings/c/include/sill.h "${PROJECT_BINARY_DIR}/include/sill_config.h" TYPE INCLUDE)
if(SILL_FORTRAN)
  install(TARGETS sill_fortran EXPORT sill)
  install(DIRECTORY "${SILL_FORTRAN_MODULES}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/sill/fortran")
  # For other compilers than the one of the build, which do not read its modules.
  install(DIRECTORY bindings/fortran/ DESTINATION "${CMAKE_INSTALL_DATADIR}/sill/fortran"
          FILES_MATCHING PATTERN "*.f90" PATTERN "*.F90" PATTERN "*.inc")
endif()

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/sill")
install(EXPORT sill NAMESPACE sill:: FILE sillTargets.cmake DESTINATION "${config_folder}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/sillConfig.cmake.in" "${PROJECT_BINARY_DIR}/sillConfig.cmake"
                              INSTALL_DESTINATION "${config_folder}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 another minor version may be another interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/sillConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/sillConfig.cmake" "${PROJECT_BINARY_DIR}/sillConfigVersion.cmake"
        DESTINATION "${config_folder}")
if(SILL_HAS_MPI)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/sillMpi.cmake.in" "${PROJECT_BINARY_DIR}/sillMpi.cmake" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/sillMpi.cmake" DESTINATION "${config_folder}")
endif()

# Paths from the file's own place, so that an installed folder can be moved.
set(pc_folder "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_includedir "${pc_folder}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
file(RELATIVE_PATH pc_libdir "${pc_folder}" "${CMAKE_INSTALL_FULL_LIBDIR}")
# The flags of MPI as a compiler takes them, for the header that hands over an MPI_Comm.
set(pc_mpi_cflags)
foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
  string(APPEND pc_mpi_cflags " -I${folder}")
endforeach()
set(pc_mpi_libs ${MPI_C_LINK_FLAGS} ${MPI_C_LIBRARIES})
list(JOIN pc_mpi_libs " " pc_mpi_libs)
# A static library brings nothing along, so those who link it name what it uses.
set(pc_requires)
set(pc_static_libs)
if(NOT BUILD_SHARED_LIBS)
  set(pc_requires "Requires: fmt pugixml tomlplusplus libdeflate libzstd blosc zlib")
  # Programs in C and Fortran are not linked with the library of C++ by themselves.
  list(TRANSFORM CMAKE_CXX_IMPLICIT_LINK_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE pc_cxx_libs)
  list(FILTER pc_cxx_libs INCLUDE REGEX "^-l(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
  list(REMOVE_DUPLICATES pc_cxx_libs)
  list(JOIN pc_cxx_libs " " pc_cxx_libs)
  set(pc_static_libs " ${CMAKE_THREAD_LIBS_INIT} ${pc_cxx_libs}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/sill.pc.in" "${PROJECT_BINARY_DIR}/sill.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/sill.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(SILL_FORTRAN)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/sill-fortran.pc.in" "${PROJECT_BINARY_DIR}/sill-fortran.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/sill-fortran.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs changelog examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
