# Sources and flags of librijn, for micropython.mk and Makefile.
#
# RIJN_MODULE=fixslice32, the default, is constant time. RIJN_MODULE=table is faster and is not.
RIJN_HERE := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
RIJN_ROOT := $(abspath $(RIJN_HERE)/../../../..)
RIJN_DIR := $(RIJN_ROOT)/c
RIJN_MODULE ?= fixslice32
ifeq ($(filter fixslice32 table,$(RIJN_MODULE)),)
$(error RIJN_MODULE must be fixslice32 or table, not $(RIJN_MODULE))
endif

RIJN_C := $(wildcard $(RIJN_DIR)/src/*.c $(RIJN_DIR)/src/*/*.c)
# Assembly for Cortex-M3 and later, empty elsewhere.
RIJN_S := $(RIJN_DIR)/src/arm/thumb2.S
RIJN_FLAGS := -I$(RIJN_DIR)/include -I$(RIJN_HERE) -DRIJN_CONFIG_FILE='"$(RIJN_MODULE).h"'
# Optimized for speed, as C11. With -ffreestanding, gcc would call memcpy for every word.
RIJN_CORE_FLAGS := -O2 -std=c11 -Wno-error
