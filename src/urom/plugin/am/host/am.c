/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_urom_am.h>

#include <string.h>

#include "urom/plugin/am/common/am_wire.h"
#include "urom/plugin/common/ops.h"

_Static_assert(DOCA_UROM_AM_NO_ACK == AM_NO_ACK && DOCA_UROM_AM_ANY == AM_ANY, "the same numbers");

/* What lies behind the first `size` bytes of an answer. */
static const void *behind(const struct doca_buf *response, size_t size, size_t *len)
{
    *len = response->data_len > size ? response->data_len - size : 0;
    return (const uint8_t *)response->data + (*len > 0 ? size : 0);
}

static void on_sent(struct doca_urom_ops *ops, doca_error_t status, const struct doca_buf *response,
                    const struct ops_end *end)
{
    size_t len;
    const void *reply = behind(response, sizeof(struct am_sent), &len);

    if (end->cb != NULL)
        ((doca_urom_am_sent_cb_t)end->cb)(ops, status, reply, len, end->user_data);
}

static size_t max_len(const struct doca_urom_ops *ops)
{
    return ops->room - OD_MIN(ops->room, sizeof(struct am_send));
}

doca_error_t doca_urom_am_get_max_len(const struct doca_urom_ops *ops, size_t *len)
{
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "ops");
    if (len == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "max_len");
    if (ops->plugins[OPS_AM] == 0)
        return ops_not_loaded(ops, __func__);
    *len = max_len(ops);
    return DOCA_SUCCESS;
}

static doca_error_t check(const struct doca_urom_ops *ops,
                          const struct doca_urom_am_message *message, const char *func)
{
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "ops");
    if (message == NULL)
        return CORE_FAIL_NULL(OPS_LOG, func, "message");
    if (message->bytes == NULL && message->len > 0)
        return CORE_FAIL_NULL(OPS_LOG, func, "bytes");
    if ((message->flags & ~DOCA_UROM_AM_NO_ACK) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "flags",
                         "0x%x" CORE_LIMIT "DOCA_UROM_AM_NO_ACK", message->flags);
    if (message->len > max_len(ops))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, OPS_LOG, func, ops->ctx->name, "len",
                         "%zu" CORE_LIMIT "%zu of a message", message->len, max_len(ops));
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_am_send(struct doca_urom_ops *ops,
                               const struct doca_urom_am_message *message,
                               doca_urom_am_sent_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result = check(ops, message, __func__);
    void *payload;

    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    result = ops_take(ops, ops->plugins[OPS_AM], __func__, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    *(struct am_send *)payload = (struct am_send){.head = {.op = AM_SEND, .flags = message->flags},
                                                  .dest = message->dest,
                                                  .source = message->source,
                                                  .handler = message->handler};
    if (message->len > 0)
        memcpy((struct am_send *)payload + 1, message->bytes, message->len);
    return ops_submit(ops, task, sizeof(struct am_send) + message->len, on_sent, (ops_any_cb_t)cb,
                      user_data);
}

static void on_received(struct doca_urom_ops *ops, doca_error_t status,
                        const struct doca_buf *response, const struct ops_end *end)
{
    struct am_received received = {.source = 0};
    const void *bytes;
    size_t len;

    if (status == DOCA_SUCCESS && !ops_response(response, &received, sizeof(received)))
        status = DOCA_ERROR_UNEXPECTED;
    bytes = behind(response, sizeof(received), &len);
    ((doca_urom_am_received_cb_t)end->cb)(ops, status, received.source, received.handler, bytes,
                                          status == DOCA_SUCCESS ? len : 0, end->user_data);
}

doca_error_t doca_urom_am_recv(struct doca_urom_ops *ops, uint32_t handler,
                               doca_urom_am_received_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result;
    void *payload;

    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "ops");
    if (cb == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "cb");
    result = ops_take(ops, ops->plugins[OPS_AM], __func__, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    *(struct am_recv *)payload = (struct am_recv){
        .head = {.op = AM_RECV, .context = (uintptr_t)user_data}, .handler = handler};
    return ops_submit(ops, task, sizeof(struct am_recv), on_received, (ops_any_cb_t)cb, user_data);
}

doca_error_t doca_urom_am_cancel(struct doca_urom_ops *ops, void *recv_user_data,
                                 doca_urom_ops_cb_t cb, void *user_data)
{
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result;
    void *payload;

    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "ops");
    result = ops_take(ops, ops->plugins[OPS_AM], __func__, &task, &payload);
    if (od_unlikely(result != DOCA_SUCCESS))
        return result;
    *(struct am_cancel *)payload =
        (struct am_cancel){.head = {.op = AM_CANCEL}, .context = (uintptr_t)recv_user_data};
    return ops_submit(ops, task, sizeof(struct am_cancel), ops_done_plain, (ops_any_cb_t)cb,
                      user_data);
}
