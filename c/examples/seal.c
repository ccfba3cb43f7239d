/* Seals a message, opens it, and shows what happens to an altered one.
 *
 *     cc seal.c $(pkg-config --cflags --libs rijn) -o seal && ./seal
 */
#include <rijn.h>
#include <stdio.h>

int main(void)
{
    const uint8_t bytes[] = "this key is for show: use random"; /* 32, and a NUL */
    const uint8_t nonce[12] = "never twice";                    /* under one key */
    const uint8_t text[] = "Attack at dawn";
    uint8_t sealed[sizeof text], opened[sizeof text] = {0}, tag[16];
    rijn_key key;

    rijn_status status = rijn_key_init(&key, bytes, 32, NULL);
    if (status != RIJN_OK) {
        fprintf(stderr, "no key: %s\n", rijn_status_text(status));
        return 1;
    }
    printf("librijn %s, backend %s\n", rijn_version(), rijn_key_backend(&key));

    status = rijn_gcm_seal(&key, sealed, tag, 16, nonce, 12, NULL, 0, text, sizeof text);
    if (status != RIJN_OK) {
        fprintf(stderr, "not sealed: %s\n", rijn_status_text(status));
        rijn_key_wipe(&key);
        return 1;
    }
    status = rijn_gcm_open(&key, opened, tag, 16, nonce, 12, NULL, 0, sealed, sizeof sealed);
    printf("opened: %s (%s)\n", (const char *)opened, rijn_status_text(status));

    sealed[7] ^= 1;
    status = rijn_gcm_open(&key, opened, tag, 16, nonce, 12, NULL, 0, sealed, sizeof sealed);
    printf("altered: \"%s\" (%s)\n", (const char *)opened, rijn_status_text(status));

    rijn_key_wipe(&key);
    return status == RIJN_ERR_TAG ? 0 : 1;
}
