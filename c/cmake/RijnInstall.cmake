# Header, both libraries, pkg-config file and CMake package.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(RIJN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rijn)

install(TARGETS rijn rijn_static EXPORT rijn
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/rijn.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# librijn.a beside librijn.so. On Windows an import library already has that name.
if(NOT WIN32)
  set_target_properties(rijn_static PROPERTIES OUTPUT_NAME rijn)
endif()

install(EXPORT rijn NAMESPACE rijn:: FILE rijnTargets.cmake DESTINATION ${RIJN_CMAKE_DIR})
configure_package_config_file(cmake/rijnConfig.cmake.in rijnConfig.cmake
  INSTALL_DESTINATION ${RIJN_CMAKE_DIR}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(rijnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/rijnConfig.cmake ${PROJECT_BINARY_DIR}/rijnConfigVersion.cmake
  DESTINATION ${RIJN_CMAKE_DIR})

# rijn.pc computes its prefix from its own folder, so that an installed tree may move, and
# `cmake --install --prefix` works. Absolute folders stay as they are.
file(RELATIVE_PATH RIJN_PC_UP
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
set(RIJN_PC_PREFIX "\${pcfiledir}/${RIJN_PC_UP}")
string(REGEX REPLACE "/$" "" RIJN_PC_PREFIX "${RIJN_PC_PREFIX}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(RIJN_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(RIJN_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(RIJN_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(cmake/rijn.pc.in rijn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rijn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
