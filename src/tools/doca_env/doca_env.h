/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_DOCA_ENV_H_
#define OD_TOOLS_DOCA_ENV_H_

/* doca-env: everything about an installation and its machine in one object. Each part is built by
 * one function; text.c prints the same object for people. */

#include <jansson.h>

#include "soft/device/device.h"

/* The versions that the parts of this installation tell, and whether they are one. */
json_t *env_version(const struct soft_topology *topology, enum soft_role role);

/* Every public library, and where its pkg-config file is. */
json_t *env_libraries(enum soft_role role);

json_t *env_sample_paths(void);
json_t *env_drivers(void);
json_t *env_hugepages(void);

void env_print_text(const json_t *root);

#endif /* OD_TOOLS_DOCA_ENV_H_ */
