/* Tests that instructions_of() distinguishes the encodings and widths of AES instructions, finds none
 * in code without them, and stops after STEPS instructions, and that steps_of() counts right. */
#include <string.h>

#include "check.h"
#include "instructions.h"
#include "rijn_machine.h"

#if defined(__x86_64__) && defined(__linux__)

static int turns;

static void *no_state(const contender *self, const algorithm *what, const uint8_t *key)
{
    (void)self, (void)what, (void)key;
    return &turns;
}

static void no_close(void *state)
{
    (void)state;
}

/* A contender that runs an empty loop of `turns`, then one instruction. */
#define CONTENDER(name, instruction) \
    static bool name(void *state, const uint8_t nonce[NONCE], uint8_t *out, const uint8_t *in, \
                     size_t size) \
    { \
        (void)state, (void)nonce, (void)out, (void)in, (void)size; \
        for (volatile int i = 0; i < turns; i = i + 1) \
            continue; \
        __asm__ volatile(instruction : : : "xmm0", "xmm8", "xmm15"); \
        return true; \
    }

CONTENDER(none, "nop\n pxor %%xmm0, %%xmm8\n pclmulqdq $0, %%xmm0, %%xmm8")
CONTENDER(enc_sse, "aesenc %%xmm0, %%xmm0")
CONTENDER(last_sse, "aesenclast %%xmm8, %%xmm15")
CONTENDER(dec_sse, "aesdec %%xmm0, %%xmm8")
CONTENDER(dec_last_sse, "aesdeclast %%xmm8, %%xmm8")
CONTENDER(avx, "vaesenc %%xmm8, %%xmm0, %%xmm15")
CONTENDER(ymm, "vaesdec %%ymm8, %%ymm0, %%ymm15\n vzeroupper")
CONTENDER(both, "aesenc %%xmm0, %%xmm0\n vaesenclast %%ymm8, %%ymm0, %%ymm15\n vzeroupper")
CONTENDER(zmm, "vaesenc %%zmm8, %%zmm0, %%zmm15\n vzeroupper")
CONTENDER(evex_xmm, "vaesdeclast %%xmm8, %%xmm0, %%xmm16\n vzeroupper")

/* What the harness finds in a contender's message. */
typedef struct findings {
    const char *instructions;
    long steps;
} findings;

static findings watch(const char *name,
                      bool (*run)(void *, const uint8_t *, uint8_t *, const uint8_t *, size_t))
{
    const contender by = {
        .name = name, .version = "", .reason = "", .open = no_state, .run = run, .close = no_close};
    task t = {.operation = ENCRYPT, .size = 16, .threads = 1};
    findings found;
    runner r;
    track tr;

    track_open(&tr, &t, false, false);
    CHECK(runner_open(&r, &by, &tr));
    CHECK(r.instructions == NULL && r.steps == -1);
    found.instructions = instructions_of(&r, &tr);
    found.steps = steps_of(&r, &tr);
    runner_close(&r, &tr);
    track_close(&tr);
    return found;
}

static const struct {
    const char *what;
    bool (*run)(void *, const uint8_t *, uint8_t *, const uint8_t *, size_t);
    uint64_t cpu;
    const char *instructions;
} cases[] = {
    {"no AES", none, RIJN_CPU(PCLMULQDQ), ""},
    {"aesenc", enc_sse, RIJN_CPU(AES), "aesni"},
    {"aesenclast", last_sse, RIJN_CPU(AES), "aesni"},
    {"aesdec", dec_sse, RIJN_CPU(AES), "aesni"},
    {"aesdeclast", dec_last_sse, RIJN_CPU(AES), "aesni"},
    {"vaesenc xmm", avx, RIJN_CPU(AES) | RIJN_CPU(AVX), "aesni-avx"},
    {"vaesdec ymm", ymm, RIJN_CPU(VAES), "vaes256"},
    {"aesenc and vaesenc ymm", both, RIJN_CPU(AES) | RIJN_CPU(VAES), "vaes256"},
    {"vaesenc zmm", zmm, RIJN_CPU(VAES) | RIJN_CPU(AVX512F), "vaes512"},
    {"vaesenc xmm of AVX-512", evex_xmm, RIJN_CPU(VAES) | RIJN_CPU(AVX512VL), "vaes512"},
};

static void check_instructions(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].cpu & ~rijn_cpu())
            continue;
        note("%s", cases[i].what);
        turns = 0;
        CHECK_TEXT(watch("peer", cases[i].run).instructions, cases[i].instructions);
        turns = 100;
        CHECK_TEXT(watch("peer", cases[i].run).instructions, cases[i].instructions);
        CHECK_TEXT(watch("rijn/table", cases[i].run).instructions, "table");
    }
    turns = STEPS / 3; /* a turn has at least a load, a comparison and a jump */
    if (rijn_cpu() & RIJN_CPU(AES))
        CHECK_TEXT(watch("peer", enc_sse).instructions, "");
}

static void check_steps(void)
{
    long short_loop, long_loop;

    turns = 1000;
    short_loop = watch("peer", none).steps;
    CHECK(short_loop >= 3 * 1000);
    CHECK(watch("peer", none).steps == short_loop);
    turns = 2000;
    long_loop = watch("peer", none).steps;
    CHECK((long_loop - short_loop) % 1000 == 0); /* the same number of instructions each turn */
    CHECK(long_loop - short_loop < short_loop && short_loop < long_loop - short_loop + 1000);
    turns = MOST_STEPS / 3;
    CHECK(watch("peer", none).steps == -1);
}

#else

static void check_instructions(void)
{
}

static void check_steps(void)
{
}

#endif

int main(void)
{
    check_instructions();
    check_steps();
    return test_result("test_instructions");
}
