"""The rungs in Python: `reference`, the oracle; `python` and its halves; `numpy`, `numba`."""
