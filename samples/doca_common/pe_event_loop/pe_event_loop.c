/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeping instead of polling: drain, arm, wait on the engine's file descriptor, clear, again.
 * Prints how often the loop woke up and what it cost in CPU time.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "../../common/sample.h"

DOCA_LOG_REGISTER(EVENT_LOOP);

#define COPIES   32u
#define CHUNK    (1u << 20)
#define PATIENCE 10000 /* ms without an event until we give up */

struct loop {
    struct doca_mmap *src_map, *dst_map;
    char *src, *dst;
};

/* Submits the next copy from the completion of the one before, so that there is always something to
 * sleep for. */
static void next_copy(struct sample_dma *dma, struct doca_dma_task_memcpy *task)
{
    struct loop *loop = dma->user;

    sample_task_done(task);
    if (dma->completed < COPIES)
        sample_dma_copy(dma, loop->dst_map, loop->dst, loop->src_map, loop->src, CHUNK);
}

/* A process that was stopped meanwhile, by Ctrl-Z or a debugger, goes on waiting. */
static bool sleep_until_event(int epoll_fd)
{
    struct epoll_event event;
    int n;

    do
        n = epoll_wait(epoll_fd, &event, 1, PATIENCE);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

static doca_error_t wait_for_events(struct sample_dma *dma, int epoll_fd)
{
    unsigned int wakeups = 0;

    while (dma->completed < COPIES && dma->failed == 0) {
        /* Until the engine says that nothing is left ... */
        while (doca_pe_progress(dma->pe) != 0)
            ;
        if (dma->completed >= COPIES)
            break;
        /* ... then arm. What came in between makes the descriptor readable at once. */
        doca_pe_request_notification(dma->pe);
        if (!sleep_until_event(epoll_fd))
            return DOCA_ERROR_TIME_OUT;
        doca_pe_clear_notification(dma->pe, 0);
        wakeups++;
    }
    printf("%u copies of %u bytes, %u wake-ups, %.1f ms of CPU\n", dma->completed, CHUNK, wakeups,
           (double)clock() * 1000 / CLOCKS_PER_SEC);
    return dma->failed == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t run(struct sample_dma *dma)
{
    struct loop *loop = dma->user;
    struct epoll_event event = {.events = EPOLLIN};
    doca_notification_handle_t handle;
    doca_error_t result = doca_pe_get_notification_handle(dma->pe, &handle);
    int epoll_fd;

    if (result != DOCA_SUCCESS)
        return result;
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event) != 0)
        return DOCA_ERROR_OPERATING_SYSTEM;
    dma->on_success = next_copy;
    result = sample_dma_copy(dma, loop->dst_map, loop->dst, loop->src_map, loop->src, CHUNK);
    if (result == DOCA_SUCCESS)
        result = wait_for_events(dma, epoll_fd);
    close(epoll_fd);
    return result;
}

int main(int argc, char **argv)
{
    struct loop loop = {.src = NULL};
    struct doca_dev *dev = NULL;
    struct sample_dma dma;
    doca_error_t result = DOCA_ERROR_NO_MEMORY;

    device_open_log();
    if (sample_takes_no_arguments(argc, argv) != DOCA_SUCCESS)
        return EXIT_FAILURE;
    loop.src = malloc(CHUNK);
    loop.dst = malloc(CHUNK);
    if (loop.src != NULL && loop.dst != NULL) {
        memset(loop.src, 'x', CHUNK);
        result = sample_open_device(SAMPLE_PCI_ADDR, &dev);
    }
    if (result == DOCA_SUCCESS)
        result = sample_map(dev, loop.src, CHUNK, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &loop.src_map);
    if (result == DOCA_SUCCESS)
        result = sample_map(dev, loop.dst, CHUNK, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &loop.dst_map);
    if (result == DOCA_SUCCESS)
        result = sample_dma_start(&dma, dev, 1, 2);
    if (result == DOCA_SUCCESS) {
        dma.user = &loop;
        result = run(&dma);
        sample_dma_stop(&dma);
    }
    if (loop.dst_map != NULL)
        doca_mmap_destroy(loop.dst_map);
    if (loop.src_map != NULL)
        doca_mmap_destroy(loop.src_map);
    doca_dev_close(dev);
    free(loop.src);
    free(loop.dst);
    return sample_exit(result);
}
