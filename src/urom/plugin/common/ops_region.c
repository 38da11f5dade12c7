/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/ops.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)DOCA_UROM_OPS_ACCESS_READ == (int)SOFT_PEER_READ &&
                   (int)DOCA_UROM_OPS_ACCESS_WRITE == (int)SOFT_PEER_WRITE &&
                   (int)DOCA_UROM_OPS_ACCESS_ATOMIC == (int)SOFT_PEER_ATOMIC,
               "the same bits");

#define ALL_ACCESS                                                                                 \
    (DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE | DOCA_UROM_OPS_ACCESS_ATOMIC)

void ops_region_free(struct doca_urom_ops_region *region)
{
    od_list_remove(&region->link);
    soft_peer_export_destroy(region->shared);
    soft_peer_export_destroy(region->own);
    free(region);
}

static struct doca_urom_ops_region *new_region(struct doca_urom_ops *ops,
                                               doca_urom_ops_region_cb_t cb, void *user_data)
{
    struct doca_urom_ops_region *region = calloc(1, sizeof(*region));

    if (region == NULL)
        return NULL;
    region->ops = ops;
    region->cb = cb;
    region->user_data = user_data;
    od_list_append(&ops->regions, &region->link);
    return region;
}

static void on_attached(struct doca_urom_ops *ops, doca_error_t status,
                        const struct doca_buf *response, const struct ops_end *end)
{
    struct doca_urom_ops_region *region = end->user_data;
    struct ops_attached answer;

    (void)ops;
    if (status == DOCA_SUCCESS && !ops_response(response, &answer, sizeof(answer)))
        status = DOCA_ERROR_UNEXPECTED;
    if (status == DOCA_SUCCESS) {
        region->state = OPS_REGION_READY;
        region->handle = answer.handle;
        region->addr = answer.addr;
        region->len = answer.len;
        region->access = answer.access;
        memcpy(region->engine, answer.engine, sizeof(region->engine) - 1);
    }
    region->cb(region, status, region->user_data);
    if (status != DOCA_SUCCESS)
        ops_region_free(region);
}

static doca_error_t attach(struct doca_urom_ops_region *region, const char *func, const void *desc,
                           size_t len, uint64_t domain_id, uint64_t va)
{
    struct doca_urom_ops *ops = region->ops;
    struct doca_urom_worker_cmd_task *task;
    struct ops_attach *attach;
    doca_error_t result;
    void *payload;

    if (len > ops->room - OD_MIN(ops->room, sizeof(*attach)))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "descriptor",
                         "%zu bytes" CORE_LIMIT "%zu of a message" CORE_REMEDY
                         "raise doca_urom_service_set_max_comm_msg_size()",
                         len, ops->room - OD_MIN(ops->room, sizeof(*attach)));
    result = ops_take(ops, ops->any, func, &task, &payload);
    if (result != DOCA_SUCCESS)
        return result;
    attach = payload;
    *attach = (struct ops_attach){
        .head = {.op = OPS_ATTACH},
        .domain_id = domain_id,
        .va = va,
        .desc_len = (uint32_t)len,
    };
    if (len > 0)
        memcpy(attach + 1, desc, len);
    return ops_submit(ops, task, sizeof(*attach) + len, on_attached, NULL, region);
}

static doca_error_t export(struct doca_urom_ops *ops, void *addr, size_t len, uint32_t access,
                           struct soft_peer_export **exp)
{
    const struct soft_peer_range range = {.addr = addr,
                                          .len = len,
                                          .kind = SOFT_PEER_KIND_RDMA,
                                          .access = access,
                                          .mask = access,
                                          .card = OPS_CARD,
                                          .listen = ops->listen[0] != '\0' ? ops->listen : NULL};
    int err = soft_peer_export_create(&range, exp);

    if (err == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(core_error_from_peer(err), OPS_LOG, "doca_urom_ops_region_create",
                     ops->ctx->name, "memory", "%s", soft_reason());
}

static doca_error_t check_region(struct doca_urom_ops *ops, const void *memory,
                                 doca_urom_ops_region_cb_t cb, struct doca_urom_ops_region **region,
                                 const char *func)
{
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "ops");
    if (memory == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "memory");
    if (cb == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "cb");
    if (region == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "region");
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_ops_region_create(struct doca_urom_ops *ops, void *addr, size_t len,
                                         uint32_t access, doca_urom_ops_region_cb_t cb,
                                         void *user_data, struct doca_urom_ops_region **region)
{
    struct doca_urom_ops_region *made;
    doca_error_t result = check_region(ops, addr, cb, region, __func__);
    const void *desc;
    size_t desc_len;

    if (result != DOCA_SUCCESS)
        return result;
    if (len == 0 || (access & ~(uint32_t)ALL_ACCESS) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, __func__, ops->ctx->name,
                         len == 0 ? "len" : "access", "0x%zx", len == 0 ? len : (size_t)access);
    made = new_region(ops, cb, user_data);
    if (made == NULL)
        return DOCA_ERROR_NO_MEMORY;
    made->addr = (uintptr_t)addr;
    made->len = len;
    /* The worker acts for this process; what peers may do is another matter. */
    result = export(ops, addr, len, ALL_ACCESS, &made->own);
    if (result == DOCA_SUCCESS && access != 0)
        result = export(ops, addr, len, access, &made->shared);
    if (result != DOCA_SUCCESS)
        goto err_free;
    desc = soft_peer_export_desc(made->own, &desc_len);
    result = attach(made, __func__, desc, desc_len, 0, 0);
    if (result != DOCA_SUCCESS)
        goto err_free;
    *region = made;
    return DOCA_SUCCESS;

err_free:
    ops_region_free(made);
    return result;
}

static doca_error_t attach_peer(struct doca_urom_ops *ops, const void *desc, size_t desc_len,
                                uint64_t domain_id, uint64_t va, doca_urom_ops_region_cb_t cb,
                                void *user_data, struct doca_urom_ops_region **region,
                                const char *func)
{
    struct doca_urom_ops_region *made = new_region(ops, cb, user_data);
    doca_error_t result;

    if (made == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = attach(made, func, desc, desc_len, domain_id, va);
    if (result != DOCA_SUCCESS) {
        ops_region_free(made);
        return result;
    }
    *region = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_ops_region_attach(struct doca_urom_ops *ops, const void *desc,
                                         size_t desc_len, doca_urom_ops_region_cb_t cb,
                                         void *user_data, struct doca_urom_ops_region **region)
{
    doca_error_t result = check_region(ops, desc, cb, region, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    if (desc_len == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, __func__, ops->ctx->name, "desc_len",
                         "0");
    return attach_peer(ops, desc, desc_len, 0, 0, cb, user_data, region, __func__);
}

doca_error_t doca_urom_ops_region_attach_domain(struct doca_urom_ops *ops, uint64_t domain_id,
                                                uint64_t va, doca_urom_ops_region_cb_t cb,
                                                void *user_data,
                                                struct doca_urom_ops_region **region)
{
    doca_error_t result = check_region(ops, &va, cb, region, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    return attach_peer(ops, NULL, 0, domain_id, va, cb, user_data, region, __func__);
}

static void on_detached(struct doca_urom_ops *ops, doca_error_t status,
                        const struct doca_buf *response, const struct ops_end *end)
{
    struct doca_urom_ops_region *region = end->user_data;
    void *user_data = region->user_data;

    (void)response;
    ops_region_free(region);
    if (end->cb != NULL)
        ((doca_urom_ops_cb_t)end->cb)(ops, status, user_data);
}

doca_error_t doca_urom_ops_region_destroy(struct doca_urom_ops_region *region,
                                          doca_urom_ops_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_urom_ops *ops;
    doca_error_t result;
    void *payload;

    if (region == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "region");
    ops = region->ops;
    if (region->state != OPS_REGION_READY)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, OPS_LOG, __func__, ops->ctx->name, "region",
                         "%s" CORE_REMEDY "wait for its callback",
                         region->state == OPS_REGION_ATTACHING ? "not attached yet"
                                                               : "being destroyed");
    result = ops_take(ops, ops->any, __func__, &task, &payload);
    if (result != DOCA_SUCCESS)
        return result;
    *(struct ops_detach *)payload =
        (struct ops_detach){.head = {.op = OPS_DETACH}, .handle = region->handle};
    result =
        ops_submit(ops, task, sizeof(struct ops_detach), on_detached, (ops_any_cb_t)cb, region);
    if (result != DOCA_SUCCESS)
        return result;
    region->state = OPS_REGION_DETACHING;
    region->user_data = user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_ops_region_get_desc(const struct doca_urom_ops_region *region,
                                           const void **desc, size_t *len)
{
    if (region == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "region");
    if (desc == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "desc");
    if (len == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "len");
    if (region->shared == NULL)
        return CORE_FAIL(
            DOCA_ERROR_NOT_PERMITTED, OPS_LOG, __func__, region->ops->ctx->name, "region", "%s",
            region->own != NULL ? "created without access of peers" : "the memory is a peer's");
    *desc = soft_peer_export_desc(region->shared, len);
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_ops_region_get_info(const struct doca_urom_ops_region *region,
                                           struct doca_urom_ops_region_info *info)
{
    if (region == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "region");
    if (info == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "info");
    *info = (struct doca_urom_ops_region_info){.addr = region->addr,
                                               .len = region->len,
                                               .access = region->access,
                                               .engine = region->engine};
    return DOCA_SUCCESS;
}
