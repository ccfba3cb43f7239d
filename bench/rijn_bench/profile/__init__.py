"""Profiles one algorithm on one backend, for one size of message.

    from rijn_bench.profile import measure, page, terminal
    from rijn_bench.profile.subject import Subject

    found = measure.profile([Subject("aes-128-gcm", "encrypt", "table", 16384)])

subject   the algorithm, operation, backend and size
loop      the loop that every tool profiles
tools     cProfile, py-spy, perf and callgrind, each in its own process
stacks    sampled stacks, and a flame graph of them
measure   runs all tools, for one subject or two side by side
figures   the figures as rows of text
terminal, page
          output as text and as one HTML file

This file imports nothing: the loop runs as a program under tools that slow down every import.
"""
