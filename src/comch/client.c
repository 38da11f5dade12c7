/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/comch_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct doca_comch_client *from_ctx(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(comch_side_of(ctx), struct doca_comch_client, side);
}

/* ------------------------------------------------------------------------------------------------
 * Connecting
 */

static doca_error_t connect_link(struct doca_comch_client *client, struct soft_link **link)
{
    const struct comch_side *side = &client->side;
    struct soft_link_conf conf = comch_side_link_conf(side);
    uint8_t greeting[COMCH_HELLO_MAX];
    char address[COMCH_ADDRESS_SIZE], wrapped[SOFT_LINK_ADDR_MAX];
    const struct comch_hello hello = {
        .max_msg = side->max_msg,
        .recv_queue = side->recv_queue,
        .fast_path = side->ctx.dev->info.soft->caps.comch_fast_path,
        .identity = side->identity,
        .identity_len = side->identity_len,
    };
    int err;

    conf.connect_timeout = side->ctx.dev->info.soft->caps.comch_connect_timeout;
    comch_wire_address(side->identity, side->identity_len, address);
    err = soft_link_connect(soft_link_with_faults(address, wrapped), &conf, greeting,
                            comch_wire_put_hello(greeting, &hello), link);
    if (err == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(
        err == -ENOMEM || err == -EMFILE ? DOCA_ERROR_INITIALIZATION : DOCA_ERROR_DRIVER,
        CORE_LOG_COMCH, "doca_ctx_start", side->ctx.name, "connection", "%s", soft_reason());
}

static doca_error_t start(struct doca_ctx *ctx)
{
    struct doca_comch_client *client = from_ctx(ctx);
    struct soft_link *link;
    doca_error_t result = comch_side_start(&client->side, SOFT_ROLE_HOST);

    if (result != DOCA_SUCCESS)
        return result;
    result = connect_link(client, &link);
    if (result != DOCA_SUCCESS) {
        comch_side_stopped(&client->side);
        return result;
    }
    client->was_up = false;
    if (comch_conn_open(&client->conn, link, COMCH_CONN_OPENING))
        return DOCA_ERROR_IN_PROGRESS;
    soft_link_close(link);
    comch_side_stopped(&client->side);
    return CORE_FAIL(DOCA_ERROR_INITIALIZATION, CORE_LOG_COMCH, "doca_ctx_start", ctx->name,
                     "connection", "no memory" CORE_REMEDY "free memory");
}

/* The answer that came with a link that is up or was refused. */
static int get_answer(const struct doca_comch_client *client, struct comch_answer *answer)
{
    size_t len;
    const void *data = soft_link_answer(client->conn.link, &len);

    return data != NULL ? comch_wire_get_answer(data, len, answer) : -EBADMSG;
}

static const char *why_refused(const struct doca_comch_client *client)
{
    static const char *const texts[COMCH_VERDICT_NUM] = {
        [COMCH_WELCOME] = "the server gave no reason",
        [COMCH_FULL] = "the server has all its clients",
        [COMCH_STRANGER] = "the server is another one",
        [COMCH_VERSION] = "the server speaks another version of the protocol",
    };
    struct comch_answer answer;

    return get_answer(client, &answer) == 0 ? texts[answer.verdict] : texts[COMCH_WELCOME];
}

static void log_failure(const struct doca_comch_client *client, int reason)
{
    const struct comch_side *side = &client->side;

    if (reason == -ETIMEDOUT || reason == -ECONNREFUSED)
        CORE_FAIL(DOCA_ERROR_TIME_OUT, CORE_LOG_COMCH, "doca_pe_progress", side->ctx.name, "server",
                  "\"%s\", which did not answer" CORE_LIMIT "%u ms" CORE_REMEDY
                  "start the server on the DPU, on the representor of this device and with this "
                  "name",
                  side->name, side->ctx.dev->info.soft->caps.comch_connect_timeout);
    else if (reason == -EACCES)
        CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_COMCH, "doca_pe_progress", side->ctx.name,
                  "server", "\"%s\", which refuses: %s", side->name, why_refused(client));
    else
        CORE_FAIL(DOCA_ERROR_CONNECTION_ABORTED, CORE_LOG_COMCH, "doca_pe_progress", side->ctx.name,
                  "server", "\"%s\", lost while connecting: %s", side->name, strerror(-reason));
}

static bool fail(struct doca_comch_client *client, int reason)
{
    log_failure(client, reason);
    client->conn.failed = true;
    comch_conn_lose(&client->conn, false);
    core_ctx_fail(&client->side.ctx);
    return true;
}

static bool establish(struct doca_comch_client *client)
{
    struct doca_comch_connection *conn = &client->conn;
    struct comch_answer answer;
    int reason = 0;
    enum soft_link_state state = soft_link_poll(conn->link, &reason);

    if (state == SOFT_LINK_CONNECTING)
        return false;
    /* A server that took the client in may be gone already, after a word or two. */
    if (get_answer(client, &answer) != 0 || answer.verdict != COMCH_WELCOME)
        return fail(client, state == SOFT_LINK_DOWN ? reason : -EPROTO);
    comch_conn_agree(conn, answer.max_msg, answer.recv_queue, answer.fast_path);
    conn->state = COMCH_CONN_UP;
    client->was_up = true;
    core_ctx_established(&client->side.ctx, DOCA_SUCCESS);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Context
 */

static bool progress(struct doca_ctx *ctx)
{
    struct doca_comch_client *client = from_ctx(ctx);

    if (od_unlikely(client->conn.state == COMCH_CONN_OPENING))
        return establish(client);
    if (comch_conn_step(&client->conn))
        return true;
    if (od_likely(client->conn.state == COMCH_CONN_UP) || ctx->state != DOCA_CTX_STATE_RUNNING)
        return false;
    core_ctx_fail(ctx);
    return true;
}

static bool pending(const struct doca_ctx *ctx)
{
    return comch_conn_pending(&from_ctx(ctx)->conn);
}

static void flush(struct doca_ctx *ctx)
{
    (void)ctx; /* nothing is held back */
}

static void stopping(struct doca_ctx *ctx)
{
    struct doca_comch_connection *conn = &from_ctx(ctx)->conn;

    if (conn->state == COMCH_CONN_OPENING)
        comch_conn_lose(conn, false);
    comch_conn_leave(conn);
}

static bool drained(const struct doca_ctx *ctx)
{
    return from_ctx(ctx)->conn.state == COMCH_CONN_IDLE;
}

static void stopped(struct doca_ctx *ctx)
{
    comch_side_stopped(comch_side_of(ctx));
}

static const struct core_ctx_ops client_ctx_ops = {
    .kind = "comch_client",
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

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client)
{
    struct doca_comch_client *created;
    doca_error_t result;

    if (comch_client == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "comch_client");
    result = comch_side_check(dev, name, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    created = calloc(1, sizeof(*created));
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMCH, __func__, dev->info.name, "instance",
                         "%zu bytes" CORE_REMEDY "free memory", sizeof(*created));
    result = comch_side_init(&created->side, &client_ctx_ops, dev, dev->info.soft, name, __func__);
    if (result != DOCA_SUCCESS) {
        free(created);
        return result;
    }
    created->conn.side = &created->side;
    core_live_add(CORE_LIVE_COMCH_CLIENT, created);
    core_live_add(CORE_LIVE_COMCH_CONNECTION, &created->conn);
    *comch_client = created;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    result = comch_side_fini(&comch_client->side, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    core_live_remove(&comch_client->conn);
    free(comch_client);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
    return comch_client != NULL ? &comch_client->side.ctx : NULL;
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    if (connection == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "connection");
    if (!comch_client->was_up)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, __func__,
                         comch_client->side.ctx.name, "state",
                         "not RUNNING since its start" CORE_REMEDY
                         "ask from the state callback that reports RUNNING on");
    *connection = (struct doca_comch_connection *)&comch_client->conn;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return comch_send_alloc(&comch_client->side, peer, msg, len, __func__, task);
}
