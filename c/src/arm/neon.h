/* Includes <arm_neon.h> with all functions that a function's target may have. clang before 16 declares
 * only the functions for the target of the whole file. */
#ifndef RIJN_ARM_NEON_H
#define RIJN_ARM_NEON_H

#if defined(__clang__) && __clang_major__ < 16
#ifndef __ARM_FEATURE_AES
#define __ARM_FEATURE_AES 1
#endif
#ifndef __ARM_FEATURE_SHA3
#define __ARM_FEATURE_SHA3 1
#endif
#endif

#include <arm_neon.h>

#endif
