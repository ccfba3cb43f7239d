# Generates headers of the C tests for tools/mutate.py: run cmake -P at the root of the tree.
set(PROJECT_SOURCE_DIR c)
set(PROJECT_BINARY_DIR made)
function(target_include_directories)
endfunction()
include(c/cmake/RijnPublicFunctions.cmake)
rijn_public_functions(test_wipe)
