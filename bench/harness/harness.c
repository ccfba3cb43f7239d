/* Measures AES and AEGIS by Rijn's backends and by other libraries in one process. In every round each
 * contender runs once, for about the same time, and medians are compared. So the ratios are right
 * even if the machine's speed drifts.
 *
 *   plan.c          options and the tasks that they make
 *   contenders.c    the list of contenders: rijn.c openssl.c ipsec_mb.c bearssl.c libsodium.c
 *                   libaegis.c boringssl.c putty.c
 *   ceilings.c      the machine's limits
 *   agree.c         checks that all contenders give the same bytes
 *   run.c           one task: buffers, threads, calibration, the measured loops
 *   instructions.c  detects the AES instructions of a contender, and counts all
 *   cycles.c machine.c report.c
 *
 * Prints a table, or with --json one object a line, schema 2 (bench/README.md
 * explains each key). Keys are only added:
 *   {"kind": "machine", "schema": 2, "cpu", "cpu_id", "features": [], "architecture", "cores",
 *    "kernel", "compiler", "flags", "rijn", "tasks", "rounds", "millis", "pinned",
 *    "cycles": {"available", "reason"},
 *    "contenders": [{"name", "state", "reason", "version", "constant_time"}],
 *    "ceilings": [{"name", "state", "reason"}]}
 *   {"kind": "ceiling", "algorithm", "operation", "size", "key", "buffer", "threads", "ceiling",
 *    "messages", "ns": [per message, per round], "cycles": [the same, if counted]}
 *   {"kind": "row", …the same…, "contender", "messages", "ns", "cycles", "instructions",
 *    "steps"}
 */
#include "agree.h"
#include "cycles.h"
#include "report.h"
#include "instructions.h"

/* Opens the contenders of list[0..n) that offer the task. Returns how many. */
static size_t enter(runner *runners, const contender *list, size_t n, const track *tr)
{
    size_t ready = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].linked && !*list[i].reason && runner_open(&runners[ready], &list[i], tr))
            ready++;
    return ready;
}

static void measure(const plan *p, const task *t, const contender *contenders, size_t n_contenders,
                    const contender *ceilings, size_t n_ceilings, bool count_cycles)
{
    static runner runners[MAX_CONTENDERS], tops[MAX_CONTENDERS];
    const double target = p->millis * 1e6;
    disagreement d;
    size_t n, n_tops = 0;
    track tr;

    track_open(&tr, t, p->pin, count_cycles);
    n = enter(runners, contenders, n_contenders, &tr);
    if (p->ceilings && t->operation != REKEY)
        n_tops = enter(tops, ceilings, n_ceilings, &tr);
    d = agree(&tr, runners, n);
    if (d.what)
        give_up(d.what, d.who);

    /* With one thread, ceilings vary little, so a quarter of the time is enough. Starting several
     * threads takes time in any case. */
    for (size_t i = 0; i < n_tops; i++)
        runner_calibrate(&tops[i], &tr, t->threads == 1 ? target / 4 : target);
    for (size_t i = 0; i < n; i++)
        runner_calibrate(&runners[i], &tr, target);
    for (size_t i = 0; p->instructions && i < n; i++)
        runners[i].instructions = instructions_of(&runners[i], &tr);
    for (size_t i = 0; p->steps && i < n; i++)
        runners[i].steps = steps_of(&runners[i], &tr);
    for (int round = 0; round < p->rounds; round++) {
        for (size_t i = 0; i < n_tops; i++)
            runner_round(&tops[i], &tr, round);
        for (size_t i = 0; i < n; i++)
            runner_round(&runners[i], &tr, round);
    }
    report_task(p, &tr, tops, n_tops, runners, n);

    for (size_t i = 0; i < n_tops; i++)
        runner_close(&tops[i], &tr);
    for (size_t i = 0; i < n; i++)
        runner_close(&runners[i], &tr);
    track_close(&tr);
}

int main(int argc, char **argv)
{
    static contender contenders[MAX_CONTENDERS], ceilings[MAX_CONTENDERS];
    const char *no_cycles = cycles_reason();
    size_t n, n_ceilings, tasks = 0;
    plan p;
    task t;

    plan_parse(&p, argc, argv);
    n = plan_choose(&p, contenders, all_contenders(contenders));
    n_ceilings = all_ceilings(ceilings);
    if (p.list && !p.json) {
        report_list(contenders, n);
        return 0;
    }
    while (plan_task(&p, tasks, &t))
        tasks++;
    report_machine(&p, contenders, n, ceilings, n_ceilings, tasks, no_cycles);
    if (p.list)
        return 0;
    for (size_t i = 0; plan_task(&p, i, &t); i++)
        measure(&p, &t, contenders, n, ceilings, n_ceilings, !*no_cycles);
    return 0;
}
