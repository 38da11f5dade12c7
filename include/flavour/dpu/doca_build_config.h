/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Build flavour: DPU program.
 *
 * Defines DOCA_ARCH_DPU and leaves DOCA_ARCH_HOST undefined, and exactly one of DOCA_ARCH_X86 and
 * DOCA_ARCH_ARM; all are empty and meant for #ifdef. A header of the same name exists for the
 * other flavour; the order of the include directories selects between them.
 */

#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#undef DOCA_ARCH_HOST
#undef DOCA_ARCH_DPU
#define DOCA_ARCH_DPU

#define OPENDOCA_ROLE_CODE 2
#include <impl/opendoca_flavour.h>
#undef OPENDOCA_ROLE_CODE

#endif /* DOCA_BUILD_CONFIG_H_ */
