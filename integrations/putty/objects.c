/* Whether PuTTY's objects of AES keep nothing: what is freed is zero, and what has got another key
 * or IV is, byte for byte, what it would be had it never had the first. Built by build.sh with
 * PuTTY's headers, its allocations wrapped by the linker (--wrap); run by check.py. */
#include <stdlib.h>
#include <string.h>

#include "putty.h"
#include "ssh.h"

/* ---- What is allocated, and what it holds when it is freed ---- */

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
            fail("freed, and not wiped", freeing);
        blocks[i].p = NULL;
    }
    __real_safefree(p);
}

/* ---- A cipher, and what comes with it ---- */

typedef struct {
    ssh_cipher *cipher;
    ssh2_mac *mac; /* NULL but for GCM */
} object;

static object make(const ssh_cipheralg *alg)
{
    object o = {.cipher = ssh_cipher_new(alg)};

    if (o.cipher && alg->required_mac)
        o.mac = ssh2_mac_new(&ssh2_aesgcm_mac_clmul, o.cipher);
    if (!o.cipher || (alg->required_mac && !o.mac))
        abort();
    return o;
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

/* A packet is sent; and half of one is hashed, which is never finished. */
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
        fail("its object is not where it is looked for", freeing);
    if (o.mac)
        ssh2_mac_free(o.mac);
    ssh_cipher_free(o.cipher);
}

/* Whether two blocks are alike, but that a pointer into an object of the one is a pointer to the
 * same place of the other's. */
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
        fail("it is used and not changed", alg);
    if (!a.mac) { /* of GCM the last tag stays until the next, and is no secret */
        set_iv(a, 3), set_iv(b, 3);
        compare("another IV leaves something of the last", a, b);
        use(a);
    }
    drop(b);

    b = make(alg);
    set_key(a, 4), set_iv(a, 5);
    set_key(b, 4), set_iv(b, 5);
    compare("another key leaves something of the last", a, b);
    use(a), use(b);
    drop(a), drop(b);
}

int main(void)
{
    static const ssh_cipheralg *const all[] = {
        &ssh_aes128_cbc_ni,   &ssh_aes192_cbc_ni,   &ssh_aes256_cbc_ni,
        &ssh_aes128_sdctr_ni, &ssh_aes192_sdctr_ni, &ssh_aes256_sdctr_ni,
        &ssh_aes128_gcm_ni,   &ssh_aes192_gcm_ni,   &ssh_aes256_gcm_ni,
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!strstr(all[i]->text_name, "(Rijn)"))
            fail("it is not Rijn's", all[i]);
        examine(all[i]);
    }
    printf("%zu objects, %d failures\n", sizeof all / sizeof *all, failures);
    return failures != 0;
}

/* What PuTTY's libraries leave to the program. */
void out_of_memory(void)
{
    abort();
}

void modalfatalbox(const char *format, ...)
{
    (void)format;
    abort();
}
