/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

/* Receive tasks: posted for the instance, claimed by the message that comes next. */

static doca_error_t check(const struct doca_rdma *rdma, const struct doca_rdma_task_receive *task)
{
    struct rdma_extent room;
    doca_error_t result;

    if (rdma->nposted >= rdma->recv_queue)
        return CORE_ANSWER(DOCA_ERROR_AGAIN, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name,
                           "receive queue", "%u tasks" CORE_LIMIT "%u", rdma->nposted,
                           rdma->recv_queue);
    if (task->dst == NULL)
        return DOCA_SUCCESS;
    result = rdma_check_local(rdma, task->dst, true, "destination");
    if (result != DOCA_SUCCESS)
        return result;
    room = rdma_room_extent(task->dst);
    if (!room.sane || room.elements > rdma->max_recv_list)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, "doca_task_submit",
                         rdma->ctx.name, "destination",
                         "%u elements%s" CORE_LIMIT "%u" CORE_REMEDY
                         "see doca_rdma_task_receive_set_dst_buf_list_len()",
                         room.elements, room.sane ? "" : ", data outside of the buffer",
                         rdma->max_recv_list);
    return DOCA_SUCCESS;
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct doca_rdma *rdma = rdma_of(base->ctx);
    doca_error_t result = check(rdma, rdma_receive_of(base));

    (void)flush;
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    core_task_queue_push(&rdma->posted, base);
    rdma->nposted++;
    return DOCA_SUCCESS;
}

static doca_error_t validate(struct doca_task *base)
{
    (void)base; /* submit looks at all that there is */
    return DOCA_SUCCESS;
}

static void deliver(struct doca_task *base)
{
    doca_rdma_task_receive_completion_cb_t cb =
        (doca_rdma_task_receive_completion_cb_t)rdma_callback_of(base, RDMA_TASK_RECEIVE);

    cb(rdma_receive_of(base), base->user_data, base->ctx->user_data);
}

const struct core_task_ops rdma_receive_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
};

/* ------------------------------------------------------------------------------------------------
 * Public calls
 */

doca_error_t doca_rdma_task_receive_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_receive_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_RECEIVE, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                  union doca_data user_data,
                                                  struct doca_rdma_task_receive **task)
{
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "task");
    result = core_task_alloc(&rdma->receives, user_data, __func__, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *task = rdma_receive_of(base);
    (*task)->dst = dst_buf;
    (*task)->conn = NULL;
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task)
{
    return task != NULL ? &task->base : NULL;
}

void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
                                        struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task)
{
    return core_task_is_live(task, __func__) ? task->dst : NULL;
}

enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task)
{
    return core_task_is_live(task, __func__) ? task->opcode : DOCA_RDMA_OPCODE_RECV_SEND;
}

uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task)
{
    return core_task_is_live(task, __func__) ? task->len : 0;
}

doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task)
{
    return core_task_is_live(task, __func__) ? task->imm : 0;
}

const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task)
{
    return core_task_is_live(task, __func__) ? task->conn : NULL;
}
