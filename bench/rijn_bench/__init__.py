"""Measures Rijn and other libraries: `rijn bench`. docs/measuring.md describes the method.

plan        what to measure: algorithms x operations x sizes x keys x buffers
contenders  Rijn's backends through the Python API
peers       other packages, each through its public API
harness     runs the C harness, which measures without Python
run         interleaved rounds over all contenders
results     the JSON schema, and values derived from the rounds
compare     compares two results: changes beyond the noise, and whether ratios repeat
studies     tables that other projects publish, with their original figures
columns     the study of table columns; engines: its contenders; copy_parquet: one as a program
tables, plots, report
            results in the terminal, as pictures, as one HTML page
text        formats figures
sheet       the style of HTML pages, also for `rijn profile`
machine     describes the machine
speeds      one line for each backend, for tools/demo.py
"""
