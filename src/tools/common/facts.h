/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_COMMON_FACTS_H_
#define OD_TOOLS_COMMON_FACTS_H_

/* Facts about the machine and its devices, as the JSON programs print them. */

#include <stdbool.h>

#include <jansson.h>

#include "soft/device/device.h"

/* The functions of one role, then for DPU functions what they represent. */
json_t *tool_facts_devices(const struct soft_topology *topology, enum soft_role role,
                           bool with_name);

/* Mode of the card, as its own side sees it; null on a host. */
json_t *tool_facts_bf_mode(const struct soft_topology *topology, enum soft_role role);

/* Loaded kernel modules whose name starts with mlx5, sorted. */
json_t *tool_facts_mlx5_modules(void);

json_t *tool_facts_kernel_version(void);

#endif /* OD_TOOLS_COMMON_FACTS_H_ */
