/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_urom_rma.h>

#include <string.h>

#include "urom/plugin/common/ops.h"
#include "urom/plugin/rma/common/rma_wire.h"

static doca_error_t check(const struct doca_urom_ops *ops,
                          const struct doca_urom_ops_region *remote, uint32_t flags,
                          const char *func)
{
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "ops");
    if (remote == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "remote");
    if ((flags & ~DOCA_UROM_OPS_FENCE) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "flags",
                         "0x%x" CORE_LIMIT "DOCA_UROM_OPS_FENCE", flags);
    return DOCA_SUCCESS;
}

static inline void fill(struct rma_cmd *cmd, uint32_t op, uint32_t flags,
                        const struct doca_urom_ops_region *local, uint64_t local_addr,
                        const struct doca_urom_ops_region *remote, uint64_t remote_addr,
                        uint64_t len)
{
    *cmd = (struct rma_cmd){
        .head = {.op = op, .flags = ops_wire_flags(flags)},
        .local = local != NULL ? local->handle : 0,
        .local_va = local_addr,
        .remote = remote->handle,
        .remote_va = remote_addr,
        .len = len,
    };
}

/* Whether a put takes the bytes along, so that the worker need not fetch them. A fence may be there
 * for what an earlier operation writes into them. */
static inline bool goes_along(const struct doca_urom_ops *ops,
                              const struct doca_urom_ops_region *local, uint64_t addr, uint64_t len,
                              uint32_t flags)
{
    return len <= RMA_ALONG_MAX && flags == 0 && local->own != NULL &&
           local->state == OPS_REGION_READY && addr >= local->addr && len <= local->len &&
           addr - local->addr <= local->len - len && sizeof(struct rma_cmd) + len <= ops->room;
}

static inline doca_error_t post(struct doca_urom_ops *ops, uint32_t op,
                                const struct doca_urom_ops_region *local, uint64_t local_addr,
                                const struct doca_urom_ops_region *remote, uint64_t remote_addr,
                                uint64_t len, uint32_t flags, doca_urom_ops_cb_t cb,
                                void *user_data, const char *func)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = check(ops, remote, flags, func);
    size_t along = 0;
    void *payload;

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(local == NULL))
        return CORE_FAIL_NULL(OPS_LOG, func, "local");
    result = ops_take(ops, ops->plugins[OPS_RMA], func, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (op == RMA_PUT && goes_along(ops, local, local_addr, len, flags)) {
        along = len;
        fill(payload, op, flags, NULL, 0, remote, remote_addr, len);
        memcpy((struct rma_cmd *)payload + 1, (const void *)(uintptr_t)local_addr, len);
    } else {
        fill(payload, op, flags, local, local_addr, remote, remote_addr, len);
    }
    return ops_submit(ops, task, sizeof(struct rma_cmd) + along, ops_done_plain, (ops_any_cb_t)cb,
                      user_data);
}

doca_error_t doca_urom_rma_put(struct doca_urom_ops *ops, const struct doca_urom_ops_region *local,
                               uint64_t local_addr, const struct doca_urom_ops_region *remote,
                               uint64_t remote_addr, uint64_t len, uint32_t flags,
                               doca_urom_ops_cb_t cb, void *user_data)
{
    return post(ops, RMA_PUT, local, local_addr, remote, remote_addr, len, flags, cb, user_data,
                __func__);
}

doca_error_t doca_urom_rma_get(struct doca_urom_ops *ops, const struct doca_urom_ops_region *local,
                               uint64_t local_addr, const struct doca_urom_ops_region *remote,
                               uint64_t remote_addr, uint64_t len, uint32_t flags,
                               doca_urom_ops_cb_t cb, void *user_data)
{
    return post(ops, RMA_GET, local, local_addr, remote, remote_addr, len, flags, cb, user_data,
                __func__);
}

doca_error_t doca_urom_rma_put_inline(struct doca_urom_ops *ops, const void *bytes, size_t len,
                                      const struct doca_urom_ops_region *remote,
                                      uint64_t remote_addr, uint32_t flags, doca_urom_ops_cb_t cb,
                                      void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = check(ops, remote, flags, __func__);
    void *payload;

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(bytes == NULL))
        return CORE_FAIL_NULL(OPS_LOG, __func__, "bytes");
    if (od_unlikely(len > ops->room - OD_MIN(ops->room, sizeof(struct rma_cmd))))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, __func__, ops->ctx->name, "len",
                         "%zu" CORE_LIMIT "%zu of a message" CORE_REMEDY "use a region", len,
                         ops->room - OD_MIN(ops->room, sizeof(struct rma_cmd)));
    result = ops_take(ops, ops->plugins[OPS_RMA], __func__, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    fill(payload, RMA_PUT, flags, NULL, 0, remote, remote_addr, len);
    memcpy((struct rma_cmd *)payload + 1, bytes, len);
    return ops_submit(ops, task, sizeof(struct rma_cmd) + len, ops_done_plain, (ops_any_cb_t)cb,
                      user_data);
}

static void on_bytes(struct doca_urom_ops *ops, doca_error_t status,
                     const struct doca_buf *response, const struct ops_end *end)
{
    const size_t head = sizeof(struct ops_head);
    const size_t len =
        status == DOCA_SUCCESS && response->data_len >= head ? response->data_len - head : 0;

    ((doca_urom_rma_bytes_cb_t)end->cb)(ops, status, response->data + (len > 0 ? head : 0), len,
                                        end->user_data);
}

doca_error_t doca_urom_rma_get_inline(struct doca_urom_ops *ops,
                                      const struct doca_urom_ops_region *remote,
                                      uint64_t remote_addr, size_t len, uint32_t flags,
                                      doca_urom_rma_bytes_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = check(ops, remote, flags, __func__);
    void *payload;

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    if (od_unlikely(cb == NULL))
        return CORE_FAIL_NULL(OPS_LOG, __func__, "cb");
    result = ops_take(ops, ops->plugins[OPS_RMA], __func__, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    fill(payload, RMA_GET, flags, NULL, 0, remote, remote_addr, len);
    return ops_submit(ops, task, sizeof(struct rma_cmd), on_bytes, (ops_any_cb_t)cb, user_data);
}

doca_error_t doca_urom_rma_flush(struct doca_urom_ops *ops, doca_urom_ops_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result;
    void *payload;

    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "ops");
    result = ops_take(ops, ops->plugins[OPS_RMA], __func__, &task, &payload);
    if (result != DOCA_SUCCESS)
        return result;
    *(struct ops_head *)payload = (struct ops_head){.op = RMA_FLUSH};
    return ops_submit(ops, task, sizeof(struct ops_head), ops_done_plain, (ops_any_cb_t)cb,
                      user_data);
}
