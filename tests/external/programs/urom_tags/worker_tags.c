/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker half: a UCP worker of its own, whose address the domain carries to the others. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

#include <doca_error.h>
#include <doca_log.h>
#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "tags.h"

DOCA_LOG_REGISTER(TAGS::WORKER);

#define PEERS_MAX 16
#define ROOM      256

#ifdef USE_EXPORT
#define FEATURES (UCP_FEATURE_TAG | UCP_FEATURE_EXPORTED_MEMH)
#else
#define FEATURES UCP_FEATURE_TAG
#endif

/* A command under way. */
struct tags_op_state {
    struct tags_op_state *next;
    struct urom_worker_cmd_desc *cmd_desc;
    void *request;
    bool receives;
    uint8_t bytes[ROOM];
};

struct tags_worker {
    ucs_list_link_t completed;
    struct tags_op_state *under_way;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_len;
    ucp_ep_h endpoints[PEERS_MAX];
};

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
doca_error_t urom_plugin_get_version(uint64_t *version);

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static doca_error_t open_ucx(struct tags_worker *self)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = FEATURES};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};

    if (ucp_init(&params, NULL, &self->context) != UCS_OK)
        return DOCA_ERROR_DRIVER;
    if (ucp_worker_create(self->context, &worker_params, &self->worker) != UCS_OK)
        goto err_cleanup;
    if (ucp_worker_get_address(self->worker, &self->address, &self->address_len) != UCS_OK)
        goto err_destroy;
    return DOCA_SUCCESS;

err_destroy:
    ucp_worker_destroy(self->worker);
err_cleanup:
    ucp_cleanup(self->context);
    return DOCA_ERROR_DRIVER;
}

static doca_error_t tags_open(struct urom_worker_ctx *ctx)
{
    struct tags_worker *self = calloc(1, sizeof(*self));
    doca_error_t result;

    if (self == NULL)
        return DOCA_ERROR_NO_MEMORY;
    ucs_list_head_init(&self->completed);
    result = open_ucx(self);
    if (result != DOCA_SUCCESS) {
        free(self);
        return result;
    }
    ctx->plugin_ctx = self;
    return DOCA_SUCCESS;
}

static void tags_close(struct urom_worker_ctx *ctx)
{
    struct tags_worker *self = ctx->plugin_ctx;

    while (self->under_way != NULL) {
        struct tags_op_state *op = self->under_way;

        self->under_way = op->next;
        ucp_request_cancel(self->worker, op->request);
        ucp_request_free(op->request);
        free(op->cmd_desc);
        free(op);
    }
    while (!ucs_list_is_empty(&self->completed))
        free(ucs_list_extract_head(&self->completed, struct urom_worker_notif_desc, entry));
    ucp_worker_release_address(self->worker, self->address);
    ucp_worker_destroy(self->worker);
    ucp_cleanup(self->context);
    free(self);
}

static doca_error_t tags_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
    struct tags_worker *self = ctx->plugin_ctx;
    const size_t room = *addr_len;

    *addr_len = self->address_len;
    if (room < self->address_len)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(addr, self->address, self->address_len);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

static doca_error_t reply(struct tags_worker *self, const struct urom_worker_cmd_desc *cmd_desc,
                          doca_error_t status, const void *bytes, size_t len)
{
    struct urom_worker_notif_desc *notif_desc = calloc(1, sizeof(*notif_desc) + len);
    struct urom_worker_notify *notif;

    if (notif_desc == NULL)
        return DOCA_ERROR_NO_MEMORY;
    notif = &notif_desc->worker_notif;
    notif_desc->dest_id = cmd_desc->dest_id;
    notif->type = cmd_desc->worker_cmd.type;
    notif->urom_context = cmd_desc->worker_cmd.urom_context;
    notif->len = len;
    notif->status = status;
    if (len > 0)
        memcpy(notif->plugin_notif, bytes, len);
    ucs_list_add_tail(&self->completed, &notif_desc->entry);
    return DOCA_SUCCESS;
}

static doca_error_t endpoint_to(struct urom_worker_ctx *ctx, uint64_t peer, ucp_ep_h *endpoint)
{
    struct tags_worker *self = ctx->plugin_ctx;
    ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
    void *address;
    doca_error_t result;

    if (peer >= PEERS_MAX)
        return DOCA_ERROR_NOT_FOUND;
    if (self->endpoints[peer] == NULL) {
        result = doca_urom_worker_domain_addr_lookup(ctx, peer, &address);
        if (result != DOCA_SUCCESS)
            return result;
        params.address = address;
        if (ucp_ep_create(self->worker, &params, &self->endpoints[peer]) != UCS_OK)
            return DOCA_ERROR_DRIVER;
    }
    *endpoint = self->endpoints[peer];
    return DOCA_SUCCESS;
}

/* Takes the command. */
static doca_error_t begin(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *cmd_desc,
                          const struct tags_cmd *cmd)
{
    static const ucp_request_param_t plain = {.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL};
    struct tags_worker *self = ctx->plugin_ctx;
    struct tags_op_state *op = calloc(1, sizeof(*op));
    const size_t len = cmd_desc->worker_cmd.len - sizeof(*cmd);
    ucp_ep_h endpoint;
    doca_error_t result = op != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;

    if (result == DOCA_SUCCESS && cmd->op == TAGS_SEND)
        result = endpoint_to(ctx, cmd->peer, &endpoint);
    if (result != DOCA_SUCCESS || len > ROOM) {
        free(op);
        return result != DOCA_SUCCESS ? result : DOCA_ERROR_INVALID_VALUE;
    }
    op->cmd_desc = cmd_desc;
    op->receives = cmd->op == TAGS_RECV;
    if (op->receives) {
        op->request = ucp_tag_recv_nbx(self->worker, op->bytes, ROOM, cmd->tag, UINT64_MAX, &plain);
    } else {
        memcpy(op->bytes, cmd_desc->worker_cmd.plugin_cmd + sizeof(*cmd), len);
        op->request = ucp_tag_send_nbx(endpoint, op->bytes, len, cmd->tag, &plain);
    }
    if (UCS_PTR_IS_ERR(op->request)) {
        free(op);
        return DOCA_ERROR_DRIVER;
    }
    op->next = self->under_way;
    self->under_way = op;
    return DOCA_SUCCESS;
}

#ifdef USE_EXPORT
static doca_error_t export_memory(struct tags_worker *self)
{
    static char memory[4096];
    const ucp_mem_map_params_t map_params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
                                                           UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                             .address = memory,
                                             .length = sizeof(memory)};
    const ucp_memh_pack_params_t pack_params = {.field_mask = UCP_MEMH_PACK_PARAM_FIELD_FLAGS,
                                                .flags = UCP_MEMH_PACK_FLAG_EXPORT};
    ucp_mem_h memh;
    ucs_status_t status;
    size_t len;
    void *packed;

    if (ucp_mem_map(self->context, &map_params, &memh) != UCS_OK)
        return DOCA_ERROR_DRIVER;
    status = ucp_memh_pack(memh, &pack_params, &packed, &len);
    if (status == UCS_OK) {
        const ucp_memh_buffer_release_params_t release = {.field_mask = 0};

        ucp_memh_buffer_release(packed, &release);
    }
    (void)ucp_mem_unmap(self->context, memh);
    return status == UCS_OK ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}
#else
static doca_error_t export_memory(struct tags_worker *self)
{
    (void)self;
    return DOCA_ERROR_NOT_SUPPORTED;
}
#endif

/* Whether the command was taken, or is answered. */
static doca_error_t execute(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *cmd_desc)
{
    struct tags_cmd cmd = {.op = UINT64_MAX};
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;

    if (cmd_desc->worker_cmd.len >= sizeof(cmd))
        memcpy(&cmd, cmd_desc->worker_cmd.plugin_cmd, sizeof(cmd));
    if (cmd.op == TAGS_SEND || cmd.op == TAGS_RECV) {
        result = begin(ctx, cmd_desc, &cmd);
        if (result == DOCA_SUCCESS)
            return DOCA_SUCCESS;
    } else if (cmd.op == TAGS_EXPORT) {
        result = export_memory(ctx->plugin_ctx);
    }
    result = reply(ctx->plugin_ctx, cmd_desc, result, NULL, 0);
    free(cmd_desc);
    return result;
}

static doca_error_t tags_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    doca_error_t result = DOCA_SUCCESS;

    while (!ucs_list_is_empty(cmd_list) && result == DOCA_SUCCESS)
        result = execute(ctx, ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry));
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Progress
 */

/* True when it is over. */
static bool settle(struct tags_worker *self, struct tags_op_state *op)
{
    ucp_tag_recv_info_t info = {.length = 0};
    const ucs_status_t status = op->receives ? ucp_tag_recv_request_test(op->request, &info)
                                             : ucp_request_check_status(op->request);

    if (status == UCS_INPROGRESS)
        return false;
    (void)reply(self, op->cmd_desc, status == UCS_OK ? DOCA_SUCCESS : DOCA_ERROR_DRIVER, op->bytes,
                status == UCS_OK ? info.length : 0);
    ucp_request_free(op->request);
    free(op->cmd_desc);
    free(op);
    return true;
}

static doca_error_t tags_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct tags_worker *self = ctx->plugin_ctx;
    struct tags_op_state **at = &self->under_way;

    (void)ucp_worker_progress(self->worker);
    while (*at != NULL) {
        struct tags_op_state *op = *at, *next = op->next;

        if (settle(self, op))
            *at = next;
        else
            at = &op->next;
    }
    if (ucs_list_is_empty(&self->completed))
        return DOCA_ERROR_EMPTY;
    while (!ucs_list_is_empty(&self->completed)) {
        struct urom_worker_notif_desc *notif_desc =
            ucs_list_extract_head(&self->completed, struct urom_worker_notif_desc, entry);

        ucs_list_add_tail(notif_list, &notif_desc->entry);
    }
    return DOCA_SUCCESS;
}

static doca_error_t tags_notif_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
                                    void *packed_notif)
{
    const size_t len = sizeof(*notif) + notif->len;

    if (len > *packed_notif_len)
        return DOCA_ERROR_INITIALIZATION;
    memcpy(packed_notif, notif, len);
    *packed_notif_len = len;
    return DOCA_SUCCESS;
}

static struct urom_plugin_iface tags_iface = {
    .open = tags_open,
    .close = tags_close,
    .addr = tags_addr,
    .worker_cmd = tags_worker_cmd,
    .progress = tags_progress,
    .notif_pack = tags_notif_pack,
};

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    DOCA_STRUCT_CTOR(tags_iface);
    *iface = tags_iface;
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = TAGS_VERSION;
    return DOCA_SUCCESS;
}
