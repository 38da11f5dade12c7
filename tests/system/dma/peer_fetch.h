/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SYSTEM_DMA_PEER_FETCH_H_
#define TESTS_SYSTEM_DMA_PEER_FETCH_H_

#include <doca_dev.h>
#include <doca_error.h>

#include "peer.h"

/* Imports the descriptor of the command, copies `len` bytes from its beginning, compares them with
 * the pattern of `seed`, and puts everything away. The answer's value is how many bytes are right.
 */
doca_error_t peer_fetch(struct doca_dev *dev, const struct peer_command *command,
                        struct peer_answer *answer);

#endif /* TESTS_SYSTEM_DMA_PEER_FETCH_H_ */
