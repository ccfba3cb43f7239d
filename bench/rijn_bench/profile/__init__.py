"""Where the time of one algorithm goes, on one backend, for one size of message.

    from rijn_bench.profile import measure, page, terminal
    from rijn_bench.profile.subject import Subject

    found = measure.profile([Subject("aes-128-gcm", "encrypt", "table", 16384)])

subject   what is profiled
loop      the loop that every tool watches
tools     cProfile, py-spy, perf and callgrind, each in a process of its own
stacks    sampled stacks, made into a flame graph
measure   all of it, for one subject or two side by side
figures   its figures as rows of text
terminal, page
          the same as text and as one HTML file

Nothing is imported here: the loop starts as a program of its own, under tools that make
every import dear.
"""
