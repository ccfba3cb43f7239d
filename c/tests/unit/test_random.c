/* Draws nonces from bytes of this test instead of the system's random bytes. Every byte must change
 * every nonce, and a failing generator must seal nothing. */
#include "check.h"
#include "rijn_machine.h"

static uint8_t entropy[256];
static size_t used; /* bytes of entropy used by the last call */
static rijn_status answer;

/* Replaces the function of the library. */
rijn_status rijn_random(uint8_t *out, size_t size)
{
    if (answer != RIJN_OK)
        return answer;
    CHECK(used + size <= sizeof entropy);
    memcpy(out, entropy + used, size);
    used += size;
    return RIJN_OK;
}

enum { COUNT = 5, NONCE_MOST = 32, ROOM = COUNT * (NONCE_MOST + 32) };

static rijn_many call;
static uint8_t sealed[ROOM];
static int64_t ends[COUNT + 1];

static rijn_status seal(void)
{
    memset(sealed, 0xee, sizeof sealed);
    used = 0;
    return rijn_seal_many(&call);
}

/* Alters each byte of the entropy: every nonce must change. */
static void check_every_byte(const char *mode, size_t nonce_size)
{
    uint8_t first[ROOM];

    note("%s", mode);
    call.count = COUNT;
    call.nonce_size = nonce_size;
    call.out = sealed, call.out_size = COUNT * (nonce_size + call.tag_size);
    call.out_offsets64 = ends;
    random_bytes(entropy, sizeof entropy);
    CHECK_STATUS(seal(), RIJN_OK);
    const size_t size = used;
    CHECK(size >= 16);
    memcpy(first, sealed, sizeof first);
    CHECK_STATUS(seal(), RIJN_OK);
    CHECK_BYTES(sealed, first, sizeof first); /* nothing else is random */
    for (size_t i = 0; i < size; i++) {
        note("%s, byte %zu of %zu", mode, i, size);
        entropy[i] ^= 1;
        CHECK_STATUS(seal(), RIJN_OK);
        for (size_t j = 0; j < COUNT; j++)
            CHECK(memcmp(sealed + ends[j], first + ends[j], nonce_size) != 0);
        entropy[i] ^= 1;
    }
    answer = RIJN_ERR_RANDOM;
    note("%s, without random bytes", mode);
    CHECK_STATUS(seal(), RIJN_ERR_RANDOM);
    CHECK_FILL(sealed, 0xee, sizeof sealed);
    call.base = entropy; /* counted nonces need none */
    CHECK_STATUS(seal(), RIJN_OK);
    call.base = NULL;
    call.count = 0;
    CHECK_STATUS(seal(), RIJN_OK);
    answer = RIJN_OK;
}

static void run(const rijn_backend_info *its)
{
    static const size_t none[COUNT];
    static const uint8_t *const nowhere[COUNT];
    rijn_key key;
    rijn_siv_key siv_key;
    rijn_aegis_key aegis_key;
    uint8_t bytes[64];

    random_bytes(bytes, sizeof bytes);
    make_key(&key, bytes, 32, its->name);
    CHECK_STATUS(rijn_siv_key_init(&siv_key, bytes, 64, its->name), RIJN_OK);
    CHECK_STATUS(rijn_aegis_key_init(&aegis_key, RIJN_AEGIS_256, bytes, 32, its->name), RIJN_OK);
    call = (rijn_many){.key = &key, .siv_key = &siv_key, .aegis_key = &aegis_key, .tag_size = 16};
    call.in = (rijn_column){.buffers = nowhere, .sizes = none};
    call.mode = RIJN_MANY_GCM;
    check_every_byte("GCM", 12);
    call.mode = RIJN_MANY_XAES;
    check_every_byte("XAES", 24);
    call.mode = RIJN_MANY_EAX;
    check_every_byte("EAX", 16);
    call.mode = RIJN_MANY_SIV;
    check_every_byte("SIV", 16);
    call.mode = RIJN_MANY_AEGIS;
    check_every_byte("AEGIS-256", 32);
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
