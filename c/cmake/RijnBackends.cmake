# The backends that src/backends.def lists, or the ones that RIJN_BACKENDS names.
#   RIJN_BACKEND_NAMES      their public names, preferred first
#   RIJN_EVERY_NAME         the names of all backends of backends.def
#   RIJN_FIRST_NAME         the first of them
#   RIJN_LEAKY_NAMES        the names of the backends that are not constant time
#   RIJN_LEFT_OUT           files of src that this build leaves out: backends, and AEGIS kernels that
#                           only these backends use
#   RIJN_SUBSET             the list of a build with RIJN_BACKENDS: some lines of backends.def
set(RIJN_BACKENDS_DEF ${CMAKE_CURRENT_LIST_DIR}/../src/backends.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${RIJN_BACKENDS_DEF})
file(STRINGS ${RIJN_BACKENDS_DEF} lines REGEX "^RIJN_BACKEND\\(")

set(RIJN_BACKEND_NAMES "")
set(RIJN_LEAKY_NAMES "")
set(RIJN_LEFT_OUT "")
set(RIJN_EVERY_NAME "")
set(kernels_in "")
set(kernels_out "")
set(subset "")
foreach(line IN LISTS lines)
  if(NOT line MATCHES
      "^RIJN_BACKEND\\([A-Z0-9_]+, ([a-z0-9_]+), \"([a-z0-9-]+)\", ([A-Z]+), [A-Z0-9_]+, ([a-z0-9_]+)\\)$")
    message(FATAL_ERROR "${RIJN_BACKENDS_DEF}: not understood: ${line}")
  endif()
  list(APPEND RIJN_EVERY_NAME ${CMAKE_MATCH_2})
  set(built TRUE)
  if(CMAKE_MATCH_3 STREQUAL LEAKY AND DEFINED RIJN_LEAKY AND NOT RIJN_LEAKY)
    set(built FALSE)
    if(CMAKE_MATCH_2 IN_LIST RIJN_BACKENDS)
      message(FATAL_ERROR "RIJN_BACKENDS names ${CMAKE_MATCH_2}, which RIJN_LEAKY=OFF leaves out.")
    endif()
  endif()
  if(NOT RIJN_BACKENDS OR CMAKE_MATCH_2 IN_LIST RIJN_BACKENDS)
    list(APPEND RIJN_BACKEND_NAMES ${CMAKE_MATCH_2})
    string(APPEND subset "${line}\n")
    if(CMAKE_MATCH_3 STREQUAL LEAKY)
      list(APPEND RIJN_LEAKY_NAMES ${CMAKE_MATCH_2})
    endif()
  else()
    set(built FALSE)
  endif()
  if(built)
    list(APPEND kernels_in ${CMAKE_MATCH_4})
  else()
    list(APPEND RIJN_LEFT_OUT backends/${CMAKE_MATCH_1}.c)
    list(APPEND kernels_out ${CMAKE_MATCH_4})
  endif()
endforeach()
list(GET RIJN_EVERY_NAME 0 RIJN_FIRST_NAME)

foreach(name IN LISTS RIJN_BACKENDS)
  if(NOT name IN_LIST RIJN_EVERY_NAME)
    list(JOIN RIJN_EVERY_NAME ", " names)
    message(FATAL_ERROR "RIJN_BACKENDS: there is no backend \"${name}\". There are: ${names}.")
  endif()
endforeach()

if(kernels_in)
  list(REMOVE_ITEM kernels_out ${kernels_in})
endif()
list(REMOVE_DUPLICATES kernels_out)
foreach(kernels IN LISTS kernels_out)
  file(GLOB files RELATIVE ${CMAKE_CURRENT_LIST_DIR}/../src
    ${CMAKE_CURRENT_LIST_DIR}/../src/aegis/${kernels}*.c)
  list(APPEND RIJN_LEFT_OUT ${files})
endforeach()

set(RIJN_SUBSET "")
if(RIJN_BACKENDS)
  set(RIJN_SUBSET ${CMAKE_CURRENT_BINARY_DIR}/backends.def)
  file(CONFIGURE OUTPUT ${RIJN_SUBSET} CONTENT "${subset}" @ONLY)
endif()
