"""PyCryptodome's AES on Rijn's backends. rijn.compat.cryptodome has the modules.

Where PyCryptodome is installed, too, the import is refused. RIJN_OVER_INSTALLED=1 in the environment
puts Rijn's AES over PyCryptodome's.
"""

import os

from rijn.compat import stand_in

try:
    stand_in.take_place(
        "Cryptodome", over_installed=os.environ.get("RIJN_OVER_INSTALLED", "") == "1"
    )
except stand_in.InstalledError as error:
    raise ImportError(
        f"{error}. Remove Rijn's folder {os.path.dirname(__file__)} to use it, or set "
        "RIJN_OVER_INSTALLED=1 to use Rijn's AES in its place"
    ) from None
