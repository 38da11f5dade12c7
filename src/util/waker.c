/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/waker.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/barrier.h"
#include "util/cleanup.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define PAGE 4096u

int od_waker_open(struct od_waker *waker)
{
    atomic_init(&waker->armed, 0);
    waker->epoch = NULL;
    waker->epoch_fd = -1;
    waker->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return waker->fd < 0 ? -errno : 0;
}

void od_waker_close(struct od_waker *waker)
{
    if (waker->fd >= 0)
        close(waker->fd);
    waker->fd = -1;
    if (waker->epoch == NULL)
        return;
    munmap(waker->epoch, PAGE);
    close(waker->epoch_fd);
    waker->epoch = NULL;
    waker->epoch_fd = -1;
}

void od_waker_show(struct od_waker *waker)
{
    uint32_t epoch = atomic_load_explicit(waker->epoch, memory_order_relaxed);

    atomic_store_explicit(waker->epoch, (epoch + 2) | 1, memory_order_relaxed);
    od_barrier_for_all();
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

void od_waker_disarm(struct od_waker *waker)
{
    atomic_store_explicit(&waker->armed, 0, memory_order_relaxed);
    if (waker->epoch != NULL) {
        uint32_t epoch = atomic_load_explicit(waker->epoch, memory_order_relaxed);

        atomic_store_explicit(waker->epoch, (epoch + 1) & ~1u, memory_order_relaxed);
    }
}

int od_waker_clear(struct od_waker *waker)
{
    uint64_t count;

    od_waker_disarm(waker);
    while (read(waker->fd, &count, sizeof(count)) < 0) {
        if (errno == EAGAIN)
            return 0;
        if (errno != EINTR)
            return -errno;
    }
    return 0;
}

int od_waker_share(struct od_waker *waker)
{
    OD_AUTO_FD int fd = -1;
    void *page;

    if (waker->epoch != NULL)
        return waker->epoch_fd;
    fd = memfd_create("opendoca-waker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, PAGE) != 0)
        return -errno;
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return -errno;
    /* From here on nobody gets a mapping that can be written. */
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) !=
        0) {
        int err = -errno;

        munmap(page, PAGE);
        return err;
    }
    waker->epoch = page;
    waker->epoch_fd = od_move_fd(&fd);
    return waker->epoch_fd;
}

int od_waker_view_open(struct od_waker_view *view, int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;
    void *page;

    /* Without the seal its owner could shrink it, and a look would raise SIGBUS. */
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &st) != 0 || st.st_size != PAGE)
        return -EBADMSG;
    page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return -errno;
    view->epoch = page;
    view->told = 0;
    return 0;
}

void od_waker_view_close(struct od_waker_view *view)
{
    if (view->epoch != NULL)
        munmap((void *)view->epoch, PAGE);
    view->epoch = NULL;
}
