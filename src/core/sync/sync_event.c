/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync/sync_event_priv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

doca_error_t core_sync_event_new(const char *func, struct doca_sync_event **event)
{
    struct doca_sync_event *created = calloc(1, sizeof(*created));

    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_SYNC_EVENT, func, NULL, "sync event",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    created->own_fd = -1;
    core_ctx_init(&created->ctx, &core_sync_event_ctx_ops, NULL);
    created->ctx.setters_not_permitted = true;
    od_list_init(&created->watch_link);
    core_sync_event_init_tasks(created);
    core_live_add(CORE_LIVE_SYNC_EVENT, created);
    *event = created;
    return DOCA_SUCCESS;
}

void core_sync_event_free(struct doca_sync_event *event)
{
    core_sync_event_free_exports(event);
    soft_peer_map_close(event->map);
    if (event->own_page != NULL) {
        munmap(event->own_page, sizeof(*event->value));
        close(event->own_fd);
    }
    for (uint32_t i = 0; i < event->ndevs; i++)
        core_dev_release(event->devs[i], CORE_DEV_USER_SYNC_EVENT);
    free(event->devs);
    free(event);
}

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
    if (event == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, __func__, "event");
    return core_sync_event_new(__func__, event);
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "event", event);
    result = core_ctx_fini(&event->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_sync_event_free(event);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Configuration
 */

static bool is_started(const struct doca_sync_event *event)
{
    return event->ctx.state != DOCA_CTX_STATE_IDLE || atomic_load(&event->running);
}

doca_error_t core_sync_event_check_config(const struct doca_sync_event *event, const char *func)
{
    if (event->map != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "origin",
                         "created from an export" CORE_REMEDY "configure the exporter's event");
    if (is_started(event))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "state",
                         "started" CORE_LIMIT "not started" CORE_REMEDY
                         "configure before the start");
    return DOCA_SUCCESS;
}

doca_error_t core_sync_event_hold_dev(struct doca_sync_event *event, struct doca_dev *dev,
                                      const char *func)
{
    struct doca_dev **devs;

    for (uint32_t i = 0; i < event->ndevs; i++) {
        if (event->devs[i] == dev)
            return DOCA_SUCCESS;
    }
    devs = realloc(event->devs, (event->ndevs + (size_t)1) * sizeof(struct doca_dev *));
    if (devs == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "location", "not allocated" CORE_REMEDY "free memory");
    event->devs = devs;
    devs[event->ndevs++] = dev;
    core_dev_hold(dev, CORE_DEV_USER_SYNC_EVENT);
    if (event->ctx.dev == NULL) { /* core_ctx_fini() releases it */
        core_dev_hold(dev, CORE_DEV_USER_CTX);
        event->ctx.dev = dev;
    }
    return DOCA_SUCCESS;
}

/* `target` is NULL only where the call was given NULL for it; its name is then `what`. */
static doca_error_t add_location(struct doca_sync_event *event, bool publisher,
                                 enum sync_location location, const void *target, const char *what,
                                 const char *func)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    if (target == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func, what);
    result = core_sync_event_check_config(event, func);
    if (result != DOCA_SUCCESS)
        return result;
    if (publisher)
        event->publishers |= location;
    else
        event->subscribers |= location;
    return DOCA_SUCCESS;
}

static doca_error_t add_cpu(struct doca_sync_event *event, bool publisher, struct doca_dev *dev,
                            const char *func)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "dev", "%s" CORE_REMEDY "pass an open device",
                         dev == NULL ? "NULL" : "not open");
    result = core_sync_event_check_config(event, func);
    if (result == DOCA_SUCCESS)
        result = core_sync_event_hold_dev(event, dev, func);
    if (result == DOCA_SUCCESS)
        result = add_location(event, publisher, SYNC_LOCATION_CPU, dev, "dev", func);
    return result;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev)
{
    return add_cpu(event, true, dev, __func__);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa)
{
    return add_location(event, true, SYNC_LOCATION_DPA, dpa, "dpa", __func__);
}

doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu)
{
    return add_location(event, true, SYNC_LOCATION_GPU, gpu, "gpu", __func__);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
    return add_location(event, true, SYNC_LOCATION_REMOTE_PCI, event, "event", __func__);
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
    return add_location(event, true, SYNC_LOCATION_REMOTE_NET, event, "event", __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev)
{
    return add_cpu(event, false, dev, __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa)
{
    return add_location(event, false, SYNC_LOCATION_DPA, dpa, "dpa", __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu)
{
    return add_location(event, false, SYNC_LOCATION_GPU, gpu, "gpu", __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
    return add_location(event, false, SYNC_LOCATION_REMOTE_PCI, event, "event", __func__);
}

/* The value moves into other memory: not once somebody may have its address. */
static doca_error_t check_movable(const struct doca_sync_event *event, const void *addr,
                                  const char *func)
{
    if (event->exports != NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "state",
                         "exported" CORE_LIMIT "not exported" CORE_REMEDY
                         "choose the memory before exporting");
    if ((uintptr_t)addr % sizeof(uint64_t) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "address",
                         "%p" CORE_LIMIT "a multiple of 8" CORE_REMEDY "align the memory", addr);
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "event", event);
    if (addr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, __func__, "addr");
    if (event->map != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, __func__, event->ctx.name,
                         "origin",
                         "created from an export" CORE_REMEDY "the exporter chooses the memory");
    result = core_sync_event_check_config(event, __func__);
    if (result == DOCA_SUCCESS)
        result = check_movable(event, addr, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    event->value = addr;
    event->buf = NULL;
    return DOCA_SUCCESS;
}

/* Does the map of the user's buffer allow what the locations do? */
static doca_error_t check_buf_access(const struct doca_sync_event *event,
                                     const struct doca_buf *buf, const char *func)
{
    const struct doca_mmap *mmap = buf->mmap;
    uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_WRITE;
    const char *missing = NULL;

    if ((event->subscribers & SYNC_LOCATION_REMOTE_PCI) != 0)
        pci |= DOCA_ACCESS_FLAG_PCI_READ_ONLY;
    if (mmap->peer != NULL)
        missing = "memory of this process";
    else if ((event->publishers & SYNC_LOCATION_CPU) != 0 && !core_mmap_can_write(mmap))
        missing = "DOCA_ACCESS_FLAG_LOCAL_READ_WRITE";
    else if ((event->publishers & SYNC_LOCATION_REMOTE_PCI) != 0 &&
             (mmap->access & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0)
        missing = "DOCA_ACCESS_FLAG_PCI_READ_WRITE";
    else if (((event->publishers | event->subscribers) & SYNC_LOCATION_REMOTE_PCI) != 0 &&
             (mmap->access & pci) == 0)
        missing = "DOCA_ACCESS_FLAG_PCI_READ_ONLY";
    if (missing == NULL)
        return DOCA_SUCCESS;
    return CORE_FAIL(
        DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "permissions",
        "0x%x of %s" CORE_LIMIT "%s" CORE_REMEDY "set the permissions before doca_mmap_start()",
        mmap->access, mmap->name, missing);
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "event", event);
    if (!core_buf_exists(buf))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "buf", buf);
    result = core_sync_event_check_config(event, __func__);
    if (result == DOCA_SUCCESS)
        result = check_movable(event, buf->head, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (buf->len != sizeof(*event->value))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, __func__, event->ctx.name,
                         "buffer length", "%zu" CORE_LIMIT "8 bytes", buf->len);
    result = check_buf_access(event, buf, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    event->value = (uint64_t *)buf->head;
    event->buf = buf;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Start and stop
 */

/* Shareable, so that importers can map it, and a page of its own, for nothing else may lie in what
 * they map. */
static doca_error_t map_own_page(struct doca_sync_event *event, const char *func)
{
    void *page = MAP_FAILED;
    int fd = memfd_create("opendoca-sync-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    /* Sealed: an importer that shortened the file would make accesses here fault. */
    if (fd >= 0 && ftruncate(fd, sysconf(_SC_PAGESIZE)) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        page = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "value",
                         "no shareable memory" CORE_REMEDY
                         "raise the limit of open files or use doca_sync_event_set_addr()");
    }
    event->own_page = page;
    event->own_fd = fd;
    event->value = page;
    return DOCA_SUCCESS;
}

doca_error_t core_sync_event_need_value(struct doca_sync_event *event, const char *func)
{
    const unsigned int remote = SYNC_LOCATION_REMOTE_PCI | SYNC_LOCATION_REMOTE_NET;

    if (event->value != NULL)
        return DOCA_SUCCESS;
    if (((event->publishers | event->subscribers) & remote) != 0)
        return map_own_page(event, func);
    event->value = &event->own_value;
    return DOCA_SUCCESS;
}

static doca_error_t check_locations(const struct doca_sync_event *event, const char *func)
{
    const unsigned int locations = event->publishers | event->subscribers;

    if (event->publishers == 0 || event->subscribers == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         event->publishers == 0 ? "publisher location" : "subscriber location",
                         "missing" CORE_LIMIT "at least one of each" CORE_REMEDY
                         "call doca_sync_event_add_*_location_*()");
    if ((locations & (SYNC_LOCATION_DPA | SYNC_LOCATION_GPU)) != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "location", "%s" CORE_LIMIT "CPU, remote PCI, remote net",
                         (locations & SYNC_LOCATION_DPA) != 0 ? "DPA" : "GPU");
    return DOCA_SUCCESS;
}

static doca_error_t check_devs(const struct doca_sync_event *event, const char *func)
{
    for (uint32_t i = 0; i < event->ndevs; i++) {
        if (!event->devs[i]->info.soft->caps.sync_event)
            return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                             "device", "%s has no sync events" CORE_REMEDY "use another device",
                             event->devs[i]->info.name);
    }
    return DOCA_SUCCESS;
}

doca_error_t core_sync_event_open(struct doca_sync_event *event, const char *func)
{
    doca_error_t result = check_devs(event, func);
    uint64_t value;

    if (result != DOCA_SUCCESS)
        return result;
    if (event->map != NULL) {
        if (core_sync_event_load(event, &value) == 0)
            return DOCA_SUCCESS;
        return CORE_FAIL(DOCA_ERROR_DRIVER, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "exporter",
                         "%s" CORE_REMEDY "the exporting event must exist", soft_reason());
    }
    result = check_locations(event, func);
    if (result == DOCA_SUCCESS && event->buf != NULL)
        result = check_buf_access(event, event->buf, func);
    if (result != DOCA_SUCCESS)
        return result;
    return core_sync_event_need_value(event, func) == DOCA_SUCCESS ? DOCA_SUCCESS
                                                                   : DOCA_ERROR_INITIALIZATION;
}

static doca_error_t check_plain(const struct doca_sync_event *event, const char *func)
{
    if (event->drive != SYNC_DRIVE_CTX)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "mode",
                     "driven by its context" CORE_REMEDY
                     "use doca_ctx_start() and doca_ctx_stop()");
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "event", event);
    result = check_plain(event, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (atomic_load(&event->running))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_SYNC_EVENT, __func__, event->ctx.name,
                         "state", "started" CORE_LIMIT "not started" CORE_REMEDY "start once");
    result = core_sync_event_open(event, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    event->drive = SYNC_DRIVE_PLAIN;
    atomic_store(&event->running, true);
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "event", event);
    result = check_plain(event, __func__);
    if (result == DOCA_SUCCESS)
        atomic_store(&event->running, false);
    return result;
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
    if (event == NULL)
        return NULL;
    if (event->drive == SYNC_DRIVE_UNDECIDED)
        event->drive = SYNC_DRIVE_CTX;
    return &event->ctx;
}
