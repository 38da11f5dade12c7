/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels ask for, over the link of its connection. In the order of the queue: messages may
 * fly together, what touches foreign memory waits until all messages before it were taken. */

#include "rdma/gpu.h"

#include <errno.h>
#include <string.h>

#include <impl/opendoca_gpu_barrier.h>

#define AT_ONCE 64u

static struct rdma_gpu_conn *gpu_of(const struct doca_rdma_connection *conn)
{
    return &conn->rdma->gpu->conns[conn->id];
}

static OD_COLD void fail(struct doca_rdma_connection *conn, const char *what, int err)
{
    CORE_FAIL(DOCA_ERROR_IO_FAILED, CORE_LOG_RDMA, "doca_gpu_dev_rdma", conn->rdma->ctx.name, what,
              "failed on connection %u: %s" CORE_REMEDY "the connection ends now; make a new one",
              conn->id,
              err == -EINVAL     ? "a key does not cover its range"
              : err == -EACCES   ? "its memory, or the peer, does not permit it"
              : err == -EMSGSIZE ? "the message is longer than its buffer"
                                 : strerror(-err));
    rdma_conn_end(conn, DOCA_ERROR_IO_FAILED);
}

/* ------------------------------------------------------------------------------------------------
 * Out
 */

/* Read once: kernels may write it again at any time. */
static struct opendoca_gpu_rdma_op read_op(const struct opendoca_gpu_rdma_op *at)
{
    const uint64_t *words = (const uint64_t *)at;
    struct opendoca_gpu_rdma_op op;
    uint64_t copy[sizeof(op) / sizeof(uint64_t)];

    for (size_t i = 0; i < OD_ARRAY_SIZE(copy); i++)
        copy[i] = opendoca_gpu_peek(&words[i]);
    memcpy(&op, copy, sizeof(op));
    return op;
}

static int check_op(const struct opendoca_gpu_rdma_op *op)
{
    bool is_inline = (op->flags & OPENDOCA_GPU_RDMA_INLINE) != 0;

    if (op->opcode < OPENDOCA_GPU_RDMA_WRITE || op->opcode > OPENDOCA_GPU_RDMA_SEND ||
        (op->flags & ~(OPENDOCA_GPU_RDMA_INLINE | OPENDOCA_GPU_RDMA_IMM)) != 0 ||
        op->bytes > (is_inline ? OPENDOCA_GPU_RDMA_INLINE_MAX : RDMA_MAX_MESSAGE) ||
        (op->opcode == OPENDOCA_GPU_RDMA_READ && op->flags != 0))
        return -EINVAL;
    return 0;
}

static struct soft_dma_end local_end(const struct opendoca_gpu_rdma_op *op, uint64_t offset)
{
    if ((op->flags & OPENDOCA_GPU_RDMA_INLINE) != 0)
        return (struct soft_dma_end){.own = (uint8_t *)(uintptr_t)op->data + offset};
    return (struct soft_dma_end){.key = opendoca_gpu_swap32(op->local_key_be),
                                 .addr = op->local + offset};
}

static int give_frame(struct doca_rdma_connection *conn, const struct rdma_frame *head,
                      const void *bytes, size_t len)
{
    const struct iovec iov[2] = {{(void *)(uintptr_t)head, sizeof(*head)},
                                 {(void *)(uintptr_t)bytes, len}};
    int err = soft_link_send(conn->link, iov, len > 0 ? 2 : 1);

    if (err == 0)
        conn->sent++;
    return err;
}

/* 0: all of it is in the link; -EAGAIN: not now. */
static int give_message(struct doca_rdma_connection *conn, const struct opendoca_gpu_rdma_op *op)
{
    struct rdma_gpu_conn *g = gpu_of(conn);
    struct rdma_gpu *gpu = conn->rdma->gpu;
    int err;

    do {
        uint64_t part = OD_MIN(op->bytes - g->sent, (uint64_t)RDMA_FRAGMENT);
        const struct soft_dma_end src = local_end(op, g->sent), dst = {.own = gpu->stage};
        const struct rdma_frame head = {
            .kind = g->sent > 0                                ? RDMA_FRAME_MORE
                    : (op->flags & OPENDOCA_GPU_RDMA_IMM) != 0 ? RDMA_FRAME_SEND_IMM
                                                               : RDMA_FRAME_SEND,
            .imm = g->sent > 0 || (op->flags & OPENDOCA_GPU_RDMA_IMM) == 0 ? 0 : op->imm,
            .total = g->sent > 0 ? 0 : op->bytes};

        err = soft_dma_move(gpu->mover, &dst, &src, part);
        if (err == 0)
            err = give_frame(conn, &head, gpu->stage, part);
        if (err != 0)
            return err;
        g->sent += part;
    } while (g->sent < op->bytes);
    return 0;
}

static int touch_memory(struct doca_rdma_connection *conn, const struct opendoca_gpu_rdma_op *op)
{
    bool is_read = op->opcode == OPENDOCA_GPU_RDMA_READ;
    const uint32_t flag = is_read ? DOCA_ACCESS_FLAG_RDMA_READ : DOCA_ACCESS_FLAG_RDMA_WRITE;
    const struct soft_dma_end local = local_end(op, 0);
    const struct soft_dma_end remote = {
        .key = opendoca_gpu_swap32(op->remote_key_be), .addr = op->remote, .access = flag};

    if ((conn->peer_permissions & flag) == 0)
        return -EACCES;
    return soft_dma_move(conn->rdma->gpu->mover, is_read ? &local : &remote,
                         is_read ? &remote : &local, op->bytes);
}

/* 0: begun, and done when the peer has taken frame `*seq`; -EAGAIN: not now. */
static int begin(struct doca_rdma_connection *conn, const struct opendoca_gpu_rdma_op *op,
                 uint64_t *seq)
{
    struct rdma_gpu_conn *g = gpu_of(conn);
    const struct rdma_frame told = {
        .kind = RDMA_FRAME_WRITE_IMM, .imm = op->imm, .total = op->bytes};
    int err = check_op(op);

    if (err == 0 && op->opcode == OPENDOCA_GPU_RDMA_SEND) {
        err = give_message(conn, op);
        *seq = conn->sent;
        return err;
    }
    if (err == 0 && !g->written)
        err = g->done == g->begun ? touch_memory(conn, op) : -EAGAIN;
    if (err != 0)
        return err;
    *seq = 0;
    if ((op->flags & OPENDOCA_GPU_RDMA_IMM) == 0)
        return 0;
    g->written = true;
    err = give_frame(conn, &told, NULL, 0);
    *seq = conn->sent;
    return err;
}

/* Operations whose frames were taken, as far as they come first. */
static uint32_t finish(struct doca_rdma_connection *conn)
{
    struct rdma_gpu_conn *g = gpu_of(conn);
    const uint64_t taken = soft_link_taken(conn->link), before = g->done;

    while (g->done != g->begun && g->seqs[g->done & (conn->rdma->gpu->num - 1)] <= taken)
        g->done++;
    if (g->done != before)
        opendoca_gpu_publish(&g->words->done, g->done);
    return (uint32_t)(g->done - before);
}

/* The message that was sent first finds no receive: for too long? */
static bool is_stalled(struct doca_rdma_connection *conn)
{
    struct rdma_gpu_conn *g = gpu_of(conn);
    const uint64_t limit = rdma_rnr_limit(conn->rdma);

    if (limit == 0 || g->done == g->begun)
        return false;
    if (g->stalled_at == 0 || g->stalled_seq != g->done) {
        g->stalled_at = rdma_now_ms();
        g->stalled_seq = g->done;
        return false;
    }
    return rdma_now_ms() - g->stalled_at >= limit;
}

uint32_t rdma_gpu_run(struct doca_rdma_connection *conn)
{
    struct rdma_gpu_conn *g = gpu_of(conn);
    const uint32_t num = conn->rdma->gpu->num;
    uint64_t committed = opendoca_gpu_observe(&g->words->committed);
    uint32_t found = finish(conn);

    if (od_unlikely(committed - g->done > num)) {
        opendoca_gpu_publish(&g->words->state, OPENDOCA_GPU_QUEUE_BROKEN);
        fail(conn, "doorbell", -EINVAL);
        return found;
    }
    for (uint32_t i = 0; i < AT_ONCE && g->begun != committed; i++) {
        const uint32_t place = (uint32_t)g->begun & (num - 1);
        const struct opendoca_gpu_rdma_op op = read_op(&g->ops[place]);
        int err = begin(conn, &op, &g->seqs[place]);

        if (err == -EAGAIN)
            break;
        if (err != 0) {
            fail(conn, "operation", err);
            return found;
        }
        g->begun++;
        g->sent = 0;
        g->written = false;
        found += 1 + finish(conn);
    }
    if (od_unlikely(is_stalled(conn))) {
        /* This thread may have stood still before it looked at the clock. */
        soft_link_check(conn->link);
        found += finish(conn);
        if (is_stalled(conn))
            fail(conn, "operation", -ETIMEDOUT);
    }
    return found;
}

/* ------------------------------------------------------------------------------------------------
 * In
 */

/* The message that begins gets the receive that was posted first; -EAGAIN: there is none. */
static int claim(struct doca_rdma_connection *conn)
{
    struct rdma_gpu *gpu = conn->rdma->gpu;
    struct rdma_gpu_conn *g = gpu_of(conn);
    uint64_t committed = opendoca_gpu_observe(&gpu->r_words->committed);
    const uint64_t *words = (const uint64_t *)gpu->recvs->cpu;
    uint64_t head;

    if (committed == gpu->claimed)
        return -EAGAIN;
    if (committed - gpu->claimed > gpu->r_num) {
        opendoca_gpu_publish(&gpu->r_words->state, OPENDOCA_GPU_QUEUE_BROKEN);
        return -EINVAL;
    }
    words += (gpu->claimed & (gpu->r_num - 1)) * 2;
    head = opendoca_gpu_peek(&words[1]);
    g->into = (struct soft_dma_end){.addr = opendoca_gpu_peek(&words[0]),
                                    .key = opendoca_gpu_swap32((uint32_t)(head >> 32))};
    g->is_receiving = true;
    g->placed = 0;
    gpu->claimed++;
    conn->in_left = conn->frame.kind == RDMA_FRAME_WRITE_IMM ? 0 : conn->frame.total;
    return conn->in_left <= (uint32_t)head ? 0 : -EMSGSIZE;
}

static void arrive(struct doca_rdma_connection *conn, uint32_t imm, uint64_t bytes)
{
    struct rdma_gpu *gpu = conn->rdma->gpu;
    uint64_t *arrival = (uint64_t *)gpu->arrivals->cpu + (gpu->arrived & (gpu->r_num - 1)) * 2;

    gpu_of(conn)->is_receiving = false;
    opendoca_gpu_poke(&arrival[0], conn->id | (uint64_t)imm << 32);
    opendoca_gpu_poke(&arrival[1], bytes);
    opendoca_gpu_publish(&gpu->r_words->done, ++gpu->arrived);
}

/* The held frame. 0: it is over. */
static int place(struct doca_rdma_connection *conn)
{
    struct rdma_gpu_conn *g = gpu_of(conn);
    const uint32_t bytes = conn->msg.len - (uint32_t)sizeof(struct rdma_frame);
    const struct soft_dma_end src = {.own = (char *)(uintptr_t)conn->msg.data +
                                            sizeof(struct rdma_frame)};
    struct soft_dma_end dst;
    int err = 0;

    if (!conn->in_started && conn->frame.kind != RDMA_FRAME_MORE)
        err = claim(conn);
    if (err != 0)
        return err;
    if (conn->frame.kind != RDMA_FRAME_MORE) {
        conn->in_imm = conn->frame.imm;
        conn->in_total = conn->frame.total;
    }
    dst = g->into;
    dst.addr += g->placed;
    err = bytes > 0 ? soft_dma_move(conn->rdma->gpu->mover, &dst, &src, bytes) : 0;
    if (err != 0)
        return err;
    g->placed += bytes;
    conn->in_left -= bytes;
    rdma_drop_frame(conn);
    if (conn->in_left == 0)
        arrive(conn, conn->in_imm, conn->in_total);
    return 0;
}

uint32_t rdma_gpu_receive(struct doca_rdma_connection *conn)
{
    uint32_t found = 0;
    int err = 0;

    while (found < AT_ONCE && err == 0) {
        if (!conn->holds && !rdma_take_frame(conn))
            return found;
        err = place(conn);
        found += err == 0;
    }
    /* Who waits for us to take it may go meanwhile. */
    if (err == -EAGAIN && soft_link_peer_ended(conn->link))
        rdma_conn_end(conn, DOCA_ERROR_CONNECTION_RESET);
    else if (err != 0 && err != -EAGAIN)
        fail(conn, "receive", err);
    return found;
}
