# rijn_man_pages([PYPROJECT]): builds and installs the man pages of rijn's commands, or of the
# commands that PYPROJECT plugs in. It needs click in the Python of the build, as pyproject.toml
# requests; the text comes from the help texts alone.
set(RIJN_MAN_PAGES ${CMAKE_CURRENT_LIST_DIR}/../tools/man_pages.py)

function(rijn_man_pages)
  if(NOT SKBUILD_DATA_DIR)
    return()
  endif()
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import click" RESULT_VARIABLE missing ERROR_QUIET)
  if(missing)
    message(WARNING "No man pages: they need the package click")
    return()
  endif()
  file(GLOB_RECURSE commands CONFIGURE_DEPENDS rijn*/*.py)
  add_custom_command(OUTPUT man.stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf man1
    COMMAND ${Python_EXECUTABLE} -B ${RIJN_MAN_PAGES} man1 ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E touch man.stamp
    DEPENDS ${RIJN_MAN_PAGES} ${commands} ${ARGN}
    VERBATIM)
  add_custom_target(rijn_man ALL DEPENDS man.stamp)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man1 DESTINATION ${SKBUILD_DATA_DIR}/share/man
    COMPONENT python)
endfunction()
