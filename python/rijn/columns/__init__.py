"""Columns of Apache Arrow's layouts."""
