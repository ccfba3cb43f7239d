/* Checks that public functions leave no secrets on the stack, or in memory of the caller that they must
 * wipe. Makes each call of the table (calls.h) for every relevant size of key and nonce, with data of
 * several sizes, on a separate stack that was filled with a pattern, and examines the stack in three ways.
 *
 *   By construction. This test wraps the function with which the library overwrites its stack. In a first
 *   run the wrapper only notes the area to overwrite: the call must have stayed inside and left some of
 *   it unused. In a second run it overwrites the area, and every byte of it must be zero. Below the area
 *   are only its own frame and that of memset, which hold addresses and sizes. So everything that the
 *   call had on the stack is gone.
 *
 *   By residue. A call may return without overwriting anything if it keeps its secrets in registers. It runs
 *   twice, with other secrets and the same public values. Both runs must leave the same bytes on the stack.
 *   Public values, as counters, may be there.
 *
 *   By value. The oracles (oracle.h) compute the same message and show every intermediate value. No eight
 *   bytes of these values may be anywhere on that stack, including the frames of the public function and
 *   of its caller.
 *
 * Without optimization compilers make frames of any size, and sanitizers add their own data. The stack
 * is not examined then. */
#define _POSIX_C_SOURCE 200809L /* pthread_attr_setstack */

#include "calls.h"
#include "check.h"
#include "oracle.h"

#if !defined(__wasm__)
#include <pthread.h>
#endif

#include "scrub.h"
void scrub_in_earnest(void *area, size_t size);
#define rijn_scrub_area scrub_in_earnest
#include "../../src/scrub.c"
#undef rijn_scrub_area

#include "modes/message.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EXAMINE_STACK false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define EXAMINE_STACK false
#endif
#endif
#ifndef EXAMINE_STACK
#if defined(__OPTIMIZE__)
#define EXAMINE_STACK true
#else
#define EXAMINE_STACK false
#endif
#endif

/* ---- Secrets that must not be found ---- *
 * A hash table of all pieces of eight bytes of every secret. */

enum { PIECES = 1 << 16 };

static uint64_t pieces[PIECES];
static size_t piece_count;

static uint64_t *slot_of(uint64_t piece)
{
    size_t i = (size_t)(piece * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    while (pieces[i] && pieces[i] != piece)
        i = (i + 1) % PIECES;
    return &pieces[i];
}

/* Returns true for sizes, counters and similar values, which may be anywhere. */
static bool says_nothing(const uint8_t *bytes)
{
    int zeros = 0;
    for (int i = 0; i < 8; i++)
        zeros += bytes[i] == 0;
    return zeros >= 3;
}

static void add_secret(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t piece;
        memcpy(&piece, bytes + i, 8);
        if (says_nothing(bytes + i) || piece_count >= PIECES / 2)
            continue;
        uint64_t *const slot = slot_of(piece);
        piece_count += *slot == 0;
        *slot = piece;
    }
}

static void forget_secrets(void)
{
    memset(pieces, 0, sizeof pieces);
    piece_count = 0;
}

/* Most of the stack still has the pattern, so it is searched in strides. */
enum { PATTERN = 0xa5, STRIDE = 64 };

static bool is_pattern(const uint8_t bytes[STRIDE])
{
    return bytes[0] == PATTERN && memcmp(bytes, bytes + 1, STRIDE - 1) == 0;
}

/* Returns how many places of memory[0..size) contain a piece of a secret. */
static size_t find_secrets(const uint8_t *memory, size_t size)
{
    size_t found = 0;
    for (size_t i = 0; i + 8 <= size; i++) {
        uint64_t piece;
        while (i + 2 * STRIDE <= size && is_pattern(memory + i))
            i += STRIDE - 7; /* pieces that begin earlier are all pattern */
        memcpy(&piece, memory + i, 8);
        found += piece != 0 && *slot_of(piece) == piece;
    }
    return found;
}

/* ---- The stack ---- */

enum {
    STACK = 192 * 1024,
    ROOM = 64 * 1024, /* between the call and the stack that the end of the thread overwrites */
    UNDER = 128,      /* frames of rijn_scrub_area and memset */
    SPARE = 64        /* bytes that no call may reach */
};

static _Alignas(4096) uint8_t stack[STACK];

static struct {
    bool works; /* overwrites; otherwise only notes */
    int count;  /* number of calls */
    uint8_t *area;
    size_t size;
} scrub;

RIJN_APART void rijn_scrub_area(void *area, size_t size)
{
    scrub.count++;
    scrub.area = area;
    scrub.size = size;
    if (scrub.works)
        scrub_in_earnest(area, size);
}

static call_function *function_to_call;
static rijn_status answer;
static const uint8_t *above; /* the frames of the call are below this address */

/* Alignments of the stack in callers: to 16 bytes, as ABIs require, or on 32-bit x86 also other multiples of 4.
 * There CMakeLists.txt makes gcc compile this file without aligning the stack again. */
#if defined(__i386__)
enum { ALIGNMENTS = 4 };
#else
enum { ALIGNMENTS = 1 };
#endif
static uint32_t misaligned;

static rijn_status call_misaligned(call_function *function)
{
#if defined(__i386__)
    rijn_status status;

    __asm__ volatile("movl %%esp, %%esi\n\t"
                     "andl $-16, %%esp\n\t"
                     "subl %2, %%esp\n\t"
                     "call *%1\n\t"
                     "movl %%esi, %%esp"
                     : "=a"(status)
                     : "r"(function), "r"(misaligned)
                     : "esi", "ecx", "edx", "cc", "memory");
    return status;
#else
    return function();
#endif
}

/* Makes the call far below the stack that the end of the thread overwrites. Apart, because its variables
 * must be on that stack in WebAssembly, too. */
RIJN_APART static void *deep(void *unused)
{
    uint8_t room[ROOM], *volatile where = room;
    where[0] = 0;
    above = where;
    answer = call_misaligned(function_to_call);
    return where[0] == 0 ? unused : NULL;
}

#if defined(__wasm__)

/* Instead of a thread, changes the global stack pointer: values that the compiler keeps in memory are
 * there, and the engine keeps all others. */
RIJN_APART static bool run_deep(void)
{
    uint8_t *const top = stack + sizeof stack;
    uint8_t *before;

    __asm__ volatile("global.get __stack_pointer\n"
                     "local.set %0"
                     : "=r"(before));
    __asm__ volatile("local.get %0\n"
                     "global.set __stack_pointer"
                     :
                     : "r"(top)
                     : "memory");
    deep(NULL);
    __asm__ volatile("local.get %0\n"
                     "global.set __stack_pointer"
                     :
                     : "r"(before)
                     : "memory");
    return true;
}

#else

static bool run_deep(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    const bool ran = pthread_attr_init(&attributes) == 0 &&
                     pthread_attr_setstack(&attributes, stack, sizeof stack) == 0 &&
                     pthread_create(&thread, &attributes, deep, NULL) == 0 &&
                     pthread_join(thread, NULL) == 0;

    pthread_attr_destroy(&attributes);
    return ran;
}

#endif

static void on_our_stack(bool works, call_function *function)
{
    memset(stack, PATTERN, sizeof stack);
    function_to_call = function;
    scrub.works = works;
    scrub.count = 0;
    if (!run_deep()) {
        perror("thread");
        exit(EXIT_FAILURE);
    }
}

/* Returns the first byte from p on that differs from the pattern. */
static const uint8_t *touched(const uint8_t *p)
{
    while (p + STRIDE <= stack + sizeof stack && is_pattern(p))
        p += STRIDE;
    while (*p == PATTERN)
        p++;
    return p;
}

/* Returns how many bytes of the area the call used. */
static size_t depth_used(void)
{
    const uint8_t *const lowest = touched(stack);
    if (lowest >= scrub.area + scrub.size)
        return 0;
    return (size_t)(scrub.area + scrub.size -
                    (lowest >= scrub.area - UNDER ? touched(scrub.area) : lowest));
}

/* Returns true if the call stayed inside the area. */
static bool within_area(void)
{
    return depth_used() + SPARE <= scrub.size;
}

/* Returns true if the whole area is zero and at most UNDER bytes below it have changed. */
static bool scrubbed(void)
{
    for (size_t i = 0; i < scrub.size; i++)
        if (scrub.area[i] != 0)
            return false;
    return touched(stack) >= scrub.area - UNDER;
}

/* ---- The examination ---- */

static bool loud; /* with a second argument: prints the declared and the used depth of each call */

static uint32_t seed; /* of the inputs */

/* Returns the fault of the stack after a call that did not overwrite it; NULL if there is none. */
static const char *examine_residue(call_function *function, bool (*ready)(const call *),
                                   const call *c)
{
    static uint8_t before[STACK];
    const size_t size = (size_t)(above - stack);
    bool prepared;

    if (loud)
        printf("RESIDUE %s %s %zu %zu %zu: %zu bytes\n", given.kernel, c->name, given.key_size,
               given.nonce_size, given.size, (size_t)(above - touched(stack)));
    if (find_secrets(above, sizeof stack - size) != 0)
        return "a secret is on its caller's stack";
    memcpy(before, stack, size);
    calls_draw(seed, 1);
    prepared = ready(c);
    if (prepared)
        on_our_stack(true, function);
    calls_draw(seed, 0);
    if (!prepared || answer != c->want)
        return "other secrets give another status";
    if (scrub.count != 0)
        return "whether it scrubs depends on secrets";
    return memcmp(before, stack, size) == 0 ? NULL
                                            : "it does not scrub, and its stack depends on secrets";
}

/* Returns the fault of the stack after a call; NULL if there is none. */
static const char *examine(call_function *function, bool (*ready)(const call *), const call *c)
{
    scrub.works = true;
    if (!ready(c))
        return "it is not prepared";
    if (!(c->flags & SEVERAL)) { /* each of several functions also has its own call */
        on_our_stack(false, function);
        if (answer != c->want)
            return "another status";
        if ((c->flags & PLAIN) != 0 && scrub.count != 0)
            return "it scrubs";
        if ((c->flags & PLAIN) == 0 && scrub.count == 0)
            return examine_residue(function, ready, c);
        if (scrub.count) {
            if (loud)
                printf("DEPTH %s %s %zu %zu %zu %d: declared %zu used %zu\n", given.kernel, c->name,
                       given.key_size, given.nonce_size, given.size, (int)given.variant, scrub.size,
                       depth_used());
            if (!within_area())
                return "it goes deeper than it declares";
            if (c->flags & MANY && c->family == OF_XAES &&
                scrub.size > (size_t)(c->flags & (ALIKE | LENT) ? 32 : 88) * 1024)
                return "it goes deeper than rijn.h says";
        }
        scrub.works = true;
        if (!ready(c))
            return "it is not prepared";
    }
    on_our_stack(true, function);
    if (answer != c->want)
        return "another status";
    if (find_secrets(stack, sizeof stack) != 0)
        return "a secret is on its stack";
    if (!(c->flags & SEVERAL) && scrub.count && !scrubbed())
        return "not everything is scrubbed";
    return NULL;
}

/* Draws new inputs and fills the table of secrets. Successive calls that an oracle computes the same way
 * share one message. */
static void draw(const call *c)
{
    static size_t last[8];
    const size_t kinds = MANY | ALIKE | EQUAL | DRAWN | WHOLE;
    const size_t wanted[8] = {given.key_size, given.nonce_size,      given.ad_size,
                              given.size,     (size_t)given.variant, (size_t)given.kernel,
                              c->family,      c->flags & kinds};

    if (memcmp(wanted, last, sizeof last) == 0)
        return;
    memcpy(last, wanted, sizeof last);
    calls_draw(++seed, 0);
    forget_secrets();
    oracle_watch = add_secret;
    add_secret(given.plain, given.size);
    calls_show(c);
    oracle_watch = NULL;
}

/* Examines the call from callers with every possible alignment of the stack. */
static void examine_call(const call *c)
{
    draw(c);
    for (unsigned i = 0; i < ALIGNMENTS; i++) {
        misaligned = 4 * i;
        note("%s, %s, key %zu, nonce %zu, size %zu, variant %d", given.kernel, c->name,
             given.key_size, given.nonce_size, given.size, (int)given.variant);
        const char *const wrong = examine(call_run, call_prepare, c);
        if (wrong)
            printf("    %s\n", wrong);
        CHECK(wrong == NULL);
        if (c->flags & REFUSES && given.size > 16)
            CHECK_FILL(call_out, 0, given.size - 16);
        if (c->wiped)
            CHECK_FILL(c->wiped, 0, c->wiped_size);
    }
    misaligned = 0;
}

static rijn_key key;
static rijn_aegis_key aegis_key;

/* Calls the functions that handle no secret, only to check that they run from such callers too. */
static rijn_status call_without_secrets(void)
{
    rijn_backend_info info;
    rijn_aegis_kernel_info kernel_info;
    char names[512];

    if (rijn_backend_names(names, sizeof names) > sizeof names || rijn_backend_count() == 0 ||
        rijn_aegis_kernel_count() == 0 || strlen(rijn_version()) == 0 ||
        strlen(rijn_status_text(RIJN_OK)) == 0 || strlen(rijn_aegis_name(RIJN_AEGIS_256)) == 0 ||
        strlen(rijn_key_backend(&key)) == 0 || strlen(rijn_aegis_key_backend(&aegis_key)) == 0 ||
        strlen(rijn_aegis_key_kernel(&aegis_key)) == 0)
        return RIJN_ERR_STATE;
    if (rijn_backend_at(0, &info) != RIJN_OK || rijn_aegis_kernel_at(0, &kernel_info) != RIJN_OK ||
        rijn_use_backend(NULL) != RIJN_OK || rijn_many_room(1) == 0)
        return RIJN_ERR_ARGUMENT;
    return RIJN_OK;
}

static void test_calls_without_secrets(void)
{
    CHECK_STATUS(rijn_key_init(&key, given.key_bytes, 16, given.backend), RIJN_OK);
    CHECK_STATUS(
        rijn_aegis_key_init(&aegis_key, RIJN_AEGIS_128L, given.key_bytes, 16, given.backend),
        RIJN_OK);
    for (unsigned i = 0; i < ALIGNMENTS; i++) {
        misaligned = 4 * i;
        note("%s, a stack %u bytes away from its alignment", given.backend, (unsigned)misaligned);
        on_our_stack(true, call_without_secrets);
        CHECK_STATUS(answer, RIJN_OK);
    }
    misaligned = 0;
}

static bool is_of_streams(const call *c)
{
    return (c->family == OF_CTR || c->family == OF_FEEDBACK || c->family == OF_GCM) &&
           !(c->flags & MANY);
}

static bool is_of_blocks(const call *c)
{
    return c->family == OF_BLOCKS && !(c->flags & MANY);
}

/* Sizes of messages, and which calls get them. NULL: all. */
typedef struct pass {
    size_t size, ad_size;
    bool (*wanted)(const call *);
} pass;

static void examine_aes(void)
{
    static const pass passes[] = {
        {37, 45, NULL},
        {653, 45, NULL},
        {1, 0, call_has_register_code},
        {3, 2, call_has_register_code},
        {7, 5, call_has_register_code},
        {16, 16, call_has_register_code},
        {48, 13, call_has_register_code},
        {90, 8, call_has_register_code},
        {112, 16, call_has_register_code},
        {160, 1, call_has_register_code},
        {176, 0, call_has_register_code},
        {207, 13, call_has_register_code},
        {239, 13, call_has_register_code},
        {256, 3, call_has_register_code},
        {300, 12, call_has_register_code},
        {350, 0, call_has_register_code},
        {431, 15, call_has_register_code},
        {480, 13, call_has_register_code},
        {511, 0, call_has_register_code},
        {16, 45, is_of_blocks}, /* ends and long messages have different depths */
        {64, 45, is_of_blocks},
        {112, 45, is_of_blocks},
        {176, 45, call_has_bulk},
        {207, 45, call_has_bulk},
        {239, 45, call_has_bulk},
        {495, 45, call_has_bulk},
        {LONGEST, 45, call_has_bulk},
        {37, LONGEST, call_has_bulk}, /* long associated data */
    };
    const size_t usual = rijn_bypass_size;

    for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++)
        calls_of_aes(passes[p].size, passes[p].ad_size, passes[p].wanted, examine_call);
    rijn_bypass_size = 1; /* CTR and GCM bypass the caches for these sizes */
    calls_of_aes(653, 45, is_of_streams, examine_call);
    rijn_bypass_size = usual;
}

static void examine_aegis(const char *name)
{
    static const pass passes[] = {
        {37, 45, NULL},
        {653, 45, NULL},
        {LONGEST, 45, NULL},
        {1, 0, call_has_register_code},
        {16, 16, call_has_register_code},
        {32, 1, call_has_register_code},
        {64, 100, call_has_register_code},
        {127, 128, call_has_register_code},
        {256, 0, call_has_register_code},
        {300, 200, call_has_register_code},
    };

    given.kernel = name;
    for (int i = 0; i < (int)RIJN_AEGIS_VARIANTS; i++) {
        given.variant = (rijn_aegis_variant)i;
        for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++)
            calls_of_aegis(passes[p].size, passes[p].ad_size, passes[p].wanted, examine_call);
    }
}

/* ---- Planted faults, which must be found ---- */

static bool always_ready(const call *unused)
{
    (void)unused;
    return true;
}

RIJN_APART static void leave_key(void)
{
    uint8_t copy[64 * 24];
    volatile uint8_t *const to = copy;
    for (size_t i = 0; i < sizeof copy; i++)
        to[i] = given.key_bytes[i % 64];
}

static rijn_status unscrubbed(void)
{
    leave_key();
    return RIJN_OK;
}

static rijn_status scrubbed_too_little(void)
{
    leave_key();
    return rijn_scrub(RIJN_OK, 256);
}

static rijn_status scrubbed_enough(void)
{
    leave_key();
    return rijn_scrub(RIJN_OK, 2048);
}

RIJN_APART static void leave_computed(uint8_t of_key)
{
    uint8_t copy[64];
    volatile uint8_t *const to = copy;
    for (size_t i = 0; i < sizeof copy; i++)
        to[i] = (uint8_t)((given.key_bytes[i] & of_key) * 0x55 + i);
}

static rijn_status leaving_constants(void)
{
    leave_computed(0);
    return RIJN_OK;
}

static rijn_status leaving_computed(void)
{
    leave_computed(1); /* of eight bits of the key, one */
    return RIJN_OK;
}

static rijn_status scrubbing_sometimes(void)
{
    return given.key_bytes[0] & 1 ? rijn_scrub(RIJN_OK, 256) : RIJN_OK;
}

static void test_planted_faults(void)
{
    static const call none = {.name = "offender"};

    note("planted offenders");
    calls_draw(seed, 0);
    forget_secrets();
    add_secret(given.key_bytes, sizeof given.key_bytes);
    CHECK(examine(scrubbed_enough, always_ready, &none) == NULL);

    /* each criterion alone */
    on_our_stack(true, unscrubbed);
    CHECK(find_secrets(stack, sizeof stack) >= 8);
    on_our_stack(true, scrubbed_too_little);
    CHECK(find_secrets(stack, sizeof stack) >= 8);
    CHECK(!scrubbed());
    on_our_stack(false, scrubbed_too_little);
    CHECK(!within_area());
    on_our_stack(false, scrubbed_enough);
    CHECK(within_area());
    CHECK(!scrubbed());
    CHECK(examine(unscrubbed, always_ready, &none) != NULL);
    CHECK(examine(scrubbed_too_little, always_ready, &none) != NULL);
    CHECK(examine(leaving_constants, always_ready, &none) == NULL);
    on_our_stack(true, leaving_computed);
    CHECK(find_secrets(stack, sizeof stack) == 0);
    CHECK(examine(leaving_computed, always_ready, &none) != NULL);
    CHECK(examine(scrubbing_sometimes, always_ready, &none) != NULL);
}

/* ---- Memory of the caller ---- */

static void test_wipe(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 200};
    uint8_t bytes[256];

    note("rijn_wipe");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(bytes, 0xa5, sizeof bytes);
        rijn_wipe(bytes + 3, sizes[i]);
        CHECK_FILL(bytes, 0xa5, 3);
        CHECK_FILL(bytes + 3, 0, sizes[i]);
        CHECK_FILL(bytes + 3 + sizes[i], 0xa5, sizeof bytes - 3 - sizes[i]);
    }
    rijn_wipe(NULL, 0);
    rijn_key_wipe(NULL);
    rijn_xts_key_wipe(NULL);
    rijn_siv_key_wipe(NULL);
    rijn_aegis_key_wipe(NULL);
    rijn_ctr_wipe(NULL);
    rijn_gcm_wipe(NULL);
    rijn_cmac_wipe(NULL);
    rijn_ocb_wipe(NULL);
    rijn_eax_wipe(NULL);
    rijn_aegis_wipe(NULL);
}

static void run(const rijn_backend_info *info)
{
    given.backend = given.kernel = info->name;
    test_wipe();
    if (!EXAMINE_STACK) {
        printf("stack not examined in this kind of build\n");
        return;
    }
    test_planted_faults();
    test_calls_without_secrets();
    note("an omission is noticed");
    CHECK(calls_notice_omission());
    examine_aes();
    each_aegis_kernel(info->name, examine_aegis);
    note("a public function was forgotten");
    CHECK(calls_forgotten() == 0);
}

int main(int argc, char **argv)
{
    loud = argc == 3 && strcmp(argv[2], "loud") == 0;
    return test_backends(loud ? 2 : argc, argv, run);
}
