"""Measuring Rijn beside its peers: `rijn bench`. docs/measuring.md is the method.

plan        what to measure: algorithms x operations x sizes x keys x buffers
contenders  Rijn's backends as a Python program calls them
peers       other packages, each through its public API
harness     the same in C, without Python in the number
run         interleaved rounds over all of them
results     what came out: the JSON schema, and what is derived from it
compare     two results: what changed beyond the noise, and whether ratios repeat
studies     the tables that the field prints, with the figures of their originals
columns     the one of columns of tables; engines: who seals them there, copy_parquet a program
tables, plots, report
            for the terminal, as pictures, as one HTML page; text: how figures read there;
            sheet: what a page looks like, that of `rijn profile` too
machine     what the figures were measured on
speeds      one line for each backend, for tools/demo.py
"""
