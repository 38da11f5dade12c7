/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffer pools: one map cut into equal elements. */

#include <stdlib.h>

#include "core/mem/mem_priv.h"

#include <doca_buf_pool.h>

struct doca_buf_pool {
    struct core_buf_source source;
    struct doca_mmap *mmap;
    size_t element_size;
    size_t alignment;
    bool is_started;
    union doca_data user_data;
};

/* ------------------------------------------------------------------------------------------------
 * Life cycle
 */

static doca_error_t check_create(size_t num_elements, size_t element_size, const char *func)
{
    if (num_elements == 0 || num_elements > UINT32_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, NULL, "num_elements",
                         "%zu" CORE_LIMIT "1..%u", num_elements, UINT32_MAX);
    if (element_size == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, NULL, "element_size",
                         "0" CORE_LIMIT "at least 1");
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool)
{
    struct doca_buf_pool *pool;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "mmap", mmap);
    if (buf_pool == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "buf_pool");
    result = check_create(num_elements, element_size, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    pool = calloc(1, sizeof(*pool));
    if (pool == NULL)
        goto err_no_memory;
    core_buf_source_init(&pool->source, "pool");
    pool->source.is_pool = true;
    if (core_buf_source_grow(&pool->source, (uint32_t)num_elements) != DOCA_SUCCESS)
        goto err_free;
    pool->mmap = (struct doca_mmap *)(uintptr_t)mmap; /* its count of buffers changes */
    pool->element_size = element_size;
    pool->alignment = 1;
    core_live_add(CORE_LIVE_BUF_POOL, pool);
    *buf_pool = pool;
    return DOCA_SUCCESS;

err_free:
    core_buf_source_fini(&pool->source);
    free(pool);
err_no_memory:
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_BUF, __func__, NULL, "num_elements",
                     "%zu of %zu bytes" CORE_REMEDY "ask for fewer buffers", num_elements,
                     sizeof(struct doca_buf));
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    result = core_buf_source_check_idle(&buf_pool->source, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_live_remove(buf_pool);
    core_buf_source_fini(&buf_pool->source);
    free(buf_pool);
    return DOCA_SUCCESS;
}

/* Bytes from the start of the map to the end of the last element; false when that overflows. */
static bool measure(const struct doca_buf_pool *pool, size_t *lead, size_t *stride, size_t *needed)
{
    const size_t mask = pool->alignment - 1;
    size_t room;

    *lead = -(uintptr_t)pool->mmap->addr & mask;
    if (__builtin_add_overflow(pool->element_size, mask, &room))
        return false;
    *stride = room & ~mask;
    return !__builtin_mul_overflow(*stride, (size_t)pool->source.num - 1, needed) &&
           !__builtin_add_overflow(*needed, pool->element_size, needed) &&
           !__builtin_add_overflow(*needed, *lead, needed);
}

static void lay_out(struct doca_buf_pool *pool, size_t lead, size_t stride)
{
    struct core_buf_chunk *chunk = pool->source.chunks; /* a pool has one */
    char *element = pool->mmap->addr + lead;

    for (uint32_t i = 0; i < chunk->num; i++, element += stride) {
        chunk->bufs[i].head = element;
        chunk->bufs[i].len = pool->element_size;
    }
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
    size_t lead, stride, needed = SIZE_MAX;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (buf_pool->is_started)
        return DOCA_SUCCESS;
    result = core_buf_source_check_map(&buf_pool->source, buf_pool->mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (!measure(buf_pool, &lead, &stride, &needed) || needed > buf_pool->mmap->len)
        return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_BUF, __func__, buf_pool->source.name,
                         "elements",
                         "%u of %zu bytes aligned to %zu" CORE_LIMIT "%zu bytes of %s" CORE_REMEDY
                         "use a larger map, or fewer or smaller elements",
                         buf_pool->source.num, buf_pool->element_size, buf_pool->alignment,
                         buf_pool->mmap->len, buf_pool->mmap->name);
    lay_out(buf_pool, lead, stride);
    buf_pool->is_started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    result = core_buf_source_check_idle(&buf_pool->source, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    buf_pool->is_started = false;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Buffers
 */

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
    struct doca_buf *taken;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (buf == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "buf");
    if (od_unlikely(!buf_pool->is_started))
        return CORE_FAIL(
            DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, __func__, buf_pool->source.name, "state",
            "stopped" CORE_LIMIT "started" CORE_REMEDY "call doca_buf_pool_start() first");
    result = core_buf_source_check_map(&buf_pool->source, buf_pool->mmap, __func__);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(buf_pool->source.free == NULL))
        return CORE_FAIL(
            DOCA_ERROR_EMPTY, CORE_LOG_BUF, __func__, buf_pool->source.name, "free buffers",
            "0 of %u" CORE_LIMIT "at least 1" CORE_REMEDY "return buffers or create a larger pool",
            buf_pool->source.num);
    taken = core_buf_take(&buf_pool->source, buf_pool->mmap);
    taken->data = taken->head;
    taken->data_len = 0;
    *buf = taken;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Settings, queries
 */

static doca_error_t check_stopped(const struct doca_buf_pool *pool, const char *func)
{
    if (!pool->is_started)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, pool->source.name, "state",
                     "started" CORE_LIMIT "stopped" CORE_REMEDY
                     "make this call before doca_buf_pool_start()");
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    result = check_stopped(buf_pool, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    buf_pool->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data)
{
    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "user_data");
    *user_data = buf_pool->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (element_alignment == 0 || (element_alignment & (element_alignment - 1)) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, buf_pool->source.name,
                         "element_alignment", "%zu" CORE_LIMIT "a power of two", element_alignment);
    result = check_stopped(buf_pool, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    buf_pool->alignment = element_alignment;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment)
{
    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (element_alignment == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "element_alignment");
    *element_alignment = buf_pool->alignment;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements)
{
    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (num_of_elements == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "num_of_elements");
    *num_of_elements = buf_pool->source.num;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements)
{
    if (!core_is_live(CORE_LIVE_BUF_POOL, buf_pool))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "buf_pool", buf_pool);
    if (num_of_free_elements == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "num_of_free_elements");
    *num_of_free_elements = buf_pool->source.num_free;
    return DOCA_SUCCESS;
}
