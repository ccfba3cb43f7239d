/* Packets between two boards without random bytes. A nonce is the sender's number and a count, which
 * continues after a restart. No nonce repeats under the key if the two boards have different numbers
 * and the values passed to `keep` survive a loss of power.
 *
 *     packet: count (8 bytes, big-endian), ciphertext, tag (16)
 *     nonce:  number of the sender (4), count (8)
 *
 * A board only accepts packets with the other board's number, so nobody can replay its own packets to
 * it, and only counts above all earlier ones, so no packet is accepted twice. Needs only the library.
 * docs/microcontrollers.md builds it for a Cortex-M4. */
#include <rijn.h>
#include <stdbool.h>

enum { COUNT = 8, TAG = 16, MORE = COUNT + TAG };

/* Values that survive a loss of power, for each board: a variable here, flash or EEPROM on a board.
 * `keep` returns after it has written them. It returns false if it could not. */
typedef struct {
    uint64_t unused;   /* no count from here on was ever used */
    uint64_t received; /* counts below this are refused; written with every packet, which wears
                          out some flash */
} kept;
static kept flash[2];

static bool keep(uint32_t number, kept what)
{
    flash[number] = what;
    return true;
}

typedef struct {
    rijn_key key;
    uint32_t number; /* 0, and the other board's 1; or the other way round */
    uint64_t next;   /* count of the next packet */
    kept kept;
} board;

/* Counts that one write to the flash reserves. */
enum { AHEAD = 256 };

static rijn_status start(board *b, const uint8_t key[32], uint32_t number)
{
    b->number = number;
    b->kept = flash[number];
    b->next = b->kept.unused;
    return rijn_key_init(&b->key, key, 32, NULL);
}

static void put_number(uint8_t *out, uint64_t number, size_t size)
{
    while (size--) {
        out[size] = (uint8_t)number;
        number >>= 8;
    }
}

/* Writes size + MORE bytes. On an error there is no packet; do not send anything. */
static rijn_status seal(board *b, uint8_t *packet, const uint8_t *text, size_t size)
{
    uint8_t nonce[12];

    if (b->next == b->kept.unused) { /* written before it is used */
        const kept more = {b->kept.unused + AHEAD, b->kept.received};
        if (!keep(b->number, more))
            return RIJN_ERR_STATE;
        b->kept = more;
    }
    put_number(nonce, b->number, 4);
    put_number(nonce + 4, b->next, COUNT);
    put_number(packet, b->next, COUNT);
    b->next++;
    return rijn_gcm_seal(&b->key, packet + COUNT, packet + COUNT + size, TAG, nonce, sizeof nonce,
                         NULL, 0, text, size);
}

/* Writes size - MORE bytes to `text`, zeros if it refuses the packet. Returns RIJN_ERR_TAG if the packet
 * is not from the other board, RIJN_ERR_STATE if it was accepted before. */
static rijn_status open(board *b, uint8_t *text, const uint8_t *packet, size_t size)
{
    uint8_t nonce[12];
    uint64_t count = 0;

    if (size < MORE)
        return RIJN_ERR_SIZE;
    for (int i = 0; i < COUNT; i++)
        count = count << 8 | packet[i];
    put_number(nonce, 1 - b->number, 4);
    put_number(nonce + 4, count, COUNT);
    size -= MORE;
    rijn_status status = rijn_gcm_open(&b->key, text, packet + COUNT + size, TAG, nonce,
                                       sizeof nonce, NULL, 0, packet + COUNT, size);
    const kept taken = {b->kept.unused, count + 1};
    if (status == RIJN_OK && (count < b->kept.received || !keep(b->number, taken))) {
        rijn_wipe(text, size);
        status = RIJN_ERR_STATE;
    }
    if (status == RIJN_OK)
        b->kept = taken;
    return status;
}

int main(void)
{
    static const uint8_t key[32] = "this key is for show: use random"; /* generated once */
    static const uint8_t text[16] = "21.5 degrees C";
    uint8_t packet[16 + MORE], second[16 + MORE], opened[16];
    board here, there;
    bool well = start(&here, key, 0) == RIJN_OK && start(&there, key, 1) == RIJN_OK;

    well = well && seal(&here, packet, text, 16) == RIJN_OK &&
           open(&there, opened, packet, sizeof packet) == RIJN_OK && opened[3] == text[3] &&
           open(&there, opened, packet, sizeof packet) == RIJN_ERR_STATE && opened[3] == 0 &&
           open(&here, opened, packet, sizeof packet) == RIJN_ERR_TAG;

    rijn_key_wipe(&here.key); /* the power is gone */
    well = well && start(&here, key, 0) == RIJN_OK && seal(&here, second, text, 16) == RIJN_OK &&
           second[COUNT - 2] != packet[COUNT - 2];
    second[COUNT] ^= 1;
    well = well && open(&there, opened, second, sizeof second) == RIJN_ERR_TAG && opened[3] == 0;
    second[COUNT] ^= 1;
    well = well && open(&there, opened, second, sizeof second) == RIJN_OK;

    rijn_key_wipe(&here.key);
    rijn_key_wipe(&there.key);
    return well ? 0 : 1;
}
