/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_FORKED_H_
#define OD_SOFT_SERVICE_FORKED_H_

/* What a child that was forked must not have: descriptors and mappings that mean something to
 * others for as long as anybody has them, locks and sockets. A child that execs has neither anyway.
 */

#include <sys/types.h>

#include "soft/soft.h"
#include "util/list.h"

struct soft_forked {
    int fd;            /* -1: none, or it was the parent's */
    bool keeps_number; /* others may use and close it in the child: there it is /dev/null */
    void *map;         /* memory of the child's own there, with the same bytes; NULL: none */
    size_t len;

    struct od_list link; /* private from here on */
    dev_t dev;
    ino_t ino;
};

/* Nobody forks between these two; what is new is made and added there. */
SOFT_API void soft_forked_enter(void);
SOFT_API void soft_forked_leave(void);

/* Between the two. Its map may come and go later on, between the two as well. */
SOFT_API void soft_forked_add(struct soft_forked *forked);
/* Between the two, before any of it goes. Harmless when it was not added but is zero, or twice. */
SOFT_API void soft_forked_remove(struct soft_forked *forked);

#endif /* OD_SOFT_SERVICE_FORKED_H_ */
