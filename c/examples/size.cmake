# cmake -DPROGRAM=seal -DSTRIP=strip -DCOPY=seal.stripped -DMOST=150000 -P size.cmake
#   fails if the stripped program or library has more than MOST bytes.
execute_process(COMMAND ${STRIP} -o ${COPY} ${PROGRAM} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${STRIP} cannot strip ${PROGRAM}: ${failed}")
endif()
file(SIZE ${COPY} size)
message(STATUS "${size} bytes of ${MOST}")
if(size GREATER MOST)
  message(FATAL_ERROR "${PROGRAM} has ${size} bytes without symbols, more than ${MOST}.")
endif()
