"""The permission bits of a file without its POSIX access control list (ACL).

Results do not get a source's ACL. On a file that has one, the group bits of st_mode are the ACL's
mask: the most that a named user or group has, not the permission of the owning group (acl(5),
"Correspondence between ACL entries and file permission bits"). Linux has ACLs as extended
attributes.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import Any

_ATTRIBUTE = "system.posix_acl_access"
_HEADER = struct.Struct("<I")  # the version
_ENTRY = struct.Struct("<HHI")  # tag, permissions, user or group
_VERSION = 2
_USER, _GROUP_OBJ, _GROUP, _MASK, _OTHER = 0x02, 0x04, 0x08, 0x10, 0x20
_WITHOUT = (errno.ENODATA, errno.ENOTSUP, errno.ENOSYS) if hasattr(os, "getxattr") else ()


def status_of(file: int | str, *, follow_symlinks: bool = True) -> os.stat_result:
    """Returns the status of an open file or a path, changed by `without_acl`. OSError."""
    found = (
        os.stat(file) if isinstance(file, int) else os.stat(file, follow_symlinks=follow_symlinks)
    )
    return without_acl(found, file, follow_symlinks=follow_symlinks)


def without_acl(
    found: os.stat_result,
    file: int | str,
    *,
    follow_symlinks: bool = True,
    folder: int | None = None,
) -> os.stat_result:
    """Returns the status of `file`, in an open folder if there is one, with permission bits that mean
    the same in a file without an ACL. FileNotFoundError.

    Nobody gets more rights from these bits than from the ACL. The group bits come from the owning
    group's entry. Named users and groups with fewer rights remove bits from the group and from others.
    """
    if not (hasattr(os, "getxattr") and found.st_mode & 0o077):
        return found
    if folder is not None:  # there is no getxattr relative to a folder
        file = f"/proc/self/fd/{folder}/{file}"
    try:
        if isinstance(file, int):
            entries = os.getxattr(file, _ATTRIBUTE)
        else:
            entries = os.getxattr(file, _ATTRIBUTE, follow_symlinks=follow_symlinks)
    except FileNotFoundError:
        if folder is None:
            raise
        entries = b""  # there may be no /proc
    except OSError as error:
        if error.errno in _WITHOUT:
            return found
        entries = b""  # unknown
    parts: Any = found.__reduce__()[1]  # the tuple, and the attributes besides it
    (mode, *others), more = parts
    return os.stat_result((mode & (~0o077 | _bits(entries)), *others), more)


def _bits(entries: bytes) -> int:
    """Returns the bits of group and others. An unreadable ACL gives none."""
    try:
        (version,) = _HEADER.unpack_from(entries)
        found = list(_ENTRY.iter_unpack(entries[_HEADER.size :]))
    except struct.error:
        return 0
    by_tag: dict[int, int] = {tag: permissions for tag, permissions, _ in found}
    if version != _VERSION or not {_GROUP_OBJ, _OTHER} <= by_tag.keys():
        return 0
    mask = by_tag.get(_MASK, 0o7)
    group, other = by_tag[_GROUP_OBJ] & mask, by_tag[_OTHER]
    for tag, permissions, _ in found:
        if tag in (_USER, _GROUP):
            group &= permissions
            other &= permissions & mask
    return (group << 3 | other) & 0o077
