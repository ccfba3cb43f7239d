"""Proofs about compiled code: a symbolic execution of x86-64 and the lemmas that use it."""
