/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/comch_priv.h"

static doca_error_t need_both(bool first, const char *first_name, bool second,
                              const char *second_name, const char *func)
{
    if (first && second)
        return DOCA_SUCCESS;
    return CORE_FAIL_NULL(CORE_LOG_COMCH, func, first ? second_name : first_name);
}

static doca_error_t register_recv(struct comch_side *side, doca_comch_event_msg_recv_cb_t cb,
                                  const char *func)
{
    doca_error_t result;

    if (cb == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "recv_event_cb");
    result = core_ctx_check_idle(&side->ctx, func);
    if (result == DOCA_SUCCESS)
        side->recv_cb = cb;
    return result;
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                                       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return register_recv(&comch_server->side, recv_event_cb, __func__);
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                                       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return register_recv(&comch_client->side, recv_event_cb, __func__);
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    result = need_both(connect_event_cb != NULL, "connect_event_cb", disconnect_event_cb != NULL,
                       "disconnect_event_cb", __func__);
    if (result == DOCA_SUCCESS)
        result = core_ctx_check_idle(&comch_server->side.ctx, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    comch_server->connect_cb = connect_event_cb;
    comch_server->disconnect_cb = disconnect_event_cb;
    return DOCA_SUCCESS;
}

static doca_error_t register_consumer(struct comch_side *side, doca_comch_event_consumer_cb_t begun,
                                      doca_comch_event_consumer_cb_t expired, const char *func)
{
    doca_error_t result = need_both(begun != NULL, "new_consumer_event_cb", expired != NULL,
                                    "expired_consumer_event_cb", func);

    if (result == DOCA_SUCCESS)
        result = core_ctx_check_idle(&side->ctx, func);
    if (result != DOCA_SUCCESS)
        return result;
    side->new_consumer_cb = begun;
    side->expired_consumer_cb = expired;
    return DOCA_SUCCESS;
}

doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return register_consumer(&comch_server->side, new_consumer_event_cb, expired_consumer_event_cb,
                             __func__);
}

doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return register_consumer(&comch_client->side, new_consumer_event_cb, expired_consumer_event_cb,
                             __func__);
}

static doca_error_t missing(const struct comch_side *side, const char *what, const char *call)
{
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, "doca_ctx_start", side->ctx.name, what,
                     "not registered" CORE_REMEDY "call doca_comch_%s_event_%s_register() before "
                     "the start",
                     side->is_server ? "server" : "client", call);
}

doca_error_t comch_side_check_events(const struct comch_side *side)
{
    if (side->recv_cb == NULL)
        return missing(side, "message event", "msg_recv");
    if (side->is_server &&
        OD_CONTAINER_OF(side, struct doca_comch_server, side)->connect_cb == NULL)
        return missing(side, "connection event", "connection_status_changed");
    return DOCA_SUCCESS;
}
