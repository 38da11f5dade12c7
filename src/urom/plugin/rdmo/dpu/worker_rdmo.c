/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_rdmo: changes the memory of its clients as initiators ask it to, over UCX. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_version.h>

#include "urom/plugin/rdmo/dpu/rdmo_priv.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::RDMO);

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static doca_error_t client_init(struct rdmo *rdmo, const struct urom_worker_cmd_desc *command,
                                const struct rdmo_cmd *cmd, const uint8_t *data)
{
    doca_error_t result = rdmo_client_add(rdmo, command->dest_id, cmd->init.id, data);
    const size_t len = sizeof(struct rdmo_notify) + rdmo->addr_len;
    const struct rdmo_notify notify = {
        .type = RDMO_CLIENT_INIT, .init = {.addr = sizeof(notify), .addr_len = rdmo->addr_len}};
    struct urom_worker_notif_desc *note;

    if (result != DOCA_SUCCESS)
        return plugin_answer(&rdmo->base, command, result, NULL, 0);
    note = plugin_note(command, len, 0);
    if (note == NULL) {
        rdmo_client_remove(rdmo_client_by_dest(rdmo, command->dest_id));
        return DOCA_ERROR_NO_MEMORY;
    }
    memcpy(note->worker_notif.plugin_notif, &notify, sizeof(notify));
    memcpy(note->worker_notif.plugin_notif + sizeof(notify), rdmo->addr, rdmo->addr_len);
    plugin_finish(&rdmo->base, note, DOCA_SUCCESS);
    return DOCA_SUCCESS;
}

/* Commands of a client that there is. */
static doca_error_t client_cmd(struct rdmo_client *client, const struct rdmo_cmd *cmd,
                               const uint8_t *data, uint64_t *id)
{
    switch (cmd->type) {
    case RDMO_RQ_CREATE:
        return rdmo_queue_add(client, data, id);
    case RDMO_RQ_DESTROY:
        *id = cmd->rq_id;
        return rdmo_queue_remove(client, cmd->rq_id);
    case RDMO_MR_REG:
        if (cmd->mr_reg.memh_len > 0)
            DOCA_LOG_DBG("an exported handle of %llu bytes is not needed",
                         (unsigned long long)cmd->mr_reg.memh_len);
        return rdmo_region_add(client, cmd->mr_reg.va, cmd->mr_reg.len, data, id);
    default:
        *id = cmd->rkey_id;
        return rdmo_region_remove(client, cmd->rkey_id);
    }
}

static doca_error_t execute(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                            bool *keeps)
{
    struct rdmo *rdmo = ctx->plugin_ctx;
    struct rdmo_notify notify = {.type = 0};
    struct rdmo_client *client;
    struct rdmo_cmd cmd;
    const uint8_t *data;
    doca_error_t result;
    int err = rdmo_cmd_read(command->worker_cmd.plugin_cmd, command->worker_cmd.len, &cmd, &data);

    (void)keeps; /* requests copy what they need */
    if (err != 0)
        return plugin_answer(&rdmo->base, command,
                             err == -ENOTSUP ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE,
                             NULL, 0);
    if (cmd.type == RDMO_CLIENT_INIT)
        return client_init(rdmo, command, &cmd, data);
    notify.type = cmd.type;
    client = rdmo_client_by_dest(rdmo, command->dest_id);
    result = client == NULL ? DOCA_ERROR_NOT_FOUND : client_cmd(client, &cmd, data, &notify.id);
    return plugin_answer(&rdmo->base, command, result, &notify, sizeof(notify));
}

static doca_error_t rdmo_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, execute);
}

static doca_error_t rdmo_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct rdmo *rdmo = ctx->plugin_ctx;

    ucp_worker_progress(rdmo->front.worker);
    ucp_worker_progress(rdmo->back.worker);
    rdmo_advance(rdmo);
    return plugin_hand_over(&rdmo->base, notif_list);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static ucs_status_t open_side(struct rdmo_side *side, uint64_t feature)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
                                 .features = feature | UCP_FEATURE_WAKEUP,
                                 .name = "worker_rdmo"};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucs_status_t status = ucp_init(&params, NULL, &side->context);

    return status == UCS_OK ? ucp_worker_create(side->context, &worker_params, &side->worker)
                            : status;
}

/* Without it the worker does not sleep. */
static void watch_side(struct rdmo *rdmo, const struct rdmo_side *side)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd;

    if (rdmo->epoll >= 0 && ucp_worker_get_efd(side->worker, &fd) == UCS_OK &&
        epoll_ctl(rdmo->epoll, EPOLL_CTL_ADD, fd, &event) == 0)
        return;
    if (rdmo->epoll >= 0)
        close(rdmo->epoll);
    rdmo->epoll = -1;
}

static ucs_status_t open_ucx(struct rdmo *rdmo)
{
    const ucp_am_handler_param_t handler = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                      UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = RDMO_AM_ID,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = rdmo_on_message,
        .arg = rdmo,
    };
    ucs_status_t status = open_side(&rdmo->front, UCP_FEATURE_AM);

    if (status == UCS_OK)
        status = open_side(&rdmo->back, UCP_FEATURE_RMA);
    if (status == UCS_OK)
        status = ucp_worker_set_am_recv_handler(rdmo->front.worker, &handler);
    if (status == UCS_OK)
        status = ucp_worker_get_address(rdmo->front.worker, &rdmo->addr, &rdmo->addr_len);
    if (status == UCS_OK && rdmo->addr_len > RDMO_ADDR_MAX)
        status = UCS_ERR_EXCEEDS_LIMIT;
    if (status != UCS_OK)
        return status;
    rdmo->epoll = epoll_create1(EPOLL_CLOEXEC);
    watch_side(rdmo, &rdmo->front);
    watch_side(rdmo, &rdmo->back);
    return UCS_OK;
}

static void close_side(struct rdmo_side *side)
{
    if (side->worker != NULL)
        ucp_worker_destroy(side->worker);
    if (side->context != NULL)
        ucp_cleanup(side->context);
}

static void close_ucx(struct rdmo *rdmo)
{
    if (rdmo->addr != NULL)
        ucp_worker_release_address(rdmo->front.worker, rdmo->addr);
    if (rdmo->epoll >= 0)
        close(rdmo->epoll);
    close_side(&rdmo->back);
    close_side(&rdmo->front);
}

static doca_error_t rdmo_open(struct urom_worker_ctx *ctx)
{
    struct rdmo *rdmo = calloc(1, sizeof(*rdmo));
    ucs_status_t status;

    if (rdmo == NULL)
        return DOCA_ERROR_NO_MEMORY;
    plugin_init(&rdmo->base, NULL);
    rdmo->epoll = -1;
    od_list_init(&rdmo->clients);
    status = open_ucx(rdmo);
    if (status != UCS_OK) {
        DOCA_LOG_ERR("UCX does not start: %s", ucs_status_string(status));
        close_ucx(rdmo);
        free(rdmo);
        return DOCA_ERROR_INITIALIZATION;
    }
    ctx->plugin_ctx = rdmo;
    return DOCA_SUCCESS;
}

static void rdmo_close(struct urom_worker_ctx *ctx)
{
    struct rdmo *rdmo = ctx->plugin_ctx;

    rdmo_remove_all(rdmo);
    close_ucx(rdmo);
    plugin_fini(&rdmo->base);
    free(rdmo);
    ctx->plugin_ctx = NULL;
}

static doca_error_t rdmo_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
    const struct rdmo *rdmo = ctx->plugin_ctx;
    const size_t room = *addr_len;

    *addr_len = rdmo->addr_len;
    if (room < rdmo->addr_len)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(addr, rdmo->addr, rdmo->addr_len);
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,   .open = rdmo_open,
        .close = rdmo_close,           .addr = rdmo_addr,
        .worker_cmd = rdmo_worker_cmd, .progress = rdmo_progress,
    };
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = RDMO_VERSION;
    return DOCA_SUCCESS;
}

void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    struct rdmo *rdmo = ctx->plugin_ctx;
    struct rdmo_client *client = rdmo_client_by_dest(rdmo, dest_id);

    if (client != NULL)
        rdmo_client_remove(client);
}

doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct rdmo *rdmo = ctx->plugin_ctx;

    *fd = rdmo->epoll;
    if (ucs_list_is_empty(&rdmo->base.done) && rdmo->epoll >= 0 &&
        ucp_worker_arm(rdmo->front.worker) == UCS_OK && ucp_worker_arm(rdmo->back.worker) == UCS_OK)
        return DOCA_SUCCESS;
    return DOCA_ERROR_AGAIN;
}
