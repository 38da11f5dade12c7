/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync/sync_event_priv.h"

#include <errno.h>
#include <stdlib.h>

/* Peers across a network sit on other cards, so exports to them are tied to none. */
#define NET_CARD "net"

/* An export of the event through one device to one sort of peers. */
struct sync_export {
    struct sync_export *next;
    const struct doca_dev *dev;
    enum sync_location location;
    struct soft_peer_export *exp;
};

struct doca_sync_event_remote_net {
    struct doca_dev *dev; /* held */
    struct soft_peer_map *map;
};

void core_sync_event_free_exports(struct doca_sync_event *event)
{
    while (event->exports != NULL) {
        struct sync_export *export = event->exports;

        event->exports = export->next;
        soft_peer_export_destroy(export->exp);
        free(export);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Capabilities
 */

static doca_error_t answer_cap(const struct doca_devinfo *devinfo, enum sync_location location,
                               const char *func)
{
    const struct soft_caps *caps = core_devinfo_caps(devinfo, func);
    bool supported = false;

    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (location == SYNC_LOCATION_REMOTE_PCI)
        supported = caps->sync_event && caps->sync_event_remote_pci;
    else if (location == SYNC_LOCATION_REMOTE_NET)
        supported = caps->sync_event && caps->sync_event_remote_net;
    if (supported)
        return DOCA_SUCCESS;
    return CORE_ANSWER(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, devinfo->name,
                       "capability", "false");
}

doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_REMOTE_PCI, __func__);
}

doca_error_t doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_REMOTE_PCI, __func__);
}

doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_REMOTE_NET, __func__);
}

doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_REMOTE_NET, __func__);
}

doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_DPA, __func__);
}

doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_GPU, __func__);
}

doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_DPA, __func__);
}

doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
    return answer_cap(devinfo, SYNC_LOCATION_GPU, __func__);
}

static doca_error_t require_cap(const struct doca_dev *dev, enum sync_location location,
                                const char *func)
{
    const struct soft_caps *caps = &dev->info.soft->caps;
    const bool pci = location == SYNC_LOCATION_REMOTE_PCI;

    if (caps->sync_event && (pci ? caps->sync_event_remote_pci : caps->sync_event_remote_net))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, dev->info.name, "device",
                     "%s, lacks the capability %s" CORE_REMEDY "use another device", dev->info.name,
                     pci ? "sync_event_remote_pci" : "sync_event_remote_net");
}

/* ------------------------------------------------------------------------------------------------
 * Export
 */

static doca_error_t check_export(const struct doca_sync_event *event, enum sync_location location,
                                 const char *func)
{
    const unsigned int declared = event->publishers | event->subscribers;

    if (event->map != NULL)
        return CORE_FAIL(
            DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "origin",
            "created from an export" CORE_REMEDY "export the event where it was created");
    if ((declared & location) == 0 ||
        (location == SYNC_LOCATION_REMOTE_PCI && (declared & ~(SYNC_LOCATION_CPU | location)) != 0))
        return CORE_FAIL(
            DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "locations",
            "0x%x" CORE_LIMIT "%s" CORE_REMEDY "add the remote location before exporting", declared,
            location == SYNC_LOCATION_REMOTE_PCI ? "remote PCI (0x2), else CPU only"
                                                 : "remote net (0x4) among them");
    return DOCA_SUCCESS;
}

static const struct sync_export *find_export(const struct doca_sync_event *event,
                                             const struct doca_dev *dev,
                                             enum sync_location location)
{
    const struct sync_export *export = event->exports;

    while (export != NULL && (export->dev != dev || export->location != location))
        export = export->next;
    return export;
}

static doca_error_t add_export(struct doca_sync_event *event, const struct doca_dev *dev,
                               enum sync_location location, const char *func)
{
    const struct soft_peer_range range = {
        .addr = event->value,
        .len = sizeof(*event->value),
        .kind = SOFT_PEER_KIND_SYNC,
        .access = SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC,
        .mask = location,
        .card = location == SYNC_LOCATION_REMOTE_PCI ? dev->info.soft->card : NET_CARD,
    };
    struct sync_export *export = calloc(1, sizeof(*export));
    int err;

    if (export == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_SYNC_EVENT, func, event->ctx.name, "export",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*export));
    err = soft_peer_export_create(&range, &export->exp);
    if (err != 0) {
        free(export);
        return CORE_FAIL(core_error_from_peer(err), CORE_LOG_SYNC_EVENT, func, event->ctx.name,
                         "export", "%s", soft_reason());
    }
    export->dev = dev;
    export->location = location;
    export->next = event->exports;
    event->exports = export;
    return DOCA_SUCCESS;
}

static doca_error_t export_event(struct doca_sync_event *event, const struct doca_dev *dev,
                                 enum sync_location location, const char *func,
                                 const uint8_t **data, size_t *sz)
{
    doca_error_t result = check_export(event, location, func);

    if (result == DOCA_SUCCESS)
        result = require_cap(dev, location, func);
    if (result == DOCA_SUCCESS)
        result = core_sync_event_need_value(event, func);
    if (result == DOCA_SUCCESS && find_export(event, dev, location) == NULL)
        result = add_export(event, dev, location, func);
    if (result == DOCA_SUCCESS)
        *data = soft_peer_export_desc(find_export(event, dev, location)->exp, sz);
    return result;
}

static doca_error_t check_out(const struct doca_sync_event *event, const uint8_t **data,
                              const size_t *sz, const char *func)
{
    if (!core_is_live(CORE_LIVE_SYNC_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    if (data == NULL || sz == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func, data == NULL ? "data" : "sz");
    return DOCA_SUCCESS;
}

static doca_error_t check_dev(const struct doca_dev *dev, const char *func)
{
    if (core_dev_is_valid(dev))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, func, NULL, "dev",
                     "%s" CORE_REMEDY "pass an open device", dev == NULL ? "NULL" : "not open");
}

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz)
{
    doca_error_t result = check_out(event, data, sz, __func__);

    if (result == DOCA_SUCCESS)
        result = check_dev(dev, __func__);
    if (result == DOCA_SUCCESS)
        result = export_event(event, dev, SYNC_LOCATION_REMOTE_PCI, __func__, data, sz);
    return result;
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz)
{
    doca_error_t result = check_out(event, data, sz, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (event->ctx.dev == NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_SYNC_EVENT, __func__, event->ctx.name,
                         "device",
                         "none" CORE_REMEDY "add a CPU location: its device leads to the network");
    return export_event(event, event->ctx.dev, SYNC_LOCATION_REMOTE_NET, __func__, data, sz);
}

/* ------------------------------------------------------------------------------------------------
 * Import
 */

static doca_error_t refuse_kind(const struct doca_dev *dev, enum sync_location location,
                                const char *func)
{
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_SYNC_EVENT, func, dev->info.name, "data",
                     "an export of another kind" CORE_REMEDY
                     "pass what doca_sync_event_export_to_remote_%s() returned",
                     location == SYNC_LOCATION_REMOTE_PCI ? "pci" : "net");
}

static doca_error_t import_event(const struct doca_dev *dev, const uint8_t *data, size_t sz,
                                 enum sync_location location, const char *func,
                                 struct soft_peer_map **map)
{
    const bool pci = location == SYNC_LOCATION_REMOTE_PCI;
    struct soft_peer_map *imported;
    struct soft_peer_info info;
    int err = soft_peer_import(data, sz, SOFT_PEER_KIND_SYNC, pci ? dev->info.soft->card : NET_CARD,
                               &imported);

    if (err == -EXDEV && !pci) /* tied to a card, so it was made for PCI */
        return refuse_kind(dev, location, func);
    if (err != 0)
        return CORE_FAIL(core_error_from_peer(err), CORE_LOG_SYNC_EVENT, func, dev->info.name,
                         "data", "%s", soft_reason());
    soft_peer_map_info(imported, &info);
    if (info.mask != (uint32_t)location || info.len != sizeof(uint64_t)) {
        soft_peer_map_close(imported);
        return refuse_kind(dev, location, func);
    }
    *map = imported;
    return DOCA_SUCCESS;
}

/* What both imports check first. */
static doca_error_t check_import(const struct doca_dev *dev, const uint8_t *data, const void *event,
                                 enum sync_location location, const char *func)
{
    doca_error_t result;

    if (data == NULL || event == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func, data == NULL ? "data" : "event");
    result = check_dev(dev, func);
    return result == DOCA_SUCCESS ? require_cap(dev, location, func) : result;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
{
    struct doca_sync_event *created;
    struct soft_peer_info info;
    doca_error_t result = check_import(dev, data, event, SYNC_LOCATION_REMOTE_PCI, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    result = core_sync_event_new(__func__, &created);
    if (result != DOCA_SUCCESS)
        return result;
    result = core_sync_event_hold_dev(created, dev, __func__);
    if (result == DOCA_SUCCESS)
        result = import_event(dev, data, sz, SYNC_LOCATION_REMOTE_PCI, __func__, &created->map);
    if (result != DOCA_SUCCESS)
        goto err_destroy;
    soft_peer_map_info(created->map, &info);
    created->map_addr = (uintptr_t)info.addr;
    *event = created;
    return DOCA_SUCCESS;

err_destroy:
    doca_sync_event_destroy(created);
    return result;
}

doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event)
{
    struct doca_sync_event_remote_net *created;
    doca_error_t result = check_import(dev, data, event, SYNC_LOCATION_REMOTE_NET, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_SYNC_EVENT, __func__, dev->info.name,
                         "sync event", "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    result = import_event(dev, data, sz, SYNC_LOCATION_REMOTE_NET, __func__, &created->map);
    if (result != DOCA_SUCCESS)
        goto err_free;
    created->dev = dev;
    core_dev_hold(dev, CORE_DEV_USER_SYNC_EVENT);
    core_live_add(CORE_LIVE_REMOTE_NET_EVENT, created);
    *event = created;
    return DOCA_SUCCESS;

err_free:
    free(created);
    return result;
}

struct soft_peer_map *core_remote_net_event_map(const struct doca_sync_event_remote_net *event,
                                                uint64_t *addr)
{
    struct soft_peer_info info;

    soft_peer_map_info(event->map, &info);
    *addr = (uintptr_t)info.addr;
    return event->map;
}

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
    if (!core_is_live(CORE_LIVE_REMOTE_NET_EVENT, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, __func__, "event", event);
    core_live_remove(event);
    soft_peer_map_close(event->map);
    core_dev_release(event->dev, CORE_DEV_USER_SYNC_EVENT);
    free(event);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Handles for processors that are not there
 */

static doca_error_t refuse_handle(enum core_live_kind kind, const void *event,
                                  const void *processor, const void *handle, const char *func)
{
    if (!core_is_live(kind, event))
        return CORE_FAIL_DEAD(CORE_LOG_SYNC_EVENT, func, "event", event);
    if (processor == NULL || handle == NULL)
        return CORE_FAIL_NULL(CORE_LOG_SYNC_EVENT, func,
                              processor == NULL ? "processor" : "handle");
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_SYNC_EVENT, func, NULL, "processor",
                     "not the CPU" CORE_LIMIT "CPU" CORE_REMEDY
                     "use the event through the CPU or a remote PCI export");
}

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
    return refuse_handle(CORE_LIVE_SYNC_EVENT, event, dpa, dpa_dev_se_handle, __func__);
}

doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
                                            doca_gpu_dev_sync_event_t **gpu_dev_se)
{
    return refuse_handle(CORE_LIVE_SYNC_EVENT, event, gpu, gpu_dev_se, __func__);
}

doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
    return refuse_handle(CORE_LIVE_REMOTE_NET_EVENT, event, dpa, dpa_remote_event, __func__);
}

doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
    return refuse_handle(CORE_LIVE_REMOTE_NET_EVENT, event, gpu, gpu_remote_event, __func__);
}
