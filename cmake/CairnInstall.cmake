# `cmake --install` puts the headers, the archive and a CMake package in place: find_package(cairn) then gives cairn::cairn.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS cairn EXPORT cairnTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
configure_package_config_file(cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
if(TARGET cairn_command)
  install(TARGETS cairn_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
