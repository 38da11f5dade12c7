/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Connections by address: the caller's details travel as a question, those of the side that listens
 * as the answer; then the caller's link is on its way as with details that programs exchange. */

static bool set_addr(struct doca_rdma_connection *conn, enum doca_rdma_addr_type type,
                     const char *text, const char *host, uint16_t port)
{
    conn->addr = rdma_addr_new(type, text, host, port);
    if (conn->addr == NULL)
        return false;
    conn->addr->is_owned = true;
    core_live_add(CORE_LIVE_RDMA_ADDR, conn->addr);
    return true;
}

void rdma_cm_release(struct doca_rdma_connection *conn)
{
    soft_cm_refuse(conn->request);
    conn->request = NULL;
    soft_cm_hang_up(conn->call);
    conn->call = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * What programs are told
 */

/* Around what programs do: they may wait for kernels there. */
static void begin_callback(struct doca_rdma *rdma)
{
    rdma->ctx.callback_depth++;
    if (rdma->gpu != NULL)
        pthread_mutex_unlock(&rdma->gpu_lock);
}

static void end_callback(struct doca_rdma *rdma)
{
    if (rdma->gpu != NULL)
        pthread_mutex_lock(&rdma->gpu_lock);
    rdma->ctx.callback_depth--;
}

void rdma_cm_report_up(struct doca_rdma_connection *conn)
{
    struct doca_rdma *rdma = conn->rdma;

    begin_callback(rdma);
    rdma->established_cb(conn, conn->user_data, rdma->ctx.user_data);
    end_callback(rdma);
}

void rdma_cm_report_end(struct doca_rdma_connection *conn, bool was_up)
{
    struct doca_rdma *rdma = conn->rdma;

    begin_callback(rdma);
    if (was_up)
        rdma->disconnection_cb(conn, conn->user_data, rdma->ctx.user_data);
    else if (conn->told)
        rdma->failure_cb(conn, conn->user_data, rdma->ctx.user_data);
    end_callback(rdma);
}

static void report_request(struct doca_rdma_connection *conn)
{
    struct doca_rdma *rdma = conn->rdma;

    conn->told = true;
    begin_callback(rdma);
    rdma->request_cb(conn, rdma->ctx.user_data);
    end_callback(rdma);
}

/* ------------------------------------------------------------------------------------------------
 * Steps
 */

/* The answer has come: from here on it is a connection by details. */
static bool take_answer(struct doca_rdma_connection *conn)
{
    struct rdma_details peer;
    size_t len;
    const void *data = soft_cm_call_answer(conn->call, &len);

    /* Behind the details lies what the program of the other side gave along. */
    if (len < sizeof(peer) || rdma_wire_get_details(data, sizeof(peer), &peer) != 0) {
        rdma_conn_break_off(conn, "details that are none");
        return false;
    }
    if (rdma_meet(conn, &peer, "doca_pe_progress") != DOCA_SUCCESS)
        rdma_conn_end(conn, DOCA_ERROR_CONNECTION_ABORTED);
    return false;
}

static bool call_step(struct doca_rdma_connection *conn)
{
    int reason;

    switch (soft_cm_poll(conn->call, &reason)) {
    case SOFT_CM_CALLING:
        return false;
    case SOFT_CM_ANSWERED:
        return take_answer(conn);
    default:
        break;
    }
    CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, "doca_pe_progress",
              conn->rdma->ctx.name, "peer", "%s port %u: %s", conn->addr->text, conn->addr->port,
              reason == -EACCES ? "refuses" : strerror(-reason));
    rdma_conn_end(conn, DOCA_ERROR_CONNECTION_ABORTED);
    return false;
}

bool rdma_cm_step(struct doca_rdma_connection *conn)
{
    if (conn->state == RDMA_CONN_CALLING)
        return call_step(conn);
    if (conn->told)
        return false;
    report_request(conn);
    return true;
}

static void take_request(struct doca_rdma *rdma, struct soft_cm_request *request)
{
    struct doca_rdma_connection *conn;
    struct rdma_details peer;
    struct soft_cm_ends ends;
    size_t len;
    const void *data = soft_cm_request_data(request, &len);

    soft_cm_request_ends(request, &ends);
    if (rdma_wire_get_details(data, len, &peer) != 0) {
        CORE_WARN(CORE_LOG_RDMA, "%s: a caller from %s sent details that are none", rdma->ctx.name,
                  ends.there);
        soft_cm_refuse(request);
        return;
    }
    if (rdma_conn_new(rdma, "doca_pe_progress", &conn) != DOCA_SUCCESS) {
        soft_cm_refuse(request);
        return;
    }
    conn->request = request;
    conn->peer_details = peer;
    conn->by_addr = true;
    if (!set_addr(conn,
                  strchr(ends.there, ':') != NULL ? DOCA_RDMA_ADDR_TYPE_IPv6
                                                  : DOCA_RDMA_ADDR_TYPE_IPv4,
                  ends.there, ends.there, ends.there_port)) {
        rdma_conn_drop(conn);
        return;
    }
    conn->state = RDMA_CONN_REQUESTED;
    rdma_conn_set_deadline(conn, rdma->request_timeout);
}

void rdma_cm_take_requests(struct doca_rdma *rdma)
{
    struct soft_cm_request *request;

    OD_LIST_FOR_EACH(link, &rdma->ports)
    {
        struct soft_cm_listener *listener = OD_LIST_ENTRY(link, struct rdma_port, link)->listener;

        while ((request = soft_cm_next(listener)) != NULL)
            take_request(rdma, request);
    }
}

bool rdma_cm_pending(const struct doca_rdma *rdma)
{
    OD_LIST_FOR_EACH(link, &rdma->ports)
    {
        if (soft_cm_listener_pending(OD_LIST_ENTRY(link, struct rdma_port, link)->listener))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Ports
 */

static void close_port(struct rdma_port *port)
{
    od_list_remove(&port->link);
    soft_cm_unlisten(port->listener);
    free(port);
}

void rdma_cm_close_ports(struct doca_rdma *rdma)
{
    OD_LIST_FOR_EACH_SAFE(link, &rdma->ports)
    close_port(OD_LIST_ENTRY(link, struct rdma_port, link));
}

static struct rdma_port *find_port(struct doca_rdma *rdma, uint16_t port)
{
    OD_LIST_FOR_EACH(link, &rdma->ports)
    {
        struct rdma_port *entry = OD_LIST_ENTRY(link, struct rdma_port, link);

        if (entry->port == port)
            return entry;
    }
    return NULL;
}

static doca_error_t check_can_connect(const struct doca_rdma *rdma, bool listens, const char *func)
{
    if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, func, rdma->ctx.name, "state",
                         "not RUNNING" CORE_LIMIT "RUNNING" CORE_REMEDY
                         "make connections between start and stop");
    if (rdma->established_cb == NULL || (listens && rdma->request_cb == NULL))
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_RDMA, func, rdma->ctx.name, "callbacks",
                         "not set" CORE_REMEDY
                         "call doca_rdma_set_connection_state_callbacks() before the start");
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    struct rdma_port *entry;
    doca_error_t result;
    int err;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    entered = rdma_enter(rdma);
    if (port == 0 || find_port(rdma, port) != NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, rdma->ctx.name, "port",
                         "%u%s" CORE_LIMIT "1..65535, each once", port,
                         port == 0 ? "" : ", listened to already");
    result = check_can_connect(rdma, true, __func__);
    if (result == DOCA_SUCCESS)
        result = rdma_listen(rdma, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, __func__, rdma->ctx.name,
                         "listener", "no memory");
    err = soft_cm_listen(port, core_ctx_waker(&rdma->ctx), &entry->listener);
    if (err != 0) {
        free(entry);
        return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, __func__, rdma->ctx.name,
                         "port", "%s" CORE_REMEDY "choose a port that is free", soft_reason());
    }
    entry->port = port;
    od_list_append(&rdma->ports, &entry->link);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    struct rdma_port *entry;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    entered = rdma_enter(rdma);
    entry = find_port(rdma, port);
    if (entry == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, rdma->ctx.name, "port",
                         "%u" CORE_LIMIT "one that is listened to", port);
    close_port(entry);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Calling
 */

static int call(struct doca_rdma_connection *conn, const struct doca_rdma_addr *addr)
{
    struct doca_rdma *rdma = conn->rdma;

    return soft_cm_call(addr->host, addr->port, rdma->request_timeout, &conn->details,
                        sizeof(conn->details), core_ctx_waker(&rdma->ctx), &conn->call);
}

doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    struct doca_rdma_connection *conn;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    entered = rdma_enter(rdma);
    if (!core_is_live(CORE_LIVE_RDMA_ADDR, addr))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "addr", addr);
    result = check_can_connect(rdma, false, __func__);
    if (result == DOCA_SUCCESS)
        result = rdma_conn_new(rdma, __func__, &conn);
    if (result != DOCA_SUCCESS)
        return result;
    conn->by_addr = true;
    conn->told = true;
    conn->user_data = connection_user_data;
    result = rdma_make_details(conn, NULL, __func__);
    if (result != DOCA_SUCCESS)
        goto err_drop;
    if (!set_addr(conn, addr->type, addr->text, addr->host, addr->port)) {
        result = CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_RDMA, __func__, rdma->ctx.name, "address",
                           "no memory");
        goto err_drop;
    }
    if (call(conn, addr) != 0) {
        result = CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, __func__, rdma->ctx.name,
                           "peer", "%s port %u: %s", addr->text, addr->port, soft_reason());
        goto err_drop;
    }
    conn->state = RDMA_CONN_CALLING;
    return DOCA_SUCCESS;

err_drop:
    rdma_conn_drop(conn);
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Answering
 */

static doca_error_t check_waits(const struct doca_rdma_connection *conn, const char *func)
{
    if (conn->state == RDMA_CONN_REQUESTED)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, conn->rdma->ctx.name,
                     "rdma_connection",
                     "no request that waits" CORE_REMEDY
                     "answer once, before doca_rdma_set_connection_request_timeout() is over");
}

static doca_error_t answer(struct doca_rdma_connection *conn, const void *data, size_t len,
                           const char *func)
{
    uint8_t bytes[sizeof(struct rdma_details) + RDMA_MAX_PRIVATE];
    struct soft_cm_request *request = conn->request;
    int err;

    memcpy(bytes, &conn->details, sizeof(conn->details));
    if (len > 0)
        memcpy(bytes + sizeof(conn->details), data, len);
    conn->request = NULL;
    err = soft_cm_answer(request, bytes, sizeof(conn->details) + len);
    if (err == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_RDMA, func, conn->rdma->ctx.name,
                     "peer", "%s, which has gone: %s", conn->addr->text, strerror(-err));
}

doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
                                         void *private_data, uint8_t private_data_len)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    struct doca_rdma_connection *conn = rdma_connection;
    struct soft_cm_ends ends;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, conn))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", conn);
    entered = rdma_enter(conn->rdma);
    if (private_data_len > RDMA_MAX_PRIVATE || (private_data == NULL && private_data_len > 0))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_RDMA, __func__, conn->rdma->ctx.name,
                         "private_data_len", "%u%s" CORE_LIMIT "0..%u", private_data_len,
                         private_data == NULL ? " of NULL" : "", RDMA_MAX_PRIVATE);
    result = check_waits(conn, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    soft_cm_request_ends(conn->request, &ends);
    result = rdma_make_details(
        conn, rdma_is_same_host(&conn->peer_details, conn) ? NULL : ends.here, __func__);
    if (result == DOCA_SUCCESS)
        result = answer(conn, private_data, private_data_len, __func__);
    if (result != DOCA_SUCCESS) {
        rdma_conn_end(conn, DOCA_ERROR_CONNECTION_ABORTED);
        return result;
    }
    /* The caller's link comes now. */
    pthread_mutex_lock(&conn->rdma->lock);
    if (!conn->door.taken)
        memcpy(conn->door.peer_token, conn->peer_details.token, sizeof(conn->door.peer_token));
    conn->door.expects = true;
    pthread_mutex_unlock(&conn->rdma->lock);
    conn->state = RDMA_CONN_CONNECTING;
    rdma_conn_set_deadline(conn, conn->rdma->request_timeout);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection)
{
    RDMA_AUTO_LEAVE struct doca_rdma *entered = NULL;
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA_CONNECTION, rdma_connection))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma_connection", rdma_connection);
    entered = rdma_enter(rdma_connection->rdma);
    result = check_waits(rdma_connection, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    rdma_conn_drop(rdma_connection);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
    doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
    doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
    doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_RDMA, rdma))
        return CORE_FAIL_DEAD(CORE_LOG_RDMA, __func__, "rdma", rdma);
    if (doca_rdma_connect_established_cb == NULL || doca_rdma_connect_failure_cb == NULL ||
        doca_rdma_disconnect_cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_RDMA, __func__, "a callback");
    result = core_ctx_check_idle(&rdma->ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    rdma->request_cb = doca_rdma_connect_request_cb;
    rdma->established_cb = doca_rdma_connect_established_cb;
    rdma->failure_cb = doca_rdma_connect_failure_cb;
    rdma->disconnection_cb = doca_rdma_disconnect_cb;
    return DOCA_SUCCESS;
}
