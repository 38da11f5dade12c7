/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What both flavours of doca_build_config.h share: the processor macros and the role note.
 *
 * The including header defines OPENDOCA_ROLE_CODE (1 host, 2 DPU) as one plain token first.
 *
 * Role note. A program is a host or a DPU program by the flavour of the headers that it was
 * compiled with, and the library has to know at run time which of the two it serves, with nothing
 * exported by the user. So each object that includes a public header carries one ELF note:
 *
 *     section .note.opendoca   name "opendoca"   type 1   descriptor: one 32-bit role code
 *
 * The linker gathers the notes of all objects in the PT_NOTE segment of the program, where
 * libdoca_common finds them through the program headers of the running program. A note needs no
 * symbol, hence nothing can collide between translation units, and neither --as-needed nor
 * symbol visibility nor link-time optimisation touches it. It is in no section group because
 * --gc-sections keeps notes only outside of groups.
 *
 * Define OPENDOCA_NO_ROLE_NOTE for objects that must stay neutral, e.g. the libraries themselves.
 * Device compilations and object formats other than ELF carry no note.
 */

#ifndef OPENDOCA_FLAVOUR_H_
#define OPENDOCA_FLAVOUR_H_

#undef DOCA_ARCH_X86
#undef DOCA_ARCH_ARM
#if defined(__aarch64__) || defined(__arm__)
#define DOCA_ARCH_ARM
#elif defined(__x86_64__) || defined(__i386__)
#define DOCA_ARCH_X86
#endif

/* No generation of card is special here; "#if DOCA_ARCH_DPU_BF2" is false. */
#undef DOCA_ARCH_DPU_BF2
#define DOCA_ARCH_DPU_BF2 false

#if defined(__ELF__) && !defined(__APPLE__) && !defined(__CUDACC__) &&                             \
    !defined(DOCA_DPA_DEVICE) && !defined(OPENDOCA_NO_ROLE_NOTE)

#define OPENDOCA_STRINGIFY_(x) #x
#define OPENDOCA_STRINGIFY(x)  OPENDOCA_STRINGIFY_(x)

/* "%note" and not "@note": "@" starts a comment in 32-bit Arm assembly. */
__asm__(".pushsection .note.opendoca,\"a\",%note\n\t"
        ".p2align 2\n\t"
        ".long 2f - 1f\n\t" /* size of the name */
        ".long 4\n\t"       /* size of the descriptor */
        ".long 1\n"         /* type: role */
        "1:\t.asciz \"opendoca\"\n"
        "2:\t.p2align 2\n\t"
        ".long " OPENDOCA_STRINGIFY(OPENDOCA_ROLE_CODE) "\n\t"
                                                        ".popsection");

#undef OPENDOCA_STRINGIFY
#undef OPENDOCA_STRINGIFY_

#endif

#endif /* OPENDOCA_FLAVOUR_H_ */
