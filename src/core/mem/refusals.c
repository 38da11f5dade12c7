/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of real adapters that have no meaning here: register pages, user memory, verbs objects.
 * The calls are there for linking and say no; no such object ever exists. */

#include "core/mem/mem_priv.h"

#include <doca_rdma_bridge.h>
#include <doca_uar.h>
#include <doca_umem.h>

#define ALL_ACCESS_FLAGS (2u * DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING - 1u)

static doca_error_t refuse(const char *func, const char *object, const char *attribute,
                           const char *why)
{
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_COMMON, func, object, attribute, "%s", why);
}

/* ------------------------------------------------------------------------------------------------
 * UAR
 */

doca_error_t doca_uar_create(const struct doca_dev *dev,
                             enum doca_uar_allocation_type allocation_type, struct doca_uar **uar)
{
    if (dev == NULL || uar == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, dev == NULL ? "dev" : "uar");
    if ((unsigned int)allocation_type > DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, __func__, dev->info.name,
                         "allocation_type", "%d" CORE_LIMIT "0..%d", (int)allocation_type,
                         DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED);
    return refuse(__func__, dev->info.name, "dev", "a software device, has no register pages");
}

doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar)
{
    if (dpa == NULL || uar == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, dpa == NULL ? "dpa" : "uar");
    return refuse(__func__, NULL, "dpa", "there is no DPA processor");
}

/* No region was ever created: whatever the pointer is, it is none. */
static doca_error_t refuse_uar(const char *func, const struct doca_uar *uar)
{
    if (uar == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "uar");
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "uar",
                     "%p, not a region of this library", (const void *)uar);
}

doca_error_t doca_uar_destroy(struct doca_uar *uar)
{
    return refuse_uar(__func__, uar);
}

doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id)
{
    (void)id;
    return refuse_uar(__func__, uar);
}

doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page)
{
    (void)page;
    return refuse_uar(__func__, uar);
}

doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg)
{
    (void)reg;
    return refuse_uar(__func__, uar);
}

/* ------------------------------------------------------------------------------------------------
 * User memory
 */

static doca_error_t check_umem_args(const char *func, size_t size, uint32_t access_flags,
                                    struct doca_umem **umem_obj)
{
    if (umem_obj == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "umem_obj");
    if (size == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "size",
                         "0" CORE_LIMIT "at least 1");
    if ((access_flags & ~ALL_ACCESS_FLAGS) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "access_flags",
                         "%#x" CORE_LIMIT "bits of %#x", access_flags, ALL_ACCESS_FLAGS);
    return DOCA_SUCCESS;
}

doca_error_t doca_umem_create(const struct doca_dev *dev, void *address, size_t size,
                              uint32_t access_flags, struct doca_umem **umem_obj)
{
    doca_error_t result;

    if (dev == NULL || address == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, dev == NULL ? "dev" : "address");
    result = check_umem_args(__func__, size, access_flags, umem_obj);
    if (result != DOCA_SUCCESS)
        return result;
    return refuse(__func__, dev->info.name, "dev", "a software device, takes no user memory");
}

doca_error_t doca_umem_dpa_create(struct doca_dpa *dpa, uint64_t address, size_t size,
                                  uint32_t access_flags, struct doca_umem **umem_obj)
{
    doca_error_t result;

    (void)address;
    if (dpa == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "dpa");
    result = check_umem_args(__func__, size, access_flags, umem_obj);
    if (result != DOCA_SUCCESS)
        return result;
    return refuse(__func__, NULL, "dpa", "there is no DPA processor");
}

doca_error_t doca_umem_gpu_create(struct doca_gpu *gpu, struct doca_dev *dev, void *address,
                                  size_t size, uint32_t access_flags, struct doca_umem **umem_obj)
{
    doca_error_t result;

    if (gpu == NULL || dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, gpu == NULL ? "gpu" : "dev");
    if (address == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "address");
    result = check_umem_args(__func__, size, access_flags, umem_obj);
    if (result != DOCA_SUCCESS)
        return result;
    return refuse(__func__, dev->info.name, "dev", "a software device, takes no user memory");
}

static doca_error_t refuse_umem(const char *func, const struct doca_umem *umem_obj)
{
    if (umem_obj == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "umem_obj");
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "umem_obj",
                     "%p, not an object of this library", (const void *)umem_obj);
}

doca_error_t doca_umem_destroy(struct doca_umem *umem_obj)
{
    return refuse_umem(__func__, umem_obj);
}

doca_error_t doca_umem_get_id(const struct doca_umem *umem_obj, uint32_t *umem_id)
{
    (void)umem_id;
    return refuse_umem(__func__, umem_obj);
}

doca_error_t doca_umem_get_size(const struct doca_umem *umem_obj, uint32_t *umem_size)
{
    (void)umem_size;
    return refuse_umem(__func__, umem_obj);
}

doca_error_t doca_umem_get_address(const struct doca_umem *umem_obj, void **umem_addr)
{
    (void)umem_addr;
    return refuse_umem(__func__, umem_obj);
}

/* ------------------------------------------------------------------------------------------------
 * RDMA bridge
 */

static const char no_verbs[] = "a software device, not backed by an RDMA device";

doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
    if (dev == NULL || pd == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, dev == NULL ? "dev" : "pd");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMMON, __func__, NULL, "dev",
                         "%p, not an open device" CORE_REMEDY "open it with doca_dev_open()",
                         (const void *)dev);
    return refuse(__func__, dev->info.name, "dev", no_verbs);
}

doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
    if (pd == NULL || dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, pd == NULL ? "pd" : "dev");
    return refuse(__func__, NULL, "pd", "belongs to no device of this library");
}

doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey)
{
    doca_error_t result = core_buf_check_held(buf, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (dev == NULL || mkey == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, dev == NULL ? "dev" : "mkey");
    if (!core_mmap_has_dev(buf->mmap, dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, __func__, buf->mmap->name,
                         "dev", "%p" CORE_LIMIT "one of the map's %u devices", (void *)dev,
                         buf->mmap->ndevs);
    return refuse(__func__, buf->mmap->name, "dev", no_verbs);
}

doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_COMMON, __func__, "mmap", mmap);
    if (pd == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "pd");
    if (mkey == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "mkey");
    return refuse(__func__, mmap->name, "devices", no_verbs);
}
