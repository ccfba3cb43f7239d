/* Sizes that follow from a backend's constants (backend.h). Include after defining these. */
#ifndef RIJN_SIZES_H
#define RIJN_SIZES_H

enum { VEC = 16 * VEC_BLOCKS, BATCH_BLOCKS = FLIGHT * VEC_BLOCKS, BATCH = FLIGHT * VEC };

#ifndef BLOCKS_STACK
#define BLOCKS_STACK STACK
#endif

#ifndef PIECE_STACK
#define PIECE_STACK STACK
#endif

#ifndef GCM_STACKS
#define GCM_STACKS \
    { \
        STACK, STACK + FUSED_STACK, STACK + FUSED_STACK \
    }
#endif

#endif
