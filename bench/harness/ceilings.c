/* Measures the machine's limits (ceilings): the throughput of AESENC and of PCLMULQDQ on registers of
 * each width, the latency of a chain of AESENC, two of these one after the other, and copying. Each
 * is a contender, but its messages have no meaning.
 *
 * A throughput kernel keeps CHAINS dependent chains in registers. An
 * instruction of latency L that issues T times a cycle needs L * T chains:
 * 6 on Intel since Ice Lake (3 * 2), 8 on Zen (4 * 2), 7 on Haswell (7 * 1).
 * The state is loaded from memory and stored again, and each step needs the previous one, so the
 * compiler cannot omit any step. */
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "rijn_machine.h"

/* Bytes of keystream or hashed data in one run of a kernel: a multiple of CHAINS * 64, and long
 * enough that the cost of the call does not matter. */
enum { CHAINS = 12, SPAN = CHAINS * 64 * 64 };

typedef struct {
    uint8_t registers[CHAINS * 64];
    uint8_t operand[64]; /* the round key, or H */
    int steps;           /* instructions a block */
    int first_steps;     /* instructions a block in the first of two passes */
} state;

/* ---- Copying ---- */

static void *copy_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)self, (void)key;
    return what->mode == CMAC ? NULL : malloc(1); /* CMAC only reads */
}

static bool copy_run(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                     size_t size)
{
    (void)memory, (void)nonce;
    memcpy(out, in, size);
    __asm__ volatile("" : : "r"(out) : "memory"); /* the compiler cannot omit the copy */
    return true;
}

#if defined(__x86_64__) || defined(__i386__)

#  include <immintrin.h>

/* Copies with stores that bypass the caches, for messages larger than the caches. */
__attribute__((target("sse2"))) static bool copy_stream(void *memory, const uint8_t nonce[NONCE],
                                                        uint8_t *out, const uint8_t *in,
                                                        size_t size)
{
    size_t i = 0;

    (void)memory, (void)nonce;
    for (; size - i >= 64; i += 64) {
        __m128i v[4];
        _mm_prefetch((const char *)in + i + 2048, _MM_HINT_T0);
        for (int j = 0; j < 4; j++)
            v[j] = _mm_loadu_si128((const __m128i *)(const void *)(in + i) + j);
        for (int j = 0; j < 4; j++)
            _mm_stream_si128((__m128i *)(void *)(out + i) + j, v[j]);
    }
    memcpy(out + i, in + i, size - i);
    _mm_sfence();
    return true;
}

#endif

/* ---- AESENC and PCLMULQDQ ---- */

#if defined(__x86_64__) || defined(__i386__)

#  if defined(__clang__)
#    define UNROLL _Pragma("clang loop unroll(full)")
#  else
#    define UNROLL _Pragma("GCC unroll 16")
#  endif

#  define LOAD_XMM(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#  define LOAD_YMM(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#  define LOAD_ZMM(p) _mm512_loadu_si512(p)
#  define STORE_XMM(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#  define STORE_YMM(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#  define STORE_ZMM(p, v) _mm512_storeu_si512(p, v)
#  define CLMUL_XMM(a, b) _mm_clmulepi64_si128(a, b, 0x10)
#  define CLMUL_YMM(a, b) _mm256_clmulepi64_epi128(a, b, 0x10)
#  define CLMUL_ZMM(a, b) _mm512_clmulepi64_epi128(a, b, 0x10)

/* Processes SPAN bytes, with s->steps instructions `step` (an even number) for every 16 bytes. */
#  define THROUGHPUT(name, isa, vec, load, store, step) \
    __attribute__((target(isa))) static bool name(void *memory, const uint8_t nonce[NONCE], \
                                                  uint8_t *out, const uint8_t *in, size_t size) \
    { \
      state *s = memory; \
      const vec operand = load(s->operand); \
      vec chain[CHAINS]; \
\
      (void)nonce, (void)out, (void)in, (void)size; \
      UNROLL for (int i = 0; i < CHAINS; i++) chain[i] = \
          load(s->registers + (size_t)i * sizeof(vec)); \
      for (size_t n = SPAN / sizeof chain * (size_t)s->steps / 2; n; n--) { \
        UNROLL for (int i = 0; i < CHAINS; i++) chain[i] = step(chain[i], operand); \
        UNROLL for (int i = 0; i < CHAINS; i++) chain[i] = step(chain[i], operand); \
      } \
      UNROLL for (int i = 0; i < CHAINS; i++) \
          store(s->registers + (size_t)i * sizeof(vec), chain[i]); \
      return true; \
    }

THROUGHPUT(aesenc_xmm, "aes", __m128i, LOAD_XMM, STORE_XMM, _mm_aesenc_si128)
THROUGHPUT(aesenc_ymm, "vaes,avx2", __m256i, LOAD_YMM, STORE_YMM, _mm256_aesenc_epi128)
THROUGHPUT(aesenc_zmm, "vaes,avx512f", __m512i, LOAD_ZMM, STORE_ZMM, _mm512_aesenc_epi128)
THROUGHPUT(clmul_xmm, "pclmul", __m128i, LOAD_XMM, STORE_XMM, CLMUL_XMM)
THROUGHPUT(clmul_ymm, "vpclmulqdq,avx2", __m256i, LOAD_YMM, STORE_YMM, CLMUL_YMM)
THROUGHPUT(clmul_zmm, "vpclmulqdq,avx512f", __m512i, LOAD_ZMM, STORE_ZMM, CLMUL_ZMM)

/* Runs a chain: one XOR and s->steps AESENC a block, each waiting for the previous one. */
__attribute__((target("aes"))) static bool
aesenc_chain(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in, size_t size)
{
    state *s = memory;
    const __m128i operand = LOAD_XMM(s->operand);
    __m128i block = LOAD_XMM(s->registers);

    (void)nonce, (void)out, (void)in, (void)size;
    for (size_t n = SPAN / 16; n; n--) {
        block = _mm_xor_si128(block, operand);
        for (int i = s->steps; i; i -= 2) {
            block = _mm_aesenc_si128(block, operand);
            block = _mm_aesenc_si128(block, operand);
        }
    }
    STORE_XMM(s->registers, block);
    return true;
}

/* Runs two passes. The second pass needs the whole result of the first. */
#  define PASSES(name, first, second) \
    static bool name(void *memory, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in, \
                     size_t size) \
    { \
      state *s = memory; \
      const int steps = s->steps; \
      bool done; \
\
      s->steps = s->first_steps; \
      done = first(s, nonce, out, in, size); \
      s->steps = steps; \
      return done && second(s, nonce, out, in, size); \
    }

PASSES(hash_encrypt_xmm, clmul_xmm, aesenc_xmm)
PASSES(hash_encrypt_ymm, clmul_ymm, aesenc_ymm)
PASSES(hash_encrypt_zmm, clmul_zmm, aesenc_zmm)
PASSES(mac_encrypt_xmm, aesenc_chain, aesenc_xmm)
PASSES(mac_encrypt_ymm, aesenc_chain, aesenc_ymm)
PASSES(mac_encrypt_zmm, aesenc_chain, aesenc_zmm)

/* Returns whether blocks of the message cannot be processed in parallel. CCM, EAX and SIV have a
 * CBC-MAC chain, which takes so long that their keystream costs nothing more. */
static bool is_chained(const algorithm *what)
{
    switch (what->mode) {
    case CBC:
    case CFB:
    case CFB8:
        return !what->decrypt;
    case OFB:
    case IGE:
    case CMAC:
    case CCM:
    case EAX:
    case SIV:
        return true;
    default:
        return false;
    }
}

static void *kernel_open(int steps)
{
    state *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    for (size_t i = 0; i < sizeof s->registers; i++)
        s->registers[i] = (uint8_t)(i * 151 + 1);
    memset(s->operand, 0x5a, sizeof s->operand);
    s->steps = steps;
    return s;
}

/* Returns the number of AESENC for 16 bytes. FIPS 197 section 5: 10, 12 or 14 rounds a block; CFB8
 * encrypts a block for each byte. AEGIS: 8 for 32 bytes, or 6 for 16 bytes, in each of its states. */
static int rounds(const algorithm *what)
{
    switch (what->mode) {
    case AEGIS_128L:
    case AEGIS_128X2:
    case AEGIS_128X4:
        return 4;
    case AEGIS_256:
    case AEGIS_256X2:
    case AEGIS_256X4:
        return 6;
    case XTS:
    case SIV: /* one of two keys */
        return (int)what->key_size / 8 + 6;
    case CFB8:
        return 16 * ((int)what->key_size / 4 + 6);
    default:
        return (int)what->key_size / 4 + 6;
    }
}

/* Returns how many blocks of a register can be used: 4, for AEGIS its number of parallel states. */
static size_t widest(const algorithm *what)
{
    static const size_t states[] = {1, 2, 4};
    return what->mode < AEGIS_128L ? 4 : states[(what->mode - AEGIS_128L) % 3];
}

static void *aesenc_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)key;
    return is_chained(what) || self->blocks > widest(what) ? NULL : kernel_open(rounds(what));
}

static void *chain_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)self, (void)key;
    return is_chained(what) ? kernel_open(rounds(what)) : NULL;
}

/* A product of 128 by 128 bits needs four products of 64 by 64 bits. */
static void *clmul_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    const bool hashed = what->mode == GCM || what->mode == GCM_SIV || what->mode == XAES;
    (void)self, (void)key;
    return hashed ? kernel_open(4) : NULL;
}

/* SIV (RFC 5297) and GCM-SIV (RFC 8452) compute the tag of the whole message first, and encrypt with
 * it as nonce: two passes. One pass is enough to open a message. */
static void *passes(const algorithm *what, mode of, int first_steps)
{
    state *s = what->mode == of && !what->decrypt ? kernel_open(rounds(what)) : NULL;

    if (s)
        s->first_steps = first_steps;
    return s;
}

static void *hash_encrypt_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)self, (void)key;
    return passes(what, GCM_SIV, 4);
}

static void *mac_encrypt_open(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)self, (void)key;
    return passes(what, SIV, rounds(what));
}

static const struct {
    const char *name;
    size_t blocks; /* in a register */
    uint64_t cpu;
    void *(*open)(const contender *self, const algorithm *what, const uint8_t *key);
    bool (*run)(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in,
                size_t size);
} kernels[] = {
    {"aesenc/xmm", 1, RIJN_CPU(AES), aesenc_open, aesenc_xmm},
    {"aesenc/ymm", 2, RIJN_CPU(VAES) | RIJN_CPU(AVX2), aesenc_open, aesenc_ymm},
    {"aesenc/zmm", 4, RIJN_CPU(VAES) | RIJN_CPU(AVX512F), aesenc_open, aesenc_zmm},
    {"aesenc/chain", 1, RIJN_CPU(AES), chain_open, aesenc_chain},
    {"clmul/xmm", 1, RIJN_CPU(PCLMULQDQ), clmul_open, clmul_xmm},
    {"clmul/ymm", 2, RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(AVX2), clmul_open, clmul_ymm},
    {"clmul/zmm", 4, RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(AVX512F), clmul_open, clmul_zmm},
    {"clmul+aesenc/xmm", 1, RIJN_CPU(PCLMULQDQ) | RIJN_CPU(AES), hash_encrypt_open,
     hash_encrypt_xmm},
    {"clmul+aesenc/ymm", 2, RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(VAES) | RIJN_CPU(AVX2),
     hash_encrypt_open, hash_encrypt_ymm},
    {"clmul+aesenc/zmm", 4, RIJN_CPU(VPCLMULQDQ) | RIJN_CPU(VAES) | RIJN_CPU(AVX512F),
     hash_encrypt_open, hash_encrypt_zmm},
    {"chain+aesenc/xmm", 1, RIJN_CPU(AES), mac_encrypt_open, mac_encrypt_xmm},
    {"chain+aesenc/ymm", 2, RIJN_CPU(VAES) | RIJN_CPU(AVX2), mac_encrypt_open, mac_encrypt_ymm},
    {"chain+aesenc/zmm", 4, RIJN_CPU(VAES) | RIJN_CPU(AVX512F), mac_encrypt_open,
     mac_encrypt_zmm},
    {"copy/stream", 1, RIJN_CPU(SSE2), copy_open, copy_stream},
};

static size_t kernel_ceilings(contender *list)
{
    const size_t n = sizeof kernels / sizeof *kernels;

    for (size_t i = 0; i < n; i++)
        list[i] = (contender){
            .name = kernels[i].name,
            .reason = rijn_cpu_reason(kernels[i].cpu & ~rijn_cpu()),
            .span = kernels[i].open == copy_open ? 0 : SPAN,
            .blocks = kernels[i].blocks,
            .open = kernels[i].open,
            .run = kernels[i].run,
        };
    return n;
}

#else

static size_t kernel_ceilings(contender *list)
{
    static const char *const names[] = {
        "aesenc/xmm",       "aesenc/ymm",       "aesenc/zmm",       "aesenc/chain",
        "clmul/xmm",        "clmul/ymm",        "clmul/zmm",        "clmul+aesenc/xmm",
        "clmul+aesenc/ymm", "clmul+aesenc/zmm", "chain+aesenc/xmm", "chain+aesenc/ymm",
        "chain+aesenc/zmm", "copy/stream",
    };
    const size_t n = sizeof names / sizeof *names;

    for (size_t i = 0; i < n; i++)
        list[i] = (contender){.name = names[i], .reason = "needs x86 instructions"};
    return n;
}

#endif

size_t all_ceilings(contender *list)
{
    size_t n = kernel_ceilings(list);

    list[n++] = (contender){.name = "copy/memcpy", .reason = "", .open = copy_open, .run = copy_run};
    for (size_t i = 0; i < n; i++) {
        list[i].version = "";
        list[i].linked = true;
        list[i].constant_time = -1;
        list[i].ceiling = true;
        list[i].close = free;
    }
    return n;
}
