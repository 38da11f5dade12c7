/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/waker.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int od_waker_open(struct od_waker *waker)
{
    atomic_init(&waker->armed, 0);
    waker->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return waker->fd < 0 ? -errno : 0;
}

void od_waker_close(struct od_waker *waker)
{
    if (waker->fd >= 0)
        close(waker->fd);
    waker->fd = -1;
}

void od_waker_fire(struct od_waker *waker)
{
    uint64_t one = 1;

    /* Only the one that takes the flag pays for the system call. A full counter (EAGAIN) is still
     * readable, so nothing is lost. */
    if (atomic_exchange_explicit(&waker->armed, 0, memory_order_seq_cst) == 0)
        return;
    while (write(waker->fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

int od_waker_clear(struct od_waker *waker)
{
    uint64_t count;

    atomic_store_explicit(&waker->armed, 0, memory_order_relaxed);
    while (read(waker->fd, &count, sizeof(count)) < 0) {
        if (errno == EAGAIN)
            return 0;
        if (errno != EINTR)
            return -errno;
    }
    return 0;
}
