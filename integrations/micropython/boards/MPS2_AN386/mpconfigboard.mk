# QEMU's mps2-an386, a Cortex-M4, for MicroPython's port `qemu`:
#
#   make -C MICROPYTHON/ports/qemu BOARD=MPS2_AN386 BOARD_DIR=…/boards/MPS2_AN386
#
# Without floating point. AES and AEGIS do not use it.
QEMU_ARCH = arm
QEMU_MACHINE = mps2-an386

CFLAGS += -mthumb -mcpu=cortex-m4 -mfloat-abi=soft
CFLAGS += -DQEMU_SOC_MPS2
CFLAGS += -DMICROPY_HW_MCU_NAME='"Cortex-M4"'

LDSCRIPT = mcu/arm/mps2.ld

SRC_BOARD_O = shared/runtime/gchelper_native.o shared/runtime/gchelper_thumb2.o

MPY_CROSS_FLAGS += -march=armv7em
