/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <inttypes.h>

/* ------------------------------------------------------------------------------------------------
 * Buffers
 */

/* Fields are the program's to set: offsets are compared, never sums that could wrap. */
static inline bool is_inside(const struct doca_buf *buf)
{
    size_t offset = (size_t)(buf->data - buf->head);

    return offset <= buf->len && buf->data_len <= buf->len - offset;
}

struct rdma_extent rdma_data_extent(const struct doca_buf *buf)
{
    struct rdma_extent extent = {.sane = true};

    for (; buf != NULL; buf = buf->next) {
        extent.bytes += buf->data_len;
        extent.elements++;
        extent.sane = extent.sane && is_inside(buf);
    }
    return extent;
}

struct rdma_extent rdma_room_extent(const struct doca_buf *buf)
{
    struct rdma_extent extent = {.sane = true};

    for (; buf != NULL; buf = buf->next) {
        extent.elements++;
        if (!is_inside(buf))
            extent.sane = false;
        else
            extent.bytes += buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
    }
    return extent;
}

static OD_COLD doca_error_t refuse(const struct doca_rdma *rdma, const char *side, const char *what)
{
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name,
                     side, "%s", what);
}

static doca_error_t check_map(const struct doca_rdma *rdma, const struct doca_buf *buf,
                              const char *side)
{
    if (core_mmap_has_dev(buf->mmap, rdma->ctx.dev))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name,
                     side,
                     "in %s, which does not have device %s" CORE_REMEDY
                     "add the device with doca_mmap_add_dev() before starting the map",
                     buf->mmap->name, rdma->ctx.dev->info.name);
}

doca_error_t rdma_check_local(const struct doca_rdma *rdma, const struct doca_buf *buf, bool write,
                              const char *side)
{
    doca_error_t result = DOCA_SUCCESS;

    if (!core_buf_exists(buf))
        return refuse(rdma, side, "no buffer");
    for (; buf != NULL && result == DOCA_SUCCESS; buf = buf->next) {
        result = check_map(rdma, buf, side);
        if (result == DOCA_SUCCESS && buf->mmap->peer != NULL)
            result = refuse(rdma, side, "in memory of a peer; it has to be local");
        if (result == DOCA_SUCCESS && write && !core_mmap_can_write(buf->mmap))
            result = CORE_FAIL(
                DOCA_ERROR_NOT_PERMITTED, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name, side,
                "in %s with access mask 0x%x" CORE_LIMIT "DOCA_ACCESS_FLAG_LOCAL_READ_WRITE",
                buf->mmap->name, buf->mmap->access);
    }
    return result;
}

static doca_error_t check_remote(const struct doca_rdma *rdma, const struct doca_buf *buf,
                                 const char *side)
{
    doca_error_t result = DOCA_SUCCESS;

    if (!core_buf_exists(buf))
        return refuse(rdma, side, "no buffer");
    for (; buf != NULL && result == DOCA_SUCCESS; buf = buf->next) {
        result = check_map(rdma, buf, side);
        if (result == DOCA_SUCCESS && buf->mmap->peer == NULL)
            result = refuse(rdma, side,
                            "in local memory; it has to be of a map that "
                            "doca_mmap_create_from_export() made");
    }
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

static doca_error_t check_extent(const struct doca_rdma *rdma, const struct rdma_extent *extent,
                                 const char *side)
{
    if (!extent->sane)
        return refuse(rdma, side, "data outside of the buffer");
    if (extent->elements > rdma->max_send_list)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name, side,
            "%u elements" CORE_LIMIT "%u" CORE_REMEDY "see doca_rdma_set_max_send_buf_list_len()",
            extent->elements, rdma->max_send_list);
    return DOCA_SUCCESS;
}

static doca_error_t check_source(const struct doca_rdma *rdma, struct rdma_task *task)
{
    struct rdma_extent data = rdma_data_extent(task->src);
    doca_error_t result = check_extent(rdma, &data, "source");

    if (result != DOCA_SUCCESS)
        return result;
    if (data.bytes > RDMA_MAX_MESSAGE)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, "doca_task_submit",
                         rdma->ctx.name, "source", "%" PRIu64 " bytes" CORE_LIMIT "%u bytes",
                         data.bytes, RDMA_MAX_MESSAGE);
    task->len = data.bytes;
    return DOCA_SUCCESS;
}

static doca_error_t check_room(const struct doca_rdma *rdma, const struct rdma_task *task)
{
    struct rdma_extent room = rdma_room_extent(task->dst);
    doca_error_t result = check_extent(rdma, &room, "destination");

    if (result != DOCA_SUCCESS || room.bytes >= task->len)
        return result;
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name,
                     "destination",
                     "room for %" PRIu64 " bytes behind its data" CORE_LIMIT "%" PRIu64 CORE_REMEDY
                     "reset the data length of a destination that is used again",
                     room.bytes, task->len);
}

static doca_error_t check_message(const struct doca_rdma *rdma, struct rdma_task *task)
{
    doca_error_t result = DOCA_SUCCESS;

    if (task->src != NULL)
        result = rdma_check_local(rdma, task->src, false, "source");
    return result == DOCA_SUCCESS ? check_source(rdma, task) : result;
}

static doca_error_t check_read(const struct doca_rdma *rdma, struct rdma_task *task)
{
    doca_error_t result = check_remote(rdma, task->src, "source");

    if (result == DOCA_SUCCESS)
        result = rdma_check_local(rdma, task->dst, true, "destination");
    if (result == DOCA_SUCCESS)
        result = check_source(rdma, task);
    return result == DOCA_SUCCESS ? check_room(rdma, task) : result;
}

static doca_error_t check_write(const struct doca_rdma *rdma, struct rdma_task *task)
{
    doca_error_t result;

    if (task->kind == RDMA_TASK_WRITE_IMM && task->src == NULL && task->dst == NULL) {
        task->len = 0;
        return DOCA_SUCCESS;
    }
    result = rdma_check_local(rdma, task->src, false, "source");
    if (result == DOCA_SUCCESS)
        result = check_remote(rdma, task->dst, "destination");
    if (result == DOCA_SUCCESS)
        result = check_source(rdma, task);
    return result == DOCA_SUCCESS ? check_room(rdma, task) : result;
}

/* Eight bytes at the data address. */
static bool has_cell(const struct doca_buf *buf)
{
    size_t offset = (size_t)(buf->data - buf->head);

    return offset <= buf->len && buf->len - offset >= sizeof(uint64_t);
}

static doca_error_t check_result(const struct doca_rdma *rdma, const struct doca_buf *buf)
{
    doca_error_t result = rdma_check_local(rdma, buf, true, "result buffer");

    if (result == DOCA_SUCCESS && !has_cell(buf))
        return refuse(rdma, "result buffer", "shorter than 8 bytes from its data address on");
    return result;
}

static doca_error_t check_atomic(const struct doca_rdma *rdma, struct rdma_task *task)
{
    doca_error_t result = check_remote(rdma, task->dst, "destination");

    task->len = sizeof(uint64_t);
    if (result != DOCA_SUCCESS)
        return result;
    if (!has_cell(task->dst) || ((uintptr_t)task->dst->data & 7) != 0)
        return refuse(rdma, "destination",
                      "data address not aligned to 8, or with less than 8 bytes behind it");
    return check_result(rdma, task->result);
}

static doca_error_t check_event(const struct doca_rdma *rdma, struct rdma_task *task)
{
    doca_error_t result;

    task->len = sizeof(uint64_t);
    if (!core_is_live(CORE_LIVE_REMOTE_NET_EVENT, task->event))
        return refuse(rdma, "sync event", "none");
    switch (task->kind) {
    case RDMA_TASK_EVENT_GET:
        result = rdma_check_local(rdma, task->dst, true, "destination");
        return result == DOCA_SUCCESS ? check_room(rdma, task) : result;
    case RDMA_TASK_EVENT_SET:
        result = rdma_check_local(rdma, task->src, false, "source");
        if (result == DOCA_SUCCESS &&
            (!has_cell(task->src) || task->src->data_len != sizeof(uint64_t)))
            return refuse(rdma, "source", "of another length than 8 bytes");
        return result;
    default:
        return task->result != NULL ? check_result(rdma, task->result) : DOCA_SUCCESS;
    }
}

static doca_error_t check(const struct doca_rdma *rdma, struct rdma_task *task)
{
    switch (task->kind) {
    case RDMA_TASK_SEND:
    case RDMA_TASK_SEND_IMM:
        return check_message(rdma, task);
    case RDMA_TASK_READ:
        return check_read(rdma, task);
    case RDMA_TASK_WRITE:
    case RDMA_TASK_WRITE_IMM:
        return check_write(rdma, task);
    case RDMA_TASK_CMP_SWP:
    case RDMA_TASK_FETCH_ADD:
        return check_atomic(rdma, task);
    default:
        return check_event(rdma, task);
    }
}

static doca_error_t check_connection(const struct doca_rdma *rdma, const struct rdma_task *task)
{
    const struct doca_rdma_connection *conn = task->conn;

    if (od_unlikely(!core_is_live(CORE_LIVE_RDMA_CONNECTION, conn) || conn->rdma != rdma))
        return refuse(rdma, "connection", "none of this instance");
    if (od_unlikely(!rdma_conn_takes_tasks(conn) || task->generation != conn->generation))
        return CORE_FAIL(DOCA_ERROR_NOT_CONNECTED, CORE_LOG_RDMA, "doca_task_submit",
                         rdma->ctx.name, "connection",
                         "%u, which is %s" CORE_REMEDY "connect anew, and free the task", conn->id,
                         conn->state == RDMA_CONN_EXPORTED ? "not connected yet" : "over");
    if (od_unlikely(conn->nout >= rdma->send_queue))
        return CORE_ANSWER(DOCA_ERROR_AGAIN, CORE_LOG_RDMA, "doca_task_submit", rdma->ctx.name,
                           "send queue", "%u tasks" CORE_LIMIT "%u", conn->nout, rdma->send_queue);
    return DOCA_SUCCESS;
}

doca_error_t rdma_submit(struct doca_task *base, bool flush)
{
    struct rdma_task *task = rdma_task_of(base);
    struct doca_rdma_connection *conn = task->conn;
    struct doca_rdma *rdma = rdma_of(base->ctx);
    doca_error_t result = check_connection(rdma, task);

    (void)flush; /* holding back would gain nothing */
    if (od_likely(result == DOCA_SUCCESS))
        result = check(rdma, task);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    task->sent = 0;
    conn->nout++;
    core_task_queue_push(&conn->waiting, base);
    if (od_likely(conn->state == RDMA_CONN_UP))
        rdma_run(conn);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * What only try_submit looks at
 */

static doca_error_t check_grant(const struct doca_rdma *rdma, const struct doca_buf *buf,
                                uint32_t flag, const char *side)
{
    for (; core_buf_exists(buf); buf = buf->next) {
        if (buf->mmap->peer != NULL && (buf->mmap->access & flag) == 0)
            return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_RDMA, "doca_task_try_submit",
                             rdma->ctx.name, side,
                             "in %s with access mask 0x%x" CORE_LIMIT "a mask with 0x%x" CORE_REMEDY
                             "the exporter must give the flag with doca_mmap_set_permissions()",
                             buf->mmap->name, buf->mmap->access, flag);
    }
    return DOCA_SUCCESS;
}

doca_error_t rdma_validate(struct doca_task *base)
{
    const struct rdma_task *task = rdma_task_of(base);
    const struct doca_rdma *rdma = rdma_of(base->ctx);

    switch (task->kind) {
    case RDMA_TASK_READ:
        return check_grant(rdma, task->src, DOCA_ACCESS_FLAG_RDMA_READ, "source");
    case RDMA_TASK_WRITE:
    case RDMA_TASK_WRITE_IMM:
        return check_grant(rdma, task->dst, DOCA_ACCESS_FLAG_RDMA_WRITE, "destination");
    case RDMA_TASK_CMP_SWP:
    case RDMA_TASK_FETCH_ADD:
        return check_grant(rdma, task->dst, DOCA_ACCESS_FLAG_RDMA_ATOMIC, "destination");
    default:
        return DOCA_SUCCESS;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Configuration and allocation
 */

doca_error_t rdma_set_conf(struct doca_rdma *rdma, enum rdma_task_kind kind, rdma_callback *done,
                           rdma_callback *error, uint32_t num, const char *func)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, func, "rdma", rdma);
    if (done == NULL || error == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, func, "a callback");
    result = core_ctx_check_idle(&rdma->ctx, func);
    if (result != DOCA_SUCCESS)
        return result;
    if (num == 0 || num > RDMA_MAX_QUEUE)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, rdma->ctx.name, "num_tasks",
                         "%u" CORE_LIMIT "1..%u", num, RDMA_MAX_QUEUE);
    rdma->callbacks[kind] = (struct rdma_callbacks){done, error};
    if (kind == RDMA_TASK_RECEIVE)
        rdma->receives.num = num;
    else
        rdma->pools[kind].num = num;
    return DOCA_SUCCESS;
}

doca_error_t rdma_task_alloc(struct doca_rdma *rdma, enum rdma_task_kind kind,
                             struct doca_rdma_connection *conn, union doca_data user_data,
                             bool has_output, const char *func, struct rdma_task **task)
{
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, func, "rdma", rdma);
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, conn))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, func, "rdma_connection", conn);
    if (!has_output)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, func, "task");
    if (conn->rdma != rdma)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, func, rdma->ctx.name,
                         "rdma_connection", "of another instance");
    result = core_task_alloc(&rdma->pools[kind], user_data, func, &base);
    if (result != DOCA_SUCCESS)
        return result;
    *task = rdma_task_of(base);
    (*task)->kind = kind;
    (*task)->conn = conn;
    (*task)->generation = conn->generation;
    return DOCA_SUCCESS;
}

void rdma_task_set_connection(struct rdma_task *task, struct doca_rdma_connection *conn)
{
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, conn))
        return;
    task->conn = conn;
    task->generation = conn->generation;
}
