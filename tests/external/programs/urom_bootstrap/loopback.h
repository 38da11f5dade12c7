/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_LOOPBACK_H_
#define EXTERNAL_LOOPBACK_H_

/* The host half of worker_graph. */

#include <doca_urom.h>

#define LOOPBACK_PLUGIN  "worker_graph"
#define LOOPBACK_VERSION 1

typedef void (*loopback_cb)(doca_error_t result, void *context, uint64_t data);

/* Sends the data there; they come back to `done`. */
doca_error_t loopback(struct doca_urom_worker *worker, uint64_t plugin, uint64_t data,
                      loopback_cb done, void *context);

#endif /* EXTERNAL_LOOPBACK_H_ */
