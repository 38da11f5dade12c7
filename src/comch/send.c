/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/comch_priv.h"

#include <errno.h>
#include <time.h>

/* A peer that has ended the connection and lives has taken what it takes within this time. */
#define FATE_MS 10000

static struct doca_comch_task_send *from_task(struct doca_task *task)
{
    return OD_CONTAINER_OF(task, struct doca_comch_task_send, base);
}

/* ------------------------------------------------------------------------------------------------
 * Submission
 */

static int give_to_link(struct doca_comch_connection *conn, struct doca_comch_task_send *task)
{
    struct comch_frame_head head = {.kind = COMCH_FRAME_MESSAGE};
    const struct iovec iov[] = {{&head, sizeof(head)}, {(void *)task->msg, task->len}};
    int err = soft_link_send(conn->link, iov, OD_ARRAY_SIZE(iov));

    if (od_likely(err == 0)) {
        task->seq = ++conn->sent;
        core_task_queue_push(&conn->flying, &task->base);
    }
    return err;
}

void comch_send_push(struct doca_comch_connection *conn)
{
    struct core_task_queue rest = conn->waiting;

    while (rest.head != NULL) {
        struct doca_task *next = rest.head->next;

        if (give_to_link(conn, from_task(rest.head)) != 0)
            break;
        rest.head = next;
    }
    conn->waiting = rest;
}

static OD_COLD doca_error_t refuse_gone(const struct doca_comch_task_send *task)
{
    return CORE_FAIL(DOCA_ERROR_NOT_CONNECTED, CORE_LOG_COMCH, "doca_task_submit",
                     task->base.ctx->name, "connection",
                     "over" CORE_LIMIT "established" CORE_REMEDY "free the task");
}

static doca_error_t submit(struct doca_task *base, bool flush)
{
    struct doca_comch_task_send *task = from_task(base);
    struct doca_comch_connection *conn = task->conn;
    int err = -EAGAIN;

    (void)flush; /* holding back would gain nothing */
    if (od_unlikely(task->generation != conn->generation || !comch_conn_is_usable(conn) ||
                    soft_link_peer_ended(conn->link)))
        return refuse_gone(task);
    if (od_likely(conn->waiting.head == NULL))
        err = give_to_link(conn, task);
    if (od_likely(err == 0))
        return DOCA_SUCCESS;
    if (err != -EAGAIN)
        return refuse_gone(task);
    /* A task that could be allocated can be submitted. */
    core_task_queue_push(&conn->waiting, base);
    return DOCA_SUCCESS;
}

static doca_error_t validate(struct doca_task *base)
{
    (void)base; /* alloc_init checked all that there is, and nothing of it can be changed */
    return DOCA_SUCCESS;
}

static void deliver(struct doca_task *base)
{
    const struct comch_side *side = comch_side_of(base->ctx);
    doca_comch_task_send_completion_cb_t cb =
        od_likely(base->status == DOCA_SUCCESS) ? side->sent_cb : side->send_error_cb;

    cb(from_task(base), base->user_data, side->ctx.user_data);
}

const struct core_task_ops comch_send_ops = {
    .submit = submit,
    .validate = validate,
    .deliver = deliver,
};

/* ------------------------------------------------------------------------------------------------
 * Fate
 */

/* How many of the frames sent so far are with the peer's library for good. */
static uint64_t count_delivered(struct doca_comch_connection *conn)
{
    uint64_t taken = soft_link_taken(conn->link);
    uint64_t arrived;

    if (conn->flying.head == NULL || from_task(conn->flying.head)->seq <= taken)
        return taken;
    arrived = soft_link_arrived(conn->link);
    /* The place in the peer's queue is waited for, but not at the end, which must not depend on
     * the peer's progress. */
    if (conn->state == COMCH_CONN_UP)
        arrived = OD_MIN(arrived, taken + conn->peer_window);
    /* A peer that has ended the connection may have done so before these arrived. */
    return soft_link_peer_ended(conn->link) ? taken : OD_MAX(arrived, taken);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The peer ended the connection: will it take anything more? */
static bool is_final(struct doca_comch_connection *conn)
{
    if (conn->lost_at == 0)
        conn->lost_at = now_ms();
    return !conn->orderly || soft_link_poll(conn->link, NULL) == SOFT_LINK_DOWN ||
           now_ms() - conn->lost_at >= FATE_MS;
}

/* The send that is reported next and its status; NULL: its fate is open, or there is none. */
static struct doca_task *find_decided(struct doca_comch_connection *conn, doca_error_t *status)
{
    struct doca_task *first = conn->flying.head;

    *status = DOCA_SUCCESS;
    if (first != NULL && from_task(first)->seq <= count_delivered(conn))
        return first;
    if (od_likely(conn->state != COMCH_CONN_LOST))
        return NULL;
    *status = DOCA_ERROR_CONNECTION_RESET;
    if (first == NULL)
        return conn->waiting.head;
    /* What is final comes first: the last of the taken ones may have come since the look above. */
    if (!is_final(conn))
        return NULL;
    if (from_task(first)->seq <= soft_link_taken(conn->link))
        *status = DOCA_SUCCESS;
    return first;
}

static void count_sent(struct doca_comch_connection *conn, const struct doca_comch_task_send *task)
{
    conn->counters[DOCA_COMCH_COUNTER_SENT_MESSAGES]++;
    conn->counters[DOCA_COMCH_COUNTER_SENT_BYTES] += task->len;
}

bool comch_send_report(struct doca_comch_connection *conn)
{
    doca_error_t status;
    struct doca_task *task = find_decided(conn, &status);

    if (task == NULL)
        return false;
    core_task_queue_pop(conn->flying.head != NULL ? &conn->flying : &conn->waiting);
    if (status == DOCA_SUCCESS)
        count_sent(conn, from_task(task));
    core_task_complete(task, status);
    return true;
}

/* How many frames must be taken before there is news: 0 = never mind. */
static uint64_t next_news(struct doca_comch_connection *conn)
{
    uint64_t seq;

    if (conn->waiting.head != NULL || conn->is_note_waiting)
        return soft_link_taken(conn->link) + 1;
    if (conn->flying.head == NULL)
        return 0;
    seq = from_task(conn->flying.head)->seq;
    return seq > conn->peer_window ? seq - conn->peer_window : seq;
}

bool comch_send_pending(struct doca_comch_connection *conn)
{
    doca_error_t status;

    if (comch_send_is_idle(conn) && !atomic_load(&conn->fast->has_notes))
        return false;
    if (find_decided(conn, &status) != NULL)
        return true;
    /* Nobody wakes for the time that runs out, and it is short. */
    if (conn->state == COMCH_CONN_LOST)
        return true;
    /* Notes of other threads that were not tried yet. */
    if (!conn->is_note_waiting && atomic_load(&conn->fast->has_notes))
        return true;
    return soft_link_await(conn->link, next_news(conn));
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

static doca_error_t check_alloc(const struct comch_side *side,
                                const struct doca_comch_connection *peer, uint32_t len,
                                const char *func)
{
    if (peer->side != side || peer->state == COMCH_CONN_IDLE || peer->dismissed)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, side->ctx.name, "peer",
                         "%s" CORE_LIMIT "a connection of this %s" CORE_REMEDY
                         "use a connection from its connect event to its disconnect event",
                         peer->side != side ? "a connection of another instance" : "over",
                         side->is_server ? "server" : "client");
    if (len == 0 || len > peer->max_msg)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, side->ctx.name,
                         "message length",
                         "%u" CORE_LIMIT "1..%u bytes" CORE_REMEDY
                         "split the message, or raise the maximum message size on both sides",
                         len, peer->max_msg);
    return DOCA_SUCCESS;
}

doca_error_t comch_send_alloc(struct comch_side *side, struct doca_comch_connection *peer,
                              const void *msg, uint32_t len, const char *func,
                              struct doca_comch_task_send **task)
{
    struct doca_comch_task_send *created;
    struct doca_task *base;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, peer))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, func, "peer", peer);
    if (msg == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "msg");
    if (task == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "task");
    if (side->ctx.state == DOCA_CTX_STATE_RUNNING) {
        result = check_alloc(side, peer, len, func);
        if (result != DOCA_SUCCESS)
            return result;
    }
    result = core_task_alloc(&side->sends, (union doca_data){.u64 = 0}, func, &base);
    if (result != DOCA_SUCCESS)
        return result;
    created = from_task(base);
    created->conn = peer;
    created->generation = peer->generation;
    created->msg = msg;
    created->len = len;
    *task = created;
    return DOCA_SUCCESS;
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
    return task != NULL ? &task->base : NULL;
}
