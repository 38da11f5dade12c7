/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <errno.h>
#include <string.h>

/* Frames of a message that one call of progress takes, so that the others get their turn. */
#define BURST 16

void rdma_flush_receive(struct doca_rdma *rdma, doca_error_t status)
{
    struct doca_task *base = core_task_queue_pop(&rdma->posted);

    rdma->nposted--;
    core_task_complete(base, status);
}

/* ------------------------------------------------------------------------------------------------
 * Frames
 */

bool rdma_take_frame(struct doca_rdma_connection *conn)
{
    int err = soft_link_recv(conn->link, &conn->msg);

    if (err != 0) {
        if (err != -EAGAIN)
            rdma_conn_end(conn, DOCA_ERROR_CONNECTION_RESET);
        return false;
    }
    conn->holds = true;
    conn->in_started = false;
    if (rdma_wire_get_frame(conn->msg.data, conn->msg.len, conn->in_left, &conn->frame) == 0)
        return true;
    rdma_conn_break_off(conn, "a malformed frame");
    return false;
}

static bool is_first(const struct doca_rdma_connection *conn)
{
    return conn->frame.kind != RDMA_FRAME_MORE;
}

void rdma_drop_frame(struct doca_rdma_connection *conn)
{
    conn->holds = false;
    soft_link_release(conn->link);
}

/* ------------------------------------------------------------------------------------------------
 * The receive task
 */

static OD_COLD void fail(struct doca_rdma_connection *conn, doca_error_t code, const char *why)
{
    struct doca_rdma_task_receive *task = conn->in_task;

    CORE_FAIL(code, CORE_LOG_RDMA, "doca_pe_progress", conn->rdma->ctx.name, "receive task",
              "failed on connection %u: %s" CORE_REMEDY "the connection ends now", conn->id, why);
    conn->in_task = NULL;
    rdma_conn_end(conn, DOCA_ERROR_IO_FAILED);
    core_task_complete(&task->base, code);
}

static void find_room(struct doca_rdma_connection *conn)
{
    uint32_t n = 0;

    for (struct doca_buf *buf = conn->in_task->dst; buf != NULL; buf = buf->next)
        conn->in_dst[n++] =
            (struct soft_seg){(uintptr_t)(buf->data + buf->data_len),
                              (size_t)(buf->head + buf->len - (buf->data + buf->data_len)), NULL};
    conn->in_seg = 0;
    conn->in_nsegs = n;
}

/* The message that begins gets the task that was posted first; false: there is none. */
static bool claim(struct doca_rdma_connection *conn)
{
    struct doca_rdma *rdma = conn->rdma;

    if (rdma->posted.head == NULL) {
        /* Who waits for us to take it may go meanwhile. */
        if (soft_link_peer_ended(conn->link))
            rdma_conn_end(conn, DOCA_ERROR_CONNECTION_RESET);
        return false;
    }
    conn->in_task = rdma_receive_of(core_task_queue_pop(&rdma->posted));
    rdma->nposted--;
    conn->in_task->conn = conn;
    conn->in_task->imm = conn->frame.imm;
    conn->in_task->len = (uint32_t)conn->frame.total;
    conn->in_task->opcode = conn->frame.kind == RDMA_FRAME_SEND ? DOCA_RDMA_OPCODE_RECV_SEND
                            : conn->frame.kind == RDMA_FRAME_SEND_IMM
                                ? DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM
                                : DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM;
    conn->in_left = conn->frame.kind == RDMA_FRAME_WRITE_IMM ? 0 : conn->frame.total;
    return true;
}

/* What was posted is the program's to change until it is claimed. */
static bool has_room(const struct doca_rdma_connection *conn)
{
    struct rdma_extent room = rdma_room_extent(conn->in_task->dst);

    return conn->in_left == 0 ||
           (room.sane && room.bytes >= conn->in_left && room.elements <= conn->rdma->max_recv_list);
}

static void start_copy(struct doca_rdma_connection *conn, uint32_t bytes)
{
    struct soft_copy_job *job = &conn->in.job;

    conn->in_src =
        (struct soft_seg){(uintptr_t)conn->msg.data + sizeof(struct rdma_frame), bytes, NULL};
    job->src = &conn->in_src;
    job->nsrc = 1;
    job->dst = conn->in_dst + conn->in_seg;
    job->ndst = conn->in_nsegs - conn->in_seg;
    job->len = bytes;
    rdma_copy_start(conn->rdma, &conn->in);
}

/* So many bytes of the room are used. */
static void advance(struct doca_rdma_connection *conn, size_t bytes)
{
    while (bytes > 0) {
        struct soft_seg *seg = &conn->in_dst[conn->in_seg];
        size_t part = OD_MIN(seg->len, bytes);

        seg->addr += part;
        seg->len -= part;
        bytes -= part;
        if (seg->len == 0)
            conn->in_seg++;
    }
}

static void finish(struct doca_rdma_connection *conn)
{
    struct doca_rdma_task_receive *task = conn->in_task;

    conn->in_task = NULL;
    if (task->opcode != DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM)
        rdma_grow(task->dst, task->len);
    core_task_complete(&task->base, DOCA_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

enum placed {
    PLACED_NOT, /* nothing more can be done now */
    PLACED_PART,
    PLACED_SEEN, /* the program was told something */
};

static enum placed place(struct doca_rdma_connection *conn)
{
    uint32_t bytes = conn->msg.len - (uint32_t)sizeof(struct rdma_frame);

    if (!conn->in_started) {
        if (is_first(conn)) {
            if (!claim(conn))
                return PLACED_NOT;
            if (!has_room(conn)) {
                fail(conn, DOCA_ERROR_TOO_BIG, "the message is longer than its buffer");
                return PLACED_SEEN;
            }
            if (conn->in_left > 0)
                find_room(conn);
        }
        conn->in.job.status = 0;
        conn->in_started = true;
        if (bytes > 0)
            start_copy(conn, bytes);
    }
    if (!rdma_copy_done(conn->rdma, &conn->in))
        return PLACED_NOT;
    if (od_unlikely(conn->in.job.status != 0)) {
        fail(conn, DOCA_ERROR_IO_FAILED, "its buffer is not accessible");
        return PLACED_SEEN;
    }
    advance(conn, bytes);
    conn->in_left -= bytes;
    rdma_drop_frame(conn);
    if (conn->in_left > 0)
        return PLACED_PART;
    finish(conn);
    return PLACED_SEEN;
}

bool rdma_receive(struct doca_rdma_connection *conn)
{
    for (int i = 0; i < BURST; i++) {
        enum placed placed;

        if (!conn->holds && !rdma_take_frame(conn))
            return false;
        placed = place(conn);
        if (placed != PLACED_PART)
            return placed == PLACED_SEEN;
    }
    return false;
}

bool rdma_receive_pending(struct doca_rdma_connection *conn)
{
    if (!conn->holds)
        return soft_link_pending(conn->link);
    if (conn->in_started)
        return rdma_copy_pending(conn->rdma, &conn->in);
    return !is_first(conn) || conn->rdma->posted.head != NULL || soft_link_peer_ended(conn->link);
}

bool rdma_receive_rest(struct doca_rdma_connection *conn, bool *busy)
{
    struct doca_rdma_task_receive *task = conn->in_task;

    if (task == NULL)
        return false;
    if (!rdma_copy_done(conn->rdma, &conn->in)) {
        *busy = true;
        return false;
    }
    conn->in_task = NULL;
    core_task_complete(&task->base, conn->why);
    return true;
}
