/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_CLEANUP_H_
#define OD_UTIL_CLEANUP_H_

/* Scope-bound owners for scratch resources. A resource that outlives the function moves out with
 * od_move_ptr() or od_move_fd(). */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void od_cleanup_free(void *p)
{
    free(*(void **)p);
}

static inline void od_cleanup_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline void od_cleanup_file(FILE **f)
{
    if (*f != NULL)
        fclose(*f);
}

#define OD_AUTO_FREE __attribute__((cleanup(od_cleanup_free)))
#define OD_AUTO_FD   __attribute__((cleanup(od_cleanup_fd)))
#define OD_AUTO_FILE __attribute__((cleanup(od_cleanup_file)))

static inline void *od_move_ptr(void *pp)
{
    void *p = *(void **)pp;

    *(void **)pp = NULL;
    return p;
}

static inline int od_move_fd(int *fd)
{
    int moved = *fd;

    *fd = -1;
    return moved;
}

#endif /* OD_UTIL_CLEANUP_H_ */
