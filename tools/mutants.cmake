# Generates files of the C tests for tools/mutate.py: run cmake -P at the root of the tree.
set(PROJECT_SOURCE_DIR c)
set(PROJECT_BINARY_DIR made)
function(target_include_directories)
endfunction()
include(c/cmake/RijnPublicFunctions.cmake)
rijn_public_functions(test_wipe)
# As CMakeLists.txt compiles it.
foreach(plain "1 8" "2 4" "4 2")
  separate_arguments(plain)
  list(GET plain 0 blocks)
  list(GET plain 1 flight)
  file(WRITE made/plain_${blocks}.c "#define PLAIN_BLOCKS ${blocks}
#define PLAIN_FLIGHT ${flight}
#define PLAIN_RECORD plain_${blocks}
#include \"../c/tests/unit/plain.c\"
")
endforeach()
