# rijn._native. scikit-build-core (pyproject.toml) sets SKBUILD_SABI_VERSION
# where the interpreter has the limited API; without it the module fits only
# the Python that built it.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

# CPython's tables hold functions as void * and string literals as char *.
list(REMOVE_ITEM RIJN_WARNINGS -Wpedantic -Wwrite-strings)

file(GLOB RIJN_BINDING CONFIGURE_DEPENDS python/binding/*.c)
python_add_library(_native MODULE WITH_SOABI ${RIJN_BINDING})
rijn_target(_native)
target_include_directories(_native PRIVATE src)
target_link_libraries(_native PRIVATE rijn_static)

if(SKBUILD_SABI_VERSION)
  target_compile_definitions(_native PRIVATE Py_LIMITED_API=0x030B0000)
  if(NOT WIN32)
    set_target_properties(_native PROPERTIES SUFFIX ".abi3${CMAKE_SHARED_MODULE_SUFFIX}")
  endif()
endif()

# The core inside stays private: a librijn elsewhere in the process must not
# take its place.
include(CheckLinkerFlag)
check_linker_flag(C -Wl,--exclude-libs,ALL RIJN_HAS_EXCLUDE_LIBS)
if(RIJN_HAS_EXCLUDE_LIBS)
  target_link_options(_native PRIVATE -Wl,--exclude-libs,ALL)
endif()

install(TARGETS _native DESTINATION rijn COMPONENT python)
