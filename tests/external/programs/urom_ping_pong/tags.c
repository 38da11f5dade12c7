/* SPDX-License-Identifier: BSD-3-Clause */
#include "tags.h"

#include <string.h>

#include <doca_buf.h>
#include <doca_log.h>
#include <doca_pe.h>

#include <ucp/api/ucp.h>

DOCA_LOG_REGISTER(TAGS);

enum { TAGS_MEM_MAP, TAGS_SEND, TAGS_RECV };

/* As the plugin has it; the structure of UCX gives the union its size. */
struct tags_cmd {
    uint64_t type;
    union {
        struct {
            uint64_t context, dest, buffer, count, tag, memh_id;
        } send;
        struct {
            uint64_t context, buffer, count, tag, mask, memh_id;
        } recv;
        struct {
            uint64_t context;
            ucp_mem_map_params_t params;
            uint64_t handle_len;
        } map;
    };
};

struct tags_notify {
    uint64_t type;
    union {
        struct {
            uint64_t context, memh_id;
        } map;
        struct {
            uint64_t context;
            int8_t status;
        } send;
        struct {
            uint64_t context, buffer, count, sender_tag;
            int8_t status;
        } recv;
    };
};

/* In the task's own memory. */
struct tags_user {
    uint64_t context;
    tags_sent_cb sent;
    tags_received_cb received;
};

static uint64_t plugin;

doca_error_t tags_init(uint64_t plugin_id, uint64_t version)
{
    if (version != TAGS_VERSION)
        return DOCA_ERROR_UNSUPPORTED_VERSION;
    plugin = plugin_id;
    return DOCA_SUCCESS;
}

static void on_send(const struct tags_user *user, doca_error_t result,
                    const struct tags_notify *notify)
{
    struct tags_sent sent = {.result = result, .context = {.u64 = user->context}};

    if (notify->type == TAGS_SEND)
        sent.status = notify->send.status;
    user->sent(&sent);
}

static void on_receive(const struct tags_user *user, doca_error_t result,
                       const struct tags_notify *notify, size_t len)
{
    struct tags_received received = {.result = result, .context = {.u64 = user->context}};

    if (notify->type == TAGS_RECV) {
        received.count = notify->recv.count;
        received.sender_tag = notify->recv.sender_tag;
        received.status = notify->recv.status;
        if (notify->recv.buffer != 0) {
            received.data = notify + 1;
            if (len != sizeof(*notify) + notify->recv.count)
                received.result = DOCA_ERROR_UNEXPECTED;
        }
    }
    user->received(&received);
}

static void on_complete(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    const struct tags_user *user = doca_urom_worker_cmd_task_get_user_data(task);
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    doca_error_t result = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    void *data = NULL;
    size_t len = 0;

    (void)task_data;
    (void)ctx_data;
    if (doca_buf_get_data(response, &data) != DOCA_SUCCESS ||
        doca_buf_get_data_len(response, &len) != DOCA_SUCCESS)
        result = DOCA_ERROR_UNEXPECTED;
    else if (user->sent != NULL)
        on_send(user, result, data);
    else
        on_receive(user, result, data, len);
    (void)doca_urom_worker_cmd_task_release(task);
}

/* A task with the command, and `more` bytes behind it. */
static doca_error_t submit(struct doca_urom_worker *worker, const struct tags_cmd *cmd,
                           const struct tags_user *user, const void *more, size_t more_len)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_buf *payload;
    void *data = NULL;
    size_t room = 0;
    doca_error_t result = doca_urom_worker_cmd_task_allocate_init(worker, plugin, &task);

    if (result != DOCA_SUCCESS)
        return result;
    payload = doca_urom_worker_cmd_task_get_payload(task);
    result = doca_buf_get_data(payload, &data);
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(payload, &room);
    if (result == DOCA_SUCCESS && room < sizeof(*cmd) + more_len)
        result = DOCA_ERROR_INITIALIZATION;
    if (result == DOCA_SUCCESS) {
        memcpy(data, cmd, sizeof(*cmd));
        if (more_len > 0)
            memcpy((char *)data + sizeof(*cmd), more, more_len);
        result = doca_buf_set_data(payload, data, sizeof(*cmd) + more_len);
    }
    memcpy(doca_urom_worker_cmd_task_get_user_data(task), user, sizeof(*user));
    doca_urom_worker_cmd_task_set_cb(task, on_complete);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("A command is not taken: %s", doca_error_get_descr(result));
        (void)doca_urom_worker_cmd_task_release(task);
    }
    return result;
}

doca_error_t tags_send(struct doca_urom_worker *worker, union doca_data context, uint64_t dest,
                       const void *data, uint64_t count, uint64_t tag, tags_sent_cb done)
{
    const struct tags_user user = {.context = context.u64, .sent = done};
    struct tags_cmd cmd;

    memset(&cmd, 0, sizeof(cmd));
    cmd.type = TAGS_SEND;
    cmd.send.context = context.u64;
    cmd.send.dest = dest;
    cmd.send.buffer = (uintptr_t)data;
    cmd.send.count = count;
    cmd.send.tag = tag;
    return submit(worker, &cmd, &user, data, count);
}

doca_error_t tags_recv(struct doca_urom_worker *worker, union doca_data context, uint64_t room,
                       uint64_t tag, uint64_t mask, tags_received_cb done)
{
    const struct tags_user user = {.context = context.u64, .received = done};
    struct tags_cmd cmd;

    memset(&cmd, 0, sizeof(cmd));
    cmd.type = TAGS_RECV;
    cmd.recv.context = context.u64;
    cmd.recv.count = room;
    cmd.recv.tag = tag;
    cmd.recv.mask = mask;
    return submit(worker, &cmd, &user, NULL, 0);
}
