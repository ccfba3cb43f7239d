#include "plan.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const operation_names[] = {"encrypt", "decrypt", "rekey", "many", "mixed", "mixed-many"};

static const char help[] =
    "usage: harness [options]     a LIST has commas; each item makes a table\n"
    "  --algorithm LIST   aes-{128,192,256}-{ecb,cbc,ctr,cfb,cfb8,ofb,ige,cmac,\n"
    "                     gcm,ccm,ocb3,eax,siv}, aes-{128,256}-{xts,gcm-siv}, xaes-256-gcm,\n"
    "                     aegis-{128l,128x2,128x4,256,256x2,256x4}\n"
    "                     (aes-128-gcm,aes-128-ctr,aegis-128l)\n"
    "  --operation LIST   encrypt, decrypt, rekey (only the key set-up), many (100,000\n"
    "                     messages, by one call if there is one), mixed (as many, of 1 byte\n"
    "                     to the size, one call for each), mixed-many (these by one call)\n"
    "                     (encrypt)\n"
    "  --size LIST        bytes a message, K and M allowed; 16..16M grows by factors of 4,\n"
    "                     16..16M:2 by factors of 2   (16,256,1350,16K,1M)\n"
    "  --key LIST         warm, cold (set up before each message)   (warm)\n"
    "  --buffer LIST      apart, in-place   (apart)\n"
    "  --threads LIST     number of threads; the throughput is for all together   (1)\n"
    "  --pin              bind each thread to a CPU\n"
    "  --contender LIST   names or the start of names; the others are compared with the\n"
    "                     first   (all)\n"
    "  --no-ceilings      do not measure the machine's limits\n"
    "  --instructions     detect the AES instructions of each peer by single-stepping\n"
    "                     (takes up to half a second a row)\n"
    "  --steps            count the instructions of one message by single-stepping, at most\n"
    "                     100,000\n"
    "  --rounds N         interleaved rounds   (15)\n"
    "  --millis N         time of one contender in one round   (2)\n"
    "  --json             one JSON object a line (bench/README.md)\n"
    "  --list             list the contenders; with --json the machine too\n";

static void mistake(const char *what, const char *which)
{
    fprintf(stderr, "harness: %s: %s\n", what, which);
    exit(2);
}

/* ---- Items of lists ---- */

/* GCM_KEYS and so on: bit n / 8 is set if keys may have n bytes. */
enum {
#define RIJN_AES_AEAD(ID, id, Class, keys, ...) ID##_KEYS = (keys),
#define RIJN_SIV_AEAD(ID, id, Class, keys, ...) ID##_KEYS = (keys),
#define RIJN_AEGIS_AEAD(ID, Class, name, size, ...) ID##_KEYS = KEY(size),
#include <rijn_algorithms.def>
    AES_KEYS = 1 << 16 / 8 | 1 << 24 / 8 | 1 << 32 / 8,
    XTS_KEYS = 1 << 32 / 8 | 1 << 64 / 8
};

/* A name is the start, the bits of the key, and the end. */
static const struct {
    const char *start, *end;
    int sizes; /* of the mode's keys, as above */
    int keys;  /* number of keys with these bits in a key of the mode */
} algorithms[] = {
    [ECB] = {"aes-", "-ecb", AES_KEYS, 1},
    [CBC] = {"aes-", "-cbc", AES_KEYS, 1},
    [CTR] = {"aes-", "-ctr", AES_KEYS, 1},
    [CFB] = {"aes-", "-cfb", AES_KEYS, 1},
    [CFB8] = {"aes-", "-cfb8", AES_KEYS, 1},
    [OFB] = {"aes-", "-ofb", AES_KEYS, 1},
    [IGE] = {"aes-", "-ige", AES_KEYS, 1},
    [XTS] = {"aes-", "-xts", XTS_KEYS, 2},
    [CMAC] = {"aes-", "-cmac", AES_KEYS, 1},
    [GCM] = {"aes-", "-gcm", GCM_KEYS, 1},
    [GCM_SIV] = {"aes-", "-gcm-siv", GCM_SIV_KEYS, 1},
    [XAES] = {"xaes-", "-gcm", XAES_KEYS, 1},
    [CCM] = {"aes-", "-ccm", CCM_KEYS, 1},
    [OCB] = {"aes-", "-ocb3", OCB_KEYS, 1},
    [EAX] = {"aes-", "-eax", EAX_KEYS, 1},
    [SIV] = {"aes-", "-siv", SIV_KEYS, 2},
    [AEGIS_128L] = {"aegis-", "l", AEGIS_128L_KEYS, 1},
    [AEGIS_128X2] = {"aegis-", "x2", AEGIS_128X2_KEYS, 1},
    [AEGIS_128X4] = {"aegis-", "x4", AEGIS_128X4_KEYS, 1},
    [AEGIS_256] = {"aegis-", "", AEGIS_256_KEYS, 1},
    [AEGIS_256X2] = {"aegis-", "x2", AEGIS_256X2_KEYS, 1},
    [AEGIS_256X4] = {"aegis-", "x4", AEGIS_256X4_KEYS, 1},
};

size_t nonce_size(const algorithm *what)
{
    static const uint8_t sizes[] = {
#define RIJN_AES_AEAD(ID, id, Class, keys, least, most, usual, ...) [ID] = (usual),
#define RIJN_SIV_AEAD(ID, ...) [ID] = 0,
#define RIJN_AEGIS_AEAD(ID, Class, name, size, ...) [ID] = (size),
#include <rijn_algorithms.def>
    };
    return sizes[what->mode];
}

static void add_algorithm(plan *p, const char *text)
{
    for (int m = ECB; m <= AEGIS_256X4; m++)
        for (int bits = 128; bits <= 256; bits += 64) {
            const int size = bits / 8 * algorithms[m].keys;
            algorithm a = {.mode = (mode)m, .key_size = (size_t)size, .tagged = m >= GCM};
            snprintf(a.name, sizeof a.name, "%s%d%s", algorithms[m].start, bits,
                     algorithms[m].end);
            if (algorithms[m].sizes >> size / 8 & 1 && strcmp(a.name, text) == 0) {
                p->algorithms[p->n_algorithms++] = a;
                return;
            }
        }
    mistake("unknown algorithm (try aes-128-gcm)", text);
}

/* Returns the index of text in names[0..n). */
static int find(const char *text, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    mistake("unknown value (see --help)", text);
    return -1;
}

static void add_operation(plan *p, const char *text)
{
    p->operations[p->n_operations++] = (operation)find(text, operation_names, 6);
}

static void add_key(plan *p, const char *text)
{
    static const char *const names[] = {"warm", "cold"};
    p->cold[p->n_keys++] = find(text, names, 2);
}

static void add_buffer(plan *p, const char *text)
{
    static const char *const names[] = {"apart", "in-place"};
    p->in_place[p->n_buffers++] = find(text, names, 2);
}

static long whole_number(const char *text, const char **end)
{
    char *stop;
    const long n = *text >= '0' && *text <= '9' ? strtol(text, &stop, 10) : -1;

    *end = n < 0 ? text : stop;
    return n;
}

static long bounded(const char *text, long low, long high, const char *what)
{
    const char *end;
    const long n = whole_number(text, &end);

    if (*end || n < low || n > high)
        mistake(what, text);
    return n;
}

static void add_threads(plan *p, const char *text)
{
    p->threads[p->n_threads++] = (int)bounded(text, 1, MAX_THREADS, "--threads must be 1 to 256");
}

static const char *const bad_size = "--size must have the form 1350, 16K, 16..16M or 16..16M:2";

/* Reads a size of 1 to 1024M at the start of text. */
static size_t size_at(const char *text, const char **end)
{
    const long n = whole_number(text, end);
    const int shift = **end == 'K' ? 10 : **end == 'M' ? 20 : 0;

    if (n < 1 || n > (1L << 30) >> shift)
        mistake(bad_size, text);
    *end += shift != 0;
    return (size_t)n << shift;
}

static void push_size(plan *p, size_t size)
{
    for (size_t i = 0; i < p->n_sizes; i++)
        if (p->sizes[i] == size)
            return; /* two ranges may share an end */
    p->sizes[p->n_sizes++] = size;
}

static void add_size(plan *p, const char *text)
{
    const char *end;
    size_t last, size = size_at(text, &end);
    long step = 4;

    if (strncmp(end, "..", 2) != 0) {
        if (*end)
            mistake(bad_size, text);
        push_size(p, size);
        return;
    }
    last = size_at(end + 2, &end);
    if (*end == ':')
        step = whole_number(end + 1, &end);
    if (*end || step < 2 || step > 1 << 20 || last < size)
        mistake(bad_size, text);
    for (; size < last && p->n_sizes < MAX_ITEMS - 1; size *= (size_t)step)
        push_size(p, size);
    push_size(p, last); /* a range always includes its end */
}

static void each_item(plan *p, const char *list, size_t *count,
                      void (*add)(plan *p, const char *item))
{
    char *copy = strdup(list), *rest = copy, *item;

    *count = 0;
    while ((item = strsep(&rest, ","))) {
        if (*count >= MAX_ITEMS)
            mistake("a list is too long", list);
        add(p, item);
    }
    free(copy);
}

/* ---- The command line ---- */

void plan_parse(plan *p, int argc, char **argv)
{
    static const struct option options[] = {
        {"algorithm", required_argument, NULL, 'a'},
        {"operation", required_argument, NULL, 'o'},
        {"size", required_argument, NULL, 's'},
        {"key", required_argument, NULL, 'k'},
        {"buffer", required_argument, NULL, 'b'},
        {"threads", required_argument, NULL, 't'},
        {"contender", required_argument, NULL, 'c'},
        {"rounds", required_argument, NULL, 'r'},
        {"millis", required_argument, NULL, 'm'},
        {"pin", no_argument, NULL, 'p'},
        {"no-ceilings", no_argument, NULL, 'n'},
        {"instructions", no_argument, NULL, 'u'},
        {"steps", no_argument, NULL, 'i'},
        {"json", no_argument, NULL, 'j'},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    char *end;

    *p = (plan){.rounds = 15, .millis = 2, .ceilings = true};
    each_item(p, "aes-128-gcm,aes-128-ctr,aegis-128l", &p->n_algorithms, add_algorithm);
    each_item(p, "encrypt", &p->n_operations, add_operation);
    each_item(p, "16,256,1350,16K,1M", &p->n_sizes, add_size);
    each_item(p, "warm", &p->n_keys, add_key);
    each_item(p, "apart", &p->n_buffers, add_buffer);
    each_item(p, "1", &p->n_threads, add_threads);

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        switch (option) {
        case 'a':
            each_item(p, optarg, &p->n_algorithms, add_algorithm);
            break;
        case 'o':
            each_item(p, optarg, &p->n_operations, add_operation);
            break;
        case 's':
            each_item(p, optarg, &p->n_sizes, add_size);
            break;
        case 'k':
            each_item(p, optarg, &p->n_keys, add_key);
            break;
        case 'b':
            each_item(p, optarg, &p->n_buffers, add_buffer);
            break;
        case 't':
            each_item(p, optarg, &p->n_threads, add_threads);
            break;
        case 'c':
            p->wanted = optarg;
            break;
        case 'r':
            p->rounds = (int)bounded(optarg, 1, MAX_ROUNDS, "--rounds must be 1 to 1000");
            break;
        case 'm':
            p->millis = strtod(optarg, &end);
            if (*end || !(p->millis > 0 && p->millis <= 1e5))
                mistake("--millis must be positive, at most 100000", optarg);
            break;
        case 'p':
            p->pin = true;
            break;
        case 'n':
            p->ceilings = false;
            break;
        case 'u':
            p->instructions = true;
            break;
        case 'i':
            p->steps = true;
            break;
        case 'j':
            p->json = true;
            break;
        case 'l':
            p->list = true;
            break;
        case 'h':
            fputs(help, stdout);
            exit(0);
        default:
            fputs(help, stderr);
            exit(2);
        }
    if (optind < argc)
        mistake("unexpected argument", argv[optind]);
}

/* ---- Tasks ---- */

/* Returns the last digit of *index in base n, and removes it from *index. */
static size_t digit(size_t *index, size_t n)
{
    const size_t d = *index % n;
    *index /= n;
    return d;
}

/* Makes combination number `raw`. Returns false if it is not a task. */
static bool combination(const plan *p, size_t raw, task *t)
{
    const size_t size_index = digit(&raw, p->n_sizes), thread_index = digit(&raw, p->n_threads),
                 buffer_index = digit(&raw, p->n_buffers), key_index = digit(&raw, p->n_keys),
                 operation_index = digit(&raw, p->n_operations);

    *t = (task){
        .what = p->algorithms[raw],
        .operation = p->operations[operation_index],
        .size = p->sizes[size_index],
        .cold = p->cold[key_index],
        .in_place = p->in_place[buffer_index],
        .threads = p->threads[thread_index],
    };
    t->what.decrypt = t->operation == DECRYPT;
    if (t->operation == REKEY) { /* no message: one task for all sizes, keys and buffers */
        t->size = 0;
        t->cold = t->in_place = false;
        return size_index == 0 && key_index == 0 && buffer_index == 0;
    }
    if (t->operation == MANY || t->operation == MIXED || t->operation == MIXED_MANY) /* only sealing; a size limit for the buffers */
        return t->what.tagged && !t->cold && !t->in_place && t->size <= 4096;
    switch (t->what.mode) {
    case ECB:
    case CBC:
    case IGE:
        return t->size % 16 == 0; /* whole blocks */
    case XTS:
        return t->size >= 16 && t->size <= 1 << 24; /* SP 800-38E section 4 */
    case CMAC:
        return t->operation == ENCRYPT && !t->in_place; /* a tag cannot be decrypted */
    default:
        return true;
    }
}

bool plan_task(const plan *p, size_t index, task *t)
{
    const size_t all =
        p->n_algorithms * p->n_operations * p->n_keys * p->n_buffers * p->n_threads * p->n_sizes;

    for (size_t raw = 0; raw < all; raw++)
        if (combination(p, raw, t) && index-- == 0)
            return true;
    return false;
}

size_t plan_choose(const plan *p, contender *list, size_t n)
{
    contender chosen[MAX_CONTENDERS];
    bool taken[MAX_CONTENDERS] = {false};
    char *copy, *rest, *item;
    size_t count = 0;

    if (!p->wanted) {
        for (size_t i = 0; i < n; i++)
            if (!list[i].in_full)
                list[count++] = list[i];
        return count;
    }
    rest = copy = strdup(p->wanted);
    while ((item = strsep(&rest, ","))) {
        bool known = false;
        for (size_t i = 0; i < n; i++)
            if (list[i].in_full ? strcmp(list[i].name, item) == 0
                                : strncmp(list[i].name, item, strlen(item)) == 0) {
                known = true;
                if (!taken[i])
                    chosen[count++] = list[i];
                taken[i] = true;
            }
        if (!known)
            mistake("unknown contender (see --list)", item);
    }
    free(copy);
    memcpy(list, chosen, count * sizeof *list);
    return count;
}
