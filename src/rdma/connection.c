/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t rdma_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct doca_rdma_connection *from_link(struct od_list *link)
{
    return OD_LIST_ENTRY(link, struct doca_rdma_connection, link_in_rdma);
}

/* ------------------------------------------------------------------------------------------------
 * Beginning
 */

static uint32_t lowest_id(const struct doca_rdma *rdma)
{
    uint32_t id = 0;
    bool is_used;

    do {
        is_used = false;
        OD_LIST_FOR_EACH(link, &rdma->conns)
        is_used = is_used || from_link(link)->id == id;
        id += is_used;
    } while (is_used);
    return id;
}

static void free_addr(struct doca_rdma_connection *conn)
{
    core_live_remove(conn->addr);
    free(conn->addr);
    conn->addr = NULL;
}

static struct doca_rdma_connection *get_object(struct doca_rdma *rdma)
{
    struct doca_rdma_connection *conn;

    if (od_list_is_empty(&rdma->old_conns)) {
        conn = calloc(1, sizeof(*conn));
        if (conn == NULL)
            return NULL;
        conn->rdma = rdma;
        core_live_add(CORE_LIVE_RDMA_CONNECTION, conn);
        od_list_append(&rdma->old_conns, &conn->link_in_rdma);
    }
    return from_link(rdma->old_conns.next);
}

doca_error_t rdma_conn_new(struct doca_rdma *rdma, const char *func,
                           struct doca_rdma_connection **created)
{
    struct doca_rdma_connection *conn;
    struct soft_seg *segs;

    if (rdma->nconns >= rdma->max_conns)
        return CORE_FAIL(DOCA_ERROR_FULL, CORE_LOG_RDMA, func, rdma->ctx.name, "connections",
                         "%u" CORE_LIMIT "%u" CORE_REMEDY
                         "end one, or call doca_rdma_set_max_num_connections() before the start",
                         rdma->nconns, rdma->max_conns);
    conn = get_object(rdma);
    segs = calloc(2 * rdma->max_send_list + rdma->max_recv_list, sizeof(*segs));
    if (conn == NULL || segs == NULL) {
        free(segs);
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_RDMA, func, rdma->ctx.name, "connection",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*conn));
    }
    free_addr(conn);
    *conn = (struct doca_rdma_connection){
        .rdma = rdma,
        .link_in_rdma = conn->link_in_rdma,
        .generation = conn->generation + 1,
        .id = lowest_id(rdma),
        .out_src = segs,
        .out_dst = segs + rdma->max_send_list,
        .in_dst = segs + 2 * (size_t)rdma->max_send_list,
    };
    od_list_init(&conn->door.link);
    od_list_remove(&conn->link_in_rdma);
    od_list_append(&rdma->conns, &conn->link_in_rdma);
    rdma->nconns++;
    rdma->norphans = 0;
    rdma_gpu_began(conn);
    *created = conn;
    return DOCA_SUCCESS;
}

void rdma_conn_set_deadline(struct doca_rdma_connection *conn, uint64_t delay_ms)
{
    conn->deadline = rdma_now_ms() + delay_ms;
}

uint64_t rdma_conn_due(const struct doca_rdma_connection *conn)
{
    uint64_t limit = rdma_rnr_limit(conn->rdma);

    if (conn->state == RDMA_CONN_CONNECTING && conn->link == NULL && conn->knock_at != 0)
        return OD_MIN(conn->knock_at, conn->deadline);
    if (conn->state == RDMA_CONN_UP && limit != 0 && conn->stalled_at != 0)
        return conn->stalled_at + limit;
    return conn->deadline;
}

/* ------------------------------------------------------------------------------------------------
 * The end
 */

/* Nothing is to be reported any more; the object is kept, so that late uses of it are seen. */
static void finish(struct doca_rdma_connection *conn)
{
    struct doca_rdma *rdma = conn->rdma;

    rdma_close_door(conn);
    rdma_cm_release(conn);
    soft_link_close(conn->link);
    conn->link = NULL;
    free(conn->out_src);
    conn->out_src = NULL;
    conn->state = RDMA_CONN_OVER;
    conn->deadline = 0;
    od_list_remove(&conn->link_in_rdma);
    od_list_append(&rdma->old_conns, &conn->link_in_rdma);
    rdma->nconns--;
    if (rdma->nconns == 0 && od_list_is_empty(&rdma->ports))
        rdma->norphans = rdma->nposted;
}

void rdma_conn_drop(struct doca_rdma_connection *conn)
{
    finish(conn);
    conn->rdma->norphans = 0;
}

void rdma_conn_free_all(struct doca_rdma *rdma)
{
    OD_LIST_FOR_EACH_SAFE(link, &rdma->old_conns)
    {
        struct doca_rdma_connection *conn = from_link(link);

        free_addr(conn);
        core_live_remove(conn);
        free(conn);
    }
}

void rdma_conn_end(struct doca_rdma_connection *conn, doca_error_t why)
{
    if (conn->state == RDMA_CONN_ENDING || conn->state == RDMA_CONN_OVER)
        return;
    rdma_gpu_ended(conn);
    conn->was_up = conn->state == RDMA_CONN_UP;
    conn->state = RDMA_CONN_ENDING;
    conn->why = why;
    conn->deadline = 0;
    /* What the peer has taken so far is known from here on, and it learns of the end at once. */
    if (conn->link != NULL)
        soft_link_shutdown(conn->link);
    rdma_close_door(conn);
}

void rdma_conn_stop(struct doca_rdma_connection *conn)
{
    rdma_conn_end(conn, DOCA_ERROR_IO_FAILED);
    if (conn->nout == 0 && conn->in_task == NULL && !conn->by_addr)
        finish(conn);
}

void rdma_conn_break_off(struct doca_rdma_connection *conn, const char *what)
{
    CORE_WARN(CORE_LOG_RDMA, "%s: the peer of connection %u sent %s; the connection is cut",
              conn->rdma->ctx.name, conn->id, what);
    rdma_conn_end(conn, DOCA_ERROR_CONNECTION_RESET);
}

static bool end_step(struct doca_rdma_connection *conn)
{
    bool busy = false, was_up = conn->was_up;

    if (rdma_report_rest(conn, &busy) || rdma_receive_rest(conn, &busy))
        return true;
    if (busy)
        return false;
    /* A program that is told can make a new connection in its place. */
    finish(conn);
    if (!conn->by_addr)
        return false;
    rdma_cm_report_end(conn, was_up);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Coming up
 */

static bool fail_to_connect(struct doca_rdma_connection *conn, int reason)
{
    CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, "doca_pe_progress",
              conn->rdma->ctx.name, "connection",
              "%u could not be established: %s" CORE_REMEDY
              "let the peer's program run, and both sides use the same details once",
              conn->id, reason == -EACCES ? "the peer refuses" : strerror(-reason));
    rdma_conn_end(conn, DOCA_ERROR_CONNECTION_ABORTED);
    return false;
}

static bool is_late(const struct doca_rdma_connection *conn)
{
    return conn->deadline != 0 && rdma_now_ms() >= conn->deadline;
}

/* The verdict of a link that the peer has refused or taken. */
static enum rdma_verdict verdict_of(const struct doca_rdma_connection *conn,
                                    struct rdma_answer *answer)
{
    size_t len;
    const void *data = soft_link_answer(conn->link, &len);

    return data != NULL && rdma_wire_get_answer(data, len, answer) == 0
               ? (enum rdma_verdict)answer->verdict
               : RDMA_VERSION;
}

/* Reports and receives in turn, so that neither keeps the other from happening. */
static bool exchange(struct doca_rdma_connection *conn)
{
    bool receive_first = conn->receive_next;

    if (conn->rdma->gpu != NULL)
        return false; /* its thread does that */
    conn->receive_next = !receive_first;
    rdma_run(conn);
    if (receive_first)
        return rdma_receive(conn) || (conn->state == RDMA_CONN_UP && rdma_report(conn));
    return rdma_report(conn) || (conn->state == RDMA_CONN_UP && rdma_receive(conn));
}

static bool come_up(struct doca_rdma_connection *conn)
{
    conn->state = RDMA_CONN_UP;
    conn->deadline = 0;
    if (!conn->by_addr)
        return exchange(conn); /* of a link that has ended since, it says so no more by itself */
    rdma_run(conn);
    rdma_cm_report_up(conn);
    return true;
}

/* No link of ours, and the peer's has not come: it may have since the engine looked for some. */
static bool wait_for_link(struct doca_rdma_connection *conn, bool late)
{
    if (rdma_links_pending(conn->rdma))
        return false;
    if (late)
        return fail_to_connect(conn, -ETIMEDOUT);
    if (conn->knock_at == 0 || rdma_now_ms() < conn->knock_at)
        return false;
    conn->knock_at = 0;
    return rdma_call_again(conn) != DOCA_SUCCESS && fail_to_connect(conn, -ECONNREFUSED);
}

/* The peer's own link is on its way. While it does not come, we ask now and then whether there
 * still is a peer. */
static bool drop_link(struct doca_rdma_connection *conn)
{
    soft_link_close(conn->link);
    conn->link = NULL;
    conn->knock_at = rdma_now_ms() + RDMA_KNOCK_MS;
    return false;
}

/* The link that we began, or that has come. */
static bool connect_step(struct doca_rdma_connection *conn)
{
    struct rdma_answer answer = {.verdict = RDMA_VERSION};
    bool late = is_late(conn); /* as of before this look, however long it takes */
    enum rdma_verdict verdict;
    int reason = 0;

    if (conn->link == NULL)
        return wait_for_link(conn, late);
    if (soft_link_poll(conn->link, &reason) == SOFT_LINK_CONNECTING)
        return late && fail_to_connect(conn, -ETIMEDOUT);
    if (!conn->door.calling)
        return come_up(conn); /* whom we let in had a connection, even if it has ended it since */
    verdict = verdict_of(conn, &answer);
    if (verdict != RDMA_WELCOME && rdma_is_taken(conn))
        verdict = RDMA_CROSSED;
    switch (verdict) {
    case RDMA_WELCOME:
        conn->peer_permissions = answer.permissions;
        return come_up(conn);
    case RDMA_CROSSED:
        return drop_link(conn);
    case RDMA_STRANGER:
        return fail_to_connect(conn, -EACCES);
    default:
        return fail_to_connect(conn, reason != 0 ? reason : -EPROTO);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

/* Before the two sides have each other's details. */
static bool ask_step(struct doca_rdma_connection *conn)
{
    const uint64_t deadline = conn->deadline;
    const bool late = is_late(conn);

    if (rdma_cm_step(conn))
        return true;
    /* An answer or an end that the step has found has another deadline, or none. */
    return late && conn->deadline == deadline && fail_to_connect(conn, -ETIMEDOUT);
}

bool rdma_conn_step(struct doca_rdma_connection *conn)
{
    switch (conn->state) {
    case RDMA_CONN_UP:
        return exchange(conn);
    case RDMA_CONN_CONNECTING:
        return connect_step(conn);
    case RDMA_CONN_REQUESTED:
    case RDMA_CONN_CALLING:
        return ask_step(conn);
    case RDMA_CONN_ENDING:
        return end_step(conn);
    default:
        return false;
    }
}

bool rdma_conn_pending(struct doca_rdma_connection *conn)
{
    switch (conn->state) {
    case RDMA_CONN_UP:
        return conn->rdma->gpu == NULL && (rdma_run_pending(conn) || rdma_receive_pending(conn));
    case RDMA_CONN_CONNECTING:
        return (conn->link != NULL && soft_link_poll(conn->link, NULL) != SOFT_LINK_CONNECTING) ||
               is_late(conn);
    case RDMA_CONN_REQUESTED:
        return !conn->told || is_late(conn);
    case RDMA_CONN_CALLING:
        return soft_cm_poll(conn->call, NULL) != SOFT_CM_CALLING || is_late(conn);
    case RDMA_CONN_ENDING:
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------------------------------------
 * What programs ask
 */

doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection)
{
    struct doca_rdma_connection *conn = rdma_connection;
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;

    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, conn))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", conn);
    entered = rdma_enter(conn->rdma);
    if (conn->state == RDMA_CONN_OVER || conn->state == RDMA_CONN_ENDING)
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, __func__,
                         conn->rdma->ctx.name, "connection", "over already");
    rdma_conn_end(conn, DOCA_ERROR_IO_FAILED);
    core_ctx_wake(&conn->rdma->ctx);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
                                                union doca_data connection_user_data)
{
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, rdma_connection))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", rdma_connection);
    rdma_connection->user_data = connection_user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
                                                union doca_data *connection_user_data)
{
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, rdma_connection))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", rdma_connection);
    if (connection_user_data == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "connection_user_data");
    *connection_user_data = rdma_connection->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
                                         uint32_t *connection_id)
{
    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, rdma_connection))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", rdma_connection);
    if (connection_id == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "connection_id");
    *connection_id = rdma_connection->id;
    return DOCA_SUCCESS;
}
