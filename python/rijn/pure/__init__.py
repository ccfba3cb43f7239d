"""The rungs in pure Python: `reference`, the oracle, and `python`, for use."""
