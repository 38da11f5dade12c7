/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/coll/dpu/coll_priv.h"

/* Buffers of one size, of which a few are kept. */

#define KEPT 64u

struct coll_buffer {
    struct coll_buffer *next;
    uint8_t bytes[COLL_EAGER_MAX] OD_ALIGNED(16);
};

_Static_assert(2 * sizeof(struct coll_memory) <= COLL_EAGER_MAX, "two memories fit a buffer");

void *coll_buffer_take(struct coll *coll)
{
    struct coll_buffer *buffer = coll->spare;

    if (buffer == NULL) {
        buffer = malloc(sizeof(*buffer));
        return buffer != NULL ? buffer->bytes : NULL;
    }
    coll->spare = buffer->next;
    coll->nspare--;
    return buffer->bytes;
}

void coll_buffer_give(struct coll *coll, void *bytes)
{
    struct coll_buffer *buffer;

    if (bytes == NULL)
        return;
    buffer = OD_CONTAINER_OF(bytes, struct coll_buffer, bytes);
    if (coll->nspare == KEPT) {
        free(buffer);
        return;
    }
    buffer->next = coll->spare;
    coll->spare = buffer;
    coll->nspare++;
}

void coll_buffers_free(struct coll *coll)
{
    while (coll->spare != NULL) {
        struct coll_buffer *buffer = coll->spare;

        coll->spare = buffer->next;
        free(buffer);
    }
    coll->nspare = 0;
}
