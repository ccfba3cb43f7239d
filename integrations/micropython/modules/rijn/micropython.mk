# make … USER_C_MODULES=…/integrations/micropython/modules [RIJN_MODULE=table]
#
# RIJN_MODULE=fixslice32, the default, is constant time; table is faster, and is not.
RIJN_DIR := $(abspath $(USERMOD_DIR)/../../../..)
RIJN_MODULE ?= fixslice32
ifeq ($(filter fixslice32 table,$(RIJN_MODULE)),)
$(error RIJN_MODULE is fixslice32 or table, not $(RIJN_MODULE))
endif

SRC_USERMOD_C += $(USERMOD_DIR)/module.c
SRC_USERMOD_LIB_C += $(wildcard $(RIJN_DIR)/src/*.c $(RIJN_DIR)/src/*/*.c)
# Assembly for Cortex-M3, M4 and M7, where the compiler says that it is for one.
ifneq ($(filter -mcpu=cortex-m3 -mcpu=cortex-m4 -mcpu=cortex-m7,$(CFLAGS)),)
SRC_USERMOD_LIB_ASM += $(wildcard $(RIJN_DIR)/src/arm/*.S)
RIJN_THUMB2 := -DRIJN_THUMB2
endif
CFLAGS_USERMOD += -I$(RIJN_DIR)/include -I$(USERMOD_DIR) \
	-DRIJN_CONFIG_FILE='"$(RIJN_MODULE).h"'

# Its own part by speed rather than by size, as C11. Not -ffreestanding: gcc would call
# memcpy for every word.
$(BUILD)/$(RIJN_DIR)/src/%.o: CFLAGS += -O2 -std=c11 -Wno-error $(RIJN_THUMB2)
