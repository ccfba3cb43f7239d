# Cortex-M4, M3 and M0, emulated.

make micro-test
