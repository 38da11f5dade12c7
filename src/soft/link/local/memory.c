/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft/link/local/local_priv.h"
#include "soft/service/shared.h"

#define CONTROL_LEN  4096u
#define POPULATE_MAX (1u << 20) /* bytes that are touched before the first message */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Order: controls, slots of both rings, cells of both rings; first what the client sends. */
struct layout {
    struct soft_ring_shape shape; /* of each ring */
    size_t head;
    size_t total;
};

static bool lay_out(struct layout *l, uint32_t max_msg, uint32_t depth)
{
    if (!soft_ring_shape(&l->shape, depth, max_msg))
        return false;
    l->head = CONTROL_LEN + 2 * l->shape.slots_len;
    l->total = l->head + 2 * l->shape.cells_len;
    return true;
}

static int open_rings(struct local_link *self, const struct layout *l, bool is_client)
{
    char *base = self->memory;
    struct soft_ring_control *control = self->memory;
    struct soft_ring_place client = {
        .control = &control[0], .slots = base + CONTROL_LEN, .cells = base + l->head};
    struct soft_ring_place listener = {.control = &control[1],
                                       .slots = client.slots + l->shape.slots_len,
                                       .cells = client.cells + l->shape.cells_len};

    self->memory_len = l->total;
    self->base.depth = l->shape.depth;
    /* A first touch takes long. Where this is not known, it happens later. */
    madvise(base, OD_MIN(l->head, (size_t)POPULATE_MAX), MADV_POPULATE_WRITE);
    soft_ring_rx_open(&self->rx, &l->shape, is_client ? &listener : &client);
    return soft_ring_tx_open(&self->tx, &l->shape, is_client ? &client : &listener);
}

int soft_local_memory_create(struct local_link *self, uint32_t wished_depth, int *fd)
{
    uint32_t depth = OD_MAX(wished_depth, self->base.conf.depth);
    struct layout l;
    int rc;

    /* One that wants more than fits gets less. */
    while (!lay_out(&l, self->base.max_msg, depth))
        depth = (depth + 1) / 2;
    rc = soft_service_shared_create("opendoca-link", l.total, &self->memory, fd);
    if (rc != 0)
        return soft_fail(rc, "no shared memory of %zu bytes for a link: %s", l.total,
                         strerror(-rc));
    rc = open_rings(self, &l, false);
    if (rc == 0)
        return 0;
    soft_local_memory_free(self);
    close(*fd);
    return soft_fail(rc, "out of memory for a link");
}

int soft_local_memory_map(struct local_link *self, const struct soft_frame_answer *answer, int fd)
{
    struct layout l;
    int rc;

    if (answer->max_msg > self->base.conf.max_msg || !lay_out(&l, answer->max_msg, answer->depth))
        return -EBADMSG;
    rc = soft_service_shared_map(fd, l.total, &self->memory);
    if (rc != 0)
        return rc;
    self->base.max_msg = answer->max_msg;
    return open_rings(self, &l, true);
}

void soft_local_memory_free(struct local_link *self)
{
    soft_ring_tx_close(&self->tx);
    if (self->memory != NULL)
        munmap(self->memory, self->memory_len);
    self->memory = NULL;
}
