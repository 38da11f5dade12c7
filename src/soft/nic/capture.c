/* SPDX-License-Identifier: BSD-3-Clause */
/* The side that captures. */

#include "soft/nic/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft/nic/capture_ring.h"
#include "soft/nic/page.h"
#include "soft/service/folder.h"
#include "util/cleanup.h"

struct soft_nic_capture {
    struct capture_ring *ring;
    uint64_t tail;
    uint32_t pid;
    int dirfd;
    char name[NAME_MAX];
};

void capture_prefix(uint32_t pid, const char *device, char prefix[NAME_MAX])
{
    snprintf(prefix, NAME_MAX, "cap-%u-%.64s-", pid, device);
    for (char *c = prefix; *c != '\0'; c++)
        *c = *c == '/' ? '.' : *c;
}

static int make_ring(struct soft_nic_capture *capture, const struct soft_nic_capture_conf *conf)
{
    OD_AUTO_FD int fd = openat(capture->dirfd, capture->name,
                               O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct capture_ring *ring;

    if (fd < 0 || ftruncate(fd, CAPTURE_DATA + CAPTURE_SIZE) != 0)
        return soft_fail(-errno, "cannot make a ring for the capture: %s", strerror(errno));
    ring = mmap(NULL, CAPTURE_DATA + CAPTURE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED)
        return soft_fail(-errno, "cannot map a ring for the capture: %s", strerror(errno));
    ring->version = CAPTURE_VERSION;
    ring->pid = (uint32_t)getpid();
    ring->directions = conf->directions;
    ring->queue = conf->queue;
    memcpy(ring->magic, CAPTURE_MAGIC, sizeof(ring->magic));
    /* Last: for the sake of another capture the port may be looking already. */
    atomic_store_explicit(&ring->size, CAPTURE_SIZE, memory_order_release);
    capture->ring = ring;
    return 0;
}

/* In the page of the port: its thread looks when this number has changed. */
static int ask(const struct soft_nic_capture *capture, const char *device)
{
    char name[NAME_MAX];
    struct soft_nic_page *page;
    OD_AUTO_FD int fd = -1;
    struct stat status;

    soft_nic_page_name(capture->pid, device, name);
    fd = openat(capture->dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size != (off_t)sizeof(*page))
        return soft_fail(-ENOENT, "process %u has no port for device %s", capture->pid, device);
    page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return soft_fail(-errno, "cannot map the page of a port: %s", strerror(errno));
    atomic_fetch_add(&page->captures, 1);
    munmap(page, sizeof(*page));
    return 0;
}

int soft_nic_capture_open(uint32_t pid, const char *device,
                          const struct soft_nic_capture_conf *conf, struct soft_nic_capture **out)
{
    static _Atomic uint32_t number;
    struct soft_nic_capture *capture = calloc(1, sizeof(*capture));
    char dir[PATH_MAX], prefix[NAME_MAX];
    int err;

    if (capture == NULL)
        return soft_fail(-ENOMEM, "no memory for a capture");
    capture->pid = pid;
    capture->dirfd = soft_service_folder_open(dir, sizeof(dir));
    if (capture->dirfd < 0) {
        err = capture->dirfd;
        free(capture);
        return err;
    }
    capture_prefix(pid, device, prefix);
    snprintf(capture->name, sizeof(capture->name), "%.200s%d.%u", prefix, (int)getpid(),
             atomic_fetch_add(&number, 1));
    err = make_ring(capture, conf);
    if (err == 0)
        err = ask(capture, device);
    if (err != 0) {
        soft_nic_capture_close(capture);
        return err;
    }
    *out = capture;
    return 0;
}

bool soft_nic_capture_is_on(const struct soft_nic_capture *capture)
{
    return atomic_load(&capture->ring->is_on) != 0;
}

static bool is_over(const struct soft_nic_capture *capture)
{
    return atomic_load(&capture->ring->is_over) != 0 ||
           (kill((pid_t)capture->pid, 0) != 0 && errno == ESRCH);
}

int soft_nic_capture_next(struct soft_nic_capture *capture, struct soft_nic_captured *frame,
                          uint8_t *bytes)
{
    struct capture_ring *ring = capture->ring;
    struct capture_record record;
    uint64_t there = atomic_load_explicit(&ring->head, memory_order_acquire) - capture->tail;

    if (there == 0) {
        /* Once more: it may have put one in before it ended. */
        if (!is_over(capture))
            return 0;
        there = atomic_load_explicit(&ring->head, memory_order_acquire) - capture->tail;
        if (there == 0)
            return -EPIPE;
    }
    if (there > CAPTURE_SIZE || there < sizeof(record))
        return -EBADMSG;
    capture_get(ring, capture->tail, &record, sizeof(record));
    if (record.len > SOFT_NIC_FRAME_MAX || CAPTURE_ROOM(record.len) > there)
        return -EBADMSG;
    capture_get(ring, capture->tail + sizeof(record), bytes, record.len);
    *frame = (struct soft_nic_captured){record.time, record.len, record.direction};
    capture->tail += CAPTURE_ROOM(record.len);
    atomic_store_explicit(&ring->tail, capture->tail, memory_order_release);
    return 1;
}

uint64_t soft_nic_capture_lost(const struct soft_nic_capture *capture)
{
    return atomic_load(&capture->ring->lost);
}

void soft_nic_capture_close(struct soft_nic_capture *capture)
{
    if (capture == NULL)
        return;
    if (capture->ring != NULL) {
        unlinkat(capture->dirfd, capture->name, 0);
        atomic_store(&capture->ring->is_closed, 1);
        munmap(capture->ring, CAPTURE_DATA + CAPTURE_SIZE);
    }
    close(capture->dirfd);
    free(capture);
}
