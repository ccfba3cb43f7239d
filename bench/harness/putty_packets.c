/* Measures SSH packets with AES-GCM in PuTTY's own order (ssh/bpp2.c): length field, data, MAC, next
 * message. It compares PuTTY on AES-NI and CLMUL with PuTTY on Rijn. (The harness's GCM messages have
 * no length field, so they are not packets.) putty_peer.sh builds it as build/putty/VERSION/packets.
 *
 * Each round sends some packets and receives them, with each build. Prints the medians of the rounds.
 * Exits with 1 if a packet is not received. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "putty_code.h"

enum { ROUNDS = 61, BYTES = 1 << 18, MOST = 256, EXTRA = 4 + 16 };
enum { THEIRS, OURS, CODES };
enum { SEND, RECEIVE, WAYS };

static const putty_code *const codes[CODES] = {&putty_original, &putty_rijn};
static uint8_t packets[BYTES + MOST * EXTRA];
static double ns[CODES][WAYS][ROUNDS];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int code, int way)
{
    qsort(ns[code][way], ROUNDS, sizeof ns[code][way][0], by_size);
    return ns[code][way][ROUNDS / 2];
}

static void *open_side(const putty_code *code, size_t key_size)
{
    static const uint8_t key[32] = {1};
    void *const side = code->open(PUTTY_HARDWARE, PUTTY_GCM, key_size);

    if (!side) {
        fputs("PuTTY reports that this CPU cannot run it\n", stderr);
        exit(1);
    }
    code->rekey(side, key);
    code->begin_packets(side);
    return side;
}

static void measure(size_t key_size, size_t size)
{
    const size_t count = BYTES / size < MOST ? BYTES / size : MOST, step = size + EXTRA;
    void *sides[CODES][WAYS];

    for (int code = 0; code < CODES; code++)
        for (int way = 0; way < WAYS; way++)
            sides[code][way] = open_side(codes[code], key_size);
    for (int round = 0; round < ROUNDS; round++)
        for (int code = 0; code < CODES; code++) {
            const putty_code *const c = codes[code];
            const unsigned long first = (unsigned long)round * count;
            double start = now();
            bool whole = true;

            for (size_t i = 0; i < count; i++)
                c->send(sides[code][SEND], packets + i * step, size, first + i);
            ns[code][SEND][round] = (now() - start) / (double)count;
            start = now();
            for (size_t i = 0; i < count; i++)
                whole &= c->receive(sides[code][RECEIVE], packets + i * step, size, first + i);
            ns[code][RECEIVE][round] = (now() - start) / (double)count;
            if (!whole) {
                fputs("a packet was refused\n", stderr);
                exit(1);
            }
        }
    for (int way = 0; way < WAYS; way++) {
        const double theirs = median(THEIRS, way), ours = median(OURS, way);
        printf("| AES-%zu, %zu B, %s | %.0f | %.0f | %.2f |\n", key_size * 8, size,
               way == SEND ? "sent" : "received", theirs, ours, theirs / ours);
    }
    for (int code = 0; code < CODES; code++)
        for (int way = 0; way < WAYS; way++)
            codes[code]->close(sides[code][way]);
}

int main(void)
{
    static const size_t sizes[] = {16, 64, 256, 1024, 16384};

    printf("| %s | AES-NI, ns | on Rijn, ns | gain |\n| --- | --- | --- | --- |\n",
           putty_original.version);
    for (size_t key_size = 16; key_size <= 32; key_size += 16)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            measure(key_size, sizes[i]);
    return 0;
}
