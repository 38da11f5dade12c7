/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SYSTEM_DMA_PEER_SYNC_H_
#define TESTS_SYSTEM_DMA_PEER_SYNC_H_

/* One end of a sync event, plain or as a context. A process has one at a time. */

#include <doca_dev.h>
#include <doca_error.h>

#include "peer.h"

doca_error_t peer_sync_export(struct doca_dev *dev, const struct peer_command *command,
                              struct peer_answer *answer);
doca_error_t peer_sync_import(struct doca_dev *dev, const struct peer_command *command);
/* Sets or adds; `before` is what was there, for an addition. */
doca_error_t peer_sync_write(uint64_t value, uint64_t *before);
doca_error_t peer_sync_await(uint64_t value);
doca_error_t peer_sync_close(void);

#endif /* TESTS_SYSTEM_DMA_PEER_SYNC_H_ */
