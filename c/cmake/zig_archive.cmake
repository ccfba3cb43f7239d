# Static libraries by zig (zig.cmake). The same objects make the same bytes.
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> ar qcD <TARGET> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "")
