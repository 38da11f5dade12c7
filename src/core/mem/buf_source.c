/* SPDX-License-Identifier: BSD-3-Clause */
/* The stock of buffer objects behind inventories and pools. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem/mem_priv.h"

/* Checked flavour: all stocks, so that a buffer pointer can be judged without reading it. */
static struct od_list known_sources = {&known_sources, &known_sources};
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

void core_buf_source_init(struct core_buf_source *source, const char *kind)
{
    *source = (struct core_buf_source){0};
    snprintf(source->name, sizeof(source->name), "%s#%u", kind, core_next_id());
    od_list_init(&source->known);
    if (OD_CHECKED) {
        pthread_mutex_lock(&known_lock);
        od_list_append(&known_sources, &source->known);
        pthread_mutex_unlock(&known_lock);
    }
}

doca_error_t core_buf_source_grow(struct core_buf_source *source, uint32_t num)
{
    struct core_buf_chunk *chunk;
    size_t size;

    if (__builtin_mul_overflow((size_t)num, sizeof(chunk->bufs[0]), &size) ||
        __builtin_add_overflow(size, sizeof(*chunk), &size))
        return DOCA_ERROR_NO_MEMORY;
    chunk = calloc(1, size);
    if (chunk == NULL)
        return DOCA_ERROR_NO_MEMORY;
    chunk->num = num;
    for (uint32_t i = num; i-- > 0;) { /* the first one comes out first */
        chunk->bufs[i].source = source;
        chunk->bufs[i].is_head = true;
        chunk->bufs[i].next = source->free;
        source->free = &chunk->bufs[i];
    }
    if (OD_CHECKED)
        pthread_mutex_lock(&known_lock);
    chunk->next = source->chunks;
    source->chunks = chunk;
    if (OD_CHECKED)
        pthread_mutex_unlock(&known_lock);
    source->num += num;
    source->num_free += num;
    return DOCA_SUCCESS;
}

void core_buf_source_fini(struct core_buf_source *source)
{
    struct core_buf_chunk *next;

    if (OD_CHECKED) {
        pthread_mutex_lock(&known_lock);
        od_list_remove(&source->known);
        pthread_mutex_unlock(&known_lock);
    }
    for (struct core_buf_chunk *chunk = source->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

static bool is_of_source(const struct core_buf_source *source, const struct doca_buf *buf)
{
    for (const struct core_buf_chunk *chunk = source->chunks; chunk != NULL; chunk = chunk->next) {
        size_t offset = (uintptr_t)buf - (uintptr_t)chunk->bufs;

        if (offset < chunk->num * sizeof(*buf))
            return offset % sizeof(*buf) == 0;
    }
    return false;
}

bool core_buf_is_known(const struct doca_buf *buf)
{
    bool found = false;

    pthread_mutex_lock(&known_lock);
    OD_LIST_FOR_EACH(link, &known_sources)
    {
        found = is_of_source(OD_LIST_ENTRY(link, struct core_buf_source, known), buf);
        if (found)
            break;
    }
    pthread_mutex_unlock(&known_lock);
    return found;
}

doca_error_t core_buf_source_check_idle(const struct core_buf_source *source, const char *func)
{
    if (source->num_free == source->num)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_BUF, func, source->name, "held buffers",
                     "%u" CORE_LIMIT "0" CORE_REMEDY
                     "return them with doca_buf_dec_refcount() first",
                     source->num - source->num_free);
}

doca_error_t core_buf_source_fail_map(const struct core_buf_source *source,
                                      const struct doca_mmap *mmap, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, source->name, "state of the map",
                     "not started (%s)" CORE_LIMIT "started" CORE_REMEDY
                     "call doca_mmap_start() first",
                     mmap->name);
}
