"""`python -m rijn` is the command `rijn`."""

import sys

from .cli import main

sys.exit(main())
