/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffer inventories: buffer objects for any range of any map. */

#include <stdlib.h>

#include "core/mem/mem_priv.h"

#include <doca_buf_inventory.h>

struct doca_buf_inventory {
    struct core_buf_source source;
    bool is_started;
    union doca_data user_data;
};

/* ------------------------------------------------------------------------------------------------
 * Life cycle
 */

doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
    struct doca_buf_inventory *inv;

    if (inventory == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "inventory");
    if (num_elements == 0 || num_elements > UINT32_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, NULL, "num_elements",
                         "%zu" CORE_LIMIT "1..%u", num_elements, UINT32_MAX);
    inv = calloc(1, sizeof(*inv));
    if (inv == NULL)
        goto err_no_memory;
    core_buf_source_init(&inv->source, "inventory");
    if (core_buf_source_grow(&inv->source, (uint32_t)num_elements) != DOCA_SUCCESS)
        goto err_free;
    core_live_add(CORE_LIVE_INVENTORY, inv);
    *inventory = inv;
    return DOCA_SUCCESS;

err_free:
    core_buf_source_fini(&inv->source);
    free(inv);
err_no_memory:
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_BUF, __func__, NULL, "num_elements",
                     "%zu of %zu bytes" CORE_REMEDY "ask for fewer buffers", num_elements,
                     sizeof(struct doca_buf));
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    result = core_buf_source_check_idle(&inventory->source, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_live_remove(inventory);
    core_buf_source_fini(&inventory->source);
    free(inventory);
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    inventory->is_started = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    inventory->is_started = false;
    return DOCA_SUCCESS;
}

static doca_error_t check_started(const struct doca_buf_inventory *inventory, const char *func)
{
    if (od_likely(inventory->is_started))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_BUF, func, inventory->source.name, "state",
                     "stopped" CORE_LIMIT "started" CORE_REMEDY
                     "call doca_buf_inventory_start() first");
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    if (num_elements == 0 || num_elements > UINT32_MAX - inventory->source.num)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, __func__, inventory->source.name,
                         "num_elements", "%u" CORE_LIMIT "1..%u", num_elements,
                         UINT32_MAX - inventory->source.num);
    result = check_started(inventory, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    result = core_buf_source_grow(&inventory->source, num_elements);
    if (result != DOCA_SUCCESS)
        return CORE_FAIL(result, CORE_LOG_BUF, __func__, inventory->source.name, "num_elements",
                         "%u of %zu bytes" CORE_REMEDY "ask for fewer buffers", num_elements,
                         sizeof(struct doca_buf));
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Buffers
 */

/* What can be wrong with a slice whatever the map. */
static doca_error_t check_slice(const struct core_buf_source *source, const void *addr, size_t len,
                                const void *data, size_t data_len, const char *func)
{
    uintptr_t offset = (uintptr_t)data - (uintptr_t)addr;

    if (od_unlikely(addr == NULL || data == NULL))
        return CORE_FAIL_NULL(CORE_LOG_BUF, func, addr == NULL ? "addr" : "data");
    if (od_unlikely(len == 0))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, source->name, "len",
                         "0" CORE_LIMIT "at least 1");
    if (od_unlikely(offset > len || data_len > len - offset))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, source->name, "data",
                         "%p+%zu" CORE_LIMIT "%p+%zu" CORE_REMEDY "keep the data inside the slice",
                         data, data_len, addr, len);
    return DOCA_SUCCESS;
}

static doca_error_t check_covered(const struct core_buf_source *source,
                                  const struct doca_mmap *mmap, const void *addr, size_t len,
                                  const char *func)
{
    if (od_likely(core_mmap_covers(mmap, addr, len)))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_BUF, func, source->name, "addr + len",
                     "%p+%zu" CORE_LIMIT "%p+%zu (%s)" CORE_REMEDY
                     "keep the slice inside the range of the map",
                     addr, len, (void *)mmap->addr, mmap->len, mmap->name);
}

static doca_error_t check_free(const struct doca_buf_inventory *inventory, uint32_t wanted,
                               const char *func)
{
    const struct core_buf_source *source = &inventory->source;

    if (od_likely(source->num_free >= wanted))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_BUF, func, source->name, "free buffers",
                     "%u of %u" CORE_LIMIT "at least %u" CORE_REMEDY
                     "return buffers or enlarge the inventory",
                     source->num_free, source->num, wanted);
}

static void set_geometry(struct doca_buf *buf, void *addr, size_t len, void *data, size_t data_len)
{
    buf->head = addr;
    buf->len = len;
    buf->data = data;
    buf->data_len = data_len;
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf)
{
    struct doca_buf *taken;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "mmap", mmap);
    if (buf == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "buf");
    result = check_slice(&inventory->source, addr, len, data, data_len, __func__);
    if (result == DOCA_SUCCESS)
        result = check_started(inventory, __func__);
    if (result == DOCA_SUCCESS)
        result = core_buf_source_check_map(&inventory->source, mmap, __func__);
    if (result == DOCA_SUCCESS)
        result = check_covered(&inventory->source, mmap, addr, len, __func__);
    if (result == DOCA_SUCCESS)
        result = check_free(inventory, 1, __func__);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    taken = core_buf_take(&inventory->source, mmap);
    set_geometry(taken, addr, len, data, data_len);
    *buf = taken;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len,
                                                  void *data, size_t data_len)
{
    doca_error_t result;

    result = core_buf_check_held(buf, __func__);
    if (result == DOCA_SUCCESS)
        result = check_slice(buf->source, addr, len, data, data_len, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (buf->source->is_pool)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_BUF, __func__, buf->source->name,
                         "source of the buffer",
                         "a pool" CORE_LIMIT "an inventory" CORE_REMEDY
                         "elements of a pool stay where they are; use doca_buf_set_data()");
    result = check_covered(buf->source, buf->mmap, addr, len, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    set_geometry(buf, addr, len, data, data_len);
    return DOCA_SUCCESS;
}

static doca_error_t check_can_dup(const struct doca_buf_inventory *inventory,
                                  const struct doca_buf *src, const char *func)
{
    doca_error_t result = check_started(inventory, func);

    for (const struct doca_buf *buf = src; buf != NULL && result == DOCA_SUCCESS; buf = buf->next) {
        if (buf->source->is_queue)
            return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_BUF, func, inventory->source.name,
                             "src_buf", "a packet of a receive queue" CORE_REMEDY "copy its bytes");
        result = core_buf_source_check_map(&inventory->source, buf->mmap, func);
    }
    if (result == DOCA_SUCCESS)
        result = check_free(inventory, src->list_len, func);
    return result;
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
    struct doca_buf *head = NULL, *copy;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    if (dst_buf == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "dst_buf");
    result = core_buf_check_held(src_buf, __func__);
    if (result == DOCA_SUCCESS)
        result = core_buf_check_head(src_buf, __func__);
    if (result == DOCA_SUCCESS)
        result = check_can_dup(inventory, src_buf, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    for (const struct doca_buf *buf = src_buf; buf != NULL; buf = buf->next) {
        copy = core_buf_take(&inventory->source, buf->mmap);
        set_geometry(copy, buf->head, buf->len, buf->data, buf->data_len);
        if (head == NULL)
            head = copy;
        else
            core_buf_join(head, copy);
    }
    *dst_buf = head;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Settings, queries
 */

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    result = check_started(inventory, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    inventory->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data)
{
    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    if (user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "user_data");
    *user_data = inventory->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements)
{
    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    if (num_of_elements == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "num_of_elements");
    *num_of_elements = inventory->source.num;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements)
{
    if (!core_is_live(CORE_LIVE_INVENTORY, inventory))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, __func__, "inventory", inventory);
    if (num_of_free_elements == NULL)
        return CORE_FAIL_NULL(CORE_LOG_BUF, __func__, "num_of_free_elements");
    *num_of_free_elements = inventory->source.num_free;
    return DOCA_SUCCESS;
}
