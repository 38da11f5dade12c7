/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/lock.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/file.h>

#include "util/clock.h"

/* The clock ends the wait, for naps are long on a busy machine; but whoever stands still himself
 * does not wait, so a tenth of the looks that fit in are made in any case. */
int od_lock_file(int fd, unsigned int ms)
{
    const uint64_t end = od_now_ns() + (uint64_t)ms * 1000000u;

    for (unsigned int looks = 1;; looks++) {
        const uint64_t now = od_now_ns();

        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        if (now >= end && looks > ms / 10)
            return -EWOULDBLOCK;
        poll(NULL, 0, 1);
    }
}
