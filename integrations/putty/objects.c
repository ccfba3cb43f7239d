/* Tests PuTTY's AES objects on Rijn.
 *
 * - Freed objects are zeros. An object with a second key or IV is equal, byte for byte, to a new
 *   object with that key or IV.
 * - For pieces of any size and calls in any order, the results equal those of PuTTY's portable code.
 * - A sent packet is sealed in one call, and its tag is used once.
 * - The tag of a received packet is computed in one call, and not kept.
 * - Wrong use ends the program.
 *
 * build.sh builds it with PuTTY's headers; the linker wraps PuTTY's allocations, rijn_gcm_seal
 * and rijn_gcm_tag (--wrap). check.py runs it. `objects backend` prints the backend that PuTTY gets from Rijn, or
 * fails if there is none. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "putty.h"
#include "ssh.h"

#include <rijn.h>

/* ---- Allocations: blocks must be zeros when they are freed ---- */

enum { BLOCKS = 16 };

static struct {
    unsigned char *p;
    size_t size;
} blocks[BLOCKS];
static int failures;

void *__real_safemalloc(size_t factor1, size_t factor2, size_t addend);
void __real_safefree(void *p);
void *__wrap_safemalloc(size_t factor1, size_t factor2, size_t addend);
void __wrap_safefree(void *p);

void *__wrap_safemalloc(size_t factor1, size_t factor2, size_t addend)
{
    void *const p = __real_safemalloc(factor1, factor2, addend);

    for (int i = 0; i < BLOCKS; i++)
        if (!blocks[i].p) {
            blocks[i].p = p;
            blocks[i].size = factor1 * factor2 + addend;
            return p;
        }
    abort();
}

static int block_of(const void *p)
{
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].p && (const unsigned char *)p >= blocks[i].p &&
            (const unsigned char *)p < blocks[i].p + blocks[i].size)
            return i;
    return -1;
}

static size_t bytes_in(int i)
{
    size_t n = 0;

    for (size_t j = 0; j < blocks[i].size; j++)
        n += blocks[i].p[j] != 0;
    return n;
}

static void fail(const char *what, const ssh_cipheralg *alg)
{
    printf("%s: %s\n", alg->text_name, what);
    failures++;
}

static const ssh_cipheralg *freeing;

void __wrap_safefree(void *p)
{
    const int i = block_of(p);

    if (i >= 0) {
        if (bytes_in(i))
            fail("freed without being wiped", freeing);
        blocks[i].p = NULL;
    }
    __real_safefree(p);
}

/* ---- A cipher, with its MAC ---- */

typedef struct {
    ssh_cipher *cipher;
    ssh2_mac *mac; /* NULL except for GCM */
} object;

static object make_with(const ssh_cipheralg *alg, const ssh2_macalg *mac)
{
    object o = {.cipher = ssh_cipher_new(alg)};

    if (o.cipher && alg->required_mac)
        o.mac = ssh2_mac_new(mac, o.cipher);
    if (!o.cipher || (alg->required_mac && !o.mac))
        abort();
    return o;
}

static object make(const ssh_cipheralg *alg)
{
    return make_with(alg, &ssh2_aesgcm_mac_clmul);
}

static void set_iv(object o, unsigned char fill)
{
    unsigned char iv[16];

    memset(iv, fill, sizeof iv);
    ssh_cipher_setiv(o.cipher, iv);
    if (o.mac)
        ssh2_mac_setkey(o.mac, make_ptrlen(NULL, 0));
}

static void set_key(object o, unsigned char fill)
{
    unsigned char key[32];

    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(fill + 7 * i);
    ssh_cipher_setkey(o.cipher, key);
}

/* Sends a packet, then hashes half of another one and does not finish it. */
static void use(object o)
{
    unsigned char packet[4 + 48], tag[16];

    memset(packet, 0x3c, sizeof packet);
    if (o.mac)
        ssh_cipher_encrypt_length(o.cipher, packet, 4, 0);
    ssh_cipher_encrypt(o.cipher, packet + 4, 48);
    if (!o.mac)
        return;
    ssh2_mac_start(o.mac);
    put_uint32(o.mac, 0);
    put_data(o.mac, packet, sizeof packet);
    ssh2_mac_genresult(o.mac, tag);
    ssh_cipher_next_message(o.cipher);
    ssh2_mac_next_message(o.mac);
    ssh2_mac_start(o.mac);
    put_uint32(o.mac, 1);
    put_data(o.mac, packet, 4 + 16);
}

static void drop(object o)
{
    freeing = o.cipher->vt;
    if (bytes_in(block_of(o.cipher)) < 100 || (o.mac && bytes_in(block_of(o.mac)) < 16))
        fail("its object is not in the expected block", freeing);
    if (o.mac)
        ssh2_mac_free(o.mac);
    ssh_cipher_free(o.cipher);
}

/* Returns whether two blocks are equal. Pointers are equal if they point to the same offset of the
 * corresponding object. */
static bool alike(int a, int b, object of_a, object of_b)
{
    if (blocks[a].size != blocks[b].size)
        return false;
    for (size_t i = 0; i < blocks[a].size; i++) {
        unsigned char *p, *q;
        size_t left = blocks[a].size - i;

        if (blocks[a].p[i] == blocks[b].p[i])
            continue;
        i -= i % sizeof p, left = blocks[a].size - i;
        if (left < sizeof p)
            return false;
        memcpy(&p, blocks[a].p + i, sizeof p);
        memcpy(&q, blocks[b].p + i, sizeof q);
        const int to = block_of(p), other = block_of(q);
        if (to < 0 || other < 0 || p - blocks[to].p != q - blocks[other].p ||
            !((to == block_of(of_a.cipher) && other == block_of(of_b.cipher)) ||
              (of_a.mac && to == block_of(of_a.mac) && other == block_of(of_b.mac))))
            return false;
        i += sizeof p - 1;
    }
    return true;
}

static void compare(const char *what, object a, object b)
{
    if (!alike(block_of(a.cipher), block_of(b.cipher), a, b) ||
        (a.mac && !alike(block_of(a.mac), block_of(b.mac), a, b)))
        fail(what, a.cipher->vt);
}

static void examine(const ssh_cipheralg *alg)
{
    object a = make(alg), b = make(alg);

    set_key(a, 1), set_iv(a, 2), use(a);
    set_key(b, 1), set_iv(b, 2);
    if (alike(block_of(a.cipher), block_of(b.cipher), a, b))
        fail("use does not change it", alg);
    if (!a.mac) { /* GCM keeps its last tag until the next one; a tag is not secret */
        set_iv(a, 3), set_iv(b, 3);
        compare("after a new IV, something of the previous IV is left", a, b);
        use(a);
    }
    drop(b);

    b = make(alg);
    set_key(a, 4), set_iv(a, 5);
    set_key(b, 4), set_iv(b, 5);
    compare("after a new key, something of the previous key is left", a, b);
    use(a), use(b);
    drop(a), drop(b);
}

/* ---- Comparison with PuTTY's portable code ---- */

static unsigned seals, tags; /* packets that were sealed in one call, or hashed in one */

rijn_status __real_rijn_gcm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                 const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                 size_t ad_size, const uint8_t *in, size_t size);
rijn_status __wrap_rijn_gcm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                 const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                 size_t ad_size, const uint8_t *in, size_t size);

rijn_status __wrap_rijn_gcm_seal(const rijn_key *key, uint8_t *out, uint8_t *tag, size_t tag_size,
                                 const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                 size_t ad_size, const uint8_t *in, size_t size)
{
    seals++;
    return __real_rijn_gcm_seal(key, out, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

rijn_status __real_rijn_gcm_tag(const rijn_key *key, uint8_t *tag, size_t tag_size,
                                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                size_t ad_size, const uint8_t *in, size_t size);
rijn_status __wrap_rijn_gcm_tag(const rijn_key *key, uint8_t *tag, size_t tag_size,
                                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                size_t ad_size, const uint8_t *in, size_t size);

rijn_status __wrap_rijn_gcm_tag(const rijn_key *key, uint8_t *tag, size_t tag_size,
                                const uint8_t *nonce, size_t nonce_size, const uint8_t *ad,
                                size_t ad_size, const uint8_t *in, size_t size)
{
    tags++;
    return __real_rijn_gcm_tag(key, tag, tag_size, nonce, nonce_size, ad, ad_size, in, size);
}

static unsigned draw(void) /* pseudorandom, the same in every run */
{
    static unsigned long long state = 1;

    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 40);
}

enum { SPACE = 8192, PACKET = 1 }; /* PACKET: offset of a packet, so that it is not aligned */

/* Rijn's object and PuTTY's portable one, with the same key, and their data. */
static struct {
    object o;
    unsigned char bytes[SPACE], tag[16];
} pair[2];

static void make_pair(const ssh_cipheralg *ours, const ssh2_macalg *mac,
                      const ssh_cipheralg *portable)
{
    pair[0].o = make_with(ours, mac);
    pair[1].o = make_with(portable, &ssh2_aesgcm_mac_sw);
    for (size_t i = 0; i < SPACE; i++)
        pair[0].bytes[i] = pair[1].bytes[i] = (unsigned char)draw();
    for (int i = 0; i < 2; i++)
        set_key(pair[i].o, 1);
}

static void drop_pair(void)
{
    freeing = pair[0].o.cipher->vt;
    for (int i = 0; i < 2; i++) {
        if (pair[i].o.mac)
            ssh2_mac_free(pair[i].o.mac);
        ssh_cipher_free(pair[i].o.cipher);
    }
}

static bool same(void)
{
    return memcmp(pair[0].bytes, pair[1].bytes, SPACE) == 0 &&
           memcmp(pair[0].tag, pair[1].tag, sizeof pair[0].tag) == 0;
}

/* Compares SDCTR. After some blocks the counter carries into its upper half, or wraps. */
static void check_sdctr(const ssh_cipheralg *ours, const ssh_cipheralg *portable)
{
    for (int run = 0; run < 200; run++) {
        unsigned char iv[16];

        make_pair(ours, NULL, portable);
        for (int piece = 0; piece < 12; piece++) {
            const size_t size = 16 * (draw() % (piece % 4 == 3 ? 400 : 20)), at = draw() % 17;

            if (piece % 6 == 0) {
                memset(iv, 0xff, sizeof iv);
                iv[15] -= draw() % 200;
                iv[7] -= run % 2;
                for (int i = 0; i < 2; i++) {
                    if (run % 4 > 1)
                        set_key(pair[i].o, (unsigned char)piece);
                    ssh_cipher_setiv(pair[i].o.cipher, iv);
                }
            }
            for (int i = 0; i < 2; i++)
                ssh_cipher_encrypt(pair[i].o.cipher, pair[i].bytes + at, (int)size);
        }
        if (!same())
            fail("the result differs from PuTTY's portable code", ours);
        drop_pair();
    }
}

/* Sequences of calls, a letter for each call, and how often Rijn must seal a packet in one call, and
 * compute a tag in one call:
 *   w  write the size of the data to the length field, which is random before
 *   y  write the size of the rest of the data to the first four bytes of the data
 *   l  encrypt the length field (does not change it)    L  a length field elsewhere
 *   5  a length field of five bytes
 *   e  encrypt the data    d  decrypt the data    b  encrypt a block elsewhere    x  alter the data
 *   m  compute the MAC     q  the MAC, with the last block in a piece of its own
 *   f  the MAC, with the length field in a piece of its own
 *   p  the MAC without the last block    h  start a MAC, do not finish it
 *   s  from now on, 20 bytes are associated data
 *   n  next message        c  next message, only for the cipher
 *   i  another nonce       v  another nonce, only for the cipher */
static const struct {
    const char *does;
    unsigned seals, tags;
} packets[] = {
    {"lem", 1, 0},      {"lemnlemnlem", 3, 0}, {"lemilem", 2, 0}, {"em", 0, 0},
    {"Lem", 0, 0},      {"l5em", 0, 0},        {"lbem", 0, 0},    {"blem", 0, 0},
    {"cblem", 0, 0},    {"vblem", 0, 0},       {"leem", 1, 0},    {"ledm", 1, 0},
    {"leme", 1, 0},     {"lenm", 1, 0},        {"leim", 1, 0},    {"lenem", 1, 0},
    {"lep", 1, 0},      {"lesm", 1, 0},        {"wlem", 1, 0},    {"wem", 0, 1},
    {"wmd", 0, 1},      {"wlmd", 0, 1},        {"wmdnwmd", 0, 2}, {"wmdiwmd", 0, 2},
    {"wlemnwmd", 1, 1}, {"wmxd", 0, 1},        {"wxmd", 0, 1},    {"wmdd", 0, 1},
    {"wm", 0, 1},       {"wdm", 0, 1},         {"md", 0, 0},      {"wq", 0, 0},
    {"wqd", 0, 0},      {"wp", 0, 0},          {"wsm", 0, 0},     {"wleem", 1, 1},
    {"wf", 0, 0},       {"wyfd", 0, 0},
};

static void do_to_packet(int i, char what, size_t size, unsigned char fill)
{
    ssh_cipher *const cipher = pair[i].o.cipher;
    ssh2_mac *const mac = pair[i].o.mac;
    unsigned char *const p = pair[i].bytes + PACKET, *const elsewhere = p + SPACE / 2, iv[16];
    size_t first;

    switch (what) {
    case 'w':
        PUT_32BIT_MSB_FIRST(p, (uint32_t)size);
        break;
    case 'y':
        PUT_32BIT_MSB_FIRST(p + 4, (uint32_t)size - 4);
        break;
    case 'l':
        ssh_cipher_encrypt_length(cipher, p, 4, 0);
        break;
    case 'L':
        ssh_cipher_encrypt_length(cipher, elsewhere, 4, 0);
        break;
    case '5':
        ssh_cipher_encrypt_length(cipher, p, 5, 0);
        break;
    case 'e':
        ssh_cipher_encrypt(cipher, p + 4, (int)size);
        break;
    case 'd':
        ssh_cipher_decrypt(cipher, p + 4, (int)size);
        break;
    case 'b':
        ssh_cipher_encrypt(cipher, elsewhere, 16);
        break;
    case 'x':
        p[4 + size / 2] ^= 1;
        break;
    case 'm':
    case 'p':
        ssh2_mac_start(mac);
        put_uint32(mac, 0);
        put_data(mac, p, 4 + size - (what == 'p' ? 16 : 0));
        ssh2_mac_genresult(mac, pair[i].tag);
        break;
    case 'f':
    case 'q':
        first = what == 'f' ? 4 : 4 + size - 16;
        ssh2_mac_start(mac);
        put_uint32(mac, 0);
        put_data(mac, p, first);
        put_data(mac, p + first, 4 + size - first);
        ssh2_mac_genresult(mac, pair[i].tag);
        break;
    case 'h':
        ssh2_mac_start(mac);
        put_uint32(mac, 0);
        put_data(mac, p, 4 + 15);
        break;
    case 's':
        aesgcm_set_prefix_lengths(mac, 4, 20);
        break;
    case 'n':
        ssh_cipher_next_message(cipher), ssh2_mac_next_message(mac);
        break;
    case 'c':
        ssh_cipher_next_message(cipher);
        break;
    case 'i':
        set_iv(pair[i].o, fill);
        break;
    case 'v':
        memset(iv, fill, sizeof iv);
        ssh_cipher_setiv(cipher, iv);
        break;
    default:
        abort();
    }
}

/* Returns whether a block has these 16 bytes anywhere. */
static bool keeps(int block, const unsigned char *bytes)
{
    for (size_t i = 0; i + 16 <= blocks[block].size; i++)
        if (memcmp(blocks[block].p + i, bytes, 16) == 0)
            return true;
    return false;
}

static void check_packets(const ssh_cipheralg *ours, const ssh_cipheralg *portable)
{
    static const size_t sizes[] = {16, 48, 4000};
    char what[80];

    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            for (int with_ours = 0; with_ours < 2; with_ours++) {
                const char *const does = packets[i].does;
                const unsigned sealed = with_ours ? packets[i].seals : 0;
                const unsigned tagged = with_ours ? packets[i].tags : 0;

                make_pair(ours, with_ours ? &ssh2_aesgcm_mac_clmul : &ssh2_aesgcm_mac_sw, portable);
                for (int k = 0; k < 2; k++)
                    set_iv(pair[k].o, 0xff);
                seals = tags = 0;
                for (const char *c = does; *c; c++)
                    for (int k = 0; k < 2; k++)
                        do_to_packet(k, *c, sizes[j], (unsigned char)(c - does));
                snprintf(what, sizeof what, "%s of %zu bytes with %s MAC: ", does, sizes[j],
                         with_ours ? "Rijn's" : "the portable");
                if (!same())
                    fail(strcat(what, "the result differs"), ours);
                else if (seals != sealed || tags != tagged)
                    fail(strcat(what, "wrong number of seals or tags"), ours);
                if (with_ours && keeps(block_of(pair[0].o.mac), pair[0].tag))
                    fail(strcat(what, "the MAC's object keeps the tag"), ours);
                drop_pair();
            }
}

/* Sends a packet between Rijn and PuTTY's portable code. The receiver must accept it, unless a byte was
 * altered on the way, or between sealing and the MAC. `with_length`: the length field is the packet's. */
static void send_packet(const ssh_cipheralg *ours, const ssh_cipheralg *portable, int sender,
                        bool with_length, int altered)
{
    enum { DATA = 48, ALL = 4 + DATA };
    unsigned char *const packet = pair[sender].bytes + PACKET;

    make_pair(ours, &ssh2_aesgcm_mac_clmul, portable);
    const object to = pair[!sender].o;
    for (int i = 0; i < 2; i++) {
        set_iv(pair[i].o, 7);
        if (with_length)
            do_to_packet(i, 'w', DATA, 0);
    }
    do_to_packet(sender, 'l', DATA, 0);
    do_to_packet(sender, 'e', DATA, 0);
    if (altered >= 0 && !sender) /* between sealing and MAC */
        packet[altered] ^= 1;
    ssh2_mac_generate(pair[sender].o.mac, packet, ALL, 0);
    if (altered >= 0 && sender)
        packet[altered] ^= 1;
    ssh_cipher_decrypt_length(to.cipher, packet, 4, 0);
    if (ssh2_mac_verify(to.mac, packet, ALL, 0) == (altered >= 0))
        fail(altered >= 0 ? "an altered packet is accepted" : "a packet is refused", ours);
    ssh_cipher_decrypt(to.cipher, packet + 4, DATA);
    if (altered < 0 && memcmp(packet + 4, pair[!sender].bytes + PACKET + 4, DATA) != 0)
        fail("the received packet differs from the sent one", ours);
    drop_pair();
}

static void check_receiving(const ssh_cipheralg *ours, const ssh_cipheralg *portable)
{
    static const int altered[] = {-1, 0, 3, 4, 51};

    for (size_t i = 0; i < sizeof altered / sizeof *altered; i++)
        for (int sender = 0; sender < 2; sender++)
            for (int with_length = 0; with_length < 2; with_length++)
                send_packet(ours, portable, sender, with_length, altered[i]);
}

/* The tag of a sealed packet is used once, for the first MAC. Later MACs are computed, as are all MACs of
 * a received packet. (PuTTY's own MAC works only once for each message.) */
static void check_once(const ssh_cipheralg *ours, const ssh_cipheralg *portable)
{
    enum { DATA = 48, ALL = 4 + DATA };
    static const unsigned char zeros[16];
    unsigned char *const packet = pair[0].bytes + PACKET;

    /* The calls before the MAC, of both objects and then of Rijn's. */
    static const struct {
        const char *both, *ours;
    } before[] = {{"le", ""}, {"le", "p"}, {"le", "h"}, {"w", ""},
                  {"w", "p"}, {"w", "h"},  {"w", "m"}};

    for (size_t n = 0; n < sizeof before / sizeof *before; n++) {
        make_pair(ours, &ssh2_aesgcm_mac_clmul, portable);
        for (int i = 0; i < 2; i++) {
            set_iv(pair[i].o, 7);
            for (const char *c = before[n].both; *c; c++)
                do_to_packet(i, *c, DATA, 0);
            for (const char *c = before[n].ours; *c && !i; c++)
                do_to_packet(i, *c, DATA, 0);
            do_to_packet(i, 'm', DATA, 0);
        }
        if (!same())
            fail("the tag differs after a MAC of a part of the packet", ours);
        ssh2_mac_genresult(pair[0].o.mac, pair[0].tag);
        if (memcmp(pair[0].tag, zeros, sizeof zeros) == 0)
            fail("a MAC that was not started is zeros", ours);
        memcpy(packet + ALL, pair[1].tag, sizeof pair[1].tag);
        for (int at = 0; at < ALL; at++) {
            packet[at] ^= 1;
            if (ssh2_mac_verify(pair[0].o.mac, packet, ALL, 0)) {
                fail("a packet that was altered is accepted", ours);
                break;
            }
            packet[at] ^= 1;
        }
        if (!ssh2_mac_verify(pair[0].o.mac, packet, ALL, 0))
            fail("a packet is refused after another MAC", ours);
        drop_pair();
    }
}

/* ---- Wrong use ends the program ---- */

static void no_key(object o)
{
    unsigned char block[16] = {0};

    ssh_cipher_encrypt(o.cipher, block, sizeof block);
}

static void part_of_a_block(object o)
{
    unsigned char block[16] = {0};

    set_key(o, 1), set_iv(o, 2);
    ssh_cipher_encrypt(o.cipher, block, 15);
}

static void mac_begun_twice(object o)
{
    set_key(o, 1), set_iv(o, 2);
    ssh2_mac_next_message(o.mac);
}

static void more_after_a_packet(object o, bool sent)
{
    unsigned char packet[4 + 16] = {0, 0, 0, 16};

    set_key(o, 1), set_iv(o, 2);
    if (sent) {
        ssh_cipher_encrypt_length(o.cipher, packet, 4, 0);
        ssh_cipher_encrypt(o.cipher, packet + 4, 16);
    }
    ssh2_mac_start(o.mac);
    put_uint32(o.mac, 0);
    put_data(o.mac, packet, sizeof packet);
    put_data(o.mac, packet, 1);
}

static void more_after_a_sent_packet(object o)
{
    more_after_a_packet(o, true);
}

static void more_after_a_received_packet(object o)
{
    more_after_a_packet(o, false);
}

static void check_refused(const ssh_cipheralg *alg)
{
    static const struct {
        void (*use)(object o);
        const char *what;
        bool of_gcm;
    } uses[] = {
        {no_key, "it works without a key", false},
        {part_of_a_block, "it accepts a part of a block", false},
        {mac_begun_twice, "its MAC is started twice", true},
        {more_after_a_sent_packet, "bytes after a sent packet are authenticated", true},
        {more_after_a_received_packet, "bytes after a received packet are authenticated", true},
    };

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        int status;

        if (uses[i].of_gcm && !alg->required_mac)
            continue;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            const struct rlimit none = {0, 0};

            setrlimit(RLIMIT_CORE, &none);
            signal(SIGABRT, SIG_DFL);
            fclose(stderr);
            uses[i].use(make(alg));
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            abort();
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
            fail(uses[i].what, alg);
    }
}

static int print_backend(void)
{
    static const unsigned char zeros[16];
    rijn_key key;

    if (rijn_key_init(&key, zeros, sizeof zeros, NULL) != RIJN_OK)
        return 1;
    printf("%s\n", rijn_key_backend(&key));
    rijn_key_wipe(&key);
    return 0;
}

int main(int count, char **words)
{
    static const struct {
        const ssh_cipheralg *ours, *portable;
        void (*check)(const ssh_cipheralg *ours, const ssh_cipheralg *portable);
    } all[] = {
        {&ssh_aes128_cbc_ni, &ssh_aes128_cbc_sw, NULL},
        {&ssh_aes192_cbc_ni, &ssh_aes192_cbc_sw, NULL},
        {&ssh_aes256_cbc_ni, &ssh_aes256_cbc_sw, NULL},
        {&ssh_aes128_sdctr_ni, &ssh_aes128_sdctr_sw, check_sdctr},
        {&ssh_aes192_sdctr_ni, &ssh_aes192_sdctr_sw, check_sdctr},
        {&ssh_aes256_sdctr_ni, &ssh_aes256_sdctr_sw, check_sdctr},
        {&ssh_aes128_gcm_ni, &ssh_aes128_gcm_sw, check_packets},
        {&ssh_aes192_gcm_ni, &ssh_aes192_gcm_sw, check_packets},
        {&ssh_aes256_gcm_ni, &ssh_aes256_gcm_sw, check_packets},
    };

    if (count == 2 && strcmp(words[1], "backend") == 0)
        return print_backend();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!strstr(all[i].ours->text_name, "(Rijn)"))
            fail("it is not from Rijn", all[i].ours);
        examine(all[i].ours);
        check_refused(all[i].ours);
        if (all[i].check)
            all[i].check(all[i].ours, all[i].portable);
        if (all[i].ours->required_mac) {
            check_receiving(all[i].ours, all[i].portable);
            check_once(all[i].ours, all[i].portable);
        }
    }
    printf("%zu objects, %d failures\n", sizeof all / sizeof *all, failures);
    return failures != 0;
}

/* Functions that PuTTY's libraries expect from the program. */
void out_of_memory(void)
{
    abort();
}

void modalfatalbox(const char *format, ...)
{
    (void)format;
    abort();
}
