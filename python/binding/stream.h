/* A message in pieces. */
#ifndef RIJN_BINDING_STREAM_H
#define RIJN_BINDING_STREAM_H

#include "sealer.h"

/* Starts a stream of each algorithm. */
start_function start_gcm, start_xaes, start_ocb, start_eax, start_aegis;

/* The method _stream of a sealer, which makes a stream. */
PyObject *new_stream(PyObject *object, PyTypeObject *class, PyObject *const *args, Py_ssize_t given,
                     PyObject *keywords);

bool add_streams(PyObject *module);

#endif
