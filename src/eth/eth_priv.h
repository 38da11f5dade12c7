/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_ETH_PRIV_H_
#define OD_ETH_PRIV_H_

/* What receive and send queues share. */

#include "core/core_priv.h"
#include "soft/nic/nic.h"

/* For capability queries, which are asked of every device of a list and open nothing: refuses a
 * devinfo that is not valid; NOT_SUPPORTED: ports of its kind cannot be had here. */
doca_error_t eth_check_device(const struct doca_devinfo *devinfo, const char *func);
/* The same, and refuses a missing `output`, called `name`. */
doca_error_t eth_check_query(const struct doca_devinfo *devinfo, const void *output,
                             const char *name, const char *func);

/* INVALID_VALUE, logged; `ctx` is NULL before there is one. */
doca_error_t eth_check_range(const struct doca_ctx *ctx, const char *attribute, uint32_t value,
                             uint32_t min, uint32_t max, const char *func);

doca_error_t eth_check_running(const struct doca_ctx *ctx, const char *func);

/* Once a process, when a queue is there: what its port cannot do. */
void eth_warn_of_port(const struct doca_ctx *ctx, struct soft_nic_port *port);

/* Why the start of a queue failed: negative errno of the port, and the reason it left. */
doca_error_t eth_fail_port(const struct doca_ctx *ctx, int err, const char *func);

#endif /* OD_ETH_PRIV_H_ */
