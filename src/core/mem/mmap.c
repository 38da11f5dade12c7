/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory maps: life cycle, devices and settings. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/mem/mem_priv.h"
#include "soft/nic/mkey.h"

/* Devices a map can hold unless the program says otherwise. */
#define DEFAULT_MAX_DEVS 16u

#define ALL_ACCESS_FLAGS                                                                           \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC | DOCA_ACCESS_FLAG_PCI_READ_ONLY | \
     DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)

#define BOTH_PCI_FLAGS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

static const char *const state_names[] = {
    [CORE_MMAP_UNSTARTED] = "unstarted",
    [CORE_MMAP_STARTED] = "started",
    [CORE_MMAP_STOPPED] = "stopped",
};

/* From here on kernels reach the memory by the keys of the map. */
static void give_keys(struct core_mmap *map)
{
    struct soft_nic_mkey what = {.addr = map->pub.addr,
                                 .len = map->pub.len,
                                 .can_read = core_mmap_can_read(&map->pub),
                                 .can_write = core_mmap_can_write(&map->pub),
                                 .access = map->pub.access,
                                 .peer = map->pub.peer};

    if (map->pub.peer == NULL)
        map->gpu_memory = soft_gpu_find(map->pub.addr, map->pub.len);
    what.memory = map->gpu_memory;
    for (uint32_t i = 0; i < map->pub.ndevs; i++) {
        what.device = map->pub.devs[i]->info.soft;
        soft_nic_mkey_set(map->dev_state[i].mkey, &what);
    }
}

static void take_keys(struct core_mmap *map)
{
    for (uint32_t i = 0; i < map->pub.ndevs; i++)
        soft_nic_mkey_clear(map->dev_state[i].mkey);
    soft_gpu_put(map->gpu_memory);
    map->gpu_memory = NULL;
}

void core_mmap_enter(struct core_mmap *map, enum core_mmap_state state)
{
    static const bool allowed[3][3] = {
        [CORE_MMAP_UNSTARTED] = {[CORE_MMAP_STARTED] = true},
        [CORE_MMAP_STARTED] = {[CORE_MMAP_STOPPED] = true},
        [CORE_MMAP_STOPPED] = {[CORE_MMAP_STARTED] = true},
    };

    assert(allowed[map->pub.state][state]);
    (void)allowed;
    CORE_TRACE(CORE_LOG_MMAP, "%s: %s -> %s", map->pub.name, state_names[map->pub.state],
               state_names[state]);
    map->pub.state = state;
    if (state == CORE_MMAP_STARTED) {
        map->was_started = true;
        map->free_cb_due = map->free_cb != NULL;
        give_keys(map);
    } else {
        take_keys(map);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Guards
 */

doca_error_t core_mmap_check_config(const struct core_mmap *map, doca_error_t if_started,
                                    const char *func)
{
    const struct doca_mmap *pub = &map->pub;

    if (pub->peer != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, pub->name, "origin",
                         "imported" CORE_LIMIT "own memory" CORE_REMEDY
                         "configure the map on the exporter's side");
    if (pub->state == CORE_MMAP_STARTED)
        return CORE_FAIL(if_started, CORE_LOG_MMAP, func, pub->name, "state",
                         "started" CORE_LIMIT "unstarted or stopped" CORE_REMEDY
                         "make this call before doca_mmap_start()");
    if (map->was_exported)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, pub->name, "history",
                         "exported" CORE_LIMIT "never exported" CORE_REMEDY
                         "create a new map; one that was exported is closed for good");
    return DOCA_SUCCESS;
}

uint32_t core_mmap_find_dev(const struct core_mmap *map, const struct doca_dev *dev)
{
    uint32_t i = 0;

    while (i < map->pub.ndevs && map->pub.devs[i] != dev)
        i++;
    return i;
}

doca_error_t core_mmap_check_dev(const struct core_mmap *map, const struct doca_dev *dev,
                                 const char *func, uint32_t *place)
{
    uint32_t i = core_mmap_find_dev(map, dev);

    if (i == map->pub.ndevs)
        return CORE_FAIL(DOCA_ERROR_NOT_FOUND, CORE_LOG_MMAP, func, map->pub.name, "dev",
                         "%p" CORE_LIMIT "one of the map's %u devices" CORE_REMEDY
                         "add it with doca_mmap_add_dev() before start",
                         (const void *)dev, map->pub.ndevs);
    *place = i;
    return DOCA_SUCCESS;
}

static doca_error_t check_no_bufs(const struct doca_mmap *mmap, const char *func)
{
    uint32_t num = atomic_load_explicit(&mmap->nbufs, memory_order_relaxed);

    if (num == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(
        DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, mmap->name, "held buffers",
        "%u" CORE_LIMIT "0" CORE_REMEDY "return them with doca_buf_dec_refcount() first", num);
}

/* ------------------------------------------------------------------------------------------------
 * Creation, destruction
 */

struct core_mmap *core_mmap_new(void)
{
    struct core_mmap *map = calloc(1, sizeof(*map));

    if (map == NULL)
        return NULL;
    map->pub.state = CORE_MMAP_UNSTARTED;
    map->pub.access = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    map->max_devs = DEFAULT_MAX_DEVS;
    snprintf(map->pub.name, sizeof(map->pub.name), "mmap#%u", core_next_id());
    core_live_add(CORE_LIVE_MMAP, &map->pub);
    return map;
}

static void forget_token(struct core_mmap_dev *dev)
{
    if (dev->token != NULL)
        explicit_bzero(dev->token, dev->token_len);
    free(dev->token);
    dev->token = NULL;
    dev->token_len = 0;
}

void core_mmap_free(struct core_mmap *map)
{
    if (map == NULL)
        return;
    core_live_remove(&map->pub);
    take_keys(map);
    for (uint32_t i = 0; i < map->pub.ndevs; i++) {
        soft_nic_mkey_free(map->dev_state[i].mkey);
        core_mmap_revoke_dev(&map->dev_state[i]);
        forget_token(&map->dev_state[i]);
        core_dev_release(map->pub.devs[i], CORE_DEV_USER_MMAP);
    }
    if (map->pub.peer != NULL)
        soft_peer_map_close(map->pub.peer);
    if (map->dmabuf_map != NULL)
        munmap(map->dmabuf_map, map->dmabuf_map_len);
    free(map->dev_state);
    free(map->pub.devs);
    free(map);
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
    struct core_mmap *map;

    if (mmap == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "mmap");
    map = core_mmap_new();
    if (map == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_MMAP, __func__, NULL, "object size",
                         "%zu bytes", sizeof(*map));
    *mmap = &map->pub;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
    struct core_mmap *map;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    result = check_no_bufs(mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    map = core_mmap_of(mmap);
    /* Nobody else may reach the memory when its owner learns that it is free. */
    core_mmap_revoke(map);
    take_keys(map);
    if (map->free_cb_due)
        map->free_cb(mmap->addr, mmap->len, map->free_cookie);
    core_mmap_free(map);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Start, stop
 */

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
    struct core_mmap *map;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    map = core_mmap_of(mmap);
    result = core_mmap_check_config(map, DOCA_ERROR_BAD_STATE, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (mmap->len == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name,
                         "memory range", "not set" CORE_REMEDY "call doca_mmap_set_memrange()");
    if (mmap->ndevs == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name,
                         "number of devices",
                         "0" CORE_LIMIT "at least 1" CORE_REMEDY "call doca_mmap_add_dev()");
    core_mmap_enter(map, CORE_MMAP_STARTED);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (mmap->peer != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, __func__, mmap->name, "origin",
                         "imported" CORE_LIMIT "own memory" CORE_REMEDY
                         "destroy the map; imported ones cannot be stopped");
    if (mmap->state != CORE_MMAP_STARTED)
        return DOCA_SUCCESS;
    result = check_no_bufs(mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_mmap_revoke(core_mmap_of(mmap));
    core_mmap_enter(core_mmap_of(mmap), CORE_MMAP_STOPPED);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Devices
 */

static doca_error_t grow_dev_tables(struct core_mmap *map)
{
    uint32_t cap = map->devs_cap == 0 ? 2 : map->devs_cap * 2;
    struct doca_dev **devs = reallocarray(map->pub.devs, cap, sizeof(*devs));
    struct core_mmap_dev *dev_state;

    if (devs == NULL)
        return DOCA_ERROR_NO_MEMORY;
    map->pub.devs = devs;
    dev_state = reallocarray(map->dev_state, cap, sizeof(*dev_state));
    if (dev_state == NULL)
        return DOCA_ERROR_NO_MEMORY;
    map->dev_state = dev_state;
    map->devs_cap = cap;
    return DOCA_SUCCESS;
}

doca_error_t core_mmap_attach_dev(struct core_mmap *map, struct doca_dev *dev)
{
    doca_error_t result;
    uint32_t key;

    if (map->pub.ndevs == map->devs_cap) {
        result = grow_dev_tables(map);
        if (result != DOCA_SUCCESS)
            return result;
    }
    if (soft_nic_mkey_new(&key) != 0)
        return DOCA_ERROR_NO_MEMORY;
    core_dev_hold(dev, CORE_DEV_USER_MMAP);
    map->pub.devs[map->pub.ndevs] = dev;
    map->dev_state[map->pub.ndevs] = (struct core_mmap_dev){.mkey = key};
    map->pub.ndevs++;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
    struct core_mmap *map;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name, "dev",
                         "%p, not an open device" CORE_REMEDY "open it with doca_dev_open()",
                         (void *)dev);
    map = core_mmap_of(mmap);
    result = core_mmap_check_config(map, DOCA_ERROR_NOT_PERMITTED, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (core_mmap_has_dev(mmap, dev))
        return CORE_FAIL(DOCA_ERROR_ALREADY_EXIST, CORE_LOG_MMAP, __func__, mmap->name, "dev",
                         "%s, added before" CORE_REMEDY "add each device once", dev->info.name);
    if (mmap->ndevs >= map->max_devs)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_MMAP, __func__, mmap->name,
                         "number of devices",
                         "%u" CORE_LIMIT "%u" CORE_REMEDY
                         "raise it with doca_mmap_set_max_num_devices() before the first start",
                         mmap->ndevs + 1, map->max_devs);
    result = core_mmap_attach_dev(map, dev);
    if (result != DOCA_SUCCESS)
        return CORE_FAIL(result, CORE_LOG_MMAP, __func__, mmap->name, "number of devices",
                         "%u, out of memory", mmap->ndevs + 1);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
    struct core_mmap *map;
    doca_error_t result;
    uint32_t place;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    map = core_mmap_of(mmap);
    result = core_mmap_check_config(map, DOCA_ERROR_NOT_PERMITTED, __func__);
    if (result == DOCA_SUCCESS)
        result = core_mmap_check_dev(map, dev, __func__, &place);
    if (result != DOCA_SUCCESS)
        return result;
    forget_token(&map->dev_state[place]);
    soft_nic_mkey_free(map->dev_state[place].mkey);
    mmap->ndevs--;
    memmove(&mmap->devs[place], &mmap->devs[place + 1],
            (mmap->ndevs - place) * sizeof(mmap->devs[0]));
    memmove(&map->dev_state[place], &map->dev_state[place + 1],
            (mmap->ndevs - place) * sizeof(map->dev_state[0]));
    core_dev_release(dev, CORE_DEV_USER_MMAP);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
    struct core_mmap *map;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    map = core_mmap_of(mmap);
    if (max_num_devices == 0 || max_num_devices < mmap->ndevs)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name,
                         "max_num_devices",
                         "%u" CORE_LIMIT "at least %u" CORE_REMEDY
                         "allow at least one device and those that were added already",
                         max_num_devices, OD_MAX(mmap->ndevs, 1u));
    if (mmap->peer != NULL)
        return core_mmap_check_config(map, DOCA_ERROR_NOT_PERMITTED, __func__);
    if (map->was_started)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, __func__, mmap->name, "history",
                         "started" CORE_LIMIT "never started" CORE_REMEDY
                         "set the number before the first doca_mmap_start()");
    map->max_devs = max_num_devices;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (max_num_devices == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "max_num_devices");
    *max_num_devices = core_mmap_of(mmap)->max_devs;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                uint32_t *mkey)
{
    const struct core_mmap *map;
    doca_error_t result;
    uint32_t place;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    if (mkey == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "mkey");
    map = core_mmap_of(mmap);
    if (mmap->state != CORE_MMAP_STARTED)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_MMAP, __func__, mmap->name, "state",
                         "%s" CORE_LIMIT "started" CORE_REMEDY "call doca_mmap_start() first",
                         state_names[mmap->state]);
    result = core_mmap_check_dev(map, dev, __func__, &place);
    if (result != DOCA_SUCCESS)
        return result;
    *mkey = map->dev_state[place].mkey;
    return DOCA_SUCCESS;
}

struct soft_gpu_memory *core_mmap_gpu_memory(const struct doca_mmap *mmap)
{
    return soft_gpu_find(mmap->addr, mmap->len);
}

uint32_t core_mmap_key(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
    const struct core_mmap *map = core_mmap_of(mmap);
    uint32_t place = core_mmap_find_dev(map, dev);

    return place < mmap->ndevs ? map->dev_state[place].mkey : 0;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
    doca_error_t result;
    uint32_t place;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    if (dpa_mmap_handle == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dpa_mmap_handle");
    if (mmap->state != CORE_MMAP_STARTED)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, __func__, mmap->name, "state",
                         "%s" CORE_LIMIT "started" CORE_REMEDY "call doca_mmap_start() first",
                         state_names[mmap->state]);
    result = core_mmap_check_dev(core_mmap_of(mmap), dev, __func__, &place);
    if (result != DOCA_SUCCESS)
        return result;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP, __func__, mmap->name, "dev",
                     "%s, has no DPA processor" CORE_REMEDY "use the map from the CPU",
                     dev->info.name);
}

/* ------------------------------------------------------------------------------------------------
 * Settings
 */

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if ((access_mask & ~(uint32_t)ALL_ACCESS_FLAGS) != 0)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name, "access_mask",
            "%#x" CORE_LIMIT "bits of %#x" CORE_REMEDY "use the constants of enum doca_access_flag",
            access_mask, (unsigned int)ALL_ACCESS_FLAGS);
    if ((access_mask & BOTH_PCI_FLAGS) == BOTH_PCI_FLAGS)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name,
                         "access_mask",
                         "%#x, both DOCA_ACCESS_FLAG_PCI_READ_ONLY and _PCI_READ_WRITE" CORE_LIMIT
                         "one of them" CORE_REMEDY "PCI_READ_WRITE includes reading",
                         access_mask);
    result = core_mmap_check_config(core_mmap_of(mmap), DOCA_ERROR_BAD_STATE, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    mmap->access = access_mask;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque)
{
    struct core_mmap *map;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (free_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "free_cb");
    map = core_mmap_of(mmap);
    result = core_mmap_check_config(map, DOCA_ERROR_BAD_STATE, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    map->free_cb = free_cb;
    map->free_cookie = opaque;
    map->free_cb_due = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    result = core_mmap_check_config(core_mmap_of(mmap), DOCA_ERROR_BAD_STATE, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_mmap_of(mmap)->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "user_data");
    *user_data = core_mmap_of(mmap)->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev,
                                               const uint8_t *token, size_t token_sz)
{
    struct core_mmap_dev *dev_state;
    doca_error_t result;
    uint8_t *copy;
    uint32_t place;
    size_t max_sz;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    if (token == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "token");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name, "dev",
                         "%p, not an open device" CORE_REMEDY "open it with doca_dev_open()",
                         (const void *)dev);
    max_sz = dev->info.soft->caps.max_access_token_size;
    if (token_sz == 0 || token_sz > max_sz)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name, "token_sz",
                         "%zu" CORE_LIMIT "1..%zu on %s", token_sz, max_sz, dev->info.name);
    result = core_mmap_check_config(core_mmap_of(mmap), DOCA_ERROR_BAD_STATE, __func__);
    if (result == DOCA_SUCCESS)
        result = core_mmap_check_dev(core_mmap_of(mmap), dev, __func__, &place);
    if (result != DOCA_SUCCESS)
        return result;
    copy = malloc(token_sz);
    if (copy == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_MMAP, __func__, mmap->name, "token_sz",
                         "%zu bytes", token_sz);
    memcpy(copy, token, token_sz);
    dev_state = &core_mmap_of(mmap)->dev_state[place];
    forget_token(dev_state);
    dev_state->token = copy;
    dev_state->token_len = token_sz;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    result = core_mmap_check_config(core_mmap_of(mmap), DOCA_ERROR_NOT_PERMITTED, __func__);
    if (result == DOCA_SUCCESS)
        result = check_no_bufs(mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    mmap->thread_safe = true;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Queries
 */

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (num_bufs == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "num_bufs");
    *num_bufs = atomic_load_explicit(&mmap->nbufs, memory_order_relaxed);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (exported == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "exported");
    *exported = core_mmap_of(mmap)->was_exported;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (from_export == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "from_export");
    *from_export = mmap->peer != NULL;
    return DOCA_SUCCESS;
}
