/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

/* Tasks on sync events of the peer: what they are made of. */

/* ------------------------------------------------------------------------------------------------
 * Get
 */

static void deliver_event_get(struct doca_task *base)
{
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t cb =
        (doca_rdma_task_remote_net_sync_event_get_completion_cb_t)rdma_callback_of(
            base, RDMA_TASK_EVENT_GET);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_remote_net_sync_event_get, task),
       base->user_data, base->ctx->user_data);
}

const struct core_task_ops rdma_event_get_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_event_get,
};

doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_EVENT_GET, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_EVENT_GET, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->event = event;
    created->dst = dst_buf;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_remote_net_sync_event_get, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
    struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    const struct doca_sync_event_remote_net *event)
{
    if (core_task_is_live(task, __func__))
        task->task.event = event;
}

const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return core_task_is_live(task, __func__) ? task->task.event : NULL;
}

void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
    const struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return core_task_is_live(task, __func__) ? task->task.dst : NULL;
}

uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
    const struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return core_task_is_live(task, __func__) ? (uint32_t)task->task.len : 0;
}

void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_get *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Set
 */

static void deliver_event_set(struct doca_task *base)
{
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t cb =
        (doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)rdma_callback_of(
            base, RDMA_TASK_EVENT_SET);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_remote_net_sync_event_notify_set,
                       task),
       base->user_data, base->ctx->user_data);
}

const struct core_task_ops rdma_event_set_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_event_set,
};

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_EVENT_SET, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_EVENT_SET, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->event = event;
    created->src = src_buf;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_remote_net_sync_event_notify_set, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_sync_event_remote_net *event)
{
    if (core_task_is_live(task, __func__))
        task->task.event = event;
}

struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
    return core_task_is_live(task, __func__) ? (struct doca_sync_event_remote_net *)task->task.event
                                             : NULL;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, const struct doca_buf *src_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
    return core_task_is_live(task, __func__) ? task->task.src : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Add
 */

static void deliver_event_add(struct doca_task *base)
{
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t cb =
        (doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)rdma_callback_of(
            base, RDMA_TASK_EVENT_ADD);

    cb(OD_CONTAINER_OF(rdma_task_of(base), struct doca_rdma_task_remote_net_sync_event_notify_add,
                       task),
       base->user_data, base->ctx->user_data);
}

const struct core_task_ops rdma_event_add_ops = {
    .submit = rdma_submit,
    .validate = rdma_validate,
    .deliver = deliver_event_add,
};

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks)
{
    return rdma_set_conf(rdma, RDMA_TASK_EVENT_ADD, (rdma_callback *)successful_task_completion_cb,
                         (rdma_callback *)error_task_completion_cb, num_tasks, __func__);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
    struct rdma_task *created;
    doca_error_t result = rdma_task_alloc(rdma, RDMA_TASK_EVENT_ADD, rdma_connection, user_data,
                                          task != NULL, __func__, &created);

    if (result != DOCA_SUCCESS)
        return result;
    created->event = event;
    created->result = result_buf;
    created->add = add_data;
    *task = OD_CONTAINER_OF(created, struct doca_rdma_task_remote_net_sync_event_notify_add, task);
    return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
    return task != NULL ? &task->task.base : NULL;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_sync_event_remote_net *event)
{
    if (core_task_is_live(task, __func__))
        task->task.event = event;
}

struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
    return core_task_is_live(task, __func__) ? (struct doca_sync_event_remote_net *)task->task.event
                                             : NULL;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf)
{
    if (core_task_is_live(task, __func__))
        task->task.result = result_buf;
}

struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.result : NULL;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data)
{
    if (core_task_is_live(task, __func__))
        task->task.add = add_data;
}

uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.add : 0;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_rdma_connection *rdma_connection)
{
    if (core_task_is_live(task, __func__))
        rdma_task_set_connection(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
    return core_task_is_live(task, __func__) ? task->task.conn : NULL;
}
