/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A connection executes one task after the other. Messages are executed when they are in the link,
 * so that many may fly; what touches foreign memory waits until all earlier messages were taken. */

static bool is_message(const struct rdma_task *task)
{
    return task->kind == RDMA_TASK_SEND || task->kind == RDMA_TASK_SEND_IMM;
}

/* ------------------------------------------------------------------------------------------------
 * Copies
 */

void rdma_copy_start(struct doca_rdma *rdma, struct rdma_copy *copy)
{
    copy->busy = true;
    copy->unsent = rdma->chan->ops->submit(rdma->chan, &copy->job) != 0;
}

bool rdma_copy_done(struct doca_rdma *rdma, struct rdma_copy *copy)
{
    struct soft_copy_job *job;

    if (od_unlikely(copy->unsent))
        copy->unsent = rdma->chan->ops->submit(rdma->chan, &copy->job) != 0;
    while (copy->busy) {
        job = rdma->chan->ops->poll(rdma->chan);
        if (job == NULL)
            return false;
        OD_CONTAINER_OF(job, struct rdma_copy, job)->busy = false;
    }
    return true;
}

bool rdma_copy_pending(const struct doca_rdma *rdma, const struct rdma_copy *copy)
{
    return !copy->busy || copy->unsent || rdma->chan->ops->pending(rdma->chan);
}

void rdma_grow(struct doca_buf *buf, uint64_t bytes)
{
    for (; bytes > 0 && buf != NULL; buf = buf->next) {
        uint64_t room = buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
        uint64_t part = OD_MIN(room, bytes);

        buf->data_len += part;
        bytes -= part;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Messages
 */

/* The bytes of a list from `skip` on, up to a fragment. 0: there are fewer than at submission. */
static unsigned int gather(const struct doca_buf *buf, uint64_t skip, uint64_t bytes,
                           struct iovec *iov)
{
    unsigned int n = 0;

    for (; bytes > 0 && buf != NULL && n < RDMA_MAX_LIST; buf = buf->next) {
        uint64_t part;

        if (skip >= buf->data_len) {
            skip -= buf->data_len;
            continue;
        }
        part = OD_MIN((uint64_t)buf->data_len - skip, bytes);
        iov[n++] = (struct iovec){buf->data + skip, part};
        bytes -= part;
        skip = 0;
    }
    return bytes == 0 ? n : 0;
}

static struct rdma_frame head_of(const struct rdma_task *task)
{
    if (task->sent > 0)
        return (struct rdma_frame){.kind = RDMA_FRAME_MORE};
    if (task->kind == RDMA_TASK_SEND)
        return (struct rdma_frame){.kind = RDMA_FRAME_SEND, .total = task->len};
    return (struct rdma_frame){.kind = task->kind == RDMA_TASK_SEND_IMM ? RDMA_FRAME_SEND_IMM
                                                                        : RDMA_FRAME_WRITE_IMM,
                               .imm = task->imm,
                               .total = task->len};
}

static void fly(struct doca_rdma_connection *conn, struct rdma_task *task)
{
    task->seq = conn->sent;
    core_task_queue_push(&conn->flying, &task->base);
}

/* False: the link has no room for all of it now. */
static bool give_message(struct doca_rdma_connection *conn, struct rdma_task *task)
{
    struct iovec iov[1 + RDMA_MAX_LIST];

    do {
        struct rdma_frame head = head_of(task);
        uint64_t part = OD_MIN(task->len - task->sent, (uint64_t)RDMA_FRAGMENT);
        unsigned int n = gather(task->src, task->sent, part, iov + 1);

        if (od_unlikely(n == 0 && part > 0)) {
            rdma_conn_end(conn, DOCA_ERROR_IO_FAILED);
            return false;
        }
        iov[0] = (struct iovec){&head, sizeof(head)};
        if (soft_link_send(conn->link, iov, n + 1) != 0)
            return false;
        conn->sent++;
        task->sent += part;
    } while (task->sent < task->len);
    return true;
}

static bool give_immediate(struct doca_rdma_connection *conn, struct rdma_task *task)
{
    struct rdma_frame head = head_of(task);
    const struct iovec iov = {&head, sizeof(head)};

    if (soft_link_send(conn->link, &iov, 1) != 0)
        return false;
    conn->sent++;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Foreign memory
 */

static bool is_granted(const struct doca_rdma_connection *conn, const struct doca_buf *buf,
                       uint32_t flag)
{
    if ((conn->peer_permissions & flag) == 0)
        return false;
    for (; buf != NULL; buf = buf->next) {
        if ((buf->mmap->access & flag) == 0)
            return false;
    }
    return true;
}

static uint32_t data_segs(const struct doca_buf *buf, struct soft_seg *seg)
{
    uint32_t n = 0;

    for (; buf != NULL; buf = buf->next)
        seg[n++] = (struct soft_seg){(uintptr_t)buf->data, buf->data_len, buf->mmap->peer};
    return n;
}

static uint32_t room_segs(const struct doca_buf *buf, struct soft_seg *seg)
{
    uint32_t n = 0;

    for (; buf != NULL; buf = buf->next)
        seg[n++] = (struct soft_seg){(uintptr_t)(buf->data + buf->data_len),
                                     (size_t)(buf->head + buf->len - (buf->data + buf->data_len)),
                                     buf->mmap->peer};
    return n;
}

/* The buffers are the program's, who may have changed them since they were checked. */
static bool is_unchanged(const struct doca_rdma_connection *conn, const struct rdma_task *task)
{
    struct rdma_extent data = rdma_data_extent(task->src), room = rdma_room_extent(task->dst);
    uint32_t max = conn->rdma->max_send_list;

    return data.sane && room.sane && data.bytes == task->len && room.bytes >= task->len &&
           data.elements <= max && room.elements <= max;
}

static int start_copy(struct doca_rdma_connection *conn, const struct rdma_task *task)
{
    struct soft_copy_job *job = &conn->out.job;

    if (task->len == 0)
        return 0;
    if (od_unlikely(!is_unchanged(conn, task)))
        return -EINVAL;
    job->src = conn->out_src;
    job->dst = conn->out_dst;
    job->nsrc = data_segs(task->src, conn->out_src);
    job->ndst = room_segs(task->dst, conn->out_dst);
    job->len = task->len;
    rdma_copy_start(conn->rdma, &conn->out);
    return 0;
}

static void set_result(struct doca_buf *buf, uint64_t value)
{
    if (buf == NULL)
        return;
    memcpy(buf->data, &value, sizeof(value));
    buf->data_len = sizeof(value);
}

static int do_atomic(const struct rdma_task *task)
{
    const struct soft_peer_atomic atomic = {
        .op = task->kind == RDMA_TASK_CMP_SWP ? SOFT_PEER_OP_CSWAP : SOFT_PEER_OP_ADD,
        .width = sizeof(uint64_t),
        .addr = (uintptr_t)task->dst->data,
        .value = task->add,
        .compare = task->compare,
    };
    uint64_t before = 0;
    int err = soft_peer_atomic(task->dst->mmap->peer, &atomic, &before);

    if (err == 0)
        set_result(task->result, before);
    return err;
}

static int do_event(const struct rdma_task *task)
{
    uint64_t addr, value = 0;
    struct soft_peer_map *map = core_remote_net_event_map(task->event, &addr);
    int err;

    switch (task->kind) {
    case RDMA_TASK_EVENT_GET:
        err = soft_peer_load(map, addr, &value);
        if (err == 0)
            memcpy(task->dst->data + task->dst->data_len, &value, sizeof(value));
        return err;
    case RDMA_TASK_EVENT_SET:
        memcpy(&value, task->src->data, sizeof(value));
        return soft_peer_store(map, addr, value);
    default:
        err = soft_peer_fetch_add(map, addr, task->add, &value);
        if (err == 0)
            set_result(task->result, value);
        return err;
    }
}

static int start(struct doca_rdma_connection *conn, const struct rdma_task *task)
{
    switch (task->kind) {
    case RDMA_TASK_READ:
        if (!is_granted(conn, task->src, DOCA_ACCESS_FLAG_RDMA_READ))
            return -EACCES;
        return start_copy(conn, task);
    case RDMA_TASK_WRITE:
    case RDMA_TASK_WRITE_IMM:
        if (task->dst != NULL && !is_granted(conn, task->dst, DOCA_ACCESS_FLAG_RDMA_WRITE))
            return -EACCES;
        return start_copy(conn, task);
    case RDMA_TASK_CMP_SWP:
    case RDMA_TASK_FETCH_ADD:
        if (!is_granted(conn, task->dst, DOCA_ACCESS_FLAG_RDMA_ATOMIC))
            return -EACCES;
        return do_atomic(task);
    default:
        return do_event(task);
    }
}

void rdma_run(struct doca_rdma_connection *conn)
{
    while (conn->active == NULL && conn->waiting.head != NULL) {
        struct rdma_task *task = rdma_task_of(conn->waiting.head);

        if (is_message(task)) {
            if (!give_message(conn, task))
                return;
            core_task_queue_pop(&conn->waiting);
            fly(conn, task);
            continue;
        }
        if (conn->flying.head != NULL)
            return;
        core_task_queue_pop(&conn->waiting);
        conn->active = task;
        conn->out.job.status = 0;
        conn->active_status = start(conn, task);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Reports
 */

/* The context may be gone after this. */
static bool complete(struct doca_rdma_connection *conn, struct rdma_task *task, doca_error_t status)
{
    conn->nout--;
    core_task_complete(&task->base, status);
    return true;
}

static const char *text_of(int err)
{
    switch (err) {
    case -EFAULT:
        return "memory that is not mapped or not accessible";
    case -EPERM:
        return "the peer stopped or destroyed its map";
    case -EACCES:
        return "neither the peer's instance nor its map may refuse: "
               "doca_rdma_set_permissions() and doca_mmap_set_permissions() there grant it";
    case -ENOTCONN:
        return "the peer is gone";
    case -ETIMEDOUT:
        return "the peer had no receive task for too long";
    default:
        return strerror(-err);
    }
}

static doca_error_t code_of(int err)
{
    switch (err) {
    case -EACCES:
        return DOCA_ERROR_NOT_PERMITTED;
    case -ENOTCONN:
        return DOCA_ERROR_CONNECTION_RESET;
    case -ETIMEDOUT:
        return DOCA_ERROR_TIME_OUT;
    default:
        return DOCA_ERROR_IO_FAILED;
    }
}

/* A task that fails ends its connection. */
static OD_COLD bool fail(struct doca_rdma_connection *conn, struct rdma_task *task, int err)
{
    doca_error_t code =
        CORE_FAIL(code_of(err), CORE_LOG_RDMA, "doca_pe_progress", conn->rdma->ctx.name, "task",
                  "failed on connection %u, %" PRIu64 " bytes: %s" CORE_REMEDY
                  "the connection ends now; make a new one",
                  conn->id, task->len, text_of(err));

    rdma_conn_end(conn, DOCA_ERROR_IO_FAILED);
    return complete(conn, task, code);
}

static void grow_destination(const struct rdma_task *task)
{
    switch (task->kind) {
    case RDMA_TASK_READ:
    case RDMA_TASK_WRITE:
    case RDMA_TASK_WRITE_IMM:
    case RDMA_TASK_EVENT_GET:
        rdma_grow(task->dst, task->len);
        break;
    default:
        break;
    }
}

static bool report_active(struct doca_rdma_connection *conn)
{
    struct rdma_task *task = conn->active;
    int err;

    if (!rdma_copy_done(conn->rdma, &conn->out))
        return false;
    err = conn->active_status != 0 ? conn->active_status : conn->out.job.status;
    if (od_unlikely(err != 0)) {
        conn->active = NULL;
        return fail(conn, task, err);
    }
    if (task->kind == RDMA_TASK_WRITE_IMM) {
        if (!give_immediate(conn, task))
            return false;
        conn->active = NULL;
        grow_destination(task);
        fly(conn, task);
        return false;
    }
    conn->active = NULL;
    grow_destination(task);
    rdma_run(conn);
    return complete(conn, task, DOCA_SUCCESS);
}

uint64_t rdma_rnr_limit(const struct doca_rdma *rdma)
{
    return rdma->rnr_retry == RDMA_RNR_FOREVER ? 0 : (rdma->rnr_retry + 1u) * RDMA_RNR_RETRY_MS;
}

/* The message that flies first waits for a receive task: for too long? */
static bool is_stalled(struct doca_rdma_connection *conn, const struct rdma_task *task)
{
    uint64_t limit = rdma_rnr_limit(conn->rdma);

    if (limit == 0)
        return false;
    if (conn->stalled_at == 0 || conn->stalled_seq != task->seq) {
        conn->stalled_at = rdma_now_ms();
        conn->stalled_seq = task->seq;
        return false;
    }
    return rdma_now_ms() - conn->stalled_at >= limit;
}

static bool report_flying(struct doca_rdma_connection *conn)
{
    struct rdma_task *task = rdma_task_of(conn->flying.head);
    bool taken = task->seq <= soft_link_taken(conn->link);

    if (!taken && od_likely(!is_stalled(conn, task)))
        return false;
    /* This thread may have stood still before it looked at the clock: that is not the peer's. */
    if (!taken)
        soft_link_check(conn->link);
    if (taken || task->seq <= soft_link_taken(conn->link)) {
        core_task_queue_pop(&conn->flying);
        conn->stalled_at = 0;
        rdma_run(conn);
        return complete(conn, task, DOCA_SUCCESS);
    }
    core_task_queue_pop(&conn->flying);
    return fail(conn, task, -ETIMEDOUT);
}

bool rdma_report(struct doca_rdma_connection *conn)
{
    if (conn->flying.head != NULL)
        return report_flying(conn);
    return conn->active != NULL && report_active(conn);
}

bool rdma_run_pending(struct doca_rdma_connection *conn)
{
    uint64_t awaited = 0;

    if (conn->flying.head != NULL)
        awaited = rdma_task_of(conn->flying.head)->seq;
    else if (conn->active != NULL && rdma_copy_pending(conn->rdma, &conn->out))
        return true;
    /* The link had no room for the whole of the first one. */
    if (conn->active == NULL && conn->waiting.head != NULL &&
        is_message(rdma_task_of(conn->waiting.head)))
        awaited = soft_link_taken(conn->link) + 1;
    return awaited != 0 && soft_link_await(conn->link, awaited);
}

/* ------------------------------------------------------------------------------------------------
 * The end
 */

static bool report_rest_active(struct doca_rdma_connection *conn, bool *busy)
{
    struct rdma_task *task = conn->active;
    int err;

    if (!rdma_copy_done(conn->rdma, &conn->out)) {
        *busy = true;
        return false;
    }
    conn->active = NULL;
    err = conn->active_status != 0 ? conn->active_status : conn->out.job.status;
    if (err != 0 || task->kind == RDMA_TASK_WRITE_IMM)
        return complete(conn, task, err == 0 || err == -ECANCELED ? conn->why : code_of(err));
    grow_destination(task);
    return complete(conn, task, DOCA_SUCCESS);
}

bool rdma_report_rest(struct doca_rdma_connection *conn, bool *busy)
{
    struct rdma_task *task;

    if (conn->flying.head != NULL) {
        task = rdma_task_of(core_task_queue_pop(&conn->flying));
        return complete(conn, task,
                        task->seq <= soft_link_taken(conn->link) ? DOCA_SUCCESS : conn->why);
    }
    if (conn->active != NULL)
        return report_rest_active(conn, busy);
    if (conn->waiting.head == NULL)
        return false;
    return complete(conn, rdma_task_of(core_task_queue_pop(&conn->waiting)), conn->why);
}
