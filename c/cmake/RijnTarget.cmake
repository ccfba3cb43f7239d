# Compiler and linker flags of our C.

include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

# Keeps the flags that the compiler knows.
function(rijn_known_flags known)
  set(flags "")
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "RIJN_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      list(APPEND flags ${flag})
    endif()
  endforeach()
  set(${known} "${flags}" PARENT_SCOPE)
endfunction()

rijn_known_flags(RIJN_WARNINGS
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual
  -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wundef
  -Wvla -Wwrite-strings -Wpointer-arith -Wnull-dereference)
if(RIJN_WERROR)
  list(APPEND RIJN_WARNINGS -Werror)
endif()

# No other library may replace a function of ours, so calls inside the library need no indirection.
rijn_known_flags(RIJN_DIRECT_CALLS -fno-semantic-interposition)

# The loader resolves calls of the C library when the program starts. Resolving them at the first
# call would save all vector registers, with the secrets in them, on the stack.
rijn_known_flags(RIJN_BOUND_EARLY -fno-plt)

# With sanitizers, gcc 12 merges some functions that differ (src/backend.h). RIJN_UNFOLDED keeps the
# functions of function tables apart in every build. This flag keeps all others apart here.
rijn_known_flags(RIJN_UNFOLDED -fno-ipa-icf)

# One section for each function, so that the linker can leave out unused ones with RIJN_COLLECTED.
rijn_known_flags(RIJN_SECTIONS -ffunction-sections -fdata-sections)
include(CheckLinkerFlag)
set(RIJN_COLLECTED "")
if(NOT APPLE AND NOT WIN32 AND NOT EMSCRIPTEN)
  check_linker_flag(C -Wl,--gc-sections RIJN_HAS_GC_SECTIONS)
  if(RIJN_HAS_GC_SECTIONS)
    set(RIJN_COLLECTED -Wl,--gc-sections)
  endif()
endif()

# Warnings, sanitizers and C11 for a target of ours: library, test or example.
function(rijn_target target)
  target_compile_features(${target} PRIVATE c_std_11)
  target_compile_options(${target} PRIVATE ${RIJN_WARNINGS})
  set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE ${RIJN_DIRECT_CALLS} ${RIJN_BOUND_EARLY})
  if(RIJN_SUBSET)
    target_compile_definitions(${target} PRIVATE "RIJN_BACKENDS_DEF=\"${RIJN_SUBSET}\"")
  endif()
  if(RIJN_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${RIJN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(${target} PUBLIC -fsanitize=${RIJN_SANITIZE})
  endif()
endfunction()

# Tells whether the backend `asm` can be built: the build is for one architecture, x86-64 with 64-bit
# pointers and the System V ABI.
check_c_source_compiles("
  #if !defined(__x86_64__) || !defined(__LP64__) || !(defined(__ELF__) || defined(__APPLE__))
  #error other target
  #endif
  int main(void) { return 0; }" RIJN_ASM)

if(NOT RIJN_LEAKY OR RIJN_AMALGAMATION OR (RIJN_BACKENDS AND NOT asm IN_LIST RIJN_BACKENDS))
  set(RIJN_ASM OFF)
endif()

# If no backend of RIJN_BACKENDS is for this machine, the library would be empty.
if(RIJN_SUBSET)
  unset(RIJN_HAS_BACKENDS CACHE)
  set(CMAKE_REQUIRED_INCLUDES ${CMAKE_CURRENT_LIST_DIR}/../include ${CMAKE_CURRENT_LIST_DIR}/../src)
  set(CMAKE_REQUIRED_DEFINITIONS "-DRIJN_BACKENDS_DEF=\"${RIJN_SUBSET}\"")
  if(RIJN_ASM)
    list(APPEND CMAKE_REQUIRED_DEFINITIONS -DRIJN_ASM)
  endif()
  check_c_source_compiles("
    #include <backends.h>
    #define RIJN_BACKEND(where, id, name, timing, choice, kernels) RIJN_IN_##where(+1)
    enum { BUILT = 0
    #include <backends.def>
    };
    int main(void) { return sizeof(char[BUILT ? 1 : -1]) != 1; }" RIJN_HAS_BACKENDS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  if(NOT RIJN_HAS_BACKENDS)
    message(FATAL_ERROR "RIJN_BACKENDS=\"${RIJN_BACKENDS}\": this compiler's machine has none of them.")
  endif()
endif()

# One of the two forms of librijn.
function(rijn_library target)
  rijn_target(${target})
  target_compile_options(${target} PRIVATE ${RIJN_UNFOLDED} ${RIJN_SECTIONS})
  if(RIJN_ASM)
    target_compile_definitions(${target} PRIVATE RIJN_ASM)
  endif()
  if(NOT RIJN_LEAKY)
    target_compile_definitions(${target} PRIVATE RIJN_NO_LEAKS)
  endif()
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
endfunction()

# Exports only these names from a shared library or module, with a symbol version where the platform
# has them. Calls inside it bind to its own functions.
function(rijn_exports target names)
  include(CheckLinkerFlag)
  set(script ${PROJECT_BINARY_DIR}/${target}.map)
  set(node RIJN_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  file(CONFIGURE OUTPUT ${script} CONTENT "${node} { global: ${names}; local: *; };\n")
  if(UNIX AND NOT APPLE)
    check_linker_flag(C -Wl,-Bsymbolic-functions RIJN_HAS_BSYMBOLIC_FUNCTIONS)
    check_linker_flag(C -Wl,--version-script=${script} RIJN_HAS_VERSION_SCRIPT)
  endif()
  if(RIJN_HAS_BSYMBOLIC_FUNCTIONS)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  if(RIJN_HAS_VERSION_SCRIPT)
    target_link_options(${target} PRIVATE -Wl,--version-script=${script})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  endif()
endfunction()
