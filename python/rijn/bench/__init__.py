"""Measuring Rijn: the ladder of backends, through the Python API."""
