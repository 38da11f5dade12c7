/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

#ifdef __x86_64__
#include <stdint.h>

/*
 * What a switch must keep are the registers that belong to the caller of a function. A saved
 * context is the address of
 *
 *     0x08 r12, 0x10 r13, 0x18 r14, 0x20 r15, 0x28 rbx, 0x30 rbp, 0x38 where to go on
 *
 * on its own stack; gdb/simt.py knows it, too. Modes of the floating-point units belong to the OS
 * thread: kernels do not change them.
 */
enum { CONTEXT_BYTES = 0x40, CONTEXT_RBP = 0x30, CONTEXT_RIP = 0x38 };

__asm__(".text\n"
        ".p2align 6\n"
        ".hidden simt_context_switch\n"
        ".globl simt_context_switch\n"
        ".type simt_context_switch, @function\n"
        "simt_context_switch:\n\t"
        "lea -0x38(%rsp), %rsp\n\t"
        "mov %r12, 0x08(%rsp)\n\t"
        "mov %r13, 0x10(%rsp)\n\t"
        "mov %r14, 0x18(%rsp)\n\t"
        "mov %r15, 0x20(%rsp)\n\t"
        "mov %rbx, 0x28(%rsp)\n\t"
        "mov %rbp, 0x30(%rsp)\n\t"
        "mov %rsp, %rax\n\t" /* the context that is left */
        "mov %rdi, %rsp\n\t"
        "mov 0x38(%rsp), %r8\n\t"
        "mov 0x08(%rsp), %r12\n\t"
        "mov 0x10(%rsp), %r13\n\t"
        "mov 0x18(%rsp), %r14\n\t"
        "mov 0x20(%rsp), %r15\n\t"
        "mov 0x28(%rsp), %rbx\n\t"
        "mov 0x30(%rsp), %rbp\n\t"
        "lea 0x40(%rsp), %rsp\n\t"
        "mov %rsi, %rdx\n\t" /* the result of a jump, or the argument of entry() */
        "mov %rax, %rdi\n\t"
        "jmp *%r8\n"
        ".size simt_context_switch, .-simt_context_switch\n");

void *context_make(void *top, size_t size, void (*entry)(struct context_transfer))
{
    /* As if entry() had just been called, by nobody. */
    uintptr_t stack = ((uintptr_t)top & ~(uintptr_t)15) - 8;
    uintptr_t context = stack - CONTEXT_BYTES;

    (void)size;
    *(uintptr_t *)stack = 0;
    *(uintptr_t *)(context + CONTEXT_RBP) = 0;
    *(uintptr_t *)(context + CONTEXT_RIP) = (uintptr_t)entry;
    return (void *)context;
}

#else
void *make_fcontext(void *top, size_t size, void (*entry)(struct context_transfer));

void *context_make(void *top, size_t size, void (*entry)(struct context_transfer))
{
    return make_fcontext(top, size, entry);
}
#endif
