/* AEGIS: every kernel seals and opens one message, in one piece and in pieces. All answers must agree,
 * and every kernel must refuse an altered message.
 *
 * Input: variant, flags, key, nonce, size of the associated data, size of the message, forged bit; then
 * the sizes of the pieces of associated data, message and MAC, one byte each. The data are fixed. */
#include "fuzz.h"

#define MOST 6000

enum { LONG_TAG = 1, IN_PLACE = 2, MISALIGN = 4 };

typedef struct message {
    const uint8_t *nonce, *ad, *in;
    size_t nonce_size, ad_size, size, tag_size;
} message;

typedef rijn_status absorb_call(rijn_aegis *aegis, const uint8_t *in, size_t size);
typedef rijn_status crypt_call(rijn_aegis *aegis, uint8_t *out, const uint8_t *in, size_t size);

static uint8_t text[MOST + 1];

/* Returns the size of the next piece: all `left` bytes when no choices are left. */
static size_t next_piece(choices *c, size_t left)
{
    const size_t piece = c->left != 0 ? choose(c) : left;
    return piece < left ? piece : left;
}

static void absorb(rijn_aegis *aegis, absorb_call *call, const uint8_t *in, size_t size, choices *c)
{
    for (size_t at = 0, n; at < size; at += n) {
        n = next_piece(c, size - at);
        REQUIRE(call(aegis, in + at, n) == RIJN_OK, "at %zu", at);
    }
}

static void crypt(rijn_aegis *aegis, crypt_call *call, uint8_t *out, const uint8_t *in, size_t size,
                  bool in_place, choices *c)
{
    if (in_place && size != 0)
        memcpy(out, in, size);
    for (size_t at = 0, n; at < size; at += n) {
        n = next_piece(c, size - at);
        REQUIRE(call(aegis, out + at, (in_place ? out : in) + at, n) == RIJN_OK, "at %zu", at);
    }
}

static void check_pieces(const char *name, const rijn_aegis_key *key, const message *m,
                         const uint8_t *sealed, const uint8_t *tag, const uint8_t *mac,
                         bool in_place, choices pieces)
{
    static uint8_t out[MOST];
    static rijn_aegis aegis;
    uint8_t got[32];

    REQUIRE(rijn_aegis_start(&aegis, key, m->nonce, m->nonce_size) == RIJN_OK, "%s", name);
    absorb(&aegis, rijn_aegis_ad, m->ad, m->ad_size, &pieces);
    crypt(&aegis, rijn_aegis_encrypt, out, m->in, m->size, in_place, &pieces);
    REQUIRE(rijn_aegis_finish(&aegis, got, m->tag_size) == RIJN_OK, "%s", name);
    REQUIRE(memcmp(out, sealed, m->size) == 0, "%s encrypting", name);
    REQUIRE(memcmp(got, tag, m->tag_size) == 0, "%s finishing", name);

    REQUIRE(rijn_aegis_start(&aegis, key, m->nonce, m->nonce_size) == RIJN_OK, "%s", name);
    absorb(&aegis, rijn_aegis_ad, m->ad, m->ad_size, &pieces);
    crypt(&aegis, rijn_aegis_decrypt, out, sealed, m->size, in_place, &pieces);
    REQUIRE(rijn_aegis_verify(&aegis, tag, m->tag_size) == RIJN_OK, "%s", name);
    REQUIRE(memcmp(out, m->in, m->size) == 0, "%s decrypting", name);

    REQUIRE(rijn_aegis_mac_start(&aegis, key, m->nonce, m->nonce_size) == RIJN_OK, "%s", name);
    absorb(&aegis, rijn_aegis_mac_update, m->in, m->size, &pieces);
    REQUIRE(rijn_aegis_mac_finish(&aegis, got, m->tag_size) == RIJN_OK, "%s", name);
    REQUIRE(memcmp(got, mac, m->tag_size) == 0, "%s, MAC", name);
}

/* Inverts one bit of ciphertext, tag, associated data or nonce. */
static void check_forged(const char *name, const rijn_aegis_key *key, const message *m,
                         const uint8_t *sealed, const uint8_t *tag, size_t bit)
{
    static uint8_t forged[4][MOST], out[MOST];
    const uint8_t *const from[4] = {sealed, tag, m->ad, m->nonce};
    const size_t sizes[4] = {m->size, m->tag_size, m->ad_size, m->nonce_size};
    size_t at = bit / 8 % (m->size + m->tag_size + m->ad_size + m->nonce_size);

    for (int part = 0; part < 4; part++) {
        if (sizes[part] != 0)
            memcpy(forged[part], from[part], sizes[part]);
        if (at < sizes[part])
            forged[part][at] ^= (uint8_t)(1 << bit % 8);
        at -= sizes[part]; /* larger than all sizes after the part that has it */
    }
    memset(out, 0xa5, m->size);
    REQUIRE(rijn_aegis_open(key, out, forged[1], m->tag_size, forged[3], m->nonce_size, forged[2],
                            m->ad_size, forged[0], m->size) == RIJN_ERR_TAG,
            "%s, bit %zu", name, bit);
    for (size_t i = 0; i < m->size; i++)
        REQUIRE(out[i] == 0, "%s, byte %zu", name, i);
}

/* The available kernels. */
#define MOST_KERNELS 32

static size_t list_kernels(const char *names[MOST_KERNELS])
{
    size_t count = 0;
    for (size_t i = 0; i < rijn_aegis_kernel_count(); i++) {
        rijn_aegis_kernel_info info;
        if (rijn_aegis_kernel_at(i, &info) == RIJN_OK && info.available && count < MOST_KERNELS)
            names[count++] = info.name;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t sealed[2][MOST], out[MOST + 1];
    const char *names[MOST_KERNELS];
    const size_t kernels = list_kernels(names);
    choices c = {data, size};
    const rijn_aegis_variant variant = (rijn_aegis_variant)(choose(&c) % RIJN_AEGIS_VARIANTS);
    const uint8_t flags = choose(&c);
    uint8_t key_bytes[32], nonce[32], tag[2][32], mac[2][32];

    choose_bytes(&c, key_bytes, sizeof key_bytes);
    choose_bytes(&c, nonce, sizeof nonce);
    const size_t ad_size = choose_16(&c) % 1500, text_size = choose_16(&c) % MOST;
    const size_t bit = choose_16(&c);
    const size_t off = flags & MISALIGN ? 1 : 0;
    const message m = {nonce,
                       text,
                       text + off,
                       rijn_aegis_key_size(variant),
                       ad_size,
                       text_size,
                       flags & LONG_TAG ? 32 : 16};

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 167 + (i >> 8));
    for (size_t i = 0; i < kernels; i++) {
        rijn_aegis_key key;
        const size_t which = i == 0 ? 0 : 1;
        REQUIRE(rijn_aegis_key_init(&key, variant, key_bytes, m.nonce_size, names[i]) == RIJN_OK,
                "%s", names[i]);
        REQUIRE(rijn_aegis_seal(&key, sealed[which], tag[which], m.tag_size, nonce, m.nonce_size,
                                m.ad, m.ad_size, m.in, m.size) == RIJN_OK,
                "%s", names[i]);
        REQUIRE(rijn_aegis_mac(&key, mac[which], m.tag_size, nonce, m.nonce_size, m.in, m.size) ==
                    RIJN_OK,
                "%s", names[i]);
        REQUIRE(memcmp(sealed[0], sealed[which], m.size) == 0, "%s", names[i]);
        REQUIRE(memcmp(tag[0], tag[which], m.tag_size) == 0, "%s", names[i]);
        REQUIRE(memcmp(mac[0], mac[which], m.tag_size) == 0, "%s", names[i]);

        REQUIRE(rijn_aegis_open(&key, out + off, tag[0], m.tag_size, nonce, m.nonce_size, m.ad,
                                m.ad_size, sealed[0], m.size) == RIJN_OK,
                "%s", names[i]);
        REQUIRE(memcmp(out + off, m.in, m.size) == 0, "%s", names[i]);
        check_pieces(names[i], &key, &m, sealed[0], tag[0], mac[0], flags & IN_PLACE, c);
        check_forged(names[i], &key, &m, sealed[0], tag[0], bit);
    }
    return 0;
}
