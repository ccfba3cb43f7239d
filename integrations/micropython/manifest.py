# Freezes rijn.py into a firmware. Add this line to the firmware's manifest:
# include("…/integrations/micropython/manifest.py"). The tables of rijn.py stay in flash.
module("rijn.py", opt=3)  # noqa: F821 - defined by makemanifest.py
