/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers that belong to tasks. */

#include <stdlib.h>

#include "core/mem/mem_priv.h"

/* Buffers are made by so many at once. */
#define GROWTH 32

/* Where they are: reachable for no device. */
static struct doca_mmap nowhere = {
    .state = CORE_MMAP_STARTED, .name = "memory of a task", .thread_safe = true};

struct core_buf_source *core_task_bufs_create(void)
{
    struct core_buf_source *source = malloc(sizeof(*source));

    if (source == NULL)
        return NULL;
    core_buf_source_init(source, "task buffers");
    source->is_task = true;
    core_live_add(CORE_LIVE_MMAP, &nowhere);
    return source;
}

void core_task_bufs_destroy(struct core_buf_source *source)
{
    if (source == NULL)
        return;
    core_buf_source_fini(source);
    free(source);
}

struct doca_buf *core_task_buf_take(struct core_buf_source *source, void *head, size_t len)
{
    struct doca_buf *buf;

    if (source->free == NULL && core_buf_source_grow(source, GROWTH) != DOCA_SUCCESS)
        return NULL;
    buf = core_buf_take(source, &nowhere);
    buf->head = head;
    buf->len = len;
    buf->data = head;
    buf->data_len = len;
    return buf;
}

void core_task_buf_put(struct doca_buf *buf)
{
    if (buf != NULL)
        core_buf_put(buf);
}
