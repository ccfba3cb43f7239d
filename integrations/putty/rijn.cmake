# cmake includes this file after PuTTY's project(). It links librijn to PuTTY's library of ciphers.
# RIJN_LIBRARY is the full path of librijn.a, RIJN_INCLUDE the folder of rijn.h.
cmake_minimum_required(VERSION 3.19)

foreach(variable RIJN_LIBRARY RIJN_INCLUDE)
  if(NOT EXISTS "${${variable}}")
    message(FATAL_ERROR "${variable}: no such file or folder: \"${${variable}}\"")
  endif()
endforeach()
include_directories(SYSTEM "${RIJN_INCLUDE}")
cmake_language(DEFER CALL target_link_libraries crypto "${RIJN_LIBRARY}")
