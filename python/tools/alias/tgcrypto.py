"""With this folder first on PYTHONPATH, `import tgcrypto` finds Rijn's."""

import sys

from rijn.compat import tgcrypto

sys.modules["tgcrypto"] = tgcrypto
