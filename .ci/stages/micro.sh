# Cortex-M4, M3 and M0 in QEMU.

make micro-test
