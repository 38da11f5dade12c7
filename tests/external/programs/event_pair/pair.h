/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_EVENT_PAIR_H_
#define EXTERNAL_EVENT_PAIR_H_

/* Two programs and one sync event. The local one makes it, exports it into a file and speaks first;
 * the remote one imports it, waits for that, and answers. Either can be the host or the DPU. */

#include <doca_sync_event.h>

#include "../common/kit.h"

#define PAIR_PATH_SIZE 1024
#define PAIR_FULL_MASK UINT64_MAX

/* What is written, and what therefore is read; both start from 0. */
#define PAIR_LOCAL_SET  5
#define PAIR_REMOTE_SET 900000000009
#define PAIR_LOCAL_ADD  7
#define PAIR_REMOTE_ADD 11

struct pair_options {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char exchange[PAIR_PATH_SIZE]; /* file with the export */
    bool async;
    bool atomic;
    int async_num_tasks;
};

struct pair {
    struct pair_options options;
    struct doca_dev *dev;
    struct doca_dev_rep *rep; /* DPU only */
    struct doca_pe *pe;       /* asynchronous mode only */
    struct doca_sync_event *event;
    struct doca_ctx *ctx; /* asynchronous mode only */
    unsigned int ended;   /* tasks */
    doca_error_t result;  /* of the last task */
    uint64_t fetched;     /* by an addition */
};

doca_error_t pair_parse(struct pair *pair, const char *program, int argc, char **argv);
/* Device, representor, engine. */
doca_error_t pair_open(struct pair *pair, kit_capable capable);
/* The event exists and is configured; tasks are configured here if it is to have some. */
doca_error_t pair_start(struct pair *pair);
/* Sets or adds. */
doca_error_t pair_write(struct pair *pair, uint64_t set, uint64_t add);
/* Waits with a task; the programs wait without one each in their own way. */
doca_error_t pair_wait_task(struct pair *pair, uint64_t value);
/* Stops and destroys everything. */
doca_error_t pair_close(struct pair *pair);

#endif /* EXTERNAL_EVENT_PAIR_H_ */
