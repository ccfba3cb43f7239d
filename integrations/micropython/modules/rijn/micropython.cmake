# Adds the module to a firmware of a port with CMake (rp2, esp32):
#
#   -DUSER_C_MODULES=…/integrations/micropython/modules/rijn/micropython.cmake
#
# With -DRIJN_MODULE=table it is faster and not constant time.
if(NOT RIJN_MODULE)
  set(RIJN_MODULE fixslice32)
endif()
if(NOT RIJN_MODULE MATCHES "^(fixslice32|table)$")
  message(FATAL_ERROR "RIJN_MODULE must be fixslice32 or table, not ${RIJN_MODULE}")
endif()
get_filename_component(RIJN_DIR ${CMAKE_CURRENT_LIST_DIR}/../../../../c ABSOLUTE)
file(GLOB RIJN_SOURCES CONFIGURE_DEPENDS ${RIJN_DIR}/src/*.c ${RIJN_DIR}/src/*/*.c)

add_library(rijn_core STATIC ${RIJN_SOURCES})
target_include_directories(rijn_core PUBLIC ${RIJN_DIR}/include ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(rijn_core PUBLIC "RIJN_CONFIG_FILE=\"${RIJN_MODULE}.h\"")
target_compile_options(rijn_core PRIVATE -O2 $<$<COMPILE_LANGUAGE:C>:-std=c11>)
# Assembly for Cortex-M3 and later, empty elsewhere.
enable_language(ASM)
target_sources(rijn_core PRIVATE ${RIJN_DIR}/src/arm/thumb2.S)

add_library(usermod_rijn INTERFACE)
target_sources(usermod_rijn INTERFACE ${CMAKE_CURRENT_LIST_DIR}/module.c)
target_link_libraries(usermod_rijn INTERFACE rijn_core)
target_include_directories(usermod_rijn INTERFACE ${RIJN_DIR}/include ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(usermod_rijn INTERFACE "RIJN_CONFIG_FILE=\"${RIJN_MODULE}.h\"")
target_link_libraries(usermod INTERFACE usermod_rijn)
