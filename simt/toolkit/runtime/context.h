/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface of Boost.Context's assembler: it ships a C++ header only. */
#ifndef SIMT_CONTEXT_H
#define SIMT_CONTEXT_H

#include <stddef.h>

struct context_transfer {
    void *from; /* the context that jumped here, now saved */
    void *data; /* what it passed */
};

/* Saves the present context, continues with `to`, and returns when somebody jumps back. */
struct context_transfer jump_fcontext(void *to, void *data);

/*
 * The same. jump_fcontext() leaves by a jump to its return address; were it called, the processor's
 * stack of return addresses would be off by one from then on, and each return of the other context
 * mispredicted: that costs three times the switch itself. Needs -mno-red-zone.
 */
static inline struct context_transfer context_jump(void *to, void *data)
{
#ifdef __x86_64__
    struct context_transfer transfer;

    __asm__ volatile("lea 1f(%%rip), %%rcx\n\t"
                     "push %%rcx\n\t"
                     "jmp *%[jump]\n"
                     "1:"
                     : "=a"(transfer.from), "=d"(transfer.data), "+D"(to), "+S"(data)
                     : [jump] "r"(jump_fcontext)
                     : "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
                       "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                       "xmm14", "xmm15", "memory", "cc");
    return transfer;
#else
    return jump_fcontext(to, data);
#endif
}

/* A context that calls entry() on the stack that ends at `top`. */
void *make_fcontext(void *top, size_t size, void (*entry)(struct context_transfer));

#endif
