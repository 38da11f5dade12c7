/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin worker_sandbox: sends and receives by tags between the workers of a domain.
 *
 * A send is complete when the network has it. A message goes to the oldest posted receive that it
 * matches, of any client, else it waits; a receive takes the oldest message that matches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_version.h>

#include <ucs/type/status.h>

#include "soft/soft.h"
#include "urom/plugin/common/net.h"
#include "urom/plugin/common/plugin.h"
#include "urom/plugin/sandbox/common/sandbox_wire.h"

DOCA_LOG_REGISTER(UROM::PLUGIN::SANDBOX);

#define MESSAGE_MAX    (1u << 20) /* as long as a channel's messages can be */
#define DEPTH          64
#define UNEXPECTED_MAX (64u << 20) /* bytes that wait for a receive, overhead included */

/* A message that no receive was there for. */
struct unexpected {
    ucs_list_link_t entry;
    uint64_t tag;
    size_t len;
    uint8_t bytes[];
};

/* Who we send to: commands that the network has not taken yet. */
struct peer {
    ucs_list_link_t entry;
    struct plugin_net_conn *conn;
    ucs_list_link_t sends; /* struct urom_worker_cmd_desc */
};

struct sandbox {
    struct plugin_base base;
    struct urom_worker_ctx *ctx;
    struct plugin_net *net;
    ucs_list_link_t peers;
    ucs_list_link_t posted; /* receives: struct urom_worker_cmd_desc */
    ucs_list_link_t unexpected;
    size_t unexpected_len;
};

/* Commands are checked once, then read where they lie: the block is ours. */
static const struct sandbox_cmd *cmd_of(const struct urom_worker_cmd_desc *command)
{
    return (const void *)command->worker_cmd.plugin_cmd;
}

/* ------------------------------------------------------------------------------------------------
 * Ends of commands
 */

static doca_error_t task_status(ucs_status_t status)
{
    return status == UCS_OK ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

static doca_error_t end_send(struct sandbox *sandbox, const struct urom_worker_cmd_desc *command,
                             doca_error_t error, ucs_status_t status)
{
    const struct sandbox_notify notify = {
        .type = SANDBOX_TAG_SEND,
        .send = {.context = cmd_of(command)->context, .status = (int8_t)status}};

    return plugin_answer(&sandbox->base, command, error, &notify, sizeof(notify));
}

/* NULL: no memory. Room for the data is at *data. */
static struct urom_worker_notif_desc *recv_note(const struct urom_worker_cmd_desc *command,
                                                uint64_t tag, size_t count, ucs_status_t status,
                                                uint8_t **data)
{
    struct sandbox_notify notify = {.type = SANDBOX_TAG_RECV,
                                    .recv = {.context = cmd_of(command)->context,
                                             .count = count,
                                             .sender_tag = tag,
                                             .status = (int8_t)status}};
    struct urom_worker_notif_desc *note = plugin_note(command, sizeof(notify) + count, 0);

    if (note == NULL)
        return NULL;
    if (status == UCS_OK)
        notify.recv.buffer = sizeof(notify);
    memcpy(note->worker_notif.plugin_notif, &notify, sizeof(notify));
    *data = note->worker_notif.plugin_notif + sizeof(notify);
    return note;
}

/* Ends a receive with a message. False: no memory, nothing has happened. */
static bool deliver(struct sandbox *sandbox, const struct urom_worker_cmd_desc *command,
                    uint64_t tag, const void *bytes, size_t len)
{
    const bool fits = len <= cmd_of(command)->recv.count;
    const ucs_status_t status = fits ? UCS_OK : UCS_ERR_MESSAGE_TRUNCATED;
    struct urom_worker_notif_desc *note;
    uint8_t *data;

    note = recv_note(command, tag, fits ? len : 0, status, &data);
    if (note == NULL)
        return false;
    if (fits && len > 0)
        memcpy(data, bytes, len);
    plugin_finish(&sandbox->base, note, task_status(status));
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

static bool matches(const struct urom_worker_cmd_desc *command, uint64_t tag)
{
    const struct sandbox_tag_recv *recv = &cmd_of(command)->recv;

    return ((tag ^ recv->tag) & recv->tag_mask) == 0;
}

static struct urom_worker_cmd_desc *find_posted(struct sandbox *sandbox, uint64_t tag)
{
    struct urom_worker_cmd_desc *command;

    ucs_list_for_each(command, &sandbox->posted, entry)
    {
        if (matches(command, tag))
            return command;
    }
    return NULL;
}

static int keep(struct sandbox *sandbox, uint64_t tag, const void *bytes, size_t len)
{
    const size_t cost = sizeof(struct unexpected) + len;
    struct unexpected *message;

    if (cost > UNEXPECTED_MAX - sandbox->unexpected_len)
        return -EAGAIN;
    message = malloc(cost);
    if (message == NULL)
        return -EAGAIN;
    message->tag = tag;
    message->len = len;
    memcpy(message->bytes, bytes, len);
    ucs_list_add_tail(&sandbox->unexpected, &message->entry);
    sandbox->unexpected_len += cost;
    return 0;
}

static int on_message(void *arg, struct plugin_net_conn *conn, const void *bytes, uint32_t len)
{
    const uint8_t *data = (const uint8_t *)bytes + sizeof(struct sandbox_message);
    struct sandbox *sandbox = arg;
    struct sandbox_message message;
    struct urom_worker_cmd_desc *command;

    (void)conn;
    if (len < sizeof(message))
        return -EBADMSG;
    memcpy(&message, bytes, sizeof(message));
    len -= (uint32_t)sizeof(message);
    command = find_posted(sandbox, message.tag);
    if (command == NULL)
        return keep(sandbox, message.tag, data, len);
    if (!deliver(sandbox, command, message.tag, data, len))
        return -EAGAIN;
    ucs_list_del(&command->entry);
    free(command);
    return 0;
}

static void drop_unexpected(struct sandbox *sandbox, struct unexpected *message)
{
    sandbox->unexpected_len -= sizeof(*message) + message->len;
    ucs_list_del(&message->entry);
    free(message);
}

/* *keeps: the command is posted. */
static doca_error_t tag_recv(struct sandbox *sandbox, struct urom_worker_cmd_desc *command,
                             bool *keeps)
{
    struct unexpected *message;

    ucs_list_for_each(message, &sandbox->unexpected, entry)
    {
        if (!matches(command, message->tag))
            continue;
        if (!deliver(sandbox, command, message->tag, message->bytes, message->len))
            return DOCA_ERROR_NO_MEMORY;
        drop_unexpected(sandbox, message);
        return DOCA_SUCCESS;
    }
    *keeps = true;
    ucs_list_add_tail(&sandbox->posted, &command->entry);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

static int send_now(struct peer *peer, const struct urom_worker_cmd_desc *command)
{
    const struct urom_worker_cmd *cmd = &command->worker_cmd;
    const size_t count = cmd_of(command)->send.count;
    const struct sandbox_message message = {.tag = cmd_of(command)->send.tag};
    const struct iovec iov[] = {{(void *)&message, sizeof(message)},
                                {(void *)(cmd->plugin_cmd + cmd->len - count), count}};

    return plugin_net_send(peer->conn, iov, OD_ARRAY_SIZE(iov));
}

/* The command can be freed then. */
static void sent(struct sandbox *sandbox, const struct urom_worker_cmd_desc *command, int err)
{
    const ucs_status_t status = err == 0 ? UCS_OK : UCS_ERR_CONNECTION_RESET;

    if (end_send(sandbox, command, task_status(status), status) != DOCA_SUCCESS)
        DOCA_LOG_ERR("no memory to tell the end of a send");
}

static bool send_waiting(struct sandbox *sandbox, struct peer *peer)
{
    bool any = false;

    while (!ucs_list_is_empty(&peer->sends)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_head(&peer->sends, struct urom_worker_cmd_desc, entry);
        int err = send_now(peer, command);

        /* The end of the connection comes with its reason. */
        if (err == -EAGAIN || err == -EPIPE)
            break;
        ucs_list_del(&command->entry);
        sent(sandbox, command, err);
        free(command);
        any = true;
    }
    return any;
}

static struct peer *add_peer(struct sandbox *sandbox, struct plugin_net_conn *conn)
{
    struct peer *peer = malloc(sizeof(*peer));

    if (peer == NULL)
        return NULL;
    peer->conn = conn;
    ucs_list_head_init(&peer->sends);
    ucs_list_add_tail(&sandbox->peers, &peer->entry);
    *plugin_net_user(conn) = peer;
    return peer;
}

static void on_ended(void *arg, struct plugin_net_conn *conn, int reason)
{
    struct sandbox *sandbox = arg;
    struct peer *peer = *plugin_net_user(conn);

    if (peer == NULL)
        return;
    DOCA_LOG_WARN("the connection to a worker ends: %s", strerror(-reason));
    while (!ucs_list_is_empty(&peer->sends)) {
        struct urom_worker_cmd_desc *command =
            ucs_list_extract_head(&peer->sends, struct urom_worker_cmd_desc, entry);

        sent(sandbox, command, reason);
        free(command);
    }
    ucs_list_del(&peer->entry);
    free(peer);
}

/* NULL: *error says why. */
static struct peer *find_peer(struct sandbox *sandbox, uint64_t dest, doca_error_t *error)
{
    struct plugin_net_conn *conn;
    struct peer *peer;
    void *addr;
    int err;

    *error = DOCA_ERROR_NOT_FOUND;
    if (doca_urom_worker_domain_addr_lookup(sandbox->ctx, dest, &addr) != DOCA_SUCCESS) {
        DOCA_LOG_WARN("no worker has the domain id %llu", (unsigned long long)dest);
        return NULL;
    }
    *error = DOCA_ERROR_DRIVER;
    err = plugin_net_connect(sandbox->net, addr, &conn);
    if (err != 0) {
        DOCA_LOG_WARN("no way to the worker %llu of the domain: %s", (unsigned long long)dest,
                      soft_reason());
        return NULL;
    }
    peer = *plugin_net_user(conn);
    return peer != NULL ? peer : add_peer(sandbox, conn);
}

/* *keeps: the command waits to be sent, or is. */
static doca_error_t tag_send(struct sandbox *sandbox, struct urom_worker_cmd_desc *command,
                             bool *keeps)
{
    doca_error_t error;
    struct peer *peer = find_peer(sandbox, cmd_of(command)->send.dest, &error);

    if (peer == NULL)
        return end_send(sandbox, command, error, UCS_ERR_UNREACHABLE);
    *keeps = true;
    ucs_list_add_tail(&peer->sends, &command->entry);
    send_waiting(sandbox, peer);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Commands
 */

/* Memory of the host cannot be mapped here: nothing can be exported to another process by UCX on a
 * machine without an adapter that does. */
static doca_error_t refuse_map(struct sandbox *sandbox, const struct urom_worker_cmd_desc *command,
                               uint64_t context)
{
    const struct sandbox_notify notify = {.type = SANDBOX_MEM_MAP, .map = {.context = context}};

    return plugin_answer(&sandbox->base, command, DOCA_ERROR_NOT_SUPPORTED, &notify,
                         sizeof(notify));
}

/* A handle that nobody can have. */
static doca_error_t refuse_memh(struct sandbox *sandbox, const struct urom_worker_cmd_desc *command)
{
    struct urom_worker_notif_desc *note;
    uint8_t *data;

    if (cmd_of(command)->type == SANDBOX_TAG_SEND)
        return end_send(sandbox, command, DOCA_ERROR_NOT_FOUND, UCS_ERR_INVALID_PARAM);
    note = recv_note(command, 0, 0, UCS_ERR_INVALID_PARAM, &data);
    if (note == NULL)
        return DOCA_ERROR_NO_MEMORY;
    plugin_finish(&sandbox->base, note, DOCA_ERROR_NOT_FOUND);
    return DOCA_SUCCESS;
}

/* *keeps: the command is somewhere else now. */
static doca_error_t execute(struct urom_worker_ctx *ctx, struct urom_worker_cmd_desc *command,
                            bool *keeps)
{
    struct sandbox *sandbox = ctx->plugin_ctx;
    struct sandbox_cmd cmd;
    const uint8_t *data;
    int err =
        sandbox_cmd_read(command->worker_cmd.plugin_cmd, command->worker_cmd.len, &cmd, &data);

    if (err != 0)
        return plugin_answer(&sandbox->base, command,
                             err == -ENOTSUP ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE,
                             NULL, 0);
    if (cmd.type == SANDBOX_MEM_MAP)
        return refuse_map(sandbox, command, cmd.context);
    if ((cmd.type == SANDBOX_TAG_SEND ? cmd.send.memh_id : cmd.recv.memh_id) != 0)
        return refuse_memh(sandbox, command);
    return cmd.type == SANDBOX_TAG_SEND ? tag_send(sandbox, command, keeps)
                                        : tag_recv(sandbox, command, keeps);
}

static doca_error_t sandbox_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
    return plugin_commands(ctx, cmd_list, execute);
}

static doca_error_t sandbox_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
    struct sandbox *sandbox = ctx->plugin_ctx;
    struct peer *peer;

    plugin_net_progress(sandbox->net);
    ucs_list_for_each(peer, &sandbox->peers, entry) send_waiting(sandbox, peer);
    return plugin_hand_over(&sandbox->base, notif_list);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static doca_error_t sandbox_open(struct urom_worker_ctx *ctx)
{
    struct sandbox *sandbox = calloc(1, sizeof(*sandbox));
    const struct plugin_net_conf conf = {
        .max_msg = MESSAGE_MAX,
        .depth = DEPTH,
        .message = on_message,
        .ended = on_ended,
        .arg = sandbox,
    };

    if (sandbox == NULL)
        return DOCA_ERROR_NO_MEMORY;
    plugin_init(&sandbox->base, NULL);
    sandbox->ctx = ctx;
    ucs_list_head_init(&sandbox->peers);
    ucs_list_head_init(&sandbox->posted);
    ucs_list_head_init(&sandbox->unexpected);
    if (plugin_net_open(&conf, &sandbox->net) != 0) {
        DOCA_LOG_ERR("no end for messages: %s", soft_reason());
        free(sandbox);
        return DOCA_ERROR_INITIALIZATION;
    }
    ctx->plugin_ctx = sandbox;
    return DOCA_SUCCESS;
}

static void free_commands(ucs_list_link_t *list)
{
    while (!ucs_list_is_empty(list))
        free(ucs_list_extract_head(list, struct urom_worker_cmd_desc, entry));
}

static void sandbox_close(struct urom_worker_ctx *ctx)
{
    struct sandbox *sandbox = ctx->plugin_ctx;
    struct peer *peer, *next;

    plugin_net_close(sandbox->net);
    ucs_list_for_each_safe(peer, next, &sandbox->peers, entry)
    {
        free_commands(&peer->sends);
        free(peer);
    }
    free_commands(&sandbox->posted);
    while (!ucs_list_is_empty(&sandbox->unexpected))
        drop_unexpected(sandbox, ucs_list_head(&sandbox->unexpected, struct unexpected, entry));
    plugin_fini(&sandbox->base);
    free(sandbox);
    ctx->plugin_ctx = NULL;
}

static doca_error_t sandbox_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
    const struct sandbox *sandbox = ctx->plugin_ctx;
    const size_t room = *addr_len;
    const void *own = plugin_net_addr(sandbox->net, addr_len);

    if (room < *addr_len)
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(addr, own, *addr_len);
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
    if (iface == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *iface = (struct urom_plugin_iface){
        DOCA_STRUCT_CTOR_LIST_START,      .open = sandbox_open,
        .close = sandbox_close,           .addr = sandbox_addr,
        .worker_cmd = sandbox_worker_cmd, .progress = sandbox_progress,
    };
    return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
    if (version == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    *version = SANDBOX_VERSION;
    return DOCA_SUCCESS;
}

/* A client left: nobody waits for its receives. */
void urom_plugin_ext_conn_closed(struct urom_worker_ctx *ctx, uint64_t dest_id)
{
    struct sandbox *sandbox = ctx->plugin_ctx;
    struct urom_worker_cmd_desc *command, *next;

    ucs_list_for_each_safe(command, next, &sandbox->posted, entry)
    {
        if (command->dest_id != dest_id)
            continue;
        ucs_list_del(&command->entry);
        free(command);
    }
}

doca_error_t urom_plugin_ext_arm(struct urom_worker_ctx *ctx, int *fd)
{
    struct sandbox *sandbox = ctx->plugin_ctx;

    return ucs_list_is_empty(&sandbox->base.done) && plugin_net_arm(sandbox->net, fd)
               ? DOCA_SUCCESS
               : DOCA_ERROR_AGAIN;
}
