"""Encrypted files, as `rijn encrypt` and `rijn decrypt` write and read them::

    from rijn import files

    files.encrypt_file("letter.txt", "letter.txt.rijn", key="my.key")
    files.decrypt_file("letter.txt.rijn", "copy.txt", key="my.key")

    with files.open("letter.txt.rijn", "rb", key="my.key") as letter:
        letter.seek(5)
        part = letter.read(3)  # reads only the chunks that it needs
    with files.open("new.rijn", "wb", key="my.key") as new:
        new.write(b"...")  # the file appears at the end of the block

The command reads what these functions write, and they read what it writes. They keep its promises:

- A result gets its name only when it is complete. Errors and KeyboardInterrupt leave an existing
  file as it was, and no other file. A kill or a power cut leaves at most a file `.rijn-*.part`.
- They give out only authenticated plaintext, and a length only once the end is authenticated.
- Neither the source nor the key file is ever replaced.

A `key` is 16 or 32 uniformly random bytes, or the path of a key file of `rijn keygen`, as str or
os.PathLike. A `passphrase` is text, from which Argon2id derives the key. Files have exactly one of
the two. A passphrase needs the package argon2-cffi.

- encrypt_file, decrypt_file: whole files, on all cores
- open: a seekable file object to read, or one to write
- read_key, parse_key, format_key: key files
- Header, Argon2id: the header before the message (docs/format.md)
"""

from .format import (
    MAX_HEADER,
    Argon2id,
    BadHeader,
    Header,
    HexKey,
    KeyExposed,
    KeyFileError,
    NotRijn,
    RawKey,
    Unsupported,
    check_passphrase,
    format_key,
    parse_key,
    read_key,
)
from .objects import FileReader, FileWriter, open
from .whole import decrypt_file, encrypt_file

__all__ = [
    "MAX_HEADER",
    "Argon2id",
    "BadHeader",
    "FileReader",
    "FileWriter",
    "Header",
    "HexKey",
    "KeyExposed",
    "KeyFileError",
    "NotRijn",
    "RawKey",
    "Unsupported",
    "check_passphrase",
    "decrypt_file",
    "encrypt_file",
    "format_key",
    "open",
    "parse_key",
    "read_key",
]
