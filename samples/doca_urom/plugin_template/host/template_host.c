/* SPDX-License-Identifier: BSD-3-Clause */
#include "template_host.h"

#include <string.h>

#include <doca_buf.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <doca_urom_plugin.h>

#include "../common/template.h"

DOCA_LOG_REGISTER(TEMPLATE::HOST);

/* Lies in the 32 bytes that each task has for this. */
struct user {
    template_sum_cb done;
    void *context;
};

doca_error_t template_find(struct doca_urom_service *service, uint64_t *plugin)
{
    const struct doca_urom_service_plugin_info *plugins;
    size_t count;
    doca_error_t result = doca_urom_service_get_plugins_list(service, &plugins, &count);

    for (size_t i = 0; result == DOCA_SUCCESS && i < count; i++) {
        if (strcmp(plugins[i].plugin_name, TEMPLATE_PLUGIN) != 0)
            continue;
        if (plugins[i].version != TEMPLATE_VERSION)
            return DOCA_ERROR_UNSUPPORTED_VERSION;
        *plugin = plugins[i].id;
        return DOCA_SUCCESS;
    }
    DOCA_LOG_ERR("The service has no plugin " TEMPLATE_PLUGIN);
    return DOCA_ERROR_NOT_FOUND;
}

/* There is always a response; its length says what the worker half sent. */
static void on_complete(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    const struct user user = *(struct user *)doca_urom_worker_cmd_task_get_user_data(task);
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    doca_error_t result = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    struct template_notify notify = {.sum = 0};
    void *data;
    size_t len;

    (void)task_data;
    (void)ctx_data;
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data(response, &data);
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(response, &len);
    if (result == DOCA_SUCCESS && len != sizeof(notify))
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS)
        memcpy(&notify, data, sizeof(notify));
    doca_urom_worker_cmd_task_release(task);
    user.done(result, notify.sum, user.context);
}

/* At first the data of a payload are all of its room. */
static doca_error_t pack(struct doca_buf *payload, const uint64_t *numbers, size_t count)
{
    struct template_cmd *cmd;
    void *data;
    size_t room;
    doca_error_t result = doca_buf_get_data(payload, &data);

    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(payload, &room);
    if (result != DOCA_SUCCESS)
        return result;
    if (room < sizeof(*cmd) || count > (room - sizeof(*cmd)) / sizeof(numbers[0]))
        return DOCA_ERROR_INVALID_VALUE;
    cmd = data;
    cmd->op = TEMPLATE_SUM;
    cmd->count = count;
    memcpy(cmd->numbers, numbers, count * sizeof(numbers[0]));
    return doca_buf_set_data(payload, data, sizeof(*cmd) + count * sizeof(numbers[0]));
}

doca_error_t template_sum(struct doca_urom_worker *worker, uint64_t plugin, const uint64_t *numbers,
                          size_t count, template_sum_cb done, void *context)
{
    struct doca_urom_worker_cmd_task *task;
    struct user *user;
    doca_error_t result = doca_urom_worker_cmd_task_allocate_init(worker, plugin, &task);

    if (result != DOCA_SUCCESS)
        return result;
    user = doca_urom_worker_cmd_task_get_user_data(task);
    *user = (struct user){.done = done, .context = context};
    doca_urom_worker_cmd_task_set_cb(task, on_complete);
    result = pack(doca_urom_worker_cmd_task_get_payload(task), numbers, count);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (result != DOCA_SUCCESS)
        doca_urom_worker_cmd_task_release(task);
    return result;
}
