"""Where in memory a buffer lies: the one thing that Python's own memoryview keeps to
itself. A module of its own because ctypes is slow to import and may be missing."""

from __future__ import annotations

import ctypes


class PyBuffer(ctypes.Structure):
    """The first member of Py_buffer, and more room than the others take."""

    _fields_ = (("buf", ctypes.c_void_p), ("others", ctypes.c_char * 256))


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = (ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int)
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = (ctypes.POINTER(PyBuffer),)
_release.restype = None


def address(view: bytes | memoryview) -> int:
    """The address of the first byte; view is not empty."""
    found = PyBuffer()
    _get(view, found, 0)
    _release(found)
    start: int = found.buf
    return start
