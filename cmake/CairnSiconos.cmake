# The target cairn_siconos, if there is one: the numerics library of Siconos (Debian: libsiconos-numerics-dev). For
# comparisons only, in benchmarks and tests.
include_guard(GLOBAL)
find_path(CAIRN_SICONOS_INCLUDE FrictionContactProblem.h PATH_SUFFIXES siconos/numerics)
find_library(CAIRN_SICONOS_NUMERICS siconos_numerics)
find_library(CAIRN_SICONOS_EXTERNALS siconos_externals)
mark_as_advanced(CAIRN_SICONOS_INCLUDE CAIRN_SICONOS_NUMERICS CAIRN_SICONOS_EXTERNALS)
if(CAIRN_SICONOS_INCLUDE AND CAIRN_SICONOS_NUMERICS AND CAIRN_SICONOS_EXTERNALS)
  add_library(cairn_siconos INTERFACE)
  # As a system folder: its headers do not compile without warnings.
  target_include_directories(cairn_siconos SYSTEM INTERFACE ${CAIRN_SICONOS_INCLUDE} ${CAIRN_SICONOS_INCLUDE}/..)
  target_link_libraries(cairn_siconos INTERFACE ${CAIRN_SICONOS_NUMERICS} ${CAIRN_SICONOS_EXTERNALS})
  target_compile_definitions(cairn_siconos INTERFACE CAIRN_HAS_SICONOS)
endif()
