/* Columns with wrong offsets: any offsets into one buffer, for rijn_seal_many and rijn_open_many. The
 * library must accept exactly the columns that a check of every offset accepts, and give the results of
 * the one-message functions. It must write only results. (Sanitizers check that it reads nothing
 * outside the buffer or the memory lent to XAES.)
 *
 * Input: flags, count, first, the size of the buffer, key, then the offsets, little-endian, 32 or 64 bits
 * each as the flags say. Missing offsets continue in steps of 7. */
#include "fuzz.h"

enum { WIDE = 1, FRONT = 2, OPEN = 4, AD = 8, CTR = 16, SMALL_STEPS = 32, CBC = 64, XAES = 128 };
enum { MOST = 40, ROOM = 2048, OUT = 1 << 14 };

static uint8_t data[ROOM], out[OUT], want[OUT], nonces[MOST * 24], failed[MOST / 8 + 1];
static int32_t narrow[MOST + 1];
static int64_t wide[MOST + 1], ends[MOST + 1];

/* Returns true if rijn.h allows the column. */
static bool column_is_right(size_t first, size_t count, size_t size)
{
    for (size_t i = first; count && i <= first + count; i++)
        if (wide[i] < 0 || (uint64_t)wide[i] > size || (i > first && wide[i] < wide[i - 1]))
            return false;
    return true;
}

static void check_sealed(const rijn_many *many, size_t nonce_size, bool front)
{
    size_t at = 0;

    for (size_t i = many->first; i < many->first + many->count; i++) {
        const uint8_t *const in = data + wide[i], *const nonce = nonces + nonce_size * i;
        const size_t size = (size_t)(wide[i + 1] - wide[i]);
        size_t n = 0;
        if (front)
            memcpy(want, nonce, n = nonce_size);
        if (many->mode == RIJN_MANY_XAES)
            REQUIRE(rijn_xaes_seal(many->key, want + n, want + n + size, 16, nonce, nonce_size,
                                   many->ad.data, many->ad.size, in, size) == RIJN_OK,
                    "%zu", i);
        else if (many->mode == RIJN_MANY_CTR)
            REQUIRE(rijn_ctr_crypt(many->key, nonce, want + n, in, size) == RIJN_OK, "%zu", i);
        else
            REQUIRE(rijn_gcm_seal(many->key, want + n, want + n + size, 16, nonce, nonce_size,
                                  many->ad.data, many->ad.size, in, size) == RIJN_OK,
                    "%zu", i);
        n += size + (many->mode == RIJN_MANY_CTR ? 0 : 16);
        REQUIRE(memcmp(out + at, want, n) == 0, "message %zu of %zu bytes", i, size);
        at += n;
        REQUIRE(ends[i + 1] == (int64_t)at, "offset %zu", i);
    }
    for (; at < OUT; at++)
        REQUIRE(out[at] == 0xee, "byte %zu", at);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_size)
{
    choices c = {input, input_size};
    const uint8_t flags = choose(&c);
    const size_t count = choose(&c) % (MOST + 1), first = choose(&c) % (MOST + 1 - count) / 8 * 8;
    const size_t size = choose_16(&c) % (ROOM + 1), width = flags & WIDE ? 8 : 4;
    uint8_t bytes[32];
    rijn_key key;

    const size_t key_size = choose_key(&c, bytes);
    REQUIRE(rijn_key_init(&key, bytes, key_size, NULL) == RIJN_OK, "key");
    for (size_t i = 0; i < sizeof nonces; i++) /* for XAES: up to eight prefixes, in any order */
        nonces[i] = (uint8_t)(i % 24 < 12 ? bytes[i / 24 % 16] & 7 : i / 24);
    for (size_t i = 0; i < ROOM; i++)
        data[i] = (uint8_t)(i * 37 + i / 256);
    for (size_t i = 0; i <= MOST; i++) {
        uint64_t x = 0;
        for (size_t j = 0; j < width && c.left; j++)
            x |= (uint64_t)choose(&c) << 8 * j;
        if ((flags & SMALL_STEPS || !c.left) && i)
            x = (uint64_t)wide[i - 1] + (c.left ? x % 200 : 7);
        wide[i] = flags & WIDE ? (int64_t)x : (int32_t)(uint32_t)x;
        narrow[i] = (int32_t)wide[i];
    }
    memset(out, 0xee, sizeof out);

    const bool ctr = flags & CTR, front = flags & FRONT;
    const bool xaes = flags & XAES && !ctr && key_size == 32;
    const size_t nonce_size = ctr ? 16 : xaes ? 24 : 12;
    uint8_t *const room = xaes && count ? malloc(rijn_many_room(count)) : NULL;
    rijn_many many = {
        .mode = ctr    ? RIJN_MANY_CTR
                : xaes ? RIJN_MANY_XAES
                       : RIJN_MANY_GCM,
        .key = &key,
        .first = first,
        .count = count,
        .in = {.data = data,
               .size = size,
               .offsets32 = flags & WIDE ? NULL : narrow,
               .offsets64 = flags & WIDE ? wide : NULL},
        .ad = {.data = flags & AD && !ctr ? data : NULL, .size = flags & AD && !ctr ? 21 : 0},
        .nonces = nonces,
        .prepend_nonce = front,
        .out = out,
        .out_size = sizeof out,
        .out_offsets64 = ends,
        .room = room,
        .room_size = rijn_many_room(count),
    };
    const bool right = column_is_right(first, count, size);
    size_t asked, failures;

    if (flags & (OPEN | CBC)) { /* nothing here is authentic, except with CTR */
        many.mode = flags & CBC ? RIJN_MANY_CBC : many.mode;
        many.nonces = flags & CBC ? NULL : front ? NULL : nonces;
        many.ad = flags & CBC ? (rijn_column){0} : many.ad;
        many.prepend_nonce = 0;
        many.failed = failed;
        const rijn_status status = rijn_open_many(&many, &failures);
        REQUIRE((status == RIJN_ERR_ARGUMENT) == !right, "opening: %s", rijn_status_text(status));
        if (right && !ctr && !(flags & CBC))
            REQUIRE(failures == count, "%zu of %zu", failures, count);
        free(room);
        return 0;
    }
    const rijn_status sized = rijn_seal_many_size(&many, &asked);
    REQUIRE(sized == (right ? RIJN_OK : RIJN_ERR_ARGUMENT), "%s", rijn_status_text(sized));
    REQUIRE(rijn_seal_many(&many) == sized, "sealing");
    if (right) {
        check_sealed(&many, nonce_size, front);
    } else {
        for (size_t i = 0; i < OUT; i++)
            REQUIRE(out[i] == 0xee, "refused, and byte %zu written", i);
    }
    free(room);
    return 0;
}
