#include "run.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agree.h"
#include "cycles.h"

_Noreturn void give_up(const char *what, const char *which)
{
    fflush(stdout);
    fprintf(stderr, "harness: %s: %s\n", what, which);
    exit(3);
}

/* One thread's clocks, in ns. */
typedef struct {
    double wall;
    double cpu; /* the thread's CPU time: stops while another process has the CPU */
    double cycles;
} moment;

static double clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static moment look(int counter)
{
    return (moment){
        .wall = clock_ns(CLOCK_MONOTONIC),
        .cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID),
        .cycles = (double)cycles_read(counter),
    };
}

/* ---- Buffers ---- */

enum { PAGE = 4096, STOCK = 32 << 10 };

/* Returns `size` zero bytes that start `offset` bytes into a page. They are written, so the pages
 * exist. */
static uint8_t *buffer(size_t size, size_t offset)
{
    const size_t all = (offset + size + PAGE - 1) / PAGE * PAGE;
    uint8_t *page = aligned_alloc(PAGE, all);

    if (!page)
        give_up("out of memory", "buffers");
    memset(page, 0, all);
    return page + offset;
}

/* The offset between input and output is half a page modulo the page size. Otherwise the CPU could
 * mistake a store for the source of a later load (4 KiB aliasing). */
enum { OUT_OFFSET = PAGE / 2 };

/* Returns MANY_MESSAGES pseudorandom sizes from 1 to `most`, the same in every run. */
static uint16_t *mixed_sizes(size_t most)
{
    uint16_t *sizes = malloc(MANY_MESSAGES * sizeof *sizes);
    uint64_t state = most;

    if (!sizes)
        give_up("out of memory", "sizes of messages");
    for (size_t i = 0; i < MANY_MESSAGES; i++) {
        state = state * 6364136223846793005 + 1442695040888963407; /* Knuth's MMIX */
        sizes[i] = (uint16_t)(1 + (state >> 33) % most);
    }
    return sizes;
}

void track_open(track *tr, const task *t, bool pin, bool count_cycles)
{
    const size_t room = ((t->operation == REKEY ? REKEY_CHECK : t->size) + TAG) *
                        (t->operation >= MANY ? MANY_MESSAGES : 1);

    *tr = (track){.task = *t, .pin = pin, .count_cycles = count_cycles};
    for (size_t i = 0; i < KEY; i++)
        tr->key[i] = (uint8_t)(i * 17 + 3);
    for (size_t i = 0; i < 12; i++) /* the last four bytes, CTR's counter, start at 0 */
        tr->nonce[i] = (uint8_t)(i * 29 + 5);
    tr->lanes = calloc((size_t)t->threads, sizeof *tr->lanes);
    if (!tr->lanes)
        give_up("out of memory", t->what.name);
    for (int i = 0; i < t->threads; i++) {
        lane *l = &tr->lanes[i];
        l->in = buffer(room, 0);
        l->out = buffer(room, OUT_OFFSET);
        fill(l->in, room);
        fill(l->out, room);
        if (t->operation >= MIXED)
            l->sizes = mixed_sizes(t->size);
        if (t->in_place && t->what.tagged && t->operation == DECRYPT) {
            l->stride = (room + 15) / 16 * 16;
            l->stocked = l->stride < STOCK ? STOCK / l->stride : 1;
            l->stock = buffer(l->stocked * l->stride, 0);
        }
    }
}

void track_close(track *tr)
{
    for (int i = 0; i < tr->task.threads; i++) {
        free(tr->lanes[i].in);
        free(tr->lanes[i].out - OUT_OFFSET);
        free(tr->lanes[i].stock);
        free(tr->lanes[i].sizes);
    }
    free(tr->lanes);
}

/* ---- The inner loops ---- */

/* The clocks of one thread in a round. The work is from `start` to `end`. From `end` to `after` the
 * thread repeats the part of the work that does not count, so that it can be subtracted. */
typedef struct {
    moment start, end, after;
} sample;

static void require(bool ok, const runner *r)
{
    if (!ok)
        give_up("refused a message", r->by->name);
}

static void rekey_messages(const track *tr, const runner *r, void *state, size_t messages)
{
    uint8_t key[KEY];

    memcpy(key, tr->key, sizeof key);
    for (size_t i = 0; i < messages; i++) {
        memcpy(key, &i, sizeof i);
        require(r->by->rekey(state, key), r);
    }
}

static void encrypt_messages(const track *tr, const runner *r, void *state, size_t messages,
                             uint8_t *out, const uint8_t *in)
{
    const bool cold = tr->task.cold && r->by->rekey;
    uint8_t nonce[NONCE], key[KEY];

    memcpy(nonce, tr->nonce, sizeof nonce);
    memcpy(key, tr->key, sizeof key);
    for (size_t i = 0; i < messages; i++) {
        memcpy(nonce, &i, sizeof i);
        if (cold) {
            memcpy(key, &i, sizeof i);
            require(r->by->rekey(state, key), r);
        }
        require(r->by->run(state, nonce, out, in, tr->task.size), r);
    }
}

/* Contenders without a call for many messages get the cheapest nonces: one store of 8 bytes, which
 * later loads need not wait for. (agree.c compares them with the nonces of run_many.) */
static void many_messages(const runner *r, void *state, size_t messages, uint8_t *out,
                          const uint8_t *in, size_t size)
{
    uint8_t nonce[NONCE] = {0};

    for (size_t n; messages; messages -= n) {
        n = messages < MANY_MESSAGES ? messages : MANY_MESSAGES;
        if (r->by->run_many) {
            require(r->by->run_many(state, out, in, size, NULL, n), r);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            memcpy(nonce, &i, sizeof i);
            require(r->by->run(state, nonce, out + i * (size + TAG), in + i * size, size), r);
        }
    }
}

/* Seals messages of mixed sizes, which follow each other without gaps. */
static void mixed_messages(const runner *r, void *state, size_t messages, const lane *l,
                           bool by_one_call)
{
    uint8_t nonce[NONCE] = {0};

    for (size_t n; messages; messages -= n) {
        uint8_t *out = l->out;
        const uint8_t *in = l->in;

        n = messages < MANY_MESSAGES ? messages : MANY_MESSAGES;
        if (by_one_call && r->by->run_many) {
            require(r->by->run_many(state, out, in, 0, l->sizes, n), r);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const size_t size = l->sizes[i];
            memcpy(nonce, &i, sizeof i);
            require(r->by->run(state, nonce, out, in, size), r);
            in += size;
            out += size + TAG;
        }
    }
}

/* Decrypts messages. Message i is at i * step; with step 0 it is always the same message. */
static void decrypt_messages(const track *tr, const runner *r, void *state, size_t messages,
                             uint8_t *out, const uint8_t *in, size_t step)
{
    const bool cold = tr->task.cold && r->by->rekey;

    for (size_t i = 0; i < messages; i++) {
        if (cold)
            require(r->by->rekey(state, tr->key), r);
        require(r->by->run(state, tr->nonce, out + i * step, in + i * step, tr->task.size), r);
    }
}

/* Copies n <= l->stocked sealed messages to the stock, for open_stock(). */
static void put_back(const track *tr, const lane *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(l->stock + i * l->stride, l->in, tr->task.size + TAG);
}

/* Opens messages in place, from the stock. If `state` is NULL, only refills the stock. */
static void open_stock(const track *tr, const runner *r, void *state, size_t messages,
                       const lane *l)
{
    while (messages) {
        const size_t n = messages < l->stocked ? messages : l->stocked;
        put_back(tr, l, n);
        if (state)
            decrypt_messages(tr, r, state, n, l->stock, l->stock, l->stride);
        messages -= n;
    }
}

static void run_lane(const track *tr, const runner *r, const lane *l, void *state, size_t messages,
                     sample *s)
{
    const int counter = tr->count_cycles ? cycles_open() : -1;
    const bool in_place = tr->task.in_place && !r->by->ceiling;
    const bool stocked = l->stock && !r->by->ceiling;
    uint8_t *in = in_place ? l->out : l->in;

    s->start = look(counter);
    if (r->by->ceiling || tr->task.operation == ENCRYPT)
        encrypt_messages(tr, r, state, messages, l->out, in);
    else if (tr->task.operation == MANY)
        many_messages(r, state, messages, l->out, in, tr->task.size);
    else if (tr->task.operation >= MIXED)
        mixed_messages(r, state, messages, l, tr->task.operation == MIXED_MANY);
    else if (tr->task.operation == REKEY)
        rekey_messages(tr, r, state, messages);
    else if (stocked)
        open_stock(tr, r, state, messages, l);
    else
        decrypt_messages(tr, r, state, messages, l->out, in, 0);
    s->after = s->end = look(counter);
    if (stocked) {
        open_stock(tr, r, NULL, messages, l);
        s->after = look(counter);
    }
    cycles_close(counter);
}

/* ---- Threads ---- */

typedef struct {
    const track *track;
    const runner *runner;
    size_t messages;
    int index;
    sample sample;
    _Atomic int *waiting; /* threads that have not reached the start yet */
} worker;

/* Binds the calling thread to CPU number `index` of the CPUs that it may use. */
static void pin(int index)
{
#ifdef __linux__
    cpu_set_t allowed, one;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        give_up("cannot pin", "sched_getaffinity");
    index %= CPU_COUNT(&allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && index-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            if (sched_setaffinity(0, sizeof one, &one) != 0)
                give_up("cannot pin", "sched_setaffinity");
            return;
        }
#else
    (void)index;
    give_up("cannot pin", "needs Linux");
#endif
}

static void *run_worker(void *memory)
{
    worker *w = memory;

    if (w->track->pin)
        pin(w->index);
    atomic_fetch_sub(w->waiting, 1);
    while (atomic_load(w->waiting) > 0)
        sched_yield();
    run_lane(w->track, w->runner, &w->track->lanes[w->index], w->runner->states[w->index],
             w->messages, &w->sample);
    return NULL;
}

/* Runs `messages` messages on each thread. Returns the time: for one thread its CPU time, for several
 * the wall clock from the first start to the last end. *cycles is the sum for all threads. */
static double run_all(const track *tr, const runner *r, size_t messages, double *cycles)
{
    const int n = tr->task.threads;
    static worker workers[MAX_THREADS];
    static pthread_t threads[MAX_THREADS];
    _Atomic int waiting = n;
    double first = 0, last = 0;

    for (int i = 0; i < n; i++) {
        workers[i] = (worker){
            .track = tr, .runner = r, .messages = messages, .index = i, .waiting = &waiting};
        if ((n > 1 || tr->pin) && pthread_create(&threads[i], NULL, run_worker, &workers[i]) != 0)
            give_up("cannot start a thread for", r->by->name);
    }
    if (n == 1 && !tr->pin)
        run_worker(&workers[0]);
    *cycles = 0;
    for (int i = 0; i < n; i++) {
        const sample *s = &workers[i].sample;
        if (n > 1 || tr->pin)
            pthread_join(threads[i], NULL);
        const double end = 2 * s->end.wall - s->after.wall;
        if (i == 0 || s->start.wall < first)
            first = s->start.wall;
        if (i == 0 || end > last)
            last = end;
        *cycles += 2 * s->end.cycles - s->after.cycles - s->start.cycles;
    }
    if (n == 1) {
        const sample *s = &workers[0].sample;
        return 2 * s->end.cpu - s->after.cpu - s->start.cpu;
    }
    return last - first;
}

/* ---- Runners ---- */

bool runner_open(runner *r, const contender *by, const track *tr)
{
    const int n = tr->task.threads;

    r->by = by;
    r->instructions = NULL;
    r->steps = -1;
    r->states = calloc((size_t)n, sizeof *r->states);
    if (!r->states)
        give_up("out of memory for", by->name);
    for (int i = 0; i < n; i++)
        if (!(r->states[i] = by->open(by, &tr->task.what, tr->key))) {
            runner_close(r, tr);
            return false;
        }
    return true;
}

void runner_close(runner *r, const track *tr)
{
    for (int i = 0; i < tr->task.threads; i++)
        if (r->states[i])
            r->by->close(r->states[i]);
    free(r->states);
}

void runner_calibrate(runner *r, const track *tr, double target)
{
    double spent, cycles;

    r->messages = 1;
    run_all(tr, r, 1, &cycles);
    while ((spent = run_all(tr, r, r->messages, &cycles)) < target / 4)
        r->messages *= 2;
    r->messages = (size_t)((double)r->messages * target / spent);
    if (!r->messages)
        r->messages = 1;
}

void runner_round(runner *r, const track *tr, int round)
{
    const double scale = r->by->span ? (double)tr->task.size / (double)r->by->span : 1;
    const double messages = (double)r->messages * tr->task.threads;
    double cycles, spent = run_all(tr, r, r->messages, &cycles);

    r->ns[round] = spent / messages * scale;
    r->cycles[round] = cycles / messages * scale;
}
