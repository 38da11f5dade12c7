/* SPDX-License-Identifier: BSD-3-Clause */
#include "loopback.h"

#include <string.h>

#include <doca_buf.h>
#include <doca_log.h>
#include <doca_pe.h>

DOCA_LOG_REGISTER(LOOPBACK);

/* Command and notification alike. */
struct loopback_message {
    uint64_t type; /* 0 */
    uint64_t data;
};

struct loopback_user {
    loopback_cb done;
    void *context;
};

static void on_complete(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    const struct loopback_user *user = doca_urom_worker_cmd_task_get_user_data(task);
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    doca_error_t result = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    struct loopback_message answer = {0};
    void *data = NULL;
    size_t len = 0;

    (void)task_data;
    (void)ctx_data;
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data(response, &data);
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(response, &len);
    if (result == DOCA_SUCCESS && len != sizeof(answer))
        result = DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        memcpy(&answer, data, sizeof(answer));
    user->done(result, user->context, answer.data);
    (void)doca_urom_worker_cmd_task_release(task);
}

doca_error_t loopback(struct doca_urom_worker *worker, uint64_t plugin, uint64_t data,
                      loopback_cb done, void *context)
{
    const struct loopback_message message = {.data = data};
    struct doca_urom_worker_cmd_task *task;
    struct loopback_user *user;
    struct doca_buf *payload;
    void *room = NULL;
    doca_error_t result = doca_urom_worker_cmd_task_allocate_init(worker, plugin, &task);

    if (result != DOCA_SUCCESS)
        return result;
    user = doca_urom_worker_cmd_task_get_user_data(task);
    user->done = done;
    user->context = context;
    payload = doca_urom_worker_cmd_task_get_payload(task);
    result = doca_buf_get_data(payload, &room);
    if (result == DOCA_SUCCESS) {
        memcpy(room, &message, sizeof(message));
        result = doca_buf_set_data(payload, room, sizeof(message));
    }
    doca_urom_worker_cmd_task_set_cb(task, on_complete);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("No loopback: %s", doca_error_get_descr(result));
        (void)doca_urom_worker_cmd_task_release(task);
    }
    return result;
}
