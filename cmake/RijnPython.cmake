# rijn._native. scikit-build-core (pyproject.toml) sets SKBUILD_SABI_VERSION
# where the interpreter has the limited API; without it the module fits only
# the Python that built it.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

# Python's headers are the same for every machine but for pyconfig.h.
if(CMAKE_CROSSCOMPILING)
  set(headers ${PROJECT_BINARY_DIR}/python)
  file(COPY ${Python_INCLUDE_DIRS}/ DESTINATION ${headers} PATTERN pyconfig.h EXCLUDE)
  file(COPY ${PROJECT_SOURCE_DIR}/cmake/cross/pyconfig.h DESTINATION ${headers})
  set_target_properties(Python::Module PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${headers})
  if(WIN32) # what to import from python3.dll, read from its headers
    file(GLOB RIJN_PYTHON_HEADERS ${headers}/*.h)
    set(names "")
    foreach(header ${RIJN_PYTHON_HEADERS})
      file(READ ${header} text)
      string(REGEX MATCHALL "PyAPI_(FUNC|DATA)\\([^)]*\\)[ \n]*\\**[A-Za-z_0-9]+" found "${text}")
      list(APPEND names ${found})
    endforeach()
    list(TRANSFORM names REPLACE "PyAPI_FUNC.*[^A-Za-z_0-9]([A-Za-z_0-9]+)$" "\\1")
    list(TRANSFORM names REPLACE "PyAPI_DATA.*[^A-Za-z_0-9]([A-Za-z_0-9]+)$" "\\1 DATA")
    list(REMOVE_DUPLICATES names)
    list(JOIN names "\n" names)
    file(WRITE ${PROJECT_BINARY_DIR}/python3.def "LIBRARY python3.dll\nEXPORTS\n${names}\n")
    execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${CMAKE_AR} dlltool
      -d ${PROJECT_BINARY_DIR}/python3.def -l ${PROJECT_BINARY_DIR}/python3.lib -m ${RIJN_DLLTOOL})
    set_target_properties(Python::Module PROPERTIES INTERFACE_LINK_LIBRARIES ""
      IMPORTED_LOCATION ${PROJECT_BINARY_DIR}/python3.lib)
  endif()
  if(APPLE) # Python loads either form; zig breaks down when it links a bundle
    set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS "-dynamiclib -Wl,-headerpad_max_install_names")
  endif()
endif()

# CPython's tables hold functions as void * and string literals as char *.
list(REMOVE_ITEM RIJN_WARNINGS -Wpedantic -Wwrite-strings)

file(GLOB RIJN_BINDING CONFIGURE_DEPENDS python/binding/*.c)
python_add_library(_native MODULE WITH_SOABI ${RIJN_BINDING})
rijn_target(_native)
target_link_libraries(_native PRIVATE rijn_static)

if(SKBUILD_SABI_VERSION)
  target_compile_definitions(_native PRIVATE Py_LIMITED_API=0x030B0000)
  if(WIN32)
    set_target_properties(_native PROPERTIES SUFFIX .pyd)
  else()
    set_target_properties(_native PROPERTIES SUFFIX .abi3.so)
  endif()
endif()

# The core inside stays private: a librijn elsewhere in the process must not
# take its place.
rijn_exports(_native PyInit__native)

install(TARGETS _native DESTINATION rijn COMPONENT python)

# Man pages, where the build has click, as pyproject.toml asks. They come from the help texts alone.
if(SKBUILD_DATA_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import click" RESULT_VARIABLE missing ERROR_QUIET)
  if(missing)
    message(WARNING "No man pages: they need the package click")
  else()
    file(GLOB_RECURSE RIJN_COMMANDS CONFIGURE_DEPENDS python/rijn/*.py)
    add_custom_command(OUTPUT man.stamp
      COMMAND ${CMAKE_COMMAND} -E rm -rf man1
      COMMAND ${Python_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/man_pages.py man1
      COMMAND ${CMAKE_COMMAND} -E touch man.stamp
      DEPENDS ${PROJECT_SOURCE_DIR}/tools/man_pages.py ${RIJN_COMMANDS}
      VERBATIM)
    add_custom_target(rijn_man ALL DEPENDS man.stamp)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man1 DESTINATION ${SKBUILD_DATA_DIR}/share/man
      COMPONENT python)
  endif()
endif()
