/* The function tables of plain.c. */
#ifndef PLAIN_H
#define PLAIN_H

#include "backend.h"

extern const rijn_backend plain_1, plain_2, plain_4;

#define PLAIN_TABLE(mode, id) extern const rijn_##mode##_table rijn_##id##_##mode;
RIJN_TABLES(PLAIN_TABLE, plain_1)
RIJN_TABLES(PLAIN_TABLE, plain_2)
RIJN_TABLES(PLAIN_TABLE, plain_4)
#undef PLAIN_TABLE

/* If true, hashing only reads single blocks. plain_last_hashed is the last of them. */
extern bool plain_deaf;
extern uint8_t plain_last_hashed[16];

#endif
