/* rijn_seal_many and rijn_open_many against the one-message functions: every mode, every layout, every
 * source of nonces, whole columns and parts of them, forgeries anywhere, and refused calls. */
#include "check.h"

enum { MOST = 150, ROOM = 1 << 17, AD_MOST = 90 };

static const rijn_backend_info *backend;
static const char *kernel; /* of AEGIS; NULL: no AEGIS */
static rijn_key key;
static rijn_siv_key siv_key;
static rijn_aegis_key aegis_key;

typedef enum { BUFFERS, OFFSETS_32, OFFSETS_64, SHARED, NO_AD } layout;
typedef enum { GIVEN, GIVEN_IN_FRONT, COUNTED, COUNTED_IN_FRONT, DRAWN, WITHOUT } source;

/* A column of messages, in all layouts at once. */
typedef struct {
    uint8_t data[ROOM];
    int32_t offsets32[MOST + 1];
    int64_t offsets64[MOST + 1];
    const uint8_t *buffers[MOST];
    size_t sizes[MOST];
} column;

static column plain, ads, sealed, opened;
static uint8_t lent[1 << 14]; /* rijn_many.room, in some calls */
static uint8_t nonces[MOST * 32], base[32], failed[(MOST + 7) / 8 + 1], want[ROOM], one_ad[AD_MOST];
static rijn_many many;

/* Lays out a column of messages with the sizes already set. It begins a few bytes into the buffer. */
static void lay_out(column *c, size_t count)
{
    c->offsets64[0] = 3;
    for (size_t i = 0; i < count; i++) {
        c->buffers[i] = c->data + c->offsets64[i];
        c->offsets64[i + 1] = c->offsets64[i] + (int64_t)c->sizes[i];
    }
    for (size_t i = 0; i <= count; i++)
        c->offsets32[i] = (int32_t)c->offsets64[i];
}

static rijn_column as(const column *c, layout of)
{
    switch (of) {
    case BUFFERS:
        return (rijn_column){.buffers = c->buffers, .sizes = c->sizes};
    case OFFSETS_32:
        return (rijn_column){.data = c->data, .size = ROOM, .offsets32 = c->offsets32};
    case OFFSETS_64:
        return (rijn_column){.data = c->data, .size = ROOM, .offsets64 = c->offsets64};
    case SHARED:
        return (rijn_column){.data = one_ad, .size = sizeof one_ad};
    default:
        return (rijn_column){0};
    }
}

/* ---- The same for one message ---- */

static rijn_string ad_of(size_t i, layout of)
{
    if (of == SHARED)
        return (rijn_string){one_ad, sizeof one_ad};
    return of == NO_AD ? (rijn_string){NULL, 0} : (rijn_string){ads.buffers[i], ads.sizes[i]};
}

/* Seals message i, without a nonce before the result. Returns the size of the result. */
static size_t seal_one(uint8_t *out, size_t i, const uint8_t *nonce, size_t n, size_t tag_size,
                       layout ad_layout)
{
    const uint8_t *const in = plain.buffers[i];
    const size_t size = plain.sizes[i];
    const rijn_string ad = ad_of(i, ad_layout);
    uint8_t chain[16] = {0}, empty[1];
    rijn_string strings[2];
    size_t count = 0;

#define AEAD(mode) \
    CHECK_STATUS(rijn_##mode##_seal(&key, out, out + size, tag_size, nonce, n, ad.bytes, ad.size, \
                                    in, size), \
                 RIJN_OK); \
    return size + tag_size
    memcpy(chain, nonce, n < 16 ? n : 16);
    switch (many.mode) {
    case RIJN_MANY_GCM:
        AEAD(gcm);
    case RIJN_MANY_GCM_SIV:
        AEAD(gcm_siv);
    case RIJN_MANY_XAES:
        AEAD(xaes);
    case RIJN_MANY_CCM:
        AEAD(ccm);
    case RIJN_MANY_OCB:
        AEAD(ocb);
    case RIJN_MANY_EAX:
        AEAD(eax);
    case RIJN_MANY_AEGIS:
        CHECK_STATUS(rijn_aegis_seal(&aegis_key, out, out + size, tag_size, nonce, n, ad.bytes,
                                     ad.size, in, size),
                     RIJN_OK);
        return size + tag_size;
    case RIJN_MANY_SIV:
        if (ad_layout != NO_AD)
            strings[count++] = ad.bytes ? ad : (rijn_string){empty, 0};
        if (n)
            strings[count++] = (rijn_string){nonce, n};
        CHECK_STATUS(rijn_siv_seal(&siv_key, out + 16, out, strings, count, in, size), RIJN_OK);
        return 16 + size;
    case RIJN_MANY_CMAC:
        CHECK_STATUS(rijn_cmac(&key, out, tag_size, ad.bytes, ad.size), RIJN_OK);
        return tag_size;
    case RIJN_MANY_CBC:
        CHECK_STATUS(rijn_cbc_encrypt_padded(&key, chain, out, in, size), RIJN_OK);
        return size / 16 * 16 + 16;
    case RIJN_MANY_CBC_BLOCKS:
        CHECK_STATUS(rijn_cbc_encrypt(&key, chain, out, in, size), RIJN_OK);
        return size;
    default:
        CHECK_STATUS(rijn_ctr_crypt(&key, chain, out, in, size), RIJN_OK);
        return size;
    }
}

/* Adds i to the base, byte by byte. */
static void counted(uint8_t *nonce, size_t n, size_t i)
{
    unsigned carry = 0;

    memcpy(nonce, base, n);
    for (size_t at = n; at > 0 && at + 8 > n; at--, i >>= 8) {
        const unsigned sum = nonce[at - 1] + (unsigned)(i & 255) + carry;
        nonce[at - 1] = (uint8_t)sum;
        carry = sum >> 8;
    }
}

/* ---- Sealing and opening a column ---- */

static layout in_layout, ad_layout;
static source nonce_source;
static size_t nonce_size, tag_size, count;

static const char *describe(void)
{
    static char text[120];
    snprintf(text, sizeof text, "%s %s: mode %d, count %zu, layouts %d and %d, nonces %d of %zu",
             backend->name, kernel ? kernel : "", (int)many.mode, count, (int)in_layout,
             (int)ad_layout, (int)nonce_source, nonce_size);
    return text;
}

static bool has_tag(void)
{
    return many.mode != RIJN_MANY_CBC && many.mode != RIJN_MANY_CBC_BLOCKS &&
           many.mode != RIJN_MANY_CTR;
}

static size_t front(void)
{
    return nonce_source == GIVEN_IN_FRONT || nonce_source == COUNTED_IN_FRONT ||
                   nonce_source == DRAWN
               ? nonce_size
               : 0;
}

static void set_up(bool opening)
{
    const rijn_many_mode mode = many.mode;

    many = (rijn_many){.mode = mode,
                       .key = &key,
                       .siv_key = &siv_key,
                       .aegis_key = &aegis_key,
                       .count = count,
                       .tag_size = has_tag() ? tag_size : 0,
                       .nonce_size = nonce_size,
                       .ad = as(&ads, ad_layout)};
    if (mode != RIJN_MANY_CMAC || opening)
        many.in = as(opening ? &sealed : &plain, in_layout);
    if (nonce_source == GIVEN || (nonce_source == GIVEN_IN_FRONT && !opening))
        many.nonces = nonces;
    if (nonce_source == COUNTED || (nonce_source == COUNTED_IN_FRONT && !opening))
        many.base = base;
    many.prepend_nonce =
        !opening && (nonce_source == GIVEN_IN_FRONT || nonce_source == COUNTED_IN_FRONT);
    if (random_below(2)) {
        many.room = lent + random_below(16);
        many.room_size = rijn_many_room(count);
        CHECK(many.room_size <= sizeof lent - 16);
    }
}

static void into(column *c)
{
    memset(c->data, 0xee, sizeof c->data);
    memset(c->offsets32, 0xee, sizeof c->offsets32);
    memset(c->offsets64, 0xee, sizeof c->offsets64);
    many.out = c->data;
    many.out_start = 3;
    if (in_layout == OFFSETS_32)
        many.out_offsets32 = c->offsets32;
    else
        many.out_offsets64 = c->offsets64;
}

static int64_t offset(const column *c, size_t i)
{
    return in_layout == OFFSETS_32 ? c->offsets32[i] : c->offsets64[i];
}

static void check_sealed(void)
{
    size_t at = 3, size;

    into(&sealed);
    note("%s, sealing", describe());
    if (!CHECK_STATUS(rijn_seal_many_size(&many, &size), RIJN_OK))
        return;
    CHECK(size <= ROOM - 3);
    many.out_size = 3 + size - (size != 0);
    if (size)
        CHECK_STATUS(rijn_seal_many(&many), RIJN_ERR_SIZE);
    CHECK_FILL(sealed.data, 0xee, ROOM);
    many.out_size = 3 + size;
    if (!CHECK_STATUS(rijn_seal_many(&many), RIJN_OK))
        return;
    CHECK(offset(&sealed, 0) == 3);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const result = sealed.data + at;
        uint8_t nonce[32] = {0};
        size_t result_size;
        if (nonce_source == DRAWN)
            memcpy(nonce, result, nonce_size);
        else if (nonce_source == COUNTED || nonce_source == COUNTED_IN_FRONT)
            counted(nonce, nonce_size, i);
        else if (nonce_source != WITHOUT)
            memcpy(nonce, nonces + nonce_size * i, nonce_size);
        memcpy(want, nonce, front());
        result_size = front() + seal_one(want + front(), i, nonce, nonce_size, tag_size, ad_layout);
        note("%s, sealing message %zu of %zu bytes", describe(), i, plain.sizes[i]);
        CHECK_BYTES(result, want, result_size);
        sealed.sizes[i] = result_size;
        at += result_size;
        CHECK(offset(&sealed, i + 1) == (int64_t)at);
    }
    CHECK(at == 3 + size);
    CHECK_FILL(sealed.data, 0xee, 3);
    CHECK_FILL(sealed.data + at, 0xee, ROOM - at);
    lay_out(&sealed, count);
}

/* Opens the messages in `sealed` and checks the results. `bad` marks the forged ones. */
static void check_opened(const bool bad[MOST])
{
    const bool hides = many.mode == RIJN_MANY_CBC; /* padding hides the size */
    const bool textless = many.mode == RIJN_MANY_CMAC;
    size_t at = 3, size, failures = 99, expected = 0;

    into(&opened);
    memset(failed, 0xff, sizeof failed);
    many.failed = failed;
    if (!CHECK_STATUS(rijn_open_many_size(&many, &size), RIJN_OK))
        return;
    many.out_size = 3 + size;
    for (size_t i = 0; i < count; i++)
        expected += bad[i];
    CHECK_STATUS(rijn_open_many(&many, &failures), !expected ? RIJN_OK
                                                   : hides   ? RIJN_ERR_PADDING
                                                             : RIJN_ERR_TAG);
    CHECK(failures == expected);
    for (size_t i = 0; i < count; i++) {
        const size_t head = front() + (has_tag() ? tag_size : 0);
        size_t result = textless || sealed.sizes[i] < head ? 0 : sealed.sizes[i] - head;
        if (hides)
            result = bad[i] ? 0 : plain.sizes[i];
        if (many.mode == RIJN_MANY_CBC_BLOCKS && result % 16)
            result = 0;
        note("%s, opening message %zu", describe(), i);
        CHECK(offset(&opened, i) == (int64_t)at);
        if (bad[i])
            CHECK_FILL(opened.data + at, 0, result);
        else if (result)
            CHECK_BYTES(opened.data + at, plain.buffers[i], result);
        CHECK((failed[i / 8] >> i % 8 & 1) == bad[i]);
        at += result;
    }
    note("%s, opening", describe());
    CHECK(offset(&opened, count) == (int64_t)at);
    CHECK(hides ? at <= 3 + size : at == 3 + size);
    CHECK_FILL(opened.data, 0xee, 3);
    CHECK_FILL(opened.data + 3 + size, 0xee, ROOM - 3 - size);
    for (size_t bit = count; bit < (count + 7) / 8 * 8; bit++)
        CHECK(!(failed[bit / 8] >> bit % 8 & 1));
    CHECK(failed[(count + 7) / 8] == 0xff);
    CHECK_STATUS(rijn_open_many(&many, NULL), !expected ? RIJN_OK
                                              : hides   ? RIJN_ERR_PADDING
                                                        : RIJN_ERR_TAG);
}

/* Checks parts of eight or more messages in any order, as rijn.h allows for threads. */
static void check_parts(void)
{
    static column parts;
    const rijn_many all = many;
    size_t start = 3, size;

    memset(parts.data, 0xee, sizeof parts.data);
    memset(parts.offsets64, 0xee, sizeof parts.offsets64);
    for (size_t first = 0; first < count; first += many.count) {
        many = all;
        many.first = first;
        many.count = 8 + 8 * random_below(9) < count - first ? 8 : count - first;
        many.out = parts.data;
        many.out_size = ROOM;
        many.out_offsets32 = NULL;
        many.out_offsets64 = parts.offsets64;
        many.out_start = start;
        note("%s, part from %zu", describe(), first);
        CHECK_STATUS(rijn_seal_many_size(&many, &size), RIJN_OK);
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
        start += size;
    }
    many = all;
    CHECK_BYTES(parts.data, sealed.data, ROOM);
    for (size_t i = 0; i <= count && count; i++)
        CHECK(parts.offsets64[i] == sealed.offsets64[i]);
}

/* Alters a bit in a third of the messages, and makes some messages in buffers too short. */
static void check_forged(void)
{
    bool bad[MOST] = {false};

    set_up(false);
    into(&sealed);
    many.out_size = ROOM;
    CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
    for (size_t i = 0; i < count; i++)
        sealed.sizes[i] = (size_t)(offset(&sealed, i + 1) - offset(&sealed, i));
    lay_out(&sealed, count);
    for (size_t i = 0; i < count; i++) {
        const size_t size = sealed.sizes[i];
        bad[i] = random_below(3) == 0;
        if (bad[i])
            sealed.data[sealed.offsets64[i] + (int64_t)random_below(size)] ^=
                (uint8_t)(1 << random_below(8));
        else if (in_layout == BUFFERS && random_below(8) == 0)
            bad[i] = true, sealed.sizes[i] = random_below(front() + tag_size);
    }
    set_up(true);
    check_opened(bad);
}

/* Draws sizes of messages. In one of three cases all are equal. */
static void random_sizes(size_t most, size_t step)
{
    const bool equal = random_below(3) == 0;

    for (size_t i = 0; i < count; i++) {
        const size_t limits[] = {1, 17, 40, 300, most};
        const size_t limit = limits[random_below(5)];
        plain.sizes[i] =
            equal && i ? plain.sizes[0] : random_below(limit < most ? limit : most) / step * step;
        ads.sizes[i] = random_below(random_below(2) ? 2 : AD_MOST);
    }
    lay_out(&plain, count);
    lay_out(&ads, count);
    random_bytes(plain.data, sizeof plain.data);
    random_bytes(ads.data, sizeof ads.data);
    random_bytes(nonces, sizeof nonces);
    random_bytes(base, sizeof base);
    random_bytes(one_ad, sizeof one_ad);
    memset(base, 1, 4); /* so that counters of 8 bytes do not wrap */
}

/* Gives nonces of XAES shared prefixes, as in messages from batches: 1 to 40 prefixes in any order. Some
 * prefixes differ in only one bit. */
static void share_prefixes(void)
{
    const size_t prefixes = 1 + random_below(1 + random_below(40));

    for (size_t i = prefixes; i < count; i++)
        memcpy(nonces + 24 * i, nonces + 24 * random_below(prefixes), 12);
    for (size_t i = 0; i < count; i += 1 + random_below(30))
        nonces[24 * i + random_below(12)] ^= 1;
}

/* Checks counted nonces that carry into each byte of the number, in the middle of a part. */
static void check_counts(void)
{
    const size_t counting = nonce_size < 8 ? nonce_size : 8;

    in_layout = BUFFERS;
    count = 20;
    for (size_t low = 1; low < counting; low++) {
        random_sizes(40, 1);
        base[nonce_size - counting] = 0;
        memset(base + nonce_size - low, 0xff, low);
        base[nonce_size - 1] = 0xff - 17;
        set_up(false);
        check_sealed();
        check_parts();
    }
}

static void check_mode(rijn_many_mode mode, size_t n, source least, source most)
{
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, MOST};
    const bool has_ad = mode <= RIJN_MANY_CMAC;

    many.mode = mode;
    nonce_size = n;
    for (int s = (int)least; s <= (int)most; s++) {
        nonce_source = (source)s;
        for (int in = BUFFERS; in <= OFFSETS_64; in++) {
            in_layout = (layout)in;
            count = counts[random_below(7)];
            ad_layout = has_ad ? (layout)random_below(mode == RIJN_MANY_CMAC ? 3 : 5) : NO_AD;
            random_sizes(600, mode == RIJN_MANY_CBC_BLOCKS ? 16 : 1);
            base[n < 8 ? 0 : n - 8] = 0;
            if (mode == RIJN_MANY_XAES)
                share_prefixes();
            set_up(false);
            check_sealed();
            if (nonce_source != DRAWN)
                check_parts();
            set_up(true);
            check_opened((const bool[MOST]){false});
            if (has_tag())
                check_forged();
        }
        if (s == COUNTED)
            check_counts();
    }
}

static void check_aegis(const char *name)
{
    kernel = name;
    for (unsigned v = 0; v < RIJN_AEGIS_VARIANTS; v++) {
        const size_t size = rijn_aegis_key_size((rijn_aegis_variant)v);
        uint8_t bytes[32];
        random_bytes(bytes, sizeof bytes);
        CHECK_STATUS(rijn_aegis_key_init(&aegis_key, (rijn_aegis_variant)v, bytes, size, name),
                     RIJN_OK);
        tag_size = v % 2 ? 32 : 16;
        check_mode(RIJN_MANY_AEGIS, size, GIVEN, DRAWN);
    }
    kernel = NULL;
    tag_size = 16;
}

/* ---- XAES in any order ---- */

/* So many messages that they are gathered in parts, in lent memory and on the stack. */
enum { SCATTERED = 32768 + 2048 + 100, SCATTERED_ROOM = 44 * SCATTERED };

static struct {
    uint8_t nonces[24 * SCATTERED], plain[3 * SCATTERED], sealed[SCATTERED_ROOM];
    uint8_t opened[3 * SCATTERED], failed[SCATTERED / 8 + 1], room[64 + 917527 + 64];
    const uint8_t *buffers[SCATTERED];
    size_t sizes[SCATTERED];
    int64_t begins[SCATTERED + 1], ends[SCATTERED + 1], opened_ends[SCATTERED + 1];
} scattered;

/* Makes prefixes with the same place in the hash table of batch/prefix_order.h: the bits in which they
 * differ cancel out. */
static void collide(uint8_t *nonce, uint8_t n)
{
    nonce[4] ^= n;
    nonce[8] ^= n;
}

/* Makes nonces with one of `prefixes` prefixes, and some with a unique one. */
static void scatter(size_t prefixes, bool colliding)
{
    random_bytes(scattered.nonces, sizeof scattered.nonces);
    for (size_t i = prefixes; i < SCATTERED; i++) {
        uint8_t *const nonce = scattered.nonces + 24 * i;
        if (random_below(500)) {
            memcpy(nonce, scattered.nonces + 24 * random_below(prefixes), 12);
            if (colliding)
                collide(nonce, (uint8_t)random_below(30));
        }
    }
    random_bytes(scattered.plain, sizeof scattered.plain);
    scattered.begins[0] = 0;
    for (size_t i = 0; i < SCATTERED; i++)
        scattered.begins[i + 1] = scattered.begins[i] + (int64_t)random_below(4);
}

/* Lends memory, if `room`, that begins `shift` bytes after an aligned address. */
static void lend(rijn_many *call, bool room, size_t shift)
{
    memset(scattered.room, 0xee, sizeof scattered.room);
    call->room = room ? scattered.room + 56 + shift : NULL;
    call->room_size = room ? rijn_many_room(call->count) : 0;
    CHECK(rijn_many_room(call->count) <= sizeof scattered.room - 128);
}

/* Checks that nothing around the lent memory was written, and that the memory was used if messages were
 * gathered. */
static void check_room(const rijn_many *call, bool gathered)
{
    const uint8_t *const room = call->room, *const all = scattered.room;
    bool used = false;

    if (!room)
        return;
    CHECK_FILL(all, 0xee, (size_t)(room - all));
    CHECK_FILL(room + call->room_size, 0xee,
               sizeof scattered.room - (size_t)(room - all) - call->room_size);
    for (size_t i = 0; i < call->room_size; i++)
        used |= room[i] != 0xee;
    CHECK(used == gathered);
}

static void check_scattered(bool room, size_t shift, bool gathered)
{
    rijn_many call = {.mode = RIJN_MANY_XAES,
                      .key = &key,
                      .count = SCATTERED,
                      .in = {.data = scattered.plain,
                             .size = sizeof scattered.plain,
                             .offsets64 = scattered.begins},
                      .nonces = scattered.nonces,
                      .prepend_nonce = 1,
                      .out = scattered.sealed,
                      .out_size = sizeof scattered.sealed,
                      .out_offsets64 = scattered.ends};
    size_t expected = 0, refused = 0;

    lend(&call, room, shift);
    CHECK_STATUS(rijn_seal_many(&call), RIJN_OK);
    check_room(&call, gathered);
    for (size_t i = 0; i < SCATTERED; i++) {
        const uint8_t *const text = scattered.plain + scattered.begins[i];
        const size_t size = (size_t)(scattered.begins[i + 1] - scattered.begins[i]);
        uint8_t *const row = scattered.sealed + scattered.ends[i], whole[24 + 3 + 16];
        if (!CHECK(scattered.ends[i + 1] - scattered.ends[i] == (int64_t)(size + 40)))
            return;
        if (i % 97 == 0 || i + 3 > SCATTERED) {
            memcpy(whole, scattered.nonces + 24 * i, 24);
            CHECK_STATUS(rijn_xaes_seal(&key, whole + 24, whole + 24 + size, 16, whole, 24, NULL, 0,
                                        text, size),
                         RIJN_OK);
            CHECK_BYTES(row, whole, 40 + size);
        }
        scattered.buffers[i] = row;
        scattered.sizes[i] = i % 301 == 7 ? 39 : 40 + size;
        if (i % 211 == 5) {
            /* Altered prefixes would change how messages are gathered. */
            const size_t kept = gathered ? 0 : 12;
            row[kept + random_below(40 + size - kept)] ^= (uint8_t)(1 << random_below(8));
        }
    }
    call.in = (rijn_column){.buffers = scattered.buffers, .sizes = scattered.sizes};
    call.nonces = NULL, call.prepend_nonce = 0;
    call.out = scattered.opened, call.out_size = sizeof scattered.opened;
    call.out_offsets64 = scattered.opened_ends, call.failed = scattered.failed;
    lend(&call, room, shift);
    CHECK_STATUS(rijn_open_many(&call, &refused), RIJN_ERR_TAG);
    check_room(&call, gathered);
    for (size_t i = 0; i < SCATTERED; i++) {
        const bool bad = i % 301 == 7 || i % 211 == 5;
        const size_t size = scattered.sizes[i] < 40 ? 0 : scattered.sizes[i] - 40;
        const uint8_t *const text = scattered.opened + scattered.opened_ends[i];
        expected += bad;
        CHECK((scattered.failed[i / 8] >> i % 8 & 1) == bad);
        CHECK(scattered.opened_ends[i + 1] - scattered.opened_ends[i] == (int64_t)size);
        if (bad)
            CHECK_FILL(text, 0, size);
        else
            CHECK_BYTES(text, scattered.plain + scattered.begins[i], size);
    }
    CHECK(refused == expected);
}

static void test_scattered(void)
{
    static const size_t prefixes[] = {1, 5, 300, 6000};

    for (size_t i = 0; i < 4; i++) {
        note("%s, XAES with %zu prefixes", backend->name, prefixes[i]);
        scatter(prefixes[i], prefixes[i] == 5);
        check_scattered(i % 2, i, true);
        check_scattered(!(i % 2), 7 - i, true);
    }
    note("%s, XAES of one prefix", backend->name);
    for (size_t i = 1; i < SCATTERED; i++)
        memcpy(scattered.nonces + 24 * i, scattered.nonces, 12);
    check_scattered(true, 0, false);
    CHECK(sizeof(size_t) < 8 ? rijn_many_room(SIZE_MAX) < 917527
                             : rijn_many_room(SIZE_MAX) == 917527);
}

/* Checks that a lane that has ended does not change the others: messages of all sizes up to some blocks
 * next to each other, and one long message. */
static void check_unequal(rijn_many_mode mode, size_t n)
{
    many.mode = mode;
    nonce_size = n;
    nonce_source = GIVEN;
    in_layout = OFFSETS_32;
    ad_layout = NO_AD;
    for (size_t longest = 0; longest < 64; longest += 21) {
        count = 67;
        random_sizes(100, 1);
        for (size_t i = 0; i < count; i++)
            plain.sizes[i] = i == longest ? 2000 : (i * 7) % 67;
        lay_out(&plain, count);
        set_up(false);
        check_sealed();
        set_up(true);
        check_opened((const bool[MOST]){false});
        if (has_tag())
            check_forged();
    }
}

/* Checks counter blocks that carry into every byte, at each block of a message. */
static void check_carries(void)
{
    many.mode = RIJN_MANY_CTR;
    nonce_size = 16;
    nonce_source = GIVEN;
    in_layout = OFFSETS_32;
    ad_layout = NO_AD;
    count = 20;
    random_sizes(200, 1);
    memset(nonces, 0xff, sizeof nonces);
    for (size_t i = 0; i < count; i++) {
        nonces[16 * i + 15] -= (uint8_t)(i % 5);
        nonces[16 * i] = (uint8_t)(i % 2 ? 0xff : 0x7f);
        plain.sizes[i] = 16 * (i % 7) + i;
    }
    lay_out(&plain, count);
    set_up(false);
    check_sealed();
}

/* ---- Refused calls ---- */

static size_t asked;

/* Checks that both calls return `status` and write nothing. */
#define REFUSED(status) \
    do { \
        CHECK_STATUS(rijn_seal_many(&many), status); \
        CHECK_FILL(sealed.data, 0xee, ROOM); \
        CHECK_FILL(sealed.offsets64, 0xee, sizeof sealed.offsets64); \
    } while (0)
#define REFUSED_AND_SIZE(status) \
    do { \
        CHECK_STATUS(rijn_seal_many_size(&many, &asked), status); \
        REFUSED(status); \
    } while (0)
#define OPEN_REFUSED(status) \
    do { \
        CHECK_STATUS(rijn_open_many(&many, NULL), status); \
        CHECK_FILL(sealed.data, 0xee, ROOM); \
    } while (0)

static void fresh(rijn_many_mode mode)
{
    many.mode = mode;
    nonce_size = mode == RIJN_MANY_CTR ? 12 : 0;
    nonce_source = mode == RIJN_MANY_CMAC ? WITHOUT : GIVEN;
    in_layout = OFFSETS_64;
    ad_layout = mode == RIJN_MANY_CMAC ? OFFSETS_32 : NO_AD;
    count = 5;
    tag_size = 0;
    random_sizes(100, 16);
    for (size_t i = 0; i < count; i++)
        plain.sizes[i] = 16 * (i + 1);
    lay_out(&plain, count);
    set_up(false);
    into(&sealed);
    many.out_size = ROOM;
    many.out_start = 0;
}

static void test_arguments(void)
{
    rijn_key wiped;
    rijn_siv_key wiped_siv;
    rijn_aegis_key wiped_aegis;

    note("%s arguments", backend->name);
    fresh(RIJN_MANY_GCM);
    CHECK_STATUS(rijn_seal_many(NULL), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_open_many(NULL, NULL), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_seal_many_size(&many, NULL), RIJN_ERR_ARGUMENT);
    CHECK_STATUS(rijn_open_many_size(NULL, &asked), RIJN_ERR_ARGUMENT);
    many.mode = (rijn_many_mode)12;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.key = NULL;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    rijn_key_wipe(&wiped);
    fresh(RIJN_MANY_GCM), many.key = &wiped;
    REFUSED_AND_SIZE(RIJN_ERR_STATE);
    fresh(RIJN_MANY_SIV), many.siv_key = NULL;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    rijn_siv_key_wipe(&wiped_siv);
    fresh(RIJN_MANY_SIV), many.siv_key = &wiped_siv;
    REFUSED_AND_SIZE(RIJN_ERR_STATE);
    fresh(RIJN_MANY_AEGIS), many.aegis_key = NULL;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    rijn_aegis_key_wipe(&wiped_aegis);
    fresh(RIJN_MANY_AEGIS), many.aegis_key = &wiped_aegis;
    REFUSED_AND_SIZE(RIJN_ERR_STATE);
    fresh(RIJN_MANY_XAES), many.key = &siv_key.mac; /* a part of another key */
    REFUSED_AND_SIZE(RIJN_ERR_STATE);
    fresh(RIJN_MANY_GCM), many.out = NULL;
    CHECK_STATUS(rijn_seal_many(&many), RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.out_offsets32 = sealed.offsets32;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.base = base;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.prepend_nonce = 1;
    OPEN_REFUSED(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_CMAC), many.in = as(&plain, OFFSETS_32);
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_CMAC), many.nonces = base;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_CMAC), many.base = base;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_CMAC), many.prepend_nonce = 1;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_CMAC), many.ad = (rijn_column){0};
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_CTR), many.ad = as(&ads, OFFSETS_32);
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.first = 4, many.count = 1, many.failed = failed;
    OPEN_REFUSED(RIJN_ERR_ARGUMENT);
    for (int mode = RIJN_MANY_CBC; mode <= RIJN_MANY_CTR; mode++) {
        fresh((rijn_many_mode)mode);
        many.nonce_size = 16, many.nonces = NULL, many.base = base;
        REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    }
}

static void test_sizes_refused(void)
{
    static uint8_t alone[80];
    static const struct {
        rijn_many_mode mode;
        size_t nonce, tag;
        rijn_status status;
    } rows[] = {
        {RIJN_MANY_GCM, 33, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_GCM, 12, 8, RIJN_ERR_TAG_SIZE},
        {RIJN_MANY_GCM, 12, 17, RIJN_ERR_TAG_SIZE},
        {RIJN_MANY_GCM_SIV, 13, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_XAES, 12, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_CCM, 14, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_OCB, 16, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_AEGIS, 12, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_AEGIS, 0, 24, RIJN_ERR_TAG_SIZE},
        {RIJN_MANY_SIV, 12, 8, RIJN_ERR_TAG_SIZE},
        {RIJN_MANY_CMAC, 12, 16, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_CMAC, 0, 7, RIJN_ERR_TAG_SIZE},
        {RIJN_MANY_CBC, 12, 0, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_CBC, 16, 16, RIJN_ERR_TAG_SIZE},
        {RIJN_MANY_CTR, 7, 0, RIJN_ERR_NONCE_SIZE},
        {RIJN_MANY_CTR, 17, 0, RIJN_ERR_NONCE_SIZE},
    };
    rijn_key small;
    uint8_t bytes[24];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        note("%s sizes, row %zu", backend->name, i);
        fresh(rows[i].mode);
        many.nonce_size = rows[i].nonce, many.tag_size = rows[i].tag;
        REFUSED_AND_SIZE(rows[i].status);
    }
    random_bytes(bytes, sizeof bytes);
    make_key(&small, bytes, 24, backend->name);
    note("%s sizes of keys", backend->name);
    fresh(RIJN_MANY_GCM_SIV), many.key = &small;
    REFUSED_AND_SIZE(RIJN_ERR_KEY_SIZE);
    fresh(RIJN_MANY_XAES), many.key = &small;
    REFUSED_AND_SIZE(RIJN_ERR_KEY_SIZE);
    note("%s sizes of messages", backend->name);
    for (size_t n = 1; n < 16; n++) { /* when opening: refused like altered messages */
        size_t failures = 0;
        uint8_t first[16], last[16];
        fresh(RIJN_MANY_CBC_BLOCKS), plain.offsets64[1] += (int64_t)n;
        many.failed = failed;
        CHECK_STATUS(rijn_open_many_size(&many, &asked), RIJN_OK);
        CHECK(asked == 3 * 16 * 4);
        CHECK_STATUS(rijn_open_many(&many, &failures), RIJN_ERR_TAG);
        CHECK(failures == 2 && failed[0] == 3);
        CHECK(sealed.offsets64[2] == 0 && sealed.offsets64[5] == 3 * 16 * 4);
        memcpy(first, nonces + 2 * 16, 16), memcpy(last, nonces + 4 * 16, 16);
        CHECK_STATUS(rijn_cbc_decrypt(&key, first, alone, plain.data + plain.offsets64[2], 48),
                     RIJN_OK);
        CHECK_BYTES(sealed.data, alone, 48);
        CHECK_STATUS(rijn_cbc_decrypt(&key, last, alone, plain.data + plain.offsets64[4], 80),
                     RIJN_OK);
        CHECK_BYTES(sealed.data + 48 + 64, alone, 80);
        CHECK_FILL(sealed.data + 192, 0xee, ROOM - 192);
    }
    fresh(RIJN_MANY_CBC_BLOCKS), plain.offsets64[5]--;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    fresh(RIJN_MANY_XAES), many.room = lent, many.room_size = rijn_many_room(5) - 1;
    REFUSED(RIJN_ERR_SIZE);
    fresh(RIJN_MANY_CCM), many.nonce_size = 13, plain.offsets64[5] += 65535;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    fresh(RIJN_MANY_CTR), many.nonce_size = 15, plain.offsets64[5] += 4097;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    /* impossible buffers: refused before they are accessed */
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS), plain.sizes[4] = SIZE_MAX;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    fresh(RIJN_MANY_SIV), many.nonces = NULL, many.in = as(&plain, BUFFERS);
    plain.sizes[3] = plain.sizes[4] = 0, many.out_offsets64 = NULL;
    CHECK_STATUS(rijn_seal_many_size(&many, &asked), RIJN_OK);
    plain.sizes[3] = SIZE_MAX / 2, plain.sizes[4] = SIZE_MAX - SIZE_MAX / 2 - asked;
    CHECK_STATUS(rijn_seal_many_size(&many, &asked), RIJN_OK);
    CHECK(asked == SIZE_MAX);
    plain.sizes[4]++;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    fresh(RIJN_MANY_CBC), many.nonce_size = 16, many.in = as(&plain, BUFFERS);
    plain.sizes[1] = SIZE_MAX - 8;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    /* the results of these exceed 2^31 - 1 bytes */
    fresh(RIJN_MANY_GCM), many.out_offsets64 = NULL, many.out_offsets32 = sealed.offsets32;
    many.out_start = INT32_MAX - 10;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    fresh(RIJN_MANY_GCM), many.first = SIZE_MAX;
    REFUSED_AND_SIZE(RIJN_ERR_SIZE);
}

static void test_offsets(void)
{
    note("%s offsets", backend->name);
    fresh(RIJN_MANY_GCM), plain.offsets64[2] = plain.offsets64[3] + 1;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), plain.offsets64[0] = -1;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.in.size = (size_t)plain.offsets64[5] - 1;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), plain.offsets64[5] = INT64_MAX;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), plain.offsets64[1] = INT64_MIN;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.ad = as(&ads, OFFSETS_32), ads.offsets32[1] = -5;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.in.offsets32 = plain.offsets32;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.in.offsets64 = NULL;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.in.data = NULL;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS), many.in.sizes = NULL;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS), plain.buffers[2] = NULL;
    plain.sizes[2] = 1;
    REFUSED_AND_SIZE(RIJN_ERR_ARGUMENT);
}

/* For every counter width, the last value is allowed and none after it. */
static void test_wrap(void)
{
    static const size_t sizes[] = {12, 1, 7, 8};

    for (size_t i = 0; i < 4; i++) {
        note("%s, counted nonces of %zu bytes", backend->name, sizes[i]);
        fresh(RIJN_MANY_GCM);
        many.nonces = NULL, many.base = base, many.nonce_size = sizes[i];
        memset(base, 0xff, sizeof base);
        base[sizes[i] - 1] = 0xfc; /* 0xfc, …, 0xff, and one more */
        REFUSED_AND_SIZE(RIJN_ERR_SIZE);
        many.count = 4;
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
        fresh(RIJN_MANY_GCM);
        many.nonces = NULL, many.base = base, many.nonce_size = sizes[i];
        memset(base, 0xff, sizeof base);
        base[sizes[i] - 1] = 0xfc;
        many.first = 3, many.count = 2;
        REFUSED_AND_SIZE(RIJN_ERR_SIZE);
    }
}

static void test_overlap(void)
{
    static const size_t shifts[] = {0, 1, 12, 13, 40};
    static int64_t moved[ROOM / 8];

    for (size_t i = 0; i < 5; i++) {
        note("%s, results over messages by %zu", backend->name, shifts[i]);
        fresh(RIJN_MANY_GCM), many.in.data = sealed.data + shifts[i];
        plain.offsets64[5] += 100;
        REFUSED(RIJN_ERR_OVERLAP);
        fresh(RIJN_MANY_GCM), many.nonces = sealed.data + shifts[i];
        plain.offsets64[5] += 100;
        REFUSED(RIJN_ERR_OVERLAP);
        fresh(RIJN_MANY_GCM), many.ad = (rijn_column){.data = sealed.data + shifts[i], .size = 9};
        plain.offsets64[5] += 100;
        REFUSED(RIJN_ERR_OVERLAP);
        fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS);
        plain.buffers[4] = sealed.data + shifts[i], plain.sizes[4] = 20;
        REFUSED(RIJN_ERR_OVERLAP);
        fresh(RIJN_MANY_GCM), many.ad = as(&ads, BUFFERS);
        ads.buffers[4] = sealed.data + shifts[i], ads.sizes[4] = 20;
        REFUSED(RIJN_ERR_OVERLAP);
    }
    note("%s, other overlaps", backend->name);
    fresh(RIJN_MANY_GCM), many.out_offsets64 = (int64_t *)(void *)sealed.data;
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_GCM), many.in.offsets64 = sealed.offsets64;
    memset(sealed.offsets64, 0, sizeof sealed.offsets64);
    CHECK_STATUS(rijn_seal_many(&many), RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS); /* each is told by its pointer alone */
    plain.buffers[3] = (const uint8_t *)sealed.offsets64 + 9, plain.sizes[3] = 20;
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS), many.failed = failed;
    plain.buffers[4] = failed, plain.sizes[4] = 40;
    OPEN_REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_GCM), many.failed = sealed.data;
    plain.offsets64[5] += 100;
    OPEN_REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.room = sealed.data, many.room_size = rijn_many_room(5);
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.room = nonces, many.room_size = rijn_many_room(5);
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.room = plain.data, many.room_size = rijn_many_room(5);
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.room = sealed.offsets64, many.room_size = rijn_many_room(5);
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.in = as(&plain, BUFFERS);
    many.room = lent, many.room_size = rijn_many_room(5);
    plain.buffers[2] = lent + 9, plain.sizes[2] = 20;
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.ad = as(&ads, BUFFERS);
    many.room = lent, many.room_size = rijn_many_room(5);
    ads.buffers[2] = lent + 9, ads.sizes[2] = 20;
    REFUSED(RIJN_ERR_OVERLAP);
    fresh(RIJN_MANY_XAES), many.failed = lent;
    many.room = lent, many.room_size = rijn_many_room(5);
    OPEN_REFUSED(RIJN_ERR_OVERLAP);
    /* results that begin on the last byte of an array of the call */
#define REFUSED_BEHIND(array, entries) \
    do { \
        const size_t size = (entries) * sizeof *(array); \
        memcpy(moved, (array), size); \
        (array) = (void *)moved; \
        many.out = (uint8_t *)moved + size - 1, many.out_size = ROOM; \
        CHECK_STATUS(rijn_seal_many(&many), RIJN_ERR_OVERLAP); \
    } while (0)
    fresh(RIJN_MANY_GCM);
    REFUSED_BEHIND(many.nonces, 5 * 12);
    fresh(RIJN_MANY_GCM), many.base = many.nonces, many.nonces = NULL;
    REFUSED_BEHIND(many.base, 12);
    fresh(RIJN_MANY_GCM);
    REFUSED_BEHIND(many.in.offsets64, 6);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, OFFSETS_32);
    REFUSED_BEHIND(many.in.offsets32, 6);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS);
    REFUSED_BEHIND(many.in.buffers, 5);
    fresh(RIJN_MANY_GCM), many.in = as(&plain, BUFFERS);
    REFUSED_BEHIND(many.in.sizes, 5);
    fresh(RIJN_MANY_GCM), many.ad = as(&ads, OFFSETS_64);
    REFUSED_BEHIND(many.ad.offsets64, 6);
    fresh(RIJN_MANY_GCM), many.ad = as(&ads, OFFSETS_32);
    REFUSED_BEHIND(many.ad.offsets32, 6);
    fresh(RIJN_MANY_GCM), many.ad = as(&ads, BUFFERS);
    REFUSED_BEHIND(many.ad.buffers, 5);
    fresh(RIJN_MANY_GCM), many.ad = as(&ads, BUFFERS);
    REFUSED_BEHIND(many.ad.sizes, 5);
    fresh(RIJN_MANY_GCM), many.out = plain.data; /* no message may be opened in place */
    many.out_size = ROOM, plain.offsets64[5] += 100;
    CHECK_STATUS(rijn_open_many(&many, NULL), RIJN_ERR_OVERLAP);
}

/* Plaintext in the place of its result. */
static void test_in_place(void)
{
    static uint8_t apart[ROOM];
    static const rijn_many_mode modes[] = {RIJN_MANY_GCM, RIJN_MANY_SIV, RIJN_MANY_CBC,
                                           RIJN_MANY_CTR};

    for (size_t m = 0; m < 4; m++) {
        note("%s, mode %d, in place in buffers", backend->name, (int)modes[m]);
        fresh(modes[m]), many.in = as(&plain, BUFFERS);
        if (modes[m] == RIJN_MANY_SIV)
            many.nonce_size = 9;
        many.prepend_nonce = 1;
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
        memcpy(apart, sealed.data, ROOM);
        for (size_t i = 0; i < count; i++) {
            const size_t front_size = many.nonce_size             ? many.nonce_size
                                      : modes[m] == RIJN_MANY_CBC ? 16
                                                                  : 12;
            uint8_t *const text = sealed.data + sealed.offsets64[i] + front_size +
                                  (modes[m] == RIJN_MANY_SIV ? 16 : 0);
            memcpy(text, plain.buffers[i], plain.sizes[i]);
            plain.buffers[i] = text;
        }
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
        CHECK_BYTES(sealed.data, apart, ROOM);
    }
    for (int mode = RIJN_MANY_CBC_BLOCKS; mode <= RIJN_MANY_CTR; mode++) {
        note("%s, mode %d, a column in place", backend->name, mode);
        fresh((rijn_many_mode)mode);
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
        memcpy(apart, sealed.data, ROOM);
        memset(sealed.data, 0xee, ROOM);
        memcpy(sealed.data, plain.data + plain.offsets64[0],
               (size_t)(plain.offsets64[5] - plain.offsets64[0]));
        for (size_t i = count + 1; i-- > 0;)
            plain.offsets64[i] -= plain.offsets64[0];
        many.in.data = sealed.data;
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
        CHECK_BYTES(sealed.data, apart, ROOM);
        CHECK_STATUS(rijn_open_many(&many, NULL), RIJN_OK);
        many.out++;
        CHECK_STATUS(rijn_seal_many(&many), RIJN_ERR_OVERLAP);
    }
    /* a refused message has no output, so the next would be written over half of its own input */
    note("%s, a column in place with an invalid message", backend->name);
    fresh(RIJN_MANY_CBC_BLOCKS);
    many.in.data = many.out = sealed.data;
    for (int64_t i = 0; i <= 5; i++)
        plain.offsets64[i] = i < 2 ? 5 * i : 21 + 16 * i;
    CHECK_STATUS(rijn_open_many(&many, NULL), RIJN_ERR_OVERLAP);
}

/* Empty messages may have any address. */
static void test_empty_messages(void)
{
    static const uint8_t *nowhere[2];
    static const size_t none[2];
    static const int32_t zeros[3];
    rijn_many nothing = {.key = &key, .nonces = nonces, .mode = RIJN_MANY_CTR, .nonce_size = 16};
    size_t size = 9, failures = 9;

    note("%s, nothing", backend->name);
    CHECK_STATUS(rijn_seal_many_size(&nothing, &size), RIJN_OK);
    CHECK(size == 0);
    CHECK_STATUS(rijn_seal_many(&nothing), RIJN_OK);
    CHECK_STATUS(rijn_open_many(&nothing, &failures), RIJN_OK);
    CHECK(failures == 0);
    nothing.count = 2;
    CHECK_STATUS(rijn_seal_many(&nothing), RIJN_ERR_ARGUMENT);
    nothing.in = (rijn_column){.offsets32 = zeros};
    CHECK_STATUS(rijn_seal_many(&nothing), RIJN_OK);
    CHECK_STATUS(rijn_open_many(&nothing, NULL), RIJN_OK);
    nothing.in = (rijn_column){.buffers = nowhere, .sizes = none};
    CHECK_STATUS(rijn_seal_many(&nothing), RIJN_OK);
    CHECK_STATUS(rijn_open_many(&nothing, NULL), RIJN_OK);
}

/* All drawn nonces are different, also those of two calls. */
static void test_drawn(void)
{
    fresh(RIJN_MANY_GCM);
    note("%s, nonces at random", backend->name);
    count = many.count = MOST;
    random_sizes(100, 1);
    lay_out(&plain, count);
    many.nonces = NULL, many.room = NULL;
    for (size_t call = 0; call < 2; call++) {
        many.out = call ? opened.data : sealed.data;
        many.out_offsets64 = call ? opened.offsets64 : sealed.offsets64;
        CHECK_STATUS(rijn_seal_many(&many), RIJN_OK);
    }
    for (size_t i = 0; i < 2 * MOST; i++) {
        for (size_t j = 0; j < i; j++) {
            const column *const a = i < MOST ? &sealed : &opened, *b = j < MOST ? &sealed : &opened;
            CHECK(memcmp(a->data + a->offsets64[i % MOST], b->data + b->offsets64[j % MOST], 12));
        }
    }
}

static void run(const rijn_backend_info *its)
{
    uint8_t bytes[64];

    backend = its;
    for (size_t size = 16; size <= 32; size += 8) {
        random_bytes(bytes, sizeof bytes);
        make_key(&key, bytes, size, backend->name);
        CHECK_STATUS(rijn_siv_key_init(&siv_key, bytes, 2 * size, backend->name), RIJN_OK);
        tag_size = 16;
        check_mode(RIJN_MANY_GCM, 12, GIVEN, DRAWN);
        check_unequal(RIJN_MANY_GCM, 12);
        check_mode(RIJN_MANY_GCM, 7, COUNTED, COUNTED);
        check_mode(RIJN_MANY_GCM, 31, GIVEN_IN_FRONT, GIVEN_IN_FRONT);
        tag_size = 13;
        check_mode(RIJN_MANY_GCM, 12, GIVEN, GIVEN);
        tag_size = 16;
        if (size != 24) {
            check_mode(RIJN_MANY_GCM_SIV, 12, GIVEN, DRAWN);
            check_unequal(RIJN_MANY_GCM_SIV, 12);
        }
        if (size == 32) {
            check_mode(RIJN_MANY_XAES, 24, GIVEN, DRAWN);
            test_scattered();
        }
        tag_size = 10;
        check_mode(RIJN_MANY_CCM, 12, GIVEN, DRAWN);
        check_mode(RIJN_MANY_OCB, 12, GIVEN, DRAWN);
        check_mode(RIJN_MANY_EAX, 16, GIVEN, DRAWN);
        tag_size = 16;
        check_mode(RIJN_MANY_SIV, 16, GIVEN, DRAWN);
        check_mode(RIJN_MANY_SIV, 0, WITHOUT, WITHOUT);
        check_unequal(RIJN_MANY_SIV, 12);
        check_mode(RIJN_MANY_CMAC, 0, WITHOUT, WITHOUT);
        tag_size = 9;
        check_mode(RIJN_MANY_CMAC, 0, WITHOUT, WITHOUT);
        check_mode(RIJN_MANY_CBC, 16, GIVEN, GIVEN_IN_FRONT);
        check_mode(RIJN_MANY_CBC, 16, DRAWN, DRAWN);
        check_mode(RIJN_MANY_CBC_BLOCKS, 16, GIVEN, GIVEN_IN_FRONT);
        check_mode(RIJN_MANY_CTR, 16, GIVEN, GIVEN_IN_FRONT);
        check_mode(RIJN_MANY_CTR, 12, GIVEN, DRAWN);
        check_unequal(RIJN_MANY_CTR, 16);
    }
    check_carries();
    each_aegis_kernel(backend->name, check_aegis);
    test_arguments();
    test_sizes_refused();
    test_offsets();
    test_wrap();
    test_overlap();
    test_in_place();
    test_empty_messages();
    test_drawn();
}

int main(int argc, char **argv)
{
    return test_backends(argc, argv, run);
}
