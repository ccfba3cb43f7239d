/* Prints tables, or JSON lines (bench/README.md describes them). */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "run.h"

/* Prints contenders with their versions, or why they are absent. */
void report_list(const contender *list, size_t n);

/* Prints the first lines of the table, or the object of kind "machine". */
void report_machine(const plan *p, const contender *contenders, size_t n_contenders,
                    const contender *ceilings, size_t n_ceilings, size_t tasks,
                    const char *cycles_reason);

/* Prints all rows of a task. `ceilings` and `runners` ran in the same rounds. */
void report_task(const plan *p, const track *tr, const runner *ceilings, size_t n_ceilings,
                 const runner *runners, size_t n);

#endif
