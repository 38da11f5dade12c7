/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/queue.h"

#include <stdlib.h>

#define DEPTH_MAX (1u << 30)

int soft_copy_queue_init(struct soft_copy_queue *queue, uint32_t depth)
{
    uint32_t size = 1;

    if (depth == 0 || depth > DEPTH_MAX)
        return soft_fail(-EINVAL, "a copy channel for %u jobs; it can be 1 to %u", depth,
                         DEPTH_MAX);
    while (size < depth)
        size *= 2;
    queue->ring = calloc(size, sizeof(queue->ring[0]));
    if (queue->ring == NULL)
        return soft_fail(-ENOMEM, "no memory for a copy channel of %u jobs", depth);
    queue->head = 0;
    queue->ready = 0;
    queue->tail = 0;
    queue->depth = depth;
    queue->mask = size - 1;
    return 0;
}

void soft_copy_queue_fini(struct soft_copy_queue *queue)
{
    free(queue->ring);
    queue->ring = NULL;
}

uint32_t soft_copy_queue_cancel(struct soft_copy_queue *queue, uint32_t position)
{
    uint32_t n = queue->tail - position;

    for (; position != queue->tail; position++)
        soft_copy_queue_at(queue, position)->status = -ECANCELED;
    return n;
}
