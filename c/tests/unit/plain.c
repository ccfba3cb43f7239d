/* A backend without any optional part of backend.h, with the oracle's cipher: PLAIN_BLOCKS blocks in a
 * vec, PLAIN_FLIGHT vecs in flight, in the function table PLAIN_RECORD. So test_templates.c covers all
 * code for backends that lack something, at every width. */
#include <string.h>

#include "backend.h"

#include "oracle.h"
#include "plain.h"
#include "rounds.h"

#define VEC_BLOCKS PLAIN_BLOCKS
#define FLIGHT PLAIN_FLIGHT
#define STACK 0
#define FUSED_STACK 0

typedef struct {
    oracle_key key;
    uint8_t h[16];
    int rounds;
} context;

typedef struct {
    uint8_t bytes[16];
} hash;

static void aes_init(context *c, const uint8_t *key, size_t size)
{
    oracle_init(&c->key, key, size);
    c->rounds = rounds_for(size);
}

static void aes_decrypt_init(context *c)
{
    (void)c;
}

#if PLAIN_BLOCKS == 1

#include "block.h"

#define blocks_or_vecs(name) blocks_##name
typedef block unit;
#define unit_load block_load
#define unit_store block_store

#else

typedef struct {
    uint8_t bytes[16 * VEC_BLOCKS];
} vec;

#define blocks_or_vecs(name) aes_##name
typedef vec unit;
#define unit_load vec_load
#define unit_store vec_store

static vec vec_load(const uint8_t *p)
{
    vec v;
    memcpy(v.bytes, p, sizeof v);
    return v;
}

static void vec_store(uint8_t *p, vec v)
{
    memcpy(p, v.bytes, sizeof v);
}

static vec vec_load_part(const uint8_t *p, size_t size)
{
    vec v = {{0}};
    memcpy(v.bytes, p, size);
    return v;
}

static void vec_store_part(uint8_t *p, vec v, size_t size)
{
    memcpy(p, v.bytes, size);
}

static vec vec_xor(vec a, vec b)
{
    for (size_t i = 0; i < sizeof a; i++)
        a.bytes[i] ^= b.bytes[i];
    return a;
}

#endif

typedef void oracle_block(const oracle_key *, uint8_t out[16], const uint8_t in[16]);

static void each_block(oracle_block *work, const context *c, unit *v, int n)
{
    for (int k = 0; k < n; k++) {
        uint8_t bytes[16 * VEC_BLOCKS];
        unit_store(bytes, v[k]);
        for (int i = 0; i < VEC_BLOCKS; i++)
            work(&c->key, bytes + 16 * i, bytes + 16 * i);
        v[k] = unit_load(bytes);
    }
}

static void blocks_or_vecs(encrypt)(const context *c, unit *v, int n)
{
    each_block(oracle_encrypt, c, v, n);
}

static void blocks_or_vecs(decrypt)(const context *c, unit *v, int n)
{
    each_block(oracle_decrypt, c, v, n);
}

static void ghash_init(context *c, const uint8_t h[16], size_t blocks)
{
    (void)blocks;
    memcpy(c->h, h, 16);
}

static hash hash_load(const uint8_t bytes[16])
{
    hash y;
    memcpy(y.bytes, bytes, 16);
    return y;
}

static void hash_store(uint8_t bytes[16], hash y)
{
    memcpy(bytes, y.bytes, 16);
}

/* SP 800-38D section 6.3. */
static hash ghash(const context *c, hash y, const uint8_t *p, size_t blocks)
{
    if (plain_deaf && blocks > 1)
        return y;
    for (; blocks; blocks--, p += 16) {
        uint8_t v[16], z[16] = {0};
        memcpy(v, c->h, 16);
        memcpy(plain_last_hashed, p, 16);
        for (int i = 0; i < 128; i++) {
            const int bit = (y.bytes[i / 8] ^ p[i / 8]) >> (7 - i % 8) & 1, out = v[15] & 1;
            for (int j = 15; j >= 0; j--) {
                z[j] = (uint8_t)(z[j] ^ (bit ? v[j] : 0));
                v[j] = (uint8_t)(v[j] >> 1 | (j ? v[j - 1] << 7 : 0));
            }
            v[0] = (uint8_t)(v[0] ^ (out ? 0xe1 : 0));
        }
        memcpy(y.bytes, z, 16);
    }
    return y;
}

#include "polyval_by_ghash.h"

#include "modes/modes.h"

/* These backends have the indices after the registry's. */
enum { RIJN_INDEX_plain_1 = RIJN_INDEX_END, RIJN_INDEX_plain_2, RIJN_INDEX_plain_4 };
/* What backends.h makes of a line of backends.def. */
#define PLAIN_LINE(id) \
    static const char rijn_name_##id[] = "plain"; \
    enum { RIJN_CONSTANT_TIME_##id = false, RIJN_AUTOMATIC_##id = false };
#define PLAIN_MODES(id) PLAIN_LINE(id) RIJN_MODES(id)
#define PLAIN_CORE(id) RIJN_CORE(id)

PLAIN_MODES(PLAIN_RECORD)

const rijn_backend PLAIN_RECORD = {.summary = "", PLAIN_CORE(PLAIN_RECORD)};
