# CPython for WebAssembly, as Pyodide has it. A module is position-independent code that
# is linked with no library. The loader finds the functions of Python and of the C library.
set(UNIX 1)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS TRUE)

set(CMAKE_SHARED_MODULE_PREFIX "")
set(CMAKE_SHARED_MODULE_SUFFIX .so)
set(CMAKE_C_COMPILE_OPTIONS_PIC -fPIC)
set(CMAKE_SHARED_LIBRARY_C_FLAGS -fPIC)
set(CMAKE_C_CREATE_SHARED_MODULE
  "\"$ENV{ZIG}\" wasm-ld --experimental-pic -shared --no-entry --no-export-dynamic -Bsymbolic --unresolved-symbols=import-dynamic --export=PyInit__native -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
