/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compile-time configuration: the build flavour, and what the target of this compilation allows.
 * Reached from every public header through doca_compat.h.
 */

#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

/* Angle brackets on purpose: the include path, not this folder, selects the flavour. */
#include <doca_build_config.h>

/* Present where the versioned-struct helpers of doca_compat.h are: not in DPA device code. */
#ifndef DOCA_DPA_DEVICE
#undef DOCA_COMPAT_HELPERS
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
