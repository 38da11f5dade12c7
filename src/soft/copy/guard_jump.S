/* SPDX-License-Identifier: BSD-3-Clause */

/* int soft_copy_guard_call(struct soft_copy_guard *guard, void (*fn)(void *), void *arg)
 * void soft_copy_guard_land(struct soft_copy_guard *guard)
 *
 * The first calls fn(arg) with all registers that a callee must preserve kept on the stack, and the
 * stack pointer in guard->sp; that is what makes the guard armed. The fault handler leaves by
 * returning into the second, which finds the frame again and makes the first return -EFAULT. */

#if defined(__x86_64__)

    .text
    .globl soft_copy_guard_call
    .hidden soft_copy_guard_call
    .type soft_copy_guard_call, @function
    .p2align 4
soft_copy_guard_call:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    pushq %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    movq %rsp, (%rdi)
    movq %rdx, %rdi
    callq *%rsi
    popq %rdi
    .cfi_adjust_cfa_offset -8
    movq $0, (%rdi)
    xorl %eax, %eax
    /* fn returned, so it has preserved the registers itself */
    addq $48, %rsp
    .cfi_adjust_cfa_offset -48
    retq
    .cfi_endproc
    .size soft_copy_guard_call, . - soft_copy_guard_call

    .globl soft_copy_guard_land
    .hidden soft_copy_guard_land
    .type soft_copy_guard_land, @function
    .p2align 4
soft_copy_guard_land:
    movq (%rdi), %rsp
    movq $0, (%rdi)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    movl $-14, %eax
    cld
    retq
    .size soft_copy_guard_land, . - soft_copy_guard_land

#elif defined(__aarch64__)

    .text
    .globl soft_copy_guard_call
    .hidden soft_copy_guard_call
    .type soft_copy_guard_call, %function
    .p2align 4
soft_copy_guard_call:
    .cfi_startproc
    stp x29, x30, [sp, #-176]!
    .cfi_def_cfa_offset 176
    .cfi_offset x29, -176
    .cfi_offset x30, -168
    mov x29, sp
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    str x0, [sp, #160]
    mov x9, sp
    str x9, [x0]
    mov x0, x2
    blr x1
    ldr x9, [sp, #160]
    str xzr, [x9]
    mov w0, #0
    /* fn returned, so it has preserved the other registers itself */
    ldp x29, x30, [sp], #176
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size soft_copy_guard_call, . - soft_copy_guard_call

    .globl soft_copy_guard_land
    .hidden soft_copy_guard_land
    .type soft_copy_guard_land, %function
    .p2align 4
soft_copy_guard_land:
    ldr x9, [x0]
    str xzr, [x0]
    mov sp, x9
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    mov w0, #-14
    ldp x29, x30, [sp], #176
    ret
    .size soft_copy_guard_land, . - soft_copy_guard_land

#else
#error "the fault guard knows x86-64 and aarch64; add this machine's call and landing here"
#endif

    .section .note.GNU-stack, "", %progbits
