/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures, the side of the port: the rings that frames are copied into. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "soft/nic/capture_ring.h"
#include "soft/nic/nic_priv.h"
#include "soft/service/folder.h"
#include "util/cleanup.h"

/* Under the lock of the taps. */
static void end_tap(struct soft_nic_taps *taps, uint32_t i)
{
    atomic_store(&taps->tap[i].ring->is_over, 1);
    munmap(taps->tap[i].ring, CAPTURE_DATA + CAPTURE_SIZE);
    taps->tap[i] = taps->tap[atomic_load(&taps->n) - 1];
    atomic_fetch_sub(&taps->n, 1);
}

static void begin_tap(struct soft_nic_taps *taps, int dirfd, const char *name)
{
    OD_AUTO_FD int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    uint32_t n = atomic_load(&taps->n);
    struct capture_ring *ring;
    struct stat status;

    if (fd < 0 || n == SOFT_NIC_TAPS || fstat(fd, &status) != 0 ||
        status.st_size != CAPTURE_DATA + CAPTURE_SIZE)
        return;
    ring = mmap(NULL, CAPTURE_DATA + CAPTURE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED)
        return;
    if (atomic_load_explicit(&ring->size, memory_order_acquire) != CAPTURE_SIZE ||
        memcmp(ring->magic, CAPTURE_MAGIC, sizeof(ring->magic)) != 0 ||
        ring->version != CAPTURE_VERSION || atomic_load(&ring->is_closed) != 0 ||
        atomic_load(&ring->is_on) != 0) {
        munmap(ring, CAPTURE_DATA + CAPTURE_SIZE);
        return;
    }
    taps->tap[n] = (struct soft_nic_tap){
        .ring = ring, .pid = ring->pid, .directions = ring->directions, .queue = ring->queue};
    atomic_store(&taps->n, n + 1);
    atomic_store(&ring->is_on, 1); /* from here on it sees every frame */
}

/* Rings of captures that were killed are removed by the next who looks. */
static void find_rings(struct soft_nic_port *port)
{
    char dir[PATH_MAX], prefix[NAME_MAX], id[SOFT_DEVICE_ID_SIZE];
    OD_AUTO_FD int dirfd = soft_service_folder_open(dir, sizeof(dir));
    const struct dirent *entry;
    DIR *files;

    if (dirfd < 0)
        return;
    files = opendir(dir);
    if (files == NULL)
        return;
    soft_device_id(port->device, id);
    capture_prefix((uint32_t)getpid(), id, prefix);
    while ((entry = readdir(files)) != NULL) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            begin_tap(&port->taps, dirfd, entry->d_name);
    }
    closedir(files);
}

void soft_nic_taps_look(struct soft_nic_port *port)
{
    struct soft_nic_taps *taps = &port->taps;
    uint32_t asked = atomic_load(&port->page->captures);

    if (asked == taps->asked && atomic_load(&taps->n) == 0)
        return;
    pthread_mutex_lock(&taps->lock);
    for (uint32_t i = atomic_load(&taps->n); i-- > 0;) {
        if (atomic_load(&taps->tap[i].ring->is_closed) != 0 ||
            (kill((pid_t)taps->tap[i].pid, 0) != 0 && errno == ESRCH))
            end_tap(taps, i);
    }
    if (asked != taps->asked)
        find_rings(port);
    taps->asked = asked;
    pthread_mutex_unlock(&taps->lock);
}

void soft_nic_taps_close(struct soft_nic_port *port)
{
    while (atomic_load(&port->taps.n) > 0)
        end_tap(&port->taps, 0);
    pthread_mutex_destroy(&port->taps.lock);
}

/* ------------------------------------------------------------------------------------------------
 * Frames
 */

static void put(struct soft_nic_tap *tap, const struct soft_nic_piece *pieces, uint32_t npieces,
                uint32_t len, uint64_t time, uint32_t direction)
{
    const struct capture_record record = {.time = time, .len = len, .direction = direction};
    uint64_t used = tap->head - atomic_load_explicit(&tap->ring->tail, memory_order_acquire);
    uint64_t at = tap->head + sizeof(record);

    /* A reader that writes nonsense gets no more. */
    if (used > CAPTURE_SIZE || CAPTURE_SIZE - used < CAPTURE_ROOM(len)) {
        atomic_fetch_add_explicit(&tap->ring->lost, 1, memory_order_relaxed);
        return;
    }
    capture_put(tap->ring, tap->head, &record, sizeof(record));
    for (uint32_t i = 0; i < npieces; i++) {
        capture_put(tap->ring, at, pieces[i].addr, pieces[i].len);
        at += pieces[i].len;
    }
    tap->head += CAPTURE_ROOM(len);
    atomic_store_explicit(&tap->ring->head, tap->head, memory_order_release);
}

/* `queue`: -1 for frames of the port. */
static void tap_frame(struct soft_nic_port *port, const struct soft_nic_piece *pieces,
                      uint32_t npieces, uint32_t len, uint64_t time, uint32_t direction,
                      int32_t queue)
{
    struct soft_nic_taps *taps = &port->taps;

    if (len > SOFT_NIC_FRAME_MAX)
        return;
    pthread_mutex_lock(&taps->lock);
    for (uint32_t i = 0; i < atomic_load(&taps->n); i++) {
        if (taps->tap[i].queue == queue && (taps->tap[i].directions & direction) != 0)
            put(&taps->tap[i], pieces, npieces, len, time, direction);
    }
    pthread_mutex_unlock(&taps->lock);
}

void soft_nic_tap_rx(struct soft_nic_port *port, const struct soft_nic_frame *frame, uint64_t time,
                     int32_t queue)
{
    const struct soft_nic_piece piece = {frame->data, frame->len};

    tap_frame(port, &piece, 1, frame->len, time, SOFT_NIC_CAPTURE_RX, queue);
}

void soft_nic_tap_tx(struct soft_nic_port *port, const struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint64_t now = soft_nic_now();

    for (uint32_t i = 0; i < n; i++) {
        if (frames[i].status == 0)
            tap_frame(port, frames[i].pieces, frames[i].npieces, frames[i].len, now,
                      SOFT_NIC_CAPTURE_TX, -1);
    }
}
