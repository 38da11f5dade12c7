/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

/* Atomic operations: what they are made of. */

/* ------------------------------------------------------------------------------------------------
 * Compare and swap
 */

static void deliver_cmp_swp(struct doca_task *base)
{
    doca_rdma_task_atomic_cmp_swp_completion_cb_t cb =
        (doca_rdma_task_atomic_cmp_swp_completion_cb_t)rdma_callback_of(base, RDMA_TASK_CMP_SWP);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_atomic_cmp_swp, task),
       base->user_data, base->ctx->user_data);
}

const struct core_task_ops rdma_cmp_swp_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_cmp_swp,
};

doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_CMP_SWP, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_CMP_SWP, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->dst = dst_buf;
    created->result = result_buf;
    created->compare = cmp_data;
    created->add = swap_data;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_atomic_cmp_swp, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_atomic_cmp_swp_set_dst_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                               struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.dst = dst_buf;
}

struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_dst_buf(const struct doca_rdma_task_atomic_cmp_swp *task)
{
    return core_task_is_live(task, __func__) ? task->task.dst : NULL;
}

void doca_rdma_task_atomic_cmp_swp_set_result_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                                  struct doca_buf *result_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.result = result_buf;
}

struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_result_buf(const struct doca_rdma_task_atomic_cmp_swp *task)
{
    return core_task_is_live(task, __func__) ? task->task.result : NULL;
}

void doca_rdma_task_atomic_cmp_swp_set_cmp_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                uint64_t cmp_data)
{
    if (core_task_is_live(task, __func__))
        task->task.compare = cmp_data;
}

uint64_t
doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task)
{
    return core_task_is_live(task, __func__) ? task->task.compare : 0;
}

void doca_rdma_task_atomic_cmp_swp_set_swap_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                 uint64_t swap_data)
{
    if (core_task_is_live(task, __func__))
        task->task.add = swap_data;
}

uint64_t
doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task)
{
    return core_task_is_live(task, __func__) ? task->task.add : 0;
}

void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(struct doca_rdma_task_atomic_cmp_swp *task,
                                                       struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_atomic_cmp_swp_get_rdma_connection(const struct doca_rdma_task_atomic_cmp_swp *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Fetch and add
 */

static void deliver_fetch_add(struct doca_task *base)
{
    doca_rdma_task_atomic_fetch_add_completion_cb_t cb =
        (doca_rdma_task_atomic_fetch_add_completion_cb_t)rdma_callback_of(base,
                                                                          RDMA_TASK_FETCH_ADD);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_atomic_fetch_add, task),
       base->user_data, base->ctx->user_data);
}

const struct core_task_ops rdma_fetch_add_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_fetch_add,
};

doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_FETCH_ADD, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_FETCH_ADD, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->dst = dst_buf;
    created->result = result_buf;
    created->add = add_data;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_atomic_fetch_add, task);
    return DOCA_SUCCESS;
}

struct doca_task *
doca_rdma_task_atomic_fetch_add_as_task(struct doca_rdma_task_atomic_fetch_add *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_atomic_fetch_add_set_dst_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                 struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.dst = dst_buf;
}

struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_dst_buf(const struct doca_rdma_task_atomic_fetch_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.dst : NULL;
}

void doca_rdma_task_atomic_fetch_add_set_result_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                    struct doca_buf *result_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.result = result_buf;
}

struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_result_buf(const struct doca_rdma_task_atomic_fetch_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.result : NULL;
}

void doca_rdma_task_atomic_fetch_add_set_add_data(struct doca_rdma_task_atomic_fetch_add *task,
                                                  uint64_t add_data)
{
    if (core_task_is_live(task, __func__))
        task->task.add = add_data;
}

uint64_t
doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.add : 0;
}

void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
    struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
    const struct doca_rdma_task_atomic_fetch_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}
