"""`python -m rijn` is the command `rijn`; both programs start here.

Ctrl-C ends them without a traceback from here on, while their modules are loaded, too. The first
import is of a module in C, because `signal` takes milliseconds to load.
"""

import sys
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)


def main() -> int:
    """Runs `rijn` with the arguments of this process, and returns the exit code."""
    _end_by_signal()
    from .cli import main

    return main()


def demo() -> int:
    """Runs `rijn-aes-demo` with the arguments of this process, and returns the exit code."""
    _end_by_signal()
    from .cli.demo import main

    return main()


def _end_by_signal() -> None:
    """Makes SIGINT end the process until cli.signals.Signals watches it."""
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
