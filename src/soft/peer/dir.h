/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_PEER_DIR_H_
#define OD_SOFT_PEER_DIR_H_

/* The exporters' sockets in the runtime folder.
 *
 * A socket gets its name ("peer-" and the random instance) only when it listens already, by a
 * rename. So a socket of that name which refuses a connection belongs to a process that is gone,
 * and may be removed by anybody at any time without a lock. */

#include "soft/peer/desc.h"

/* Removes the sockets of processes that are gone. */
SOFT_API void soft_peer_dir_sweep(const char *dir, int dirfd);

/* A listening, non-blocking socket for `instance`, or a negative errno with a reason. */
SOFT_API int soft_peer_dir_listen(const char *dir, int dirfd,
                                  const uint8_t instance[PEER_INSTANCE_SIZE]);
void soft_peer_dir_unlink(int dirfd, const uint8_t instance[PEER_INSTANCE_SIZE]);

/* One attempt to connect, never waits. A non-blocking socket or a negative errno without a reason:
 * -EAGAIN (the queue of the other side is full), -ECONNREFUSED or -ENOENT (nobody there), -EACCES.
 */
SOFT_API int soft_peer_dir_connect(const char *dir, const uint8_t instance[PEER_INSTANCE_SIZE]);

#endif /* OD_SOFT_PEER_DIR_H_ */
