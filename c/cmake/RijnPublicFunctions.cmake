# Lists the functions that include/rijn.h declares, for tests that must call every one.

# rijn_public_functions(TARGET) lets TARGET include tests/public.h, and generates
# rijn_public_functions.h for it from every RIJN_API declaration.
#   RIJN_PUBLIC_FUNCTIONS(X)   X(rijn_status_text) X(rijn_version) …
#   with RIJN_RECORD defined   each of those names is a macro, RIJN_RECORD(name)
function(rijn_public_functions target)
  set(header ${PROJECT_SOURCE_DIR}/include/rijn.h)
  file(READ ${header} text)
  string(REGEX MATCHALL "\nRIJN_API" declarations "${text}")
  string(REGEX MATCHALL "\nRIJN_API[^(;]*[(]" heads "${text}")

  set(list "")
  set(macros "")
  set(names "")
  foreach(head IN LISTS heads)
    if(NOT head MATCHES "(rijn_[a-z0-9_]+)[(]$")
      message(FATAL_ERROR "${header}: no function's name in: ${head}")
    endif()
    list(APPEND names ${CMAKE_MATCH_1})
    string(APPEND list " \\\n    X(${CMAKE_MATCH_1})")
    string(APPEND macros "#define ${CMAKE_MATCH_1} RIJN_RECORD(${CMAKE_MATCH_1})\n")
  endforeach()
  list(LENGTH declarations expected)
  list(REMOVE_DUPLICATES names)
  list(LENGTH names found)
  if(found EQUAL 0 OR NOT found EQUAL expected)
    message(FATAL_ERROR "${header}: ${expected} times RIJN_API, but ${found} functions")
  endif()

  set(directory ${PROJECT_BINARY_DIR}/public/${target})
  file(CONFIGURE OUTPUT ${directory}/rijn_public_functions.h CONTENT
"/* Made of ${header} by cmake/RijnPublicFunctions.cmake. */
#define RIJN_PUBLIC_FUNCTIONS(X)${list}

#ifdef RIJN_RECORD
${macros}#endif
" @ONLY)
  target_include_directories(${target} PRIVATE ${directory} ${PROJECT_SOURCE_DIR}/tests)
endfunction()
