/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

/* Tasks that read and write memory of the peer: what they are made of. */

/* ------------------------------------------------------------------------------------------------
 * Read
 */

static void deliver_read(struct doca_task *base)
{
    doca_rdma_task_read_completion_cb_t cb =
        (doca_rdma_task_read_completion_cb_t)rdma_callback_of(base, RDMA_TASK_READ);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_read, task), base->user_data,
       base->ctx->user_data);
}

const struct core_task_ops rdma_read_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_read,
};

doca_error_t doca_rdma_task_read_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_read_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_READ, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_READ, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->src = src_buf;
    created->dst = dst_buf;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_read, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
                                     const struct doca_buf *src_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task)
{
    return core_task_is_live(task, __func__) ? task->task.src : NULL;
}

void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task)
{
    return core_task_is_live(task, __func__) ? task->task.dst : NULL;
}

uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task)
{
    return core_task_is_live(task, __func__) ? (uint32_t)task->task.len : 0;
}

void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
                                             struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_read_get_rdma_connection(const struct doca_rdma_task_read *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Write
 */

static void deliver_write(struct doca_task *base)
{
    doca_rdma_task_write_completion_cb_t cb =
        (doca_rdma_task_write_completion_cb_t)rdma_callback_of(base, RDMA_TASK_WRITE);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_write, task), base->user_data,
       base->ctx->user_data);
}

const struct core_task_ops rdma_write_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_write,
};

doca_error_t doca_rdma_task_write_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_write_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_WRITE, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                struct doca_rdma_connection *rdma_connection,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_WRITE, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->src = src_buf;
    created->dst = dst_buf;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_write, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
                                      const struct doca_buf *src_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task)
{
    return core_task_is_live(task, __func__) ? task->task.src : NULL;
}

void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task)
{
    return core_task_is_live(task, __func__) ? task->task.dst : NULL;
}

void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
                                              struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Write with immediate
 */

static void deliver_write_imm(struct doca_task *base)
{
    doca_rdma_task_write_imm_completion_cb_t cb =
        (doca_rdma_task_write_imm_completion_cb_t)rdma_callback_of(base, RDMA_TASK_WRITE_IMM);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_write_imm, task), base->user_data,
       base->ctx->user_data);
}

const struct core_task_ops rdma_write_imm_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_write_imm,
};

doca_error_t doca_rdma_task_write_imm_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_WRITE_IMM, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
    union doca_data user_data, struct doca_rdma_task_write_imm **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_WRITE_IMM, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->src = src_buf;
    created->dst = dst_buf;
    created->imm = immediate_data;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_write_imm, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
                                          const struct doca_buf *src_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.src = src_buf;
}

const struct doca_buf *
doca_rdma_task_write_imm_get_src_buf(const struct doca_rdma_task_write_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.src : NULL;
}

void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
                                          struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.dst : NULL;
}

void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
                                                 doca_be32_t immediate_data)
{
    if (core_task_is_live(task, __func__))
        task->task.imm = immediate_data;
}

doca_be32_t doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.imm : 0;
}

void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
                                                  struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_write_imm_get_rdma_connection(const struct doca_rdma_task_write_imm *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}
