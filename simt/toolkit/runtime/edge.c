/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduling point of loops that call nothing: code of .cu files calls this on each edge of its
 * control flow. It is linked into every program, so that the call is direct.
 */
#include <stdint.h>

extern __thread int simt_budget __attribute__((tls_model("initial-exec")));
void simt_budget_spent(const void *pc);

/* Named by every object that nvcc makes, so that the linker takes this file before a sanitizer's.
 */
const char simt_edge_anchor = 1;

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
    if (__builtin_expect(--simt_budget < 0, 0))
        simt_budget_spent(__builtin_return_address(0));
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    (void)start;
    (void)stop;
}

/* The same, as GCC spells it. */
void __sanitizer_cov_trace_pc(void)
{
    if (__builtin_expect(--simt_budget < 0, 0))
        simt_budget_spent(__builtin_return_address(0));
}
