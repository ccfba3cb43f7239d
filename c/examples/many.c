/* Seals a column of messages with one call and opens it with another, which reports the altered
 * message.
 *
 *     cc many.c $(pkg-config --cflags --libs rijn) -o many && ./many
 */
#include <rijn.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 3 };

/* Allocates memory for results of `size` bytes and sets it in `many`. */
static int make_room(rijn_many *many, size_t size)
{
    many->out_size = size;
    many->out = malloc(size + 1); /* `size` may be 0 */
    many->out_offsets32 = malloc((many->count + 1) * sizeof *many->out_offsets32);
    return many->out && many->out_offsets32;
}

int main(void)
{
    const uint8_t bytes[] = "this key is for show: use random"; /* 32, and a NUL */
    const uint8_t text[] = "onetwothree";
    const int32_t begins[COUNT + 1] = {0, 3, 6, 11}; /* and the end of the last one */
    uint8_t failed[(COUNT + 7) / 8];
    size_t size, failures;
    rijn_key key;

    rijn_status status = rijn_key_init(&key, bytes, 32, NULL);
    if (status != RIJN_OK) {
        fprintf(stderr, "no key: %s\n", rijn_status_text(status));
        return 1;
    }

    rijn_many seal = {
        .key = &key, .count = COUNT, .in = {.data = text, .size = 11, .offsets32 = begins}};
    if (rijn_seal_many_size(&seal, &size) != RIJN_OK || !make_room(&seal, size) ||
        rijn_seal_many(&seal) != RIJN_OK)
        return 1;
    printf("sealed: %d messages in %zu bytes\n", COUNT, size); /* nonce || ciphertext || tag */

    seal.out[seal.out_offsets32[1] + 20] ^= 1;

    rijn_many open = {.key = &key,
                      .count = COUNT,
                      .failed = failed,
                      .in = {.data = seal.out, .size = size, .offsets32 = seal.out_offsets32}};
    if (rijn_open_many_size(&open, &size) != RIJN_OK || !make_room(&open, size))
        return 1;
    status = rijn_open_many(&open, &failures);
    printf("opened: %zu altered (%s)\n", failures, rijn_status_text(status));
    for (int i = 0; i < COUNT; i++) {
        const int begin = open.out_offsets32[i], end = open.out_offsets32[i + 1];
        if (failed[i / 8] >> i % 8 & 1)
            printf("%d: refused\n", i);
        else
            printf("%d: %.*s\n", i, end - begin, (const char *)open.out + begin);
    }

    free(seal.out);
    free(seal.out_offsets32);
    free(open.out);
    free(open.out_offsets32);
    rijn_key_wipe(&key);
    return status == RIJN_ERR_TAG && failures == 1 ? 0 : 1;
}
