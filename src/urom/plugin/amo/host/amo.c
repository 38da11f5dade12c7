/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_urom_amo.h>

#include "urom/plugin/amo/common/amo_wire.h"
#include "urom/plugin/common/ops.h"

_Static_assert((int)DOCA_UROM_AMO_FETCH_ADD == (int)AMO_FADD &&
                   (int)DOCA_UROM_AMO_COMPARE_SWAP == (int)AMO_CSWAP &&
                   (int)DOCA_UROM_AMO_SWAP == (int)AMO_SWAP &&
                   (int)DOCA_UROM_AMO_ADD == (int)AMO_ADD &&
                   (int)DOCA_UROM_AMO_FETCH_AND == (int)AMO_FAND &&
                   (int)DOCA_UROM_AMO_FETCH_OR == (int)AMO_FOR &&
                   (int)DOCA_UROM_AMO_FETCH_XOR == (int)AMO_FXOR,
               "the same numbers");

static void on_done(struct doca_urom_ops *ops, doca_error_t status, const struct doca_buf *response,
                    const struct ops_end *end)
{
    struct amo_answer answer = {.before = 0};

    if (status == DOCA_SUCCESS && !ops_response(response, &answer, sizeof(answer)))
        status = DOCA_ERROR_UNEXPECTED;
    if (end->cb != NULL)
        ((doca_urom_amo_cb_t)end->cb)(ops, status, status == DOCA_SUCCESS ? answer.before : 0,
                                      end->user_data);
}

static doca_error_t check(const struct doca_urom_ops *ops, const struct doca_urom_amo *amo,
                          const char *func)
{
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "ops");
    if (amo == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "amo");
    if (amo->region == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "region");
    if ((uint32_t)amo->op >= AMO_CODES)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "op",
                         "%u" CORE_LIMIT "0..%u", (unsigned int)amo->op, AMO_CODES - 1);
    if (amo->size != sizeof(uint32_t) && amo->size != sizeof(uint64_t))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "size",
                         "%u" CORE_LIMIT "4 or 8", amo->size);
    if (amo->addr % amo->size != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "addr",
                         "0x%llx" CORE_LIMIT "a multiple of %u", (unsigned long long)amo->addr,
                         amo->size);
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_amo_post(struct doca_urom_ops *ops, const struct doca_urom_amo *amo,
                                doca_urom_amo_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = check(ops, amo, __func__);
    void *payload;

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    result = ops_take(ops, ops->plugins[OPS_AMO], __func__, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    *(struct amo_cmd *)payload = (struct amo_cmd){
        .head = {.op = (uint32_t)amo->op},
        .remote = amo->region->handle,
        .va = amo->addr,
        .operand = amo->value,
        .compare = amo->op == DOCA_UROM_AMO_COMPARE_SWAP ? amo->compare : 0,
        .size = amo->size,
    };
    return ops_submit(ops, task, sizeof(struct amo_cmd), on_done, (ops_any_cb_t)cb, user_data);
}
