# rijn.py in a firmware, for whoever builds one: make … FROZEN_MANIFEST=…/manifest.py, or a line
# include("…/integrations/micropython/manifest.py") in a board's own. Its tables stay in flash.
module("rijn.py", opt=3)  # noqa: F821 - of makemanifest.py
