/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

/* Tasks that send messages: what they are made of. */

/* ------------------------------------------------------------------------------------------------
 * Send
 */

static void deliver_send(struct doca_task *base)
{
    doca_rdma_task_send_completion_cb_t cb =
        (doca_rdma_task_send_completion_cb_t)rdma_callback_of(base, RDMA_TASK_SEND);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_send, task), base->user_data,
       base->ctx->user_data);
}

const struct core_task_ops rdma_send_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_send,
};

doca_error_t doca_rdma_task_send_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_send_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_SEND, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_SEND, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->src = src_buf;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_send, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
                                     const struct doca_buf *src_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task)
{
    return core_task_is_live(task, __func__) ? task->task.src : NULL;
}

void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
                                             struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Send with immediate
 */

static void deliver_send_imm(struct doca_task *base)
{
    doca_rdma_task_send_imm_completion_cb_t cb =
        (doca_rdma_task_send_imm_completion_cb_t)rdma_callback_of(base, RDMA_TASK_SEND_IMM);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_send_imm, task), base->user_data,
       base->ctx->user_data);
}

const struct core_task_ops rdma_send_imm_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_send_imm,
};

doca_error_t doca_rdma_task_send_imm_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_SEND_IMM, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
                                                   struct doca_rdma_connection *rdma_connection,
                                                   const struct doca_buf *src_buf,
                                                   doca_be32_t immediate_data,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_send_imm **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_SEND_IMM, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->src = src_buf;
    created->imm = immediate_data;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_send_imm, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
                                         const struct doca_buf *src_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.src = src_buf;
}

const struct doca_buf *
doca_rdma_task_send_imm_get_src_buf(const struct doca_rdma_task_send_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.src : NULL;
}

void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
                                                doca_be32_t immediate_data)
{
    if (core_task_is_live(task, __func__))
        task->task.imm = immediate_data;
}

doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.imm : 0;
}

void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
                                                 struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_send_imm_get_rdma_connection(const struct doca_rdma_task_send_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}
