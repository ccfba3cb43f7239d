/* Packets between two boards that have no random bytes: a nonce is the sender's number and a count,
 * which goes on where it was when the board starts again. No nonce comes twice under the key as
 * long as no two boards have one number and what `keep` was given is there after a loss of power.
 *
 *     packet: count (8 bytes, the highest first), ciphertext, tag (16)
 *     nonce:  number of the sender (4), count (8)
 *
 * A board opens what bears the other's number, so its own packets are of no use against it, and
 * what has a higher count than all before, so none is taken twice. Needs nothing but the library:
 * docs/microcontrollers.md builds it for a Cortex-M4. */
#include <rijn.h>
#include <stdbool.h>

enum { COUNT = 8, TAG = 16, MORE = COUNT + TAG };

/* What outlives a loss of power, for each board: here a variable, on a board its flash or EEPROM.
 * `keep` returns when it is written, and says whether it is. */
typedef struct {
    uint64_t unused;   /* no count from here on was ever used */
    uint64_t received; /* no count below this is taken again; written with every packet, which is
                          not for every flash */
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

/* So many counts are set aside by one writing of the flash. */
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

/* Writes size + MORE bytes. On an error there is no packet, and nothing may be sent. */
static rijn_status seal(board *b, uint8_t *packet, const uint8_t *text, size_t size)
{
    uint8_t nonce[12];

    if (b->next == b->kept.unused) { /* kept first, used then */
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

/* Writes size - MORE bytes to text, which are zeros where the packet is refused: RIJN_ERR_TAG when
 * it is not the other board's, RIJN_ERR_STATE when it was taken before. */
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
    static const uint8_t key[32] = "this key is for show: use random"; /* made elsewhere, once */
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
