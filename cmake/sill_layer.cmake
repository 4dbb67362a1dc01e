# sill_layer(<name> [DEPENDS <layer>...] [LINK <target>...] [LINK_PRIVATE <target>...] [DEFINE_PRIVATE <definition>...]
#            [MPI <name>...] [WITHOUT_MPI <name>...])
#
# Declares the folder as a layer: a static library sill_<name> (alias sill::<name>) of all *.cpp in the folder and below,
# or an interface library when there are only headers. All *.hpp are its public header set, included as
# "sill/<name>/<file>.hpp", so the target all_verify_interface_header_sets compiles each alone. MPI and WITHOUT_MPI name
# files that only builds with and without MPI have (sill_choose_by_mpi).
include_guard(GLOBAL)

# Layers in which tests under sanitizers spend most of their time. The others are not optimized there: that would double
# the time of the compiler.
set(sill_busy_layers base store)

function(sill_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LINK;LINK_PRIVATE;DEFINE_PRIVATE;MPI;WITHOUT_MPI")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sill_layer(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp")

  sill_choose_by_mpi(sources MPI ${arg_MPI} WITHOUT_MPI ${arg_WITHOUT_MPI})
  sill_choose_by_mpi(headers MPI ${arg_MPI} WITHOUT_MPI ${arg_WITHOUT_MPI})

  set(target sill_${name})
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PRIVATE sill_options ${arg_LINK_PRIVATE})
    if(NOT SILL_SANITIZE)
      # The objects also go into libsill.so. That a program puts functions of its own in place of the library's is not
      # supported, so calls within a source are inlined as without -fPIC.
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    elseif(name IN_LIST sill_busy_layers)
      target_compile_options(${target} PRIVATE -O1)
    endif()
    target_compile_definitions(${target} PRIVATE ${arg_DEFINE_PRIVATE})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(sill::${name} ALIAS ${target})

  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} ${scope} ${arg_LINK})
  if(headers)
    target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${headers})
  endif()

  foreach(layer IN LISTS arg_DEPENDS)
    if(NOT TARGET sill_${layer})
      message(FATAL_ERROR "layer ${name} depends on ${layer}, which is not a layer below it; see CMakeLists.txt")
    endif()
    target_link_libraries(${target} ${scope} sill::${layer})
  endforeach()
endfunction()
