"""Runs `python -m rijn columns …` and `python -c …` as forks of this process. It has already imported
pyarrow and, like pyarrow, pandas if installed, which saves half a second per run."""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
from contextlib import suppress

from program import as_from_a_terminal

PACKAGES = ("pyarrow.compute", "pyarrow.csv", "pyarrow.parquet", "nanoarrow", "pandas")
OURS = ("rijn.cli.columns.delimited", "rijn.cli.columns.kinds")


def become(request: bytes, fds: list[int]) -> None:
    """Becomes a program with the arguments, environment and folder of the request, and with `fds` as
    its standard streams."""
    arguments, environment, folder = json.loads(request)
    os.setsid()
    for fd, stream in zip(fds, range(3), strict=True):
        os.dup2(fd, stream)
        os.close(fd)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    as_from_a_terminal()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a new Python
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    way, program, *rest = arguments
    sys.argv[:] = [way, *rest]
    code = 0
    try:
        if way == "-c":
            exec(program, {"__name__": "__main__"})  # noqa: S102 - a test's own code
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # skips the clean-up of the imported modules, which costs as much again


def serve(peer: socket.socket) -> None:
    """Starts each process that the peer requests, and sends its id and its exit code."""
    while True:
        request, fds, _, _ = socket.recv_fds(peer, 1 << 20, 3)
        if not request:
            return
        child = os.fork()
        if not child:
            peer.close()
            return become(request, fds)
        for fd in fds:
            os.close(fd)
        peer.send(str(child).encode())
        peer.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


if __name__ == "__main__":
    for name in PACKAGES + OURS:
        with suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # otherwise the collector of each process would write to all of it
    serve(socket.socket(fileno=int(sys.argv[1])))
