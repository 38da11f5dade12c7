/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

int od_lock_file(int fd, unsigned int ms)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (unsigned int i = 0; i <= ms; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        nanosleep(&pause, NULL);
    }
    return -EWOULDBLOCK;
}
