/* Data larger than the caches bypass them, without a change in results. CTR and GCM out of place must
 * give the same bytes as in place, where no backend bypasses the caches, for all alignments and sizes of
 * the output, and must not write beside it. The test lowers the size from which they bypass to almost
 * nothing. */
#include "check.h"
#include "arena.h"
#include "backend.h"
#include "modes/message.h"

enum { LINE = 64, MOST = 3 * 1024 };

static rijn_key key;
static arena in, out;
static uint8_t data[MOST], want[MOST], tag[16], got_tag[16], nonce[20], ad[21], counter[16];

/* Checks that only to[0..size) of the arena was written. */
static void check_around(const uint8_t *to, size_t size)
{
    CHECK_FILL(out.start, 0x5a, (size_t)(to - out.start));
    CHECK_FILL(to + size, 0x5a, (size_t)(out.end - to) - size);
    memset(out.start, 0x5a, (size_t)(out.end - out.start));
}

static void check_ctr(uint8_t *to, const uint8_t *from, size_t size)
{
    static const unsigned widths[] = {32, 64, 128};
    const size_t half = size / 2;
    rijn_ctr ctr;

    for (size_t i = 0; i < 6; i++) {
        const unsigned width = widths[i / 2];
        memcpy(want, data, size);
        CHECK_STATUS(rijn_ctr_crypt_width(&key, width, i % 2, counter, want, want, size), RIJN_OK);
        CHECK_STATUS(rijn_ctr_crypt_width(&key, width, i % 2, counter, to, from, size), RIJN_OK);
        CHECK_BYTES(to, want, size);
        check_around(to, size);
    }
    CHECK_STATUS(rijn_ctr_start(&ctr, &key, counter), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, to, from, half), RIJN_OK);
    CHECK_STATUS(rijn_ctr_update(&ctr, to + half, from + half, size - half), RIJN_OK);
    CHECK_STATUS(rijn_ctr_crypt(&key, counter, want, data, size), RIJN_OK);
    CHECK_BYTES(to, want, size);
    check_around(to, size);
}

static void check_gcm(uint8_t *to, uint8_t *from, size_t size, size_t nonce_size)
{
    const size_t third = size / 3;
    rijn_gcm gcm;

    memcpy(want, data, size);
    CHECK_STATUS(rijn_gcm_seal(&key, want, tag, 16, nonce, nonce_size, ad, sizeof ad, want, size),
                 RIJN_OK);
    CHECK_STATUS(rijn_gcm_seal(&key, to, got_tag, 16, nonce, nonce_size, ad, sizeof ad, from, size),
                 RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_BYTES(got_tag, tag, 16);
    check_around(to, size);

    CHECK_STATUS(rijn_gcm_start(&gcm, &key, nonce, nonce_size), RIJN_OK);
    CHECK_STATUS(rijn_gcm_ad(&gcm, ad, sizeof ad), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, to, from, third), RIJN_OK);
    CHECK_STATUS(rijn_gcm_encrypt(&gcm, to + third, from + third, size - third), RIJN_OK);
    CHECK_STATUS(rijn_gcm_finish(&gcm, got_tag, 16), RIJN_OK);
    CHECK_BYTES(to, want, size);
    CHECK_BYTES(got_tag, tag, 16);
    check_around(to, size);

    memcpy(from, want, size);
    CHECK_STATUS(rijn_gcm_open(&key, to, tag, 16, nonce, nonce_size, ad, sizeof ad, from, size),
                 RIJN_OK);
    CHECK_BYTES(to, data, size);
    check_around(to, size);
    got_tag[15] ^= 1;
    CHECK_STATUS(rijn_gcm_open(&key, to, got_tag, 16, nonce, nonce_size, ad, sizeof ad, from, size),
                 RIJN_ERR_TAG);
    CHECK_FILL(to, 0, size);
    check_around(to, size);
    memcpy(from, data, size);
}

static void check_place(size_t before, size_t size, bool at_end)
{
    uint8_t *const from = arena_place(&in, size, at_end);
    uint8_t *const to = at_end ? out.end - size - before : out.start + before;

    note("size %zu, output %zu bytes into a line", size, (size_t)((uintptr_t)to % LINE));
    memcpy(from, data, size);
    check_ctr(to, from, size);
    check_gcm(to, from, size, size % 2 ? 12 : sizeof nonce);
}

/* Returns true if the function table, and not only the template, bypasses the caches. */
static bool bypasses(void)
{
    return rijn_bypasses(&key, data + 1, data, rijn_bypass_size);
}

static void run(const rijn_backend_info *info)
{
    static const size_t sizes[] = {1, 127, 128, 129, 511, 512, 513, 575, 1024, 1500, 2047, 2960};
    uint8_t bytes[32];

    in = new_arena(MOST);
    out = new_arena(MOST + LINE);
    memset(out.start, 0x5a, (size_t)(out.end - out.start));
    rijn_bypass_size = 1;
    for (size_t key_size = 16; key_size <= 32; key_size += 8) {
        random_bytes(bytes, sizeof bytes);
        random_bytes(data, sizeof data);
        random_bytes(nonce, sizeof nonce);
        random_bytes(counter, sizeof counter);
        memset(counter + 8, 0xff, 7); /* carries within the message */
        make_key(&key, bytes, key_size, info->name);
        CHECK(bypasses() == (strstr(info->name, "aes") != NULL));
        if (!bypasses())
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (size_t before = 0; before < LINE; before += key_size == 16 ? 1 : 21)
                check_place(before, sizes[i], before % 2);
    }
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
