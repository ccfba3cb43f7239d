"""Padding to whole blocks."""

from __future__ import annotations

from ...._check import Buffer, integer, readable

__all__ = ["pad", "unpad"]

_STYLES = ("pkcs7", "x923", "iso7816")


def _checked(name: str, data: Buffer, block_size: int, style: str) -> bytes:
    if style not in _STYLES:
        raise ValueError("Unknown padding style")
    if not 1 <= integer("block_size", block_size) <= 255:
        raise ValueError(f"block_size must be 1 to 255, not {block_size}")
    return bytes(readable(name, data))


def _padding(size: int, style: str) -> bytes:
    """Returns padding of that many bytes, at least one."""
    if style == "pkcs7":
        return bytes([size]) * size
    if style == "x923":
        return bytes(size - 1) + bytes([size])
    return b"\x80" + bytes(size - 1)


def pad(data_to_pad: Buffer, block_size: int, style: str = "pkcs7") -> bytes:
    """Appends 1 to `block_size` bytes.

    :param data_to_pad: any size.
    :param block_size: 1 to 255 bytes.
    :param style: "pkcs7" (RFC 5652 section 6.3), "x923" (ANSI X9.23) or "iso7816" (ISO 7816-4).
    :returns: a multiple of `block_size` bytes.
    :raises ValueError: if a size or the style is not allowed.
    """
    data = _checked("data_to_pad", data_to_pad, block_size, style)
    return data + _padding(block_size - len(data) % block_size, style)


def unpad(padded_data: Buffer, block_size: int, style: str = "pkcs7") -> bytes:
    """Removes the padding: the inverse of `pad`.

    Anyone who can send ciphertexts and see whether the padding was valid can decrypt everything by
    asking often (a padding oracle). Authenticate first.

    :param padded_data: a multiple of `block_size` bytes, not 0.
    :param block_size: as for `pad`.
    :param style: as for `pad`.
    :returns: the bytes before the padding.
    :raises ValueError: if a size or the style is not allowed; "Padding is incorrect." for every
        fault of the padding.
    """
    data = _checked("padded_data", padded_data, block_size, style)
    if not data:
        raise ValueError("Zero-length input cannot be unpadded")
    if len(data) % block_size:
        raise ValueError("Input data is not padded")
    size = len(data) - data.rfind(b"\x80") if style == "iso7816" else data[-1]
    if not 1 <= size <= block_size or not data.endswith(_padding(size, style)):
        raise ValueError("Padding is incorrect.")
    return data[:-size]
