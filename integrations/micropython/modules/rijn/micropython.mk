# Adds the module to a firmware:
#
#   make … USER_C_MODULES=…/integrations/micropython/modules [RIJN_MODULE=table]
include $(USERMOD_DIR)/core.mk

SRC_USERMOD_C += $(USERMOD_DIR)/module.c
SRC_USERMOD_LIB_C += $(RIJN_C)
SRC_USERMOD_LIB_ASM += $(RIJN_S)
CFLAGS_USERMOD += $(RIJN_FLAGS)

$(BUILD)/$(RIJN_DIR)/src/%.o: CFLAGS += $(RIJN_CORE_FLAGS)
