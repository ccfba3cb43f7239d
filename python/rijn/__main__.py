"""`python -m rijn` is the command `rijn`; both programs start here.

Ctrl-C ends them without a traceback from here on, while their modules are loaded, too.
"""

import signal
import sys


def main() -> int:
    """Run `rijn` with the arguments of this process, and return the exit code."""
    _end_by_signal()
    from .cli import main

    return main()


def demo() -> int:
    """Run `rijn-aes-demo` with the arguments of this process, and return the exit code."""
    _end_by_signal()
    from .cli.demo import main

    return main()


def _end_by_signal() -> None:
    """Has SIGINT end the process, as long as nothing else is set (cli.output.Signals)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
