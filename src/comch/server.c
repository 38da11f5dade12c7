/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/comch_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Greetings that wait for the program; they are answered without it. */
#define BACKLOG 1024

struct doca_comch_event_connection_status_changed {
    struct doca_comch_connection *conn;
};

static struct doca_comch_server *from_ctx(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(comch_side_of(ctx), struct doca_comch_server, side);
}

/* ------------------------------------------------------------------------------------------------
 * Clients come
 */

/* Takes a place for one more client. */
static bool take_place(struct doca_comch_server *server)
{
    uint32_t max = server->side.ctx.dev->info.soft->caps.comch_max_clients;
    uint32_t num = atomic_load(&server->nclients);

    while (num < max) {
        if (atomic_compare_exchange_weak(&server->nclients, &num, num + 1))
            return true;
    }
    return false;
}

static enum comch_verdict judge(struct doca_comch_server *server, const void *greeting, size_t len)
{
    const struct comch_side *side = &server->side;
    struct comch_hello hello;

    if (comch_wire_get_hello(greeting, len, &hello) != 0)
        return COMCH_VERSION;
    if (hello.identity_len != side->identity_len ||
        memcmp(hello.identity, side->identity, side->identity_len) != 0)
        return COMCH_STRANGER;
    return take_place(server) ? COMCH_WELCOME : COMCH_FULL;
}

/* On the link's thread: only what does not change while the server runs is looked at. */
static int admit(void *arg, const void *greeting, size_t len, void *buf, size_t *buf_len)
{
    struct doca_comch_server *server = arg;
    const struct comch_answer answer = {
        .verdict = judge(server, greeting, len),
        .max_msg = server->side.max_msg,
        .recv_queue = server->side.recv_queue,
        .fast_path = server->side.ctx.dev->info.soft->caps.comch_fast_path,
    };

    *buf_len = comch_wire_put_answer(buf, &answer);
    if (answer.verdict == COMCH_WELCOME)
        return 0;
    CORE_WARN(CORE_LOG_COMCH, "%s: a client is refused, %s", server->side.ctx.name,
              answer.verdict == COMCH_FULL      ? "there are as many as the device allows"
              : answer.verdict == COMCH_VERSION ? "its greeting is of another version"
                                                : "it wants another server");
    return -EACCES;
}

static struct doca_comch_connection *get_conn(struct doca_comch_server *server)
{
    struct doca_comch_connection *conn;

    if (od_list_is_empty(&server->old_conns)) {
        conn = calloc(1, sizeof(*conn));
        if (conn == NULL)
            return NULL;
        conn->side = &server->side;
        core_live_add(CORE_LIVE_COMCH_CONNECTION, conn);
        od_list_append(&server->old_conns, &conn->link_in_side);
    }
    return OD_LIST_ENTRY(server->old_conns.next, struct doca_comch_connection, link_in_side);
}

/* A link that was taken in becomes a connection that the program will hear of. */
static void add_client(struct doca_comch_server *server, struct soft_link *link)
{
    struct doca_comch_connection *conn = get_conn(server);
    struct comch_hello hello;
    size_t len;
    const void *greeting = soft_link_hello(link, &len);

    if (conn == NULL || comch_wire_get_hello(greeting, len, &hello) != 0 ||
        !comch_conn_open(conn, link, COMCH_CONN_NEW)) {
        CORE_WARN(CORE_LOG_COMCH, "%s: no memory for a client, which is cut",
                  server->side.ctx.name);
        soft_link_close(link);
        atomic_fetch_sub(&server->nclients, 1);
        return;
    }
    comch_conn_agree(conn, hello.max_msg, hello.recv_queue, hello.fast_path);
    od_list_remove(&conn->link_in_side);
    od_list_append(&server->conns, &conn->link_in_side);
}

static void add_clients(struct doca_comch_server *server)
{
    struct soft_link *link;

    while ((link = soft_link_next(server->listener)) != NULL)
        add_client(server, link);
}

/* ------------------------------------------------------------------------------------------------
 * Events
 */

static bool report(struct doca_comch_connection *conn,
                   doca_comch_event_connection_status_changed_cb_t cb, bool successful)
{
    struct doca_comch_event_connection_status_changed event = {.conn = conn};
    struct doca_ctx *ctx = &conn->side->ctx;

    ctx->callback_depth++;
    cb(&event, conn, successful ? 1 : 0);
    ctx->callback_depth--;
    return true;
}

static bool report_new(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
    conn->state = COMCH_CONN_UP;
    report(conn, server->connect_cb, true);
    /* One that came just before the stop has sent messages that count as delivered. */
    if (server->side.ctx.state == DOCA_CTX_STATE_STOPPING)
        comch_conn_leave(conn);
    return true;
}

/* The connection is over: its object is kept, so that late uses of it are seen. */
static bool report_over(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
    bool orderly = conn->orderly;

    od_list_remove(&conn->link_in_side);
    od_list_append(&server->old_conns, &conn->link_in_side);
    atomic_fetch_sub(&server->nclients, 1);
    return !conn->dismissed && report(conn, server->disconnect_cb, orderly);
}

static bool step(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
    if (conn->state == COMCH_CONN_NEW)
        return report_new(server, conn);
    if (comch_conn_step(conn))
        return true;
    return conn->state == COMCH_CONN_IDLE && report_over(server, conn);
}

/* ------------------------------------------------------------------------------------------------
 * Context
 */

static doca_error_t listen_link(struct doca_comch_server *server)
{
    const struct comch_side *side = &server->side;
    struct soft_link_conf conf = comch_side_link_conf(side);
    char address[COMCH_ADDRESS_SIZE], wrapped[SOFT_LINK_ADDR_MAX];
    int err;

    conf.backlog = BACKLOG;
    conf.admit = admit;
    conf.admit_arg = server;
    comch_wire_address(side->identity, side->identity_len, address);
    err = soft_link_listen(soft_link_with_faults(address, wrapped), &conf, &server->listener);
    if (err == 0)
        return DOCA_SUCCESS;
    if (err == -EADDRINUSE)
        return CORE_FAIL(DOCA_ERROR_ALREADY_EXIST, CORE_LOG_COMCH, "doca_ctx_start", side->ctx.name,
                         "name",
                         "\"%s\", which a running server has on representor %s" CORE_REMEDY
                         "stop that one or choose another name",
                         side->name, server->rep->info.name);
    return CORE_FAIL(
        err == -ENOMEM || err == -EMFILE ? DOCA_ERROR_INITIALIZATION : DOCA_ERROR_DRIVER,
        CORE_LOG_COMCH, "doca_ctx_start", side->ctx.name, "listener", "%s", soft_reason());
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_comch_server *server = from_ctx(ctx);
    doca_error_t result = comch_side_start(&server->side, SOFT_ROLE_DPU);

    if (result != DOCA_SUCCESS)
        return result;
    /* A client that was taken in while an earlier listener ended was cut off with it. */
    atomic_store(&server->nclients, 0);
    result = listen_link(server);
    if (result != DOCA_SUCCESS)
        comch_side_stopped(&server->side);
    return result;
}

static bool progress(struct doca_ctx *ctx)
{
    struct doca_comch_server *server = from_ctx(ctx);
    struct od_list *last;

    if (server->listener != NULL && od_unlikely(soft_link_listener_pending(server->listener)))
        add_clients(server);
    last = server->conns.prev;
    while (!od_list_is_empty(&server->conns)) {
        struct od_list *link = server->conns.next;
        bool was_last = link == last;

        /* Each call begins behind the connection that was served last. */
        od_list_remove(link);
        od_list_append(&server->conns, link);
        if (step(server, OD_LIST_ENTRY(link, struct doca_comch_connection, link_in_side)))
            return true;
        if (was_last)
            return false;
    }
    return false;
}

static bool pending(const struct doca_ctx *ctx)
{
    struct doca_comch_server *server = from_ctx(ctx);

    if (server->listener != NULL && soft_link_listener_pending(server->listener))
        return true;
    OD_LIST_FOR_EACH(link, &server->conns)
    {
        if (comch_conn_pending(OD_LIST_ENTRY(link, struct doca_comch_connection, link_in_side)))
            return true;
    }
    return false;
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

static void stopping(struct doca_ctx *ctx)
{
    struct doca_comch_server *server = from_ctx(ctx);

    /* Who is welcome gets a connection, and the program hears of it, until the door is closed. */
    soft_link_admit_no_more(server->listener);
    add_clients(server);
    soft_link_unlisten(server->listener);
    server->listener = NULL;
    OD_LIST_FOR_EACH(link, &server->conns)
    comch_conn_leave(OD_LIST_ENTRY(link, struct doca_comch_connection, link_in_side));
}

static bool drained(const struct doca_ctx *ctx)
{
    return od_list_is_empty(&from_ctx(ctx)->conns);
}

static void stopped(struct doca_ctx *ctx)
{
    comch_side_stopped(comch_side_of(ctx));
}

static const struct core_ctx_ops server_ctx_ops = {
    .kind = "comch_server",
    .source = CORE_LOG_COMCH,
    .start = start,
    .progress = progress,
    .pending = pending,
    .flush = flush,
    .stopping = stopping,
    .drained = drained,
    .stopped = stopped,
};

/* ------------------------------------------------------------------------------------------------
 * Public calls
 */

static doca_error_t check_rep(const struct doca_dev *dev, const struct doca_dev_rep *rep,
                              const char *func)
{
    if (rep == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "repr");
    if (!core_dev_rep_is_valid(rep) || rep->dev != dev)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, dev->info.name, "repr",
                         "%p" CORE_LIMIT "an open representor of the device" CORE_REMEDY
                         "open it with doca_dev_rep_open()",
                         (const void *)rep);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server)
{
    struct doca_comch_server *created;
    doca_error_t result;

    if (comch_server == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "comch_server");
    result = comch_side_check(dev, name, __func__);
    if (result == DOCA_SUCCESS)
        result = check_rep(dev, repr, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMCH, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    result = comch_side_init(&created->side, &server_ctx_ops, dev, repr->info.soft, name, __func__);
    if (result != DOCA_SUCCESS) {
        free(created);
        return result;
    }
    created->side.is_server = true;
    core_live_add(CORE_LIVE_COMCH_SERVER, created);
    created->rep = repr;
    atomic_fetch_add(&repr->users, 1);
    od_list_init(&created->conns);
    od_list_init(&created->old_conns);
    *comch_server = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    result = comch_side_fini(&comch_server->side, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    atomic_fetch_sub(&comch_server->rep->users, 1);
    OD_LIST_FOR_EACH_SAFE(link, &comch_server->old_conns)
    {
        struct doca_comch_connection *conn =
            OD_LIST_ENTRY(link, struct doca_comch_connection, link_in_side);

        core_live_remove(conn);
        free(conn);
    }
    free(comch_server);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server)
{
    return comch_server != NULL ? &comch_server->side.ctx : NULL;
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    if (rep == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "rep");
    *rep = comch_server->rep;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection)
{
    const char *name;

    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    if (!core_is_live(CORE_LIVE_COMCH_CONNECTION, connection))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "connection", connection);
    name = comch_server->side.ctx.name;
    if (connection->side != &comch_server->side || connection->state == COMCH_CONN_IDLE ||
        connection->dismissed)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, __func__, name, "connection",
                         "%s" CORE_LIMIT "a connection of this server",
                         connection->side != &comch_server->side ? "of another instance" : "over");
    if (atomic_load(&connection->fast->nends) > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_COMCH, __func__, name,
                         "producers and consumers of the connection",
                         "%u" CORE_LIMIT "none" CORE_REMEDY "destroy them first",
                         atomic_load(&connection->fast->nends));
    if (!comch_conn_dismiss(connection))
        return CORE_FAIL(DOCA_ERROR_AGAIN, CORE_LOG_COMCH, __func__, name, "connection",
                         "still sending" CORE_REMEDY "call doca_pe_progress() and try again");
    core_ctx_wake(&comch_server->side.ctx);
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return comch_send_alloc(&comch_server->side, peer, msg, len, __func__, task);
}
