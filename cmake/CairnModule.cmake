# cairn_module(NAME folder [DEPENDS ...] [LIBRARIES ...])
#
# One folder of src/ is one target. A folder sees only the headers of the folders it names in DEPENDS (and theirs): each
# target publishes an include directory that holds nothing but a link to its own folder, so that `#include "geometry/gjk.hpp"`
# does not compile in a folder that may not use geometry.

add_library(cairn_options INTERFACE)
target_compile_features(cairn_options INTERFACE cxx_std_20)
# Contraction would let the compiler choose where to round, and so change the bits from build to build.
target_compile_options(cairn_options INTERFACE -ffp-contract=off -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-psabi)
if(CAIRN_SANITIZE)
  target_compile_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE})
endif()

# The public headers. Eigen's alignment is pinned: a consumer built with -mavx must agree with the library on the layout.
add_library(cairn_api INTERFACE)
target_include_directories(cairn_api INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_definitions(cairn_api INTERFACE EIGEN_MAX_ALIGN_BYTES=16)
target_link_libraries(cairn_api INTERFACE Eigen3::Eigen)

# One precompiled header for all modules.
add_library(cairn_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_precompile_headers(cairn_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.hpp)
target_link_libraries(cairn_pch PRIVATE cairn_api cairn_options)

# Files that are compiled as one: they share headers and the instances of Eigen's templates, which are most of the work.
# Groups are small, so that a change of one file stays quick to build; the preset `dev` has none. What is in the unnamed
# namespaces of a group's files has different names.
option(CAIRN_COMPILE_TOGETHER "Compile groups of files as one: a whole build takes less" ON)

# cairn_compile_group(TARGET name files...): these, by name without .cpp
function(cairn_compile_group target name)
  if(NOT CAIRN_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(file IN LISTS ARGN)
    foreach(source IN LISTS sources)
      if(source MATCHES "/${file}\\.cpp$")
        set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${name})
      endif()
    endforeach()
  endforeach()
endfunction()

# cairn_compile_groups(TARGET size [ALONE files...]): all but some, so many at a time in the order of their names
function(cairn_compile_groups target size)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  get_target_property(sources ${target} SOURCES)
  set(names)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    list(APPEND names ${name})
  endforeach()
  list(REMOVE_ITEM names ${ARG_ALONE} "")
  list(LENGTH names left)
  set(number 0)
  while(left GREATER 0)
    list(SUBLIST names 0 ${size} group)
    cairn_compile_group(${target} group${number} ${group})
    list(REMOVE_ITEM names ${group})
    list(LENGTH names left)
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

function(cairn_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(view ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${view}/${name} SYMBOLIC)
  set(target cairn_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE cairn_options)
    target_precompile_headers(${target} REUSE_FROM cairn_pch)
    set_property(GLOBAL APPEND PROPERTY CAIRN_MODULE_TARGETS ${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${view})
  list(TRANSFORM ARG_DEPENDS PREPEND cairn_)
  target_link_libraries(${target} ${scope} cairn_api ${ARG_DEPENDS} ${ARG_LIBRARIES})
endfunction()
