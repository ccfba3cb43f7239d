"""With this folder first on PYTHONPATH, `import pyaes` finds Rijn's."""

import sys

from rijn.compat import pyaes

sys.modules["pyaes"] = pyaes
for part in ("aes", "blockfeeder", "util"):
    sys.modules[f"pyaes.{part}"] = getattr(pyaes, part)
