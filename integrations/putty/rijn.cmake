# Read by cmake behind PuTTY's project(): links librijn to its ciphers once they are there.
# RIJN_LIBRARY is librijn.a, by its full path; RIJN_INCLUDE is where rijn.h is.
cmake_minimum_required(VERSION 3.19)

foreach(variable RIJN_LIBRARY RIJN_INCLUDE)
  if(NOT EXISTS "${${variable}}")
    message(FATAL_ERROR "${variable} is not there: \"${${variable}}\"")
  endif()
endforeach()
include_directories(SYSTEM "${RIJN_INCLUDE}")
cmake_language(DEFER CALL target_link_libraries crypto "${RIJN_LIBRARY}")
