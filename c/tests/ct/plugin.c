/* A QEMU plugin that follows a program's runs instruction by instruction, like steps.c with the trap flag
 * of x86, on any processor that QEMU emulates. It notes the address of each instruction and the
 * addresses that it loads from and stores to.
 *
 *     QEMU_PLUGIN=plugin.so qemu-aarch64 PROGRAM      the program marks its runs (marks.h)
 *
 * Debian has no header of the interface, so this file declares the parts that it uses. They are the same
 * from QEMU 7 to 10. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "marks.h"

/* ---- QEMU's plugin interface ---- */

typedef uint64_t plugin_id;
typedef struct qemu_plugin_tb qemu_plugin_tb; /* instructions translated together */
typedef struct qemu_plugin_insn qemu_plugin_insn;
enum { CALLBACK_WITHOUT_REGISTERS = 0, LOADS_AND_STORES = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*)(plugin_id, qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *tb);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn *insn, void (*)(unsigned, void *),
                                            int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *insn,
                                      void (*)(unsigned, uint32_t, uint64_t, void *), int flags,
                                      int which, void *data);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id,
                                          void (*)(plugin_id, unsigned, int64_t, uint64_t, uint64_t,
                                                   uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                                   uint64_t));
__attribute__((weak)) int qemu_plugin_num_vcpus(void); /* from version 2 on */

/* The version of the interface: QEMU 7 requires at most 1, QEMU 10 at least 2. */
int qemu_plugin_version = 1;
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_num_vcpus)
        qemu_plugin_version = 2;
}

/* ---- The run ---- */

enum { MOST = 1 << 25 };

typedef struct {
    uint64_t at;
    uint64_t operands; /* a hash of the addresses that it loads from and stores to */
} step;

static step first[MOST];
static uint64_t first_count;
static step now; /* the current instruction */
static bool stepping, comparing;
static mark_answer run;

static void end_step(void)
{
    const uint64_t n = run.count;

    if (n >= MOST)
        abort();
    if (!now.at)
        return;
    if (!comparing) {
        first[n] = now;
    } else if (!run.differs &&
               (n >= first_count || first[n].at != now.at || first[n].operands != now.operands)) {
        run.differs = true;
        run.after = n ? first[n - 1].at : 0;
        run.first = n < first_count ? first[n].at : 0;
        run.again = now.at;
    }
    run.count = n + 1;
}

static void executed(unsigned cpu, void *at)
{
    (void)cpu;
    if (!stepping)
        return;
    end_step();
    now = (step){(uint64_t)(uintptr_t)at, 1};
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu, (void)info, (void)data;
    now.operands = (now.operands ^ address) * UINT64_C(0x9e3779b97f4a7c15);
    now.operands ^= now.operands >> 29;
}

static void translated(plugin_id id, qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        qemu_plugin_insn *const insn = qemu_plugin_tb_get_insn(tb, i);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, CALLBACK_WITHOUT_REGISTERS,
                                               (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, CALLBACK_WITHOUT_REGISTERS,
                                         LOADS_AND_STORES, NULL);
    }
}

/* ---- The marks ---- */

static void begin(bool to_compare)
{
    comparing = to_compare;
    run = (mark_answer){0};
    now = (step){0};
    stepping = true;
}

static void end(int answer_to)
{
    stepping = false;
    end_step();
    if (!comparing)
        first_count = run.count;
    run.differs |= run.count != first_count;
    if (write(answer_to, &run, sizeof run) != sizeof run)
        abort();
}

static void system_call(plugin_id id, unsigned cpu, int64_t number, uint64_t mark,
                        uint64_t answer_to, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                        uint64_t a7, uint64_t a8)
{
    (void)id, (void)cpu, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    if (number != MARK_CALL)
        return;
    if (mark == MARK_END)
        end((int)answer_to);
    else
        begin(mark == MARK_AGAIN);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info,
                                                               int argc, char **argv)
{
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, system_call);
    return 0;
}
