/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_NOTE_H_
#define OD_UTIL_NOTE_H_

/* Notes that public headers leave in the program that was compiled with them: a section
 * .note.opendoca with the name "opendoca" and one 32-bit word. */

#include "util/base.h"

enum od_note {
    OD_NOTE_ROLE = 1, /* impl/opendoca_flavour.h: the role's code */
    OD_NOTE_NVCC = 2, /* impl/opendoca_gpu_dev.cuh: 1: NVIDIA's nvcc compiled kernels */
};

/* The word of the main program's first note of this type; 0: there is none. Any thread. */
uint32_t od_program_note(enum od_note type);

#endif /* OD_UTIL_NOTE_H_ */
