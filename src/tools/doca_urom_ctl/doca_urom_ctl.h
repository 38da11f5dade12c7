/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_DOCA_UROM_CTL_DOCA_UROM_CTL_H_
#define OD_TOOLS_DOCA_UROM_CTL_DOCA_UROM_CTL_H_

/* Shows what a daemon knows of itself. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CTL_PROGRAM "doca_urom_ctl"

/* ask.c: the daemon's status, to be freed with json_decref(); NULL after a message. `socket` is
 * where it is, or NULL; `device` whose it is, or NULL. `nobody`: nobody listens there, as opposed
 * to one that refuses, does not answer or cannot be reached. */
json_t *ctl_ask(const char *socket, const char *device, bool *nobody);

/* text.c: for people. */
void ctl_print_status(const json_t *status);
void ctl_print_plugins(const json_t *status);
void ctl_print_workers(const json_t *status);

/* metrics.c: for Prometheus. */
void ctl_print_metrics(const json_t *status);

/* Members of an object that may be missing: then "" and 0. */
const char *ctl_text(const json_t *object, const char *key);
long long ctl_number(const json_t *object, const char *key);
double ctl_real(const json_t *object, const char *key);

#endif /* OD_TOOLS_DOCA_UROM_CTL_DOCA_UROM_CTL_H_ */
