/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Build flavour: host program.
 *
 * Defines DOCA_ARCH_HOST and leaves DOCA_ARCH_DPU undefined, and exactly one of DOCA_ARCH_X86 and
 * DOCA_ARCH_ARM; all are empty and meant for #ifdef. A header of the same name exists for the
 * other flavour; the order of the include directories selects between them.
 */

#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#undef DOCA_ARCH_DPU
#undef DOCA_ARCH_HOST
#define DOCA_ARCH_HOST

#define OPENDOCA_ROLE_CODE 1
#include <impl/opendoca_flavour.h>
#undef OPENDOCA_ROLE_CODE

#endif /* DOCA_BUILD_CONFIG_H_ */
