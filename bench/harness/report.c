#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "rijn.h"

/* ---- Statistics ---- */

typedef struct {
    double least, median, most;
} summary;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static summary summarize(const double *values, int n)
{
    double sorted[MAX_ROUNDS];

    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    return (summary){sorted[0], (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[n - 1]};
}

/* Returns the time of a task's ceiling: the fastest ceiling of each kind, and the slowest of these.
 * The kind is the name up to its slash. Copying is not a ceiling for tasks in place. Returns 0
 * without ceilings. */
static double ceiling_of(const task *t, const runner *ceilings, size_t n, int rounds)
{
    double bound = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t kind = strcspn(ceilings[i].by->name, "/");
        double fastest = 0;
        if (t->in_place && strncmp(ceilings[i].by->name, "copy/", 5) == 0)
            continue;
        for (size_t j = 0; j < n; j++) {
            const double ns = summarize(ceilings[j].ns, rounds).median;
            if (strncmp(ceilings[i].by->name, ceilings[j].by->name, kind + 1) == 0 &&
                (fastest == 0 || ns < fastest))
                fastest = ns;
        }
        if (fastest > bound)
            bound = fastest;
    }
    return bound;
}

/* ---- The table ---- */

static const char *standing(const contender *c)
{
    return !c->linked ? "not installed" : *c->reason ? "unavailable" : "ready";
}

void report_list(const contender *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%-18s %s%s%s\n", list[i].name,
               *list[i].version ? list[i].version : standing(&list[i]), *list[i].reason ? ": " : "",
               list[i].reason);
}

static void table_head(const plan *p, const contender *contenders, size_t tasks,
                       const char *cycles_reason)
{
    printf("rijn %s on %s (%s, %d CPUs), %zu tasks\n", rijn_version(), machine_cpu(),
           machine_kernel(), machine_cores(), tasks);
    printf(
        "medians of %d interleaved rounds of %g ms; x: speed / speed of %s; %%: of the ceiling\n",
        p->rounds, p->millis, contenders[0].name);
    if (*cycles_reason)
        printf("no cycle counts: %s\n", cycles_reason);
}

static void table_row(const task *t, const runner *r, const plan *p, bool cycles,
                      double first_median, double bound)
{
    const summary s = summarize(r->ns, p->rounds);

    printf("  %-18s", r->by->name);
    if (p->instructions)
        printf(" %-9s", r->instructions ? r->instructions : "");
    if (p->steps && r->steps >= 0)
        printf(" %6ld steps", r->steps);
    else if (p->steps)
        printf(" %12s", "");
    printf(" %12.1f ns", s.median);
    if (t->size)
        printf(" %8.3f GB/s", (double)t->size / s.median);
    if (!r->by->ceiling) {
        printf("  x %-7.2f", first_median / s.median);
        if (bound > 0)
            printf(" %3.0f %%", 100 * bound / s.median);
    }
    printf("  (%.1f to %.1f)", s.least, s.most);
    if (cycles && !r->by->span)
        printf("  %.2f cycles", summarize(r->cycles, p->rounds).median);
    putchar('\n');
}

/* ---- JSON ---- */

static void json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void json_text(const char *key, const char *value)
{
    printf("\"%s\": ", key);
    json_string(value);
}

static void json_numbers(const char *key, const double *values, int n)
{
    printf(", \"%s\": [", key);
    for (int i = 0; i < n; i++)
        printf("%s%.7g", i ? ", " : "", values[i]);
    putchar(']');
}

static void json_contender(const contender *c, bool first)
{
    static const char *const claims[] = {"null", "false", "true"};

    fputs(first ? "{" : ", {", stdout);
    json_text("name", c->name);
    printf(", \"state\": \"%s\", ", standing(c));
    json_text("reason", c->reason);
    if (!c->ceiling) {
        fputs(", ", stdout);
        json_text("version", c->version);
        printf(", \"constant_time\": %s", claims[c->constant_time + 1]);
    }
    putchar('}');
}

static void json_list(const char *key, const contender *list, size_t n)
{
    printf(", \"%s\": [", key);
    for (size_t i = 0; i < n; i++)
        json_contender(&list[i], i == 0);
    putchar(']');
}

static void json_machine(const plan *p, const contender *contenders, size_t n_contenders,
                         const contender *ceilings, size_t n_ceilings, size_t tasks,
                         const char *cycles_reason)
{
    bool first = true;

    fputs("{\"kind\": \"machine\", \"schema\": 2, ", stdout);
    json_text("cpu", machine_cpu());
    fputs(", ", stdout);
    json_text("cpu_id", machine_cpu_id());
    fputs(", \"features\": [", stdout);
    for (int i = 0; machine_feature(i); i++)
        if (*machine_feature(i)) {
            fputs(first ? "" : ", ", stdout);
            json_string(machine_feature(i));
            first = false;
        }
    fputs("], ", stdout);
    json_text("architecture", machine_architecture());
    printf(", \"cores\": %d, ", machine_cores());
    json_text("kernel", machine_kernel());
    fputs(", ", stdout);
    json_text("compiler", machine_compiler());
    fputs(", ", stdout);
    json_text("flags", machine_flags());
    fputs(", ", stdout);
    json_text("rijn", rijn_version());
    printf(", \"tasks\": %zu, \"rounds\": %d, \"millis\": %g, \"pinned\": %s", tasks, p->rounds,
           p->millis, p->pin ? "true" : "false");
    printf(", \"cycles\": {\"available\": %s, ", *cycles_reason ? "false" : "true");
    json_text("reason", cycles_reason);
    putchar('}');
    json_list("contenders", contenders, n_contenders);
    json_list("ceilings", ceilings, n_ceilings);
    puts("}");
}

static void json_row(const task *t, const runner *r, const plan *p, bool cycles)
{
    const char *kind = r->by->ceiling ? "ceiling" : "row";

    printf(
        "{\"kind\": \"%s\", \"algorithm\": \"%s\", \"operation\": \"%s\", \"size\": %zu, "
        "\"key\": \"%s\", \"buffer\": \"%s\", \"threads\": %d, \"%s\": \"%s\", \"messages\": %zu",
        kind, t->what.name, operation_names[t->operation], t->size, t->cold ? "cold" : "warm",
        t->in_place ? "in-place" : "apart", t->threads, r->by->ceiling ? "ceiling" : "contender",
        r->by->name, r->messages);
    json_numbers("ns", r->ns, p->rounds);
    if (cycles)
        json_numbers("cycles", r->cycles, p->rounds);
    if (r->instructions) {
        fputs(", ", stdout);
        json_text("instructions", r->instructions);
    }
    if (r->steps >= 0)
        printf(", \"steps\": %ld", r->steps);
    puts("}");
}

/* ---- Table or JSON ---- */

void report_machine(const plan *p, const contender *contenders, size_t n_contenders,
                    const contender *ceilings, size_t n_ceilings, size_t tasks,
                    const char *cycles_reason)
{
    if (p->json)
        json_machine(p, contenders, n_contenders, ceilings, n_ceilings, tasks, cycles_reason);
    else
        table_head(p, contenders, tasks, cycles_reason);
    fflush(stdout);
}

void report_task(const plan *p, const track *tr, const runner *ceilings, size_t n_ceilings,
                 const runner *runners, size_t n)
{
    const task *t = &tr->task;

    if (p->json) {
        for (size_t i = 0; i < n_ceilings; i++)
            json_row(t, &ceilings[i], p, tr->count_cycles);
        for (size_t i = 0; i < n; i++)
            json_row(t, &runners[i], p, tr->count_cycles);
    } else {
        const double bound = ceiling_of(t, ceilings, n_ceilings, p->rounds),
                     first = n ? summarize(runners[0].ns, p->rounds).median : 0;
        printf("\n%s %s, %zu bytes, %s key, %s, %d thread%s\n", t->what.name,
               operation_names[t->operation], t->size, t->cold ? "cold" : "warm",
               t->in_place ? "in place" : "apart", t->threads, t->threads > 1 ? "s" : "");
        for (size_t i = 0; i < n_ceilings; i++)
            table_row(t, &ceilings[i], p, tr->count_cycles, first, bound);
        for (size_t i = 0; i < n; i++)
            table_row(t, &runners[i], p, tr->count_cycles, first, bound);
    }
    fflush(stdout);
}
