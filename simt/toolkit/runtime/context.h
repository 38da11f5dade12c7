/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes from one stack to another: our own on x86-64, Boost.Context's assembler elsewhere. */
#ifndef SIMT_CONTEXT_H
#define SIMT_CONTEXT_H

#include <stddef.h>

struct context_transfer {
    void *from; /* the context that jumped here, now saved */
    void *data; /* what it passed */
};

/* A context that calls entry() on the stack that ends at `top`; entry() does not return. */
void *context_make(void *top, size_t size, void (*entry)(struct context_transfer));

#ifdef __x86_64__
/* In context.c; only by way of context_jump(). */
void simt_context_switch(void);

/*
 * Saves the present context, continues with `to`, and returns when somebody jumps back.
 *
 * The switch leaves by a jump to a return address. Were it called, the processor's stack of return
 * addresses would be off by one from then on, and each return of the other context mispredicted:
 * that costs three times the switch itself. Needs -mno-red-zone.
 */
static inline struct context_transfer context_jump(void *to, void *data)
{
    struct context_transfer transfer;

    __asm__ volatile("lea 1f(%%rip), %%rcx\n\t"
                     "push %%rcx\n\t"
                     "jmp *%[jump]\n"
                     "1:"
                     : "=a"(transfer.from), "=d"(transfer.data), "+D"(to), "+S"(data)
                     : [jump] "r"(simt_context_switch)
                     : "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                       "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                       "xmm14", "xmm15", "memory", "cc");
    return transfer;
}
#else
/* The C interface of Boost.Context's assembler: it ships a C++ header only. */
struct context_transfer jump_fcontext(void *to, void *data);

static inline struct context_transfer context_jump(void *to, void *data)
{
    return jump_fcontext(to, data);
}
#endif

#endif
