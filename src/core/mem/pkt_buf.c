/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of a queue: equal elements of one range, handed out filled. */

#include <stdlib.h>

#include "core/mem/mem_priv.h"

struct core_buf_source *core_pkt_bufs_create(struct doca_mmap *mmap, char *first, size_t stride,
                                             size_t len, uint32_t num)
{
    struct core_buf_source *source = malloc(sizeof(*source));

    if (source == NULL)
        return NULL;
    core_buf_source_init(source, "packets");
    source->is_pool = true;
    source->is_queue = true;
    if (core_buf_source_grow(source, num) != DOCA_SUCCESS) {
        core_pkt_bufs_destroy(source);
        return NULL;
    }
    for (uint32_t i = 0; i < num; i++) {
        struct doca_buf *buf = &source->chunks->bufs[i];

        buf->mmap = mmap;
        buf->head = first + i * stride;
        buf->len = len;
    }
    return source;
}

void core_pkt_bufs_destroy(struct core_buf_source *source)
{
    if (source == NULL)
        return;
    core_buf_source_fini(source);
    free(source);
}

struct doca_buf *core_pkt_buf_take(struct core_buf_source *source)
{
    struct doca_buf *buf = source->free;

    if (buf == NULL)
        return NULL;
    source->free = buf->next;
    source->num_free--;
    buf->next = NULL;
    buf->tail = buf;
    buf->list_len = 1;
    buf->refcount = 1;
    buf->is_counted = false; /* the map may go first */
    return buf;
}

void core_pkt_buf_put(struct doca_buf *buf)
{
    core_buf_put(buf);
}

uint32_t core_pkt_bufs_out(const struct core_buf_source *source)
{
    return source->num - source->num_free;
}

struct doca_buf *core_pkt_buf_at(const struct core_buf_source *source, uint32_t index)
{
    return &source->chunks->bufs[index];
}

uint32_t core_pkt_buf_index(const struct core_buf_source *source, const struct doca_buf *buf)
{
    return (uint32_t)(buf - source->chunks->bufs);
}
