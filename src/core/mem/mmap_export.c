/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory maps: export, import and the capabilities of both. */

#include <errno.h>

#include "core/mem/mem_priv.h"

/* Peers across a network sit on other cards, so these descriptors are tied to none. */
#define RDMA_CARD "rdma"

struct export_kind {
    enum soft_peer_kind soft;
    uint32_t flags;          /* access flags of which the map needs one */
    const char *flags_names; /* for messages */
};

static const struct export_kind export_kinds[CORE_MMAP_EXPORT_NUM] = {
    [CORE_MMAP_EXPORT_PCI] = {SOFT_PEER_KIND_PCI,
                              DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE,
                              "DOCA_ACCESS_FLAG_PCI_READ_ONLY or DOCA_ACCESS_FLAG_PCI_READ_WRITE"},
    [CORE_MMAP_EXPORT_RDMA] = {SOFT_PEER_KIND_RDMA,
                               DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
                                   DOCA_ACCESS_FLAG_RDMA_ATOMIC,
                               "DOCA_ACCESS_FLAG_RDMA_READ, _WRITE or _ATOMIC"},
};

/* What importers may do, by access flag. */
static unsigned int pci_access(uint32_t mask)
{
    if (mask & DOCA_ACCESS_FLAG_PCI_READ_WRITE)
        return SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC;
    return SOFT_PEER_READ;
}

static unsigned int rdma_access(uint32_t mask)
{
    return (mask & DOCA_ACCESS_FLAG_RDMA_READ ? SOFT_PEER_READ : 0u) |
           (mask & DOCA_ACCESS_FLAG_RDMA_WRITE ? SOFT_PEER_WRITE : 0u) |
           (mask & DOCA_ACCESS_FLAG_RDMA_ATOMIC ? SOFT_PEER_ATOMIC : 0u);
}

void core_mmap_revoke_dev(struct core_mmap_dev *dev)
{
    for (int kind = 0; kind < CORE_MMAP_EXPORT_NUM; kind++) {
        soft_peer_export_destroy(dev->exports[kind]);
        dev->exports[kind] = NULL;
    }
}

void core_mmap_revoke(struct core_mmap *map)
{
    for (uint32_t i = 0; i < map->pub.ndevs; i++)
        core_mmap_revoke_dev(&map->dev_state[i]);
}

/* ------------------------------------------------------------------------------------------------
 * Export
 */

static doca_error_t check_can_export(const struct doca_mmap *mmap, const char *func)
{
    if (mmap->peer != NULL)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, mmap->name, "origin",
                         "imported" CORE_LIMIT "own memory" CORE_REMEDY
                         "export the map in the process that owns the memory");
    if (mmap->state != CORE_MMAP_STARTED)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, mmap->name, "state",
                         "not started" CORE_LIMIT "started" CORE_REMEDY
                         "call doca_mmap_start() first");
    return DOCA_SUCCESS;
}

static doca_error_t check_export_rights(const struct doca_mmap *mmap, enum core_mmap_export kind,
                                        const struct doca_dev *dev, const char *func)
{
    if ((mmap->access & export_kinds[kind].flags) == 0)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, mmap->name,
                         "access mask on the exporter's side",
                         "%#x" CORE_LIMIT "%s" CORE_REMEDY
                         "add the flag with doca_mmap_set_permissions() before start",
                         mmap->access, export_kinds[kind].flags_names);
    if (kind == CORE_MMAP_EXPORT_PCI && !dev->info.soft->caps.mmap_export_pci)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP, func, mmap->name, "dev",
                         "%s, lacks the capability mmap_export_pci" CORE_REMEDY
                         "ask doca_mmap_cap_is_export_pci_supported() for a device that has it",
                         dev->info.name);
    return DOCA_SUCCESS;
}

static int create_export(const struct core_mmap *map, enum core_mmap_export kind, uint32_t place,
                         struct soft_peer_export **export)
{
    const struct doca_mmap *pub = &map->pub;
    const bool is_pci = kind == CORE_MMAP_EXPORT_PCI;
    const struct soft_peer_range range = {
        .addr = pub->addr,
        .len = pub->len,
        .kind = export_kinds[kind].soft,
        .access = is_pci ? pci_access(pub->access) : rdma_access(pub->access),
        .mask = pub->access,
        .card = is_pci ? pub->devs[place]->info.soft->card : RDMA_CARD,
        .token = map->dev_state[place].token,
        .token_len = map->dev_state[place].token_len,
    };

    return soft_peer_export_create(&range, export);
}

static doca_error_t export_map(struct doca_mmap *mmap, const struct doca_dev *dev,
                               enum core_mmap_export kind, const char *func, const void **desc,
                               size_t *desc_len)
{
    struct core_mmap *map = core_mmap_of(mmap);
    struct soft_peer_export **export;
    doca_error_t result;
    uint32_t place;
    int err;

    result = check_can_export(mmap, func);
    if (result == DOCA_SUCCESS)
        result = core_mmap_check_dev(map, dev, func, &place);
    if (result == DOCA_SUCCESS)
        result = check_export_rights(mmap, kind, dev, func);
    if (result != DOCA_SUCCESS)
        return result;
    export = &map->dev_state[place].exports[kind];
    if (*export == NULL) {
        err = create_export(map, kind, place, export);
        if (err != 0)
            return CORE_FAIL(core_error_from_peer(err), CORE_LOG_MMAP, func, mmap->name, "export",
                             "%s", soft_reason());
        map->was_exported = true;
    }
    *desc = soft_peer_export_desc(*export, desc_len);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    if (export_desc == NULL || export_desc_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__,
                              export_desc == NULL ? "export_desc" : "export_desc_len");
    return export_map(mmap, dev, CORE_MMAP_EXPORT_PCI, __func__, export_desc, export_desc_len);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dev");
    if (export_desc == NULL || export_desc_len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__,
                              export_desc == NULL ? "export_desc" : "export_desc_len");
    return export_map(mmap, dev, CORE_MMAP_EXPORT_RDMA, __func__, export_desc, export_desc_len);
}

/* ------------------------------------------------------------------------------------------------
 * Import
 */

/* Opens the descriptor as what it is. -EOPNOTSUPP: not an RDMA one, and the device takes no other.
 */
static int open_peer(const void *desc, size_t len, const struct soft_device *soft,
                     struct soft_peer_map **peer)
{
    int err = -EOPNOTSUPP;
    int rdma_err;

    if (soft->caps.mmap_from_export_pci)
        err = soft_peer_import(desc, len, SOFT_PEER_KIND_PCI, soft->card, peer);
    if (soft->caps.mmap_from_export_pci && err != -EBADMSG)
        return err;
    rdma_err = soft_peer_import(desc, len, SOFT_PEER_KIND_RDMA, RDMA_CARD, peer);
    return rdma_err == -EBADMSG ? err : rdma_err;
}

static doca_error_t import_failed(int err, const char *func, const struct doca_dev *dev)
{
    if (err == -EOPNOTSUPP && dev->info.soft->caps.mmap_from_export_pci)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP, func, dev->info.name,
                         "export_desc",
                         "of memory that the copy engine does not reach: %s" CORE_REMEDY
                         "without OPENDOCA_PEER_ENGINE one is chosen that does",
                         soft_reason());
    if (err == -EOPNOTSUPP)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP, func, dev->info.name, "dev",
                         "%s, lacks the capability mmap_from_export_pci" CORE_REMEDY
                         "ask doca_mmap_cap_is_create_from_export_pci_supported() for a device "
                         "that has it",
                         dev->info.name);
    return CORE_FAIL(core_error_from_peer(err), CORE_LOG_MMAP, func, dev->info.name, "export_desc",
                     "of no use here: %s", soft_reason());
}

static doca_error_t import_map(const void *desc, size_t len, struct doca_dev *dev, const char *func,
                               struct core_mmap **mapp)
{
    struct core_mmap *map = core_mmap_new();
    struct soft_peer_info info;
    doca_error_t result;
    int err;

    if (map == NULL || core_mmap_attach_dev(map, dev) != DOCA_SUCCESS) {
        result = CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_MMAP, func, dev->info.name, "object size",
                           "%zu bytes", sizeof(*map));
        goto err_free;
    }
    err = open_peer(desc, len, dev->info.soft, &map->pub.peer);
    if (err != 0) {
        result = import_failed(err, func, dev);
        goto err_free;
    }
    soft_peer_map_info(map->pub.peer, &info);
    map->pub.addr = info.addr;
    map->pub.len = info.len;
    map->pub.access = info.mask;
    core_mmap_enter(map, CORE_MMAP_STARTED);
    *mapp = map;
    return DOCA_SUCCESS;

err_free:
    core_mmap_free(map);
    return result;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap)
{
    struct core_mmap *map = NULL;
    doca_error_t result;

    if (export_desc == NULL || dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, export_desc == NULL ? "export_desc" : "dev");
    if (mmap == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "mmap");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, NULL, "dev",
                         "%p, not an open device" CORE_REMEDY "open it with doca_dev_open()",
                         (void *)dev);
    if (export_desc_len == 0)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, dev->info.name, "export_desc_len",
            "0" CORE_LIMIT "1..%d" CORE_REMEDY "pass all bytes that doca_mmap_export_pci() gave",
            SOFT_PEER_DESC_MAX);
    result = import_map(export_desc, export_desc_len, dev, __func__, &map);
    if (result != DOCA_SUCCESS)
        return result;
    if (user_data != NULL)
        map->user_data = *user_data;
    *mmap = &map->pub;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Capabilities
 */

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export)
{
    const struct soft_caps *caps;

    if (mmap_export == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "mmap_export");
    caps = core_devinfo_caps(devinfo, __func__);
    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *mmap_export = caps->mmap_export_pci;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export)
{
    const struct soft_caps *caps;

    if (from_export == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "from_export");
    caps = core_devinfo_caps(devinfo, __func__);
    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *from_export = caps->mmap_from_export_pci;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_get_max_export_access_token_size(const struct doca_devinfo *devinfo,
                                                            size_t *max_sz)
{
    const struct soft_caps *caps;

    if (max_sz == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "max_sz");
    caps = core_devinfo_caps(devinfo, __func__);
    if (caps == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *max_sz = caps->max_access_token_size;
    return DOCA_SUCCESS;
}
