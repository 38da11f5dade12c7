/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_FOLDER_H_
#define OD_SOFT_SERVICE_FOLDER_H_

/* The runtime folder and the sockets in it.
 *
 * Sockets are files and not abstract names, because a file is seen from every network namespace.
 * Folder, first that works: OPENDOCA_RUNTIME_DIR (then no other is tried),
 * $XDG_RUNTIME_DIR/opendoca, /run/opendoca-UID, /tmp/opendoca-UID. It must belong to this user and
 * nobody else may write to it. */

#include <sys/socket.h>
#include <sys/un.h>

#include "soft/soft.h"

/* Opens the folder, creates it when missing. Returns its fd and its absolute path of at most `size`
 * bytes, or a negative errno with a reason. */
SOFT_API int soft_service_folder_open(char *dir, size_t size);

/* For a moment in which names get another meaning there; closing `dirfd`, which is open for
 * reading, ends it. Holders need microseconds, or seconds where they get no processor, and one that
 * was stopped meanwhile must not stop others: -EBUSY after `ms`, with a reason that names `dir`. */
int soft_service_folder_lock(int dirfd, const char *dir, unsigned int ms);

/* The address of the socket `name` in the folder, of any length; `dirfd` must stay open as long as
 * the address is in use. */
socklen_t soft_service_folder_address(struct sockaddr_un *sa, const char *dir, int dirfd,
                                      const char *name);

/* One attempt to connect to a SOCK_SEQPACKET socket, never waits. A non-blocking socket or a
 * negative errno without a reason: -EAGAIN (the queue of the other side is full), -ECONNREFUSED or
 * -ENOENT (nobody there), -EACCES. */
int soft_service_folder_connect(const char *dir, int dirfd, const char *name);

#endif /* OD_SOFT_SERVICE_FOLDER_H_ */
