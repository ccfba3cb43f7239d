# rijn.py in a firmware, by a line of the manifest that it is built with:
# include("…/integrations/micropython/manifest.py"). Its tables stay in flash.
module("rijn.py", opt=3)  # noqa: F821 - of makemanifest.py
