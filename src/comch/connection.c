/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/comch_priv.h"

#include <errno.h>
#include <string.h>

/* What events point at; there is nothing to ask them for. */
struct doca_comch_event_msg_recv {
    struct doca_comch_connection *conn;
};

struct doca_comch_event_consumer {
    struct doca_comch_connection *conn;
};

bool comch_conn_open(struct doca_comch_connection *conn, struct soft_link *link,
                     enum comch_conn_state state)
{
    struct comch_fast *fast = comch_fast_create(conn->side);

    if (fast == NULL)
        return false;
    *conn = (struct doca_comch_connection){
        .side = conn->side,
        .link_in_side = conn->link_in_side,
        .generation = conn->generation + 1,
        .state = state,
        .link = link,
        .fast = fast,
    };
    return true;
}

void comch_conn_agree(struct doca_comch_connection *conn, uint32_t max_msg, uint32_t peer_window,
                      bool fast_path)
{
    conn->max_msg = OD_MIN(conn->side->max_msg, max_msg);
    conn->peer_window = peer_window;
    conn->fast->is_offered = fast_path;
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

static void send_notes(struct doca_comch_connection *conn)
{
    struct comch_note *note;

    while ((note = comch_fast_first_note(conn->fast)) != NULL) {
        const struct iovec iov[] = {{&note->head, sizeof(note->head)}, {note->payload, note->len}};
        int err = soft_link_send(conn->link, iov, OD_ARRAY_SIZE(iov));

        conn->is_note_waiting = err == -EAGAIN;
        /* To a peer that is gone everything can be said. */
        if (err == -EAGAIN)
            return;
        conn->sent += err == 0;
        comch_fast_note_sent(conn->fast);
    }
}

/* Gives the link what waits for it. */
static void push(struct doca_comch_connection *conn)
{
    if (od_unlikely(conn->waiting.head != NULL))
        comch_send_push(conn);
    if (od_unlikely(atomic_load_explicit(&conn->fast->has_notes, memory_order_relaxed)))
        send_notes(conn);
}

/* ------------------------------------------------------------------------------------------------
 * The end
 */

void comch_conn_leave(struct doca_comch_connection *conn)
{
    if (conn->state == COMCH_CONN_UP)
        conn->state = COMCH_CONN_LEAVING;
}

void comch_conn_lose(struct doca_comch_connection *conn, bool orderly)
{
    comch_fast_finish(conn->fast);
    conn->state = COMCH_CONN_LOST;
    conn->orderly = orderly;
    CORE_DEBUG(CORE_LOG_COMCH, "%s: the peer %s", conn->side->ctx.name, orderly ? "left" : "died");
}

/* All is reported; the object has no link any more. */
static void end(struct doca_comch_connection *conn)
{
    comch_fast_finish(conn->fast);
    comch_fast_put(conn->fast);
    conn->fast = NULL;
    soft_link_close(conn->link);
    conn->link = NULL;
    conn->state = COMCH_CONN_IDLE;
}

/* Whether everything that was to be said was said. */
static bool is_all_sent(const struct doca_comch_connection *conn)
{
    return conn->waiting.head == NULL && !atomic_load(&conn->fast->has_notes);
}

/* The end may be made known: producers and consumers of this side do not depend on it any more. */
static bool can_leave(const struct doca_comch_connection *conn)
{
    return is_all_sent(conn) && atomic_load(&conn->fast->nends) == 0;
}

static void make_end_known(struct doca_comch_connection *conn)
{
    soft_link_shutdown(conn->link);
    conn->orderly = true;
    conn->state = COMCH_CONN_LEFT;
}

bool comch_conn_dismiss(struct doca_comch_connection *conn)
{
    if (conn->state != COMCH_CONN_LOST) {
        push(conn);
        if (!is_all_sent(conn))
            return false;
        make_end_known(conn);
    }
    conn->dismissed = true;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

static bool break_off(struct doca_comch_connection *conn, const char *what)
{
    struct soft_link_peer peer;

    soft_link_peer_info(conn->link, &peer);
    CORE_WARN(CORE_LOG_COMCH, "%s: process %d at the other end sent %s; its connection is cut",
              conn->side->ctx.name, (int)peer.pid, what);
    comch_conn_lose(conn, false);
    return false;
}

static bool deliver_message(struct doca_comch_connection *conn, struct comch_frame *frame)
{
    struct doca_comch_event_msg_recv event = {.conn = conn};
    struct doca_ctx *ctx = &conn->side->ctx;

    if (frame->len > conn->max_msg)
        return break_off(conn, "a message above the agreed size");
    conn->counters[DOCA_COMCH_COUNTER_RECV_MESSAGES]++;
    conn->counters[DOCA_COMCH_COUNTER_RECV_BYTES] += frame->len;
    /* Keeps the context from becoming idle inside of its callback. */
    ctx->callback_depth++;
    conn->side->recv_cb(&event, frame->payload, frame->len, conn);
    ctx->callback_depth--;
    return true;
}

static bool report_consumer(struct doca_comch_connection *conn, doca_comch_event_consumer_cb_t cb,
                            uint32_t id)
{
    struct doca_comch_event_consumer event = {.conn = conn};
    struct doca_ctx *ctx = &conn->side->ctx;

    if (cb == NULL || conn->dismissed)
        return false;
    ctx->callback_depth++;
    cb(&event, conn, id);
    ctx->callback_depth--;
    return true;
}

static bool add_consumer(struct doca_comch_connection *conn, const struct comch_frame *frame)
{
    int err = comch_target_add(conn->fast, frame);

    if (err == -EBADMSG)
        return break_off(conn, "a consumer that cannot be");
    if (err == 0)
        return report_consumer(conn, conn->side->new_consumer_cb, frame->id);
    CORE_WARN(CORE_LOG_COMCH, "%s: no memory for consumer %u of the peer", conn->side->ctx.name,
              frame->id);
    return false;
}

static bool expire_consumer(struct doca_comch_connection *conn, uint32_t id)
{
    return comch_target_expire(conn->fast, id) &&
           report_consumer(conn, conn->side->expired_consumer_cb, id);
}

/* At the end all are gone. */
static bool expire_some_consumer(struct doca_comch_connection *conn)
{
    uint32_t id;

    while ((id = comch_target_first(conn->fast)) != 0) {
        if (expire_consumer(conn, id))
            return true;
    }
    return false;
}

static bool deliver_frame(struct doca_comch_connection *conn, uint32_t len)
{
    struct comch_frame frame;

    if (comch_wire_get_frame(conn->side->frame, len, &frame) != 0)
        return break_off(conn, "a malformed frame");
    if (frame.kind == COMCH_FRAME_MESSAGE)
        return deliver_message(conn, &frame);
    if (!comch_conn_has_fast_path(conn))
        return break_off(conn, "a consumer, but the fast path was not agreed on");
    if (frame.kind == COMCH_FRAME_CONSUMER)
        return add_consumer(conn, &frame);
    return expire_consumer(conn, frame.id);
}

/* Whether the peer did not die. One that took our end closes without a word of its own. */
static bool has_left(struct doca_comch_connection *conn, int err)
{
    int reason = 0;

    if (err == -ESHUTDOWN)
        return true;
    return conn->state == COMCH_CONN_LEFT &&
           soft_link_poll(conn->link, &reason) == SOFT_LINK_DOWN && reason == 0;
}

/* One frame of the peer. False: there is none; the state says whether more can come. */
static bool receive(struct doca_comch_connection *conn)
{
    struct soft_link_msg msg;
    int err = soft_link_recv(conn->link, &msg);
    uint32_t len;

    if (od_unlikely(err != 0)) {
        if (err != -EAGAIN)
            comch_conn_lose(conn, has_left(conn, err));
        return false;
    }
    len = msg.len;
    if (len <= comch_link_max_msg(conn->side->max_msg))
        memcpy(conn->side->frame, msg.data, len);
    soft_link_release(conn->link);
    if (len > comch_link_max_msg(conn->side->max_msg))
        return break_off(conn, "a frame above the agreed size");
    return deliver_frame(conn, len);
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

/* Reports and receives in turn, so that neither keeps the other from happening. */
static bool exchange(struct doca_comch_connection *conn)
{
    bool receive_first = conn->receive_next;

    conn->receive_next = !receive_first;
    if (receive_first)
        return receive(conn) || (conn->state != COMCH_CONN_LOST && comch_send_report(conn));
    return comch_send_report(conn) || receive(conn);
}

/* Nothing of the peer is for the program any more, only the fate of its sends. */
static bool report_dismissed(struct doca_comch_connection *conn)
{
    if (comch_send_report(conn))
        return true;
    if (soft_link_peer_ended(conn->link))
        comch_conn_lose(conn, true);
    return false;
}

bool comch_conn_step(struct doca_comch_connection *conn)
{
    bool seen = false;

    if (conn->state < COMCH_CONN_LOST && conn->state > COMCH_CONN_NEW)
        push(conn);
    switch (conn->state) {
    case COMCH_CONN_UP:
        return exchange(conn);
    case COMCH_CONN_LEAVING:
        if (can_leave(conn))
            make_end_known(conn);
        return exchange(conn);
    case COMCH_CONN_LEFT:
        seen = conn->dismissed ? report_dismissed(conn) : exchange(conn);
        break;
    case COMCH_CONN_LOST:
        seen = comch_send_report(conn);
        break;
    default:
        return false;
    }
    /* The peer had nothing more when it was asked after one of the two ends was made known. */
    if (seen || !comch_send_is_idle(conn))
        return seen;
    if (expire_some_consumer(conn))
        return true;
    end(conn);
    return false;
}

bool comch_conn_pending(struct doca_comch_connection *conn)
{
    switch (conn->state) {
    case COMCH_CONN_IDLE:
        return false;
    case COMCH_CONN_OPENING:
        return soft_link_pending(conn->link);
    case COMCH_CONN_UP:
        return comch_send_pending(conn) || soft_link_pending(conn->link);
    case COMCH_CONN_LEAVING:
        return can_leave(conn) || comch_send_pending(conn) || soft_link_pending(conn->link);
    case COMCH_CONN_LEFT:
        return comch_send_is_idle(conn) || comch_send_pending(conn) ||
               soft_link_pending(conn->link);
    default:
        return true;
    }
}

/* ------------------------------------------------------------------------------------------------
 * What programs ask
 */

doca_error_t comch_conn_check_fast(const struct doca_comch_connection *conn, const char *func)
{
    const struct doca_ctx *ctx;

    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, conn))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, func, "comch_connection", conn);
    ctx = &conn->side->ctx;
    if (!comch_conn_is_usable(conn))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, func, ctx->name, "connection",
                         "not established" CORE_LIMIT "established" CORE_REMEDY
                         "wait for RUNNING, or for the connect event");
    if (!ctx->dev->info.soft->caps.comch_fast_path)
        return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_COMCH, func, ctx->name, "fast path",
                         "not offered by device %s (profile %s)", ctx->dev->info.name,
                         ctx->dev->info.soft->profile);
    if (!conn->fast->is_offered)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_COMCH, func, ctx->name, "peer",
                         "has no fast path" CORE_REMEDY "use a device of the peer that has one");
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data)
{
    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, connection))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "connection", connection);
    connection->user_data = user_data;
    return DOCA_SUCCESS;
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
    return core_is_live(CORE_LIVE_COMCH_CONNECTION, connection) ? connection->user_data
                                                                : (union doca_data){.u64 = 0};
}

struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, connection) || !connection->side->is_server)
        return NULL;
    return OD_CONTAINER_OF(connection->side, struct doca_comch_server, side);
}

struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, connection) || connection->side->is_server)
        return NULL;
    return OD_CONTAINER_OF(connection->side, struct doca_comch_client, side);
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection)
{
    struct doca_comch_connection *conn = comch_connection;

    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, conn))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_connection", conn);
    if (conn->state == COMCH_CONN_OPENING)
        return CORE_FAIL(DOCA_ERROR_CONNECTION_INPROGRESS, CORE_LOG_COMCH, __func__,
                         conn->side->ctx.name, "connection",
                         "not established yet" CORE_REMEDY "progress until the client is RUNNING");
    if (conn->failed)
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_COMCH, __func__,
                         conn->side->ctx.name, "connection", "could not be established");
    memcpy(conn->reading, conn->counters, sizeof(conn->reading));
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value)
{
    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, comch_connection))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_connection", comch_connection);
    if (counter_value == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "counter_value");
    if (counter_type < DOCA_COMCH_COUNTER_SENT_MESSAGES ||
        counter_type > DOCA_COMCH_COUNTER_RECV_BYTES)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, __func__,
                         comch_connection->side->ctx.name, "counter_type", "%d" CORE_LIMIT "%d..%d",
                         (int)counter_type, (int)DOCA_COMCH_COUNTER_SENT_MESSAGES,
                         (int)DOCA_COMCH_COUNTER_RECV_BYTES);
    *counter_value = comch_connection->reading[counter_type];
    return DOCA_SUCCESS;
}
