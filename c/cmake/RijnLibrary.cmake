# Gives other folders the target rijn_static and the compiler flags of our C.

set(RIJN_LIBRARY "" CACHE FILEPATH "librijn.a of these sources, where it is built already")
if(RIJN_LIBRARY)
  add_library(rijn_static STATIC IMPORTED)
  set_target_properties(rijn_static PROPERTIES IMPORTED_LOCATION ${RIJN_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR}/../include)
else()
  add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/.. c EXCLUDE_FROM_ALL)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/RijnTarget.cmake)
