"""Runs unpatched programs that import PyCryptodome on Rijn's AES, on the default backend and on python.

    python .ci/compat/programs.py PROGRAMS ORIGINALS FOLDER    needs rijn[test]

PROGRAMS is a folder with the packages yt-dlp and pypdf, ORIGINALS one with pyzipper and pycryptodomex. FOLDER
gets files. Prints one "PASSED name" or "FAILED name" a check; exits with 1 if one failed.
"""

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

BACKENDS = ("", "python")
LIMIT = 300  # seconds for one program

# An HLS stream: transport stream packets in segments, each encrypted in CBC under its own IV, one of them
# the segment's number.
KEY = bytes(range(16))
SEGMENTS = 3
PACKETS = 400
IVS = (b"\x80" * 16, (1).to_bytes(16, "big"), bytes(range(100, 116)))

# Each writes or reads a file, on whatever module it imports.
PDF = """
import sys
sys.modules["cryptography"] = None  # pypdf prefers it
provider, direction, algorithm, path = sys.argv[1:]
import pypdf
from pypdf._crypt_providers import crypt_provider
assert crypt_provider[0] == "pycryptodome", crypt_provider
import Crypto.Cipher.AES
assert Crypto.Cipher.AES.__name__.startswith("rijn.") == (provider == "rijn")
if direction == "write":
    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 100)
    writer.add_metadata({"/Title": "a title that is encrypted " * 40})
    writer.encrypt("user", "owner", algorithm=algorithm)
    writer.write(path)
    assert b"a title" not in open(path, "rb").read()
else:
    for password in ("user", "owner"):
        reader = pypdf.PdfReader(path)
        assert reader.is_encrypted
        assert not reader.decrypt("another")
        assert reader.decrypt(password)
        assert reader.metadata["/Title"] == "a title that is encrypted " * 40
        assert len(reader.pages) == 1
"""
ZIP = """
import sys
provider, direction, bits, path = sys.argv[1:]
import pyzipper
import Cryptodome.Cipher.AES
assert Cryptodome.Cipher.AES.__name__.startswith("rijn.") == (provider == "rijn")
files = {"a.txt": b"text " * 50000, "empty": b"", "b": bytes(range(256))}
if direction == "write":
    options = {"compression": pyzipper.ZIP_DEFLATED, "encryption": pyzipper.WZ_AES}
    with pyzipper.AESZipFile(path, "w", **options) as file:
        file.setpassword(b"password")
        file.setencryption(pyzipper.WZ_AES, nbits=int(bits))
        for name, data in files.items():
            file.writestr(name, data)
else:
    with pyzipper.AESZipFile(path) as file:
        file.setpassword(b"password")
        assert {name: file.read(name) for name in file.namelist()} == files
        file.setpassword(b"another")
        try:
            file.read("a.txt")
        except RuntimeError:
            pass
        else:
            raise AssertionError("another password opened the file")
"""


def packets(number: int) -> bytes:
    """Returns a segment's packets, which begin with the byte 0x47 and have 188 bytes."""
    return b"".join(
        b"\x47\x40" + i.to_bytes(2, "big") + bytes((number + i + j) % 256 for j in range(184))
        for i in range(PACKETS)
    )


def write_stream(folder: Path) -> bytes:
    """Writes an encrypted stream, and returns its plaintext."""
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:2", "#EXT-X-MEDIA-SEQUENCE:0"]
    (folder / "key.bin").write_bytes(KEY)
    for number, iv in enumerate(IVS):
        padder = PKCS7(128).padder()
        padded = padder.update(packets(number)) + padder.finalize()
        encryptor = Cipher(algorithms.AES(KEY), modes.CBC(iv)).encryptor()
        (folder / f"{number}.ts").write_bytes(encryptor.update(padded) + encryptor.finalize())
        named = "" if int.from_bytes(iv) == number else f",IV=0x{iv.hex()}"
        lines += [f'#EXT-X-KEY:METHOD=AES-128,URI="key.bin"{named}', "#EXTINF:2.0,", f"{number}.ts"]
    (folder / "stream.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]), "utf-8")
    return b"".join(map(packets, range(SEGMENTS)))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Writes no log."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serves a folder on the loopback interface, and yields its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def run(path: Path, *command: str) -> tuple[bool, str]:
    """Runs Python with the packages of a folder. Returns whether it succeeded, and its output."""
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run(
        [sys.executable, *command],
        env={**environment, "PYTHONPATH": str(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    return done.returncode == 0, done.stdout


def on_rijn(name: str, backend: str, *options: str) -> tuple[str, ...]:
    chosen = ("--backend", backend) if backend else ()
    return ("-m", "rijn.compat.run", "--as", name, *chosen, *options)


def check_stream(programs: Path, folder: Path, backend: str) -> str:
    """yt-dlp downloads the stream with its own downloader. Returns the reason if it fails."""
    plaintext = write_stream(folder)
    result = folder / f"result-{backend}.mp4"
    options = ("--ignore-config", "--no-cache-dir", "--hls-prefer-native", "--fixup", "never", "-v")
    with served(folder) as address:
        ok, text = run(
            programs,
            *on_rijn("Cryptodome", backend, "yt-dlp"),
            *(*options, "-o", str(result), f"{address}/stream.m3u8"),
        )
    if not ok or "pycryptodomex is not" in text or "Cryptodome" not in text:
        return text
    return "" if result.read_bytes() == plaintext else f"another plaintext\n{text}"


def both_ways(path: Path, name: str, program: Path, kind: str, file: Path, backend: str) -> str:
    """Writes and reads a file on Rijn and on the original. Returns the reason if it fails."""
    rijn = (*on_rijn(name, backend, "--over-installed"), str(program), "rijn")
    original = (str(program), "original")
    for writer, reader in ((rijn, rijn), (rijn, original), (original, rijn)):
        for command, direction in ((writer, "write"), (reader, "read")):
            ok, text = run(path, *command, direction, kind, str(file))
            if not ok:
                return text
    return ""


def main() -> int:
    programs, originals, folder = (Path(name).resolve() for name in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pdf.py").write_text(PDF, "utf-8")
    (folder / "zip.py").write_text(ZIP, "utf-8")
    failed = 0
    for backend in BACKENDS:
        checks = {"yt-dlp downloads an AES-128 stream": check_stream(programs, folder, backend)}
        for kind in ("AES-128", "AES-256-R5", "AES-256"):
            checks[f"pypdf writes and reads {kind}"] = both_ways(
                programs, "Crypto", folder / "pdf.py", kind, folder / "a.pdf", backend
            )
        for kind in ("128", "192", "256"):
            checks[f"pyzipper writes and reads WinZip AES-{kind}"] = both_ways(
                originals, "Cryptodome", folder / "zip.py", kind, folder / "a.zip", backend
            )
        for name, reason in checks.items():
            if reason:
                print(reason)
            print("FAILED" if reason else "PASSED", f"{name}, {backend or 'the default backend'}")
            failed += bool(reason)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
