/* Identifies this process. */
#ifndef RIJN_BINDING_FORKS_H
#define RIJN_BINDING_FORKS_H

#include <stdbool.h>

/* A process among those that forked from one another. The system reuses ids, so an id
 * alone does not tell two processes apart. It reveals a fork that Python did not see. */
typedef struct {
    unsigned long forks; /* that Python saw since the module was imported */
    long id;
} process;

process this_process(void);
bool is_this_process(process other);

/* Notes a fork that Python saw. */
void count_fork(void);

#endif
