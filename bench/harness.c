/* Times AES by Rijn's backends and by other libraries in one process, so that
 * the ratios hold on a machine whose speed drifts: in every round each
 * contender runs once, for about the same time, and medians are compared.
 *
 * Prints a table, or with --json one object a line:
 *   {"algorithm", "operation", "size", "contender", "messages", "ns": [per message, per round]}
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contender.h"
#include "rijn.h"

enum { MAX_CONTENDERS = 32, MAX_ROUNDS = 1000, TAG = 16 };

static const char help[] =
    "usage: harness [options]\n"
    "  --algorithm LIST   aes-128-gcm,aes-256-ctr,... (ecb, cbc, ctr, gcm; default aes-128-gcm,aes-128-ctr)\n"
    "  --operation LIST   encrypt,decrypt,rekey (default encrypt)\n"
    "  --size LIST        bytes a message, K and M allowed (default 16,256,1350,16K,1M)\n"
    "  --contender LIST   names or prefixes, the first is the one others are compared with (default all)\n"
    "  --rounds N         interleaved rounds (default 15)\n"
    "  --millis N         time of one contender in one round (default 2)\n"
    "  --json             one JSON object a line\n"
    "  --list             names the contenders\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "harness: %s: %s\n", what, which);
    exit(2);
}

/* ---- What to measure ---- */

static algorithm parse_algorithm(const char *text)
{
    static const char *const names[] = {"ecb", "cbc", "ctr", "gcm"};
    algorithm a = {text, ECB, 0, false};
    int bits = 0;
    char tail[4] = "";

    if (sscanf(text, "aes-%3d-%3s", &bits, tail) == 2 && (bits == 128 || bits == 192 || bits == 256))
        for (int m = 0; m < 4; m++)
            if (strcmp(tail, names[m]) == 0) {
                a.mode = (mode)m;
                a.key_size = (size_t)bits / 8;
                return a;
            }
    fail("no such algorithm (try aes-128-gcm)", text);
    return a;
}

static size_t parse_size(const char *text)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;

    if (end == text || end[shift != 0] || n == 0 || n > (1ul << 30) >> shift)
        fail("size must be 1 to 1024M bytes", text);
    return (size_t)n << shift;
}

/* The next item of a comma-separated list, cut in place. */
static char *next_item(char **list)
{
    return strsep(list, ",");
}

/* ---- One contender in one measurement ---- */

typedef struct {
    const contender *by;
    void *state;
    uint8_t *in;      /* of its own, as a decryption needs its own tag */
    size_t messages;  /* in one round */
    double ns[MAX_ROUNDS];
} runner;

typedef struct {
    algorithm what;
    const char *operation;
    size_t size;
    uint8_t key[32], nonce[16];
    uint8_t *out;
} task;

/* `messages` messages, each under a nonce of its own unless it is opened. */
static double run(const task *t, const runner *r, size_t messages)
{
    uint8_t nonce[16], key[32];
    const bool rekey = strcmp(t->operation, "rekey") == 0;
    const double start = now();

    memcpy(nonce, t->nonce, sizeof nonce);
    memcpy(key, t->key, sizeof key);
    for (size_t i = 0; i < messages; i++) {
        bool ok;
        if (rekey) {
            memcpy(key, &i, sizeof i);
            ok = r->by->rekey(r->state, key);
        } else {
            if (!t->what.decrypt)
                memcpy(nonce, &i, sizeof i);
            ok = r->by->run(r->state, nonce, t->out, r->in, t->size);
        }
        if (!ok)
            fail("refused a message", r->by->name);
    }
    return now() - start;
}

/* Its input: for GCM's decryption, what it sealed itself. */
static bool prepare(const task *t, runner *r)
{
    r->in = malloc(t->size + TAG);
    if (!r->in)
        fail("out of memory for", r->by->name);
    for (size_t i = 0; i < t->size + TAG; i++)
        r->in[i] = (uint8_t)(i * 2654435761u >> 13);
    if (t->what.decrypt && t->what.mode == GCM) {
        algorithm seal = t->what;
        seal.decrypt = false;
        void *state = r->by->open(r->by->name, &seal, t->key);
        if (!state)
            return false;
        if (!r->by->run(state, t->nonce, t->out, r->in, t->size))
            fail("refused a message", r->by->name);
        r->by->close(state);
        memcpy(r->in, t->out, t->size + TAG);
    }
    r->state = r->by->open(r->by->name, &t->what, t->key);
    return r->state != NULL;
}

static void calibrate(const task *t, runner *r, double target)
{
    double spent;

    r->messages = 1;
    run(t, r, 1);
    while ((spent = run(t, r, r->messages)) < target / 4)
        r->messages *= 2;
    r->messages = (size_t)((double)r->messages * target / spent);
    if (!r->messages)
        r->messages = 1;
}

static void report(const task *t, const runner *r, int rounds, bool json, double *first_median)
{
    double sorted[MAX_ROUNDS];

    if (json) {
        printf("{\"algorithm\": \"%s\", \"operation\": \"%s\", \"size\": %zu, \"contender\": \"%s\", "
               "\"messages\": %zu, \"ns\": [",
               t->what.name, t->operation, t->size, r->by->name, r->messages);
        for (int i = 0; i < rounds; i++)
            printf("%s%.3f", i ? ", " : "", r->ns[i]);
        puts("]}");
        return;
    }
    memcpy(sorted, r->ns, (size_t)rounds * sizeof *sorted);
    qsort(sorted, (size_t)rounds, sizeof *sorted, compare);
    const double median = sorted[rounds / 2];
    if (*first_median == 0)
        *first_median = median;
    printf("%-12s %-8s %9zu  %-18s %12.1f ns %9.3f GB/s  x %.2f  (%.1f to %.1f)\n", t->what.name,
           t->operation, t->size, r->by->name, median, (double)t->size / median,
           *first_median / median, sorted[0], sorted[rounds - 1]);
}

static void measure(task *t, const contender *list, size_t n, int rounds, double target, bool json)
{
    static runner runners[MAX_CONTENDERS];
    size_t ready = 0;
    double first_median = 0;

    t->what.decrypt = strcmp(t->operation, "decrypt") == 0;
    t->out = malloc(t->size + TAG);
    if (!t->out)
        fail("out of memory for", t->what.name);
    for (size_t i = 0; i < n; i++) {
        runner *r = &runners[ready];
        r->by = &list[i];
        if (prepare(t, r)) {
            calibrate(t, r, target);
            ready++;
        } else {
            free(r->in);
        }
    }
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < ready; i++)
            runners[i].ns[round] = run(t, &runners[i], runners[i].messages) / (double)runners[i].messages;
    for (size_t i = 0; i < ready; i++) {
        report(t, &runners[i], rounds, json, &first_median);
        runners[i].by->close(runners[i].state);
        free(runners[i].in);
    }
    free(t->out);
    fflush(stdout);
}

/* ---- Command line ---- */

static size_t all_contenders(contender *list)
{
    size_t n = rijn_contenders(list, MAX_CONTENDERS - 2);
#ifdef BENCH_OPENSSL
    list[n++] = openssl_contender;
#endif
#ifdef BENCH_BEARSSL
    list[n++] = bearssl_contender;
#endif
    return n;
}

/* Those whose names begin with an item of `wanted`, in its order. */
static size_t choose(contender *chosen, char *wanted, const contender *all, size_t n)
{
    size_t count = 0;

    for (char *item; (item = next_item(&wanted));) {
        const size_t before = count;
        for (size_t i = 0; i < n && count < MAX_CONTENDERS; i++)
            if (strncmp(all[i].name, item, strlen(item)) == 0)
                chosen[count++] = all[i];
        if (count == before)
            fail("no such contender here (see --list)", item);
    }
    return count;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"algorithm", required_argument, NULL, 'a'}, {"operation", required_argument, NULL, 'o'},
        {"size", required_argument, NULL, 's'},      {"contender", required_argument, NULL, 'c'},
        {"rounds", required_argument, NULL, 'r'},    {"millis", required_argument, NULL, 'm'},
        {"json", no_argument, NULL, 'j'},            {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},            {NULL, 0, NULL, 0},
    };
    static char default_algorithms[] = "aes-128-gcm,aes-128-ctr", default_operations[] = "encrypt",
                default_sizes[] = "16,256,1350,16K,1M";
    char *algorithms = default_algorithms, *operations = default_operations, *sizes = default_sizes,
         *wanted = NULL;
    int rounds = 15, opt;
    double millis = 2;
    bool json = false, list_only = false;
    static contender all[MAX_CONTENDERS], chosen[MAX_CONTENDERS];
    size_t n;

    while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1)
        switch (opt) {
        case 'a': algorithms = optarg; break;
        case 'o': operations = optarg; break;
        case 's': sizes = optarg; break;
        case 'c': wanted = optarg; break;
        case 'r': rounds = atoi(optarg); break;
        case 'm': millis = atof(optarg); break;
        case 'j': json = true; break;
        case 'l': list_only = true; break;
        case 'h': fputs(help, stdout); return 0;
        default: fputs(help, stderr); return 2;
        }
    if (rounds < 1 || rounds > MAX_ROUNDS || millis <= 0)
        fail("--rounds must be 1 to 1000, --millis positive", "options");

    n = all_contenders(all);
    if (wanted)
        n = choose(chosen, wanted, all, n);
    else
        memcpy(chosen, all, sizeof all);
    if (list_only) {
        for (size_t i = 0; i < n; i++)
            puts(chosen[i].name);
        return 0;
    }
    if (!json)
        printf("rijn %s; median of %d interleaved rounds; x: speed over that of %s\n",
               rijn_version(), rounds, chosen[0].name);

    for (char *a; (a = next_item(&algorithms));) {
        char operations_copy[64], sizes_copy[256], *o_list = operations_copy, *s_list;
        snprintf(operations_copy, sizeof operations_copy, "%s", operations);
        for (char *o; (o = next_item(&o_list));) {
            if (strcmp(o, "encrypt") && strcmp(o, "decrypt") && strcmp(o, "rekey"))
                fail("no such operation", o);
            snprintf(sizes_copy, sizeof sizes_copy, "%s", sizes);
            s_list = sizes_copy;
            for (char *s; (s = next_item(&s_list));) {
                task t = {.what = parse_algorithm(a), .operation = o, .size = parse_size(s)};
                if (t.what.mode <= CBC && t.size % 16)
                    continue; /* block modes take whole blocks */
                measure(&t, chosen, n, rounds, millis * 1e6, json);
            }
        }
    }
    return 0;
}
