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

/* A context that calls entry() on the stack that ends at `top`. */
void *make_fcontext(void *top, size_t size, void (*entry)(struct context_transfer));

#endif
