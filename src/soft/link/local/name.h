/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_LINK_LOCAL_NAME_H_
#define OD_SOFT_LINK_LOCAL_NAME_H_

/* Names of local links: sockets in a folder.
 *
 * A name is free unless a process listens there, which a connection shows, so that a killed process
 * leaves nothing that matters. Claims and withdrawals hold a lock on the folder, so that nobody
 * takes a fresh socket for an old one. */

#include <limits.h>
#include <sys/types.h>

#include "soft/soft.h"

#define SOFT_NAME_SIZE 80 /* of the socket's file name */

struct soft_link_name {
    char dir[PATH_MAX];
    char file[SOFT_NAME_SIZE];
    bool is_path; /* the folder was named, and is not the runtime folder */
};

/* From an address without its scheme. -EINVAL, or why there is no runtime folder; with a reason. */
SOFT_API int soft_link_name_parse(const char *addr, struct soft_link_name *name);

/* One attempt to connect; as soft_service_folder_connect(). */
int soft_link_name_connect(const struct soft_link_name *name);

/* What was claimed. */
struct soft_link_claim {
    int sock; /* listens, non-blocking */
    int dirfd;
    char file[SOFT_NAME_SIZE];
    dev_t dev;
    ino_t ino;
};

/* -EADDRINUSE and the like with a reason. */
SOFT_API int soft_link_name_claim(const struct soft_link_name *name, struct soft_link_claim *claim);
/* Closes the socket and removes its name. */
SOFT_API void soft_link_name_withdraw(struct soft_link_claim *claim);
/* In a forked child: closes, but the name is the parent's. */
void soft_link_name_forget(struct soft_link_claim *claim);

#endif /* OD_SOFT_LINK_LOCAL_NAME_H_ */
