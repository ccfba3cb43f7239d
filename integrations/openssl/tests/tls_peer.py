"""A peer of a TLS connection through Python's ssl.

python tls_peer.py server CERT KEY VERSION CIPHERS OPTIONS    prints its port, echoes one connection
python tls_peer.py client CERT PORT VERSION CIPHERS OPTIONS   sends data, compares the echo

VERSION is TLSv1_2 or TLSv1_3, OPTIONS a number of SSL_OP_ bits. The client prints the suite.
"""

from __future__ import annotations

import hashlib
import socket
import ssl
import sys

LIMIT = 60  # seconds for each call
SIZES = (1, 15, 16, 17, 1000, 16383, 16384, 16385, *(40_000,) * 27)
MESSAGE = b"".join(
    hashlib.shake_128(str(number).encode()).digest(size) for number, size in enumerate(SIZES)
)


def context(side: int, version: str, ciphers: str, options: str) -> ssl.SSLContext:
    made = ssl.SSLContext(side)
    made.minimum_version = made.maximum_version = ssl.TLSVersion[version]
    if ciphers:
        made.set_ciphers(ciphers)
    made.options |= int(options, 0)
    return made


def server(cert: str, key: str, version: str, ciphers: str, options: str) -> None:
    made = context(ssl.PROTOCOL_TLS_SERVER, version, ciphers, options)
    made.load_cert_chain(cert, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LIMIT)
        print(listener.getsockname()[1], flush=True)
        accepted, _ = listener.accept()
        accepted.settimeout(LIMIT)
        with made.wrap_socket(accepted, server_side=True) as connection:
            left = len(MESSAGE)
            while left:
                data = connection.recv(50_000)
                if not data:
                    sys.exit("the client ended early")
                left -= len(data)
                connection.sendall(data)
            connection.unwrap()


def client(cert: str, port: str, version: str, ciphers: str, options: str) -> None:
    made = context(ssl.PROTOCOL_TLS_CLIENT, version, ciphers, options)
    made.load_verify_locations(cert)
    with (
        socket.create_connection(("127.0.0.1", int(port)), LIMIT) as plain,
        made.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        print(connection.cipher()[0])

        at = 0
        for size in SIZES:  # one after the other: Python does not lock a connection
            connection.sendall(MESSAGE[at : at + size])
            echo = b""
            while len(echo) < size:
                data = connection.recv(70_000)
                if not data:
                    sys.exit(f"the server ended after {at + len(echo)} bytes")
                echo += data
            if echo != MESSAGE[at : at + size]:
                sys.exit("the echo differs")
            at += size
        connection.unwrap()


if __name__ == "__main__":
    {"server": server, "client": client}[sys.argv[1]](*sys.argv[2:])
