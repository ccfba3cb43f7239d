/* The records of plain.c. */
#ifndef PLAIN_H
#define PLAIN_H

#include "backend.h"

extern const rijn_backend plain_1, plain_2, plain_4;

/* Whether what is hashed is not looked at unless it is one block; the last block that was. */
extern bool plain_deaf;
extern uint8_t plain_last_hashed[16];

#endif
