# sill_library(<layer>...)
#
# Declares the installable library from the objects of the layers, which are compiled once: libsill.so with versioned
# symbols, or libsill.a when BUILD_SHARED_LIBS is off. The target is sill_library, sill::sill for those who use it.
# Its public dependency is MPI alone; fmt shows in no header.
include_guard(GLOBAL)

option(BUILD_SHARED_LIBS "Build the library as libsill.so; otherwise as libsill.a" ON)

function(sill_library)
  set(objects)
  foreach(layer IN LISTS ARGN)
    get_target_property(type sill_${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:sill_${layer}>)
    endif()
  endforeach()

  if(BUILD_SHARED_LIBS)
    add_library(sill_library SHARED ${objects})
    set(symbols "${PROJECT_BINARY_DIR}/sill.symbols")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/sill.symbols.in" "${symbols}" @ONLY)
    target_link_options(sill_library PRIVATE "LINKER:--version-script=${symbols}" "LINKER:--no-undefined")
    set_target_properties(sill_library PROPERTIES LINK_DEPENDS "${symbols}")
  else()
    add_library(sill_library STATIC ${objects})
  endif()
  add_library(sill::sill ALIAS sill_library)
  set_target_properties(
    sill_library
    PROPERTIES OUTPUT_NAME sill
               EXPORT_NAME sill
               LINKER_LANGUAGE CXX
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(sill_library PUBLIC cxx_std_20)
  target_include_directories(sill_library INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
                                                    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/bindings/c/include>"
                                                    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
  # sill::mpi is made by sillConfig.cmake, from the MPI that is found there.
  target_link_libraries(sill_library PUBLIC "$<BUILD_INTERFACE:sill_mpi>" "$<INSTALL_INTERFACE:sill::mpi>"
                                     PRIVATE fmt::fmt pugixml::pugixml tomlplusplus::tomlplusplus PkgConfig::libdeflate
                                             PkgConfig::libzstd PkgConfig::blosc ZLIB::ZLIB
                                             Threads::Threads)
endfunction()
