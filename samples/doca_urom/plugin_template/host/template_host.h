/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEMPLATE_HOST_H_
#define TEMPLATE_HOST_H_

/* The host half: functions with types, for programs that use the plugin. */

#include <doca_urom.h>

/* The end of a sum; runs inside doca_pe_progress(). */
typedef void (*template_sum_cb)(doca_error_t result, uint64_t sum, void *context);

/* Finds the plugin in a running service: its id is what the worker has to load.
 * DOCA_ERROR_NOT_FOUND: the service has not loaded it, DOCA_ERROR_UNSUPPORTED_VERSION: the halves
 * differ. */
doca_error_t template_find(struct doca_urom_service *service, uint64_t *plugin);

/* Adds up numbers, which are copied. DOCA_ERROR_INVALID_VALUE: more than a message holds. */
doca_error_t template_sum(struct doca_urom_worker *worker, uint64_t plugin, const uint64_t *numbers,
                          size_t count, template_sum_cb done, void *context);

#endif /* TEMPLATE_HOST_H_ */
