# The backends of every build, as src/backends.def lists them.
#   RIJN_BACKEND_NAMES      their public names, preferred first
#   RIJN_LEAKY_NAMES        the names of the backends that are not constant time
#   RIJN_LEAKY_SOURCES      what RIJN_LEAKY=OFF leaves out, as src has it: their files, and the
#                           kernels of AEGIS that no other backend has
set(RIJN_BACKENDS_DEF ${CMAKE_CURRENT_LIST_DIR}/../src/backends.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${RIJN_BACKENDS_DEF})
file(STRINGS ${RIJN_BACKENDS_DEF} lines REGEX "^RIJN_BACKEND\\(")

set(RIJN_BACKEND_NAMES "")
set(RIJN_LEAKY_NAMES "")
set(RIJN_LEAKY_SOURCES "")
set(leaky_kernels "")
set(clean_kernels "")
foreach(line IN LISTS lines)
  if(NOT line MATCHES
      "^RIJN_BACKEND\\([A-Z0-9_]+, ([a-z0-9_]+), \"([a-z0-9-]+)\", ([A-Z]+), [A-Z0-9_]+, ([a-z0-9_]+)\\)$")
    message(FATAL_ERROR "${RIJN_BACKENDS_DEF}: not understood: ${line}")
  endif()
  list(APPEND RIJN_BACKEND_NAMES ${CMAKE_MATCH_2})
  if(CMAKE_MATCH_3 STREQUAL LEAKY)
    list(APPEND RIJN_LEAKY_NAMES ${CMAKE_MATCH_2})
    list(APPEND RIJN_LEAKY_SOURCES backends/${CMAKE_MATCH_1}.c)
    list(APPEND leaky_kernels ${CMAKE_MATCH_4})
  else()
    list(APPEND clean_kernels ${CMAKE_MATCH_4})
  endif()
endforeach()

list(REMOVE_ITEM leaky_kernels ${clean_kernels})
list(REMOVE_DUPLICATES leaky_kernels)
foreach(kernel IN LISTS leaky_kernels)
  list(APPEND RIJN_LEAKY_SOURCES aegis/${kernel}.c)
endforeach()
