# Compiles for another machine with zig (PyPI: ziglang), which brings the C library of each:
#
#   ZIG=/path/to/zig ZIG_TARGET=aarch64-linux-gnu.2.17 cmake --toolchain cmake/zig.cmake ...
#
# ZIG_CPU, if set, is the oldest supported processor. python/tools/wheels.py builds wheels with it.

string(REGEX MATCH "^([a-z0-9_]+)-([a-z]+)" _ "$ENV{ZIG_TARGET}")
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(RIJN_SYSTEM_linux Linux)
set(RIJN_SYSTEM_macos Darwin)
set(RIJN_SYSTEM_windows Windows)
set(RIJN_SYSTEM_wasi Emscripten) # as Pyodide has it: zig has no headers of Emscripten
set(CMAKE_SYSTEM_NAME ${RIJN_SYSTEM_${CMAKE_MATCH_2}})
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}) # Platform/Emscripten

# Without -g0 it writes debug information, with the path of this folder.
set(CMAKE_C_COMPILER "$ENV{ZIG}" cc -target $ENV{ZIG_TARGET} -g0)
list(APPEND CMAKE_C_COMPILER -Werror=unused-command-line-argument) # flags it has no use for
if(DEFINED ENV{ZIG_CPU})
  list(APPEND CMAKE_C_COMPILER -mcpu=$ENV{ZIG_CPU})
endif()
set(CMAKE_ASM_COMPILER ${CMAKE_C_COMPILER})

# zig is also the archiver. This is set after CMake has read the rules of the platform.
set(CMAKE_AR "$ENV{ZIG}" CACHE FILEPATH "")
set(CMAKE_USER_MAKE_RULES_OVERRIDE ${CMAKE_CURRENT_LIST_DIR}/zig_archive.cmake)

# zig's own functions, which 32-bit processors need, have debug information with the path of its cache. In
# Windows' modules stands a sum of what debuggers read.
if(CMAKE_SYSTEM_NAME MATCHES "^(Linux|Windows)$")
  set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
endif()

# The machine's name in zig's dlltool.
set(RIJN_DLLTOOL_x86_64 i386:x86-64)
set(RIJN_DLLTOOL_aarch64 arm64)
set(RIJN_DLLTOOL ${RIJN_DLLTOOL_${CMAKE_SYSTEM_PROCESSOR}})

# CMake requires this setting. It has no effect if no library is given by a path.
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_INSTALL_NAME_TOOL "$ENV{ZIG}")
