"""Finds the address of a buffer, which memoryview does not provide. This is a separate module,
because ctypes is slow to import and may be missing.
"""

from __future__ import annotations

import ctypes


class PyBuffer(ctypes.Structure):
    """The first member of Py_buffer, and more space than the others need."""

    _fields_ = (("buf", ctypes.c_void_p), ("others", ctypes.c_char * 256))


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = (ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int)
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = (ctypes.POINTER(PyBuffer),)
_release.restype = None


def address(view: bytes | memoryview) -> int:
    """Returns the address of the first byte. The view must not be empty."""
    found = PyBuffer()
    _get(view, found, 0)
    _release(found)
    start: int = found.buf
    return start
