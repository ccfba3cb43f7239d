"""Finds where a buffer lies, which memoryview does not tell. This is a separate module, because ctypes
is slow to import and may be missing.
"""

from __future__ import annotations

import ctypes

if hasattr(ctypes, "pythonapi"):

    class PyBuffer(ctypes.Structure):
        """The first member of Py_buffer, and more space than the others need."""

        _fields_ = (("buf", ctypes.c_void_p), ("others", ctypes.c_char * 256))

    _get = ctypes.pythonapi.PyObject_GetBuffer
    _get.argtypes = (ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int)
    _release = ctypes.pythonapi.PyBuffer_Release
    _release.argtypes = (ctypes.POINTER(PyBuffer),)
    _release.restype = None

    def _address(view: bytes | memoryview) -> int:
        found = PyBuffer()
        _get(view, found, 0)
        _release(found)
        start: int = found.buf
        return start

    def distance(a: bytes | memoryview, b: bytes | memoryview) -> int:
        """Returns the offset of a's first byte from b's. The views must not be empty."""
        return _address(a) - _address(b)

else:  # PyPy, which has this module of cffi built in
    from _cffi_backend import FFI

    _ffi = FFI()

    def distance(a: bytes | memoryview, b: bytes | memoryview) -> int:
        # PyPy gives the address of a copy if an object's own may change. Both copies live until both
        # addresses are known, so that they are never the same.
        held = [_ffi.from_buffer(it) for it in (a, b)]
        start, origin = (int(_ffi.cast("uintptr_t", it)) for it in held)
        return start - origin
