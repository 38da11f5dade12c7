/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/common/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_urom_ext.h>

static const char *const names[OPS_FAMILIES] = {
    [OPS_RMA] = "worker_rma",
    [OPS_AMO] = "worker_amo",
    [OPS_COLL] = "worker_coll",
    [OPS_AM] = "worker_am",
};

/* ------------------------------------------------------------------------------------------------
 * The object
 */

/* Which of our plugins the worker has. */
static doca_error_t find_plugins(struct doca_urom_ops *ops, struct doca_urom_service *service,
                                 uint64_t selected)
{
    const struct doca_urom_service_plugin_info *plugins;
    doca_error_t result;
    size_t count;

    result = doca_urom_service_get_plugins_list(service, &plugins, &count);
    if (result == DOCA_ERROR_NOT_FOUND)
        count = 0;
    else if (result != DOCA_SUCCESS)
        return result;
    for (size_t i = 0; i < count; i++) {
        for (unsigned int f = 0; f < OPS_FAMILIES; f++) {
            if ((plugins[i].id & selected) == 0 || strcmp(plugins[i].plugin_name, names[f]) != 0)
                continue;
            if (plugins[i].version != OPS_VERSION)
                return CORE_FAIL(DOCA_ERROR_UNSUPPORTED_VERSION, OPS_LOG, "doca_urom_ops_create",
                                 names[f], "version",
                                 "%llu" CORE_LIMIT "%d" CORE_REMEDY
                                 "use service and library of one release",
                                 (unsigned long long)plugins[i].version, OPS_VERSION);
            ops->plugins[f] = plugins[i].id;
            if (f != OPS_AM || ops->any == 0)
                ops->any = plugins[i].id;
        }
    }
    if (ops->any != 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, OPS_LOG, "doca_urom_ops_create", NULL, "plugins",
                     "0x%llx" CORE_LIMIT
                     "at least one of worker_rma, worker_amo, worker_coll, worker_am",
                     (unsigned long long)selected);
}

/* Takes a task from the worker and puts it to the free ones. */
static doca_error_t add_task(struct doca_urom_ops *ops)
{
    struct doca_urom_worker_cmd_task **tasks;
    struct doca_urom_worker_cmd_task *task;
    doca_error_t result;

    tasks = realloc(ops->free_tasks, (ops->ntasks + 1) * sizeof(tasks[0]));
    if (tasks == NULL)
        return DOCA_ERROR_NO_MEMORY;
    ops->free_tasks = tasks;
    result = doca_urom_worker_cmd_task_allocate(ops->worker, &task);
    if (result != DOCA_SUCCESS)
        return result;
    ops->ntasks++;
    ops->free_tasks[ops->nfree++] = task;
    return DOCA_SUCCESS;
}

doca_error_t doca_urom_ops_create(struct doca_urom_service *service,
                                  struct doca_urom_worker *worker, uint64_t plugins,
                                  struct doca_urom_ops **ops)
{
    struct doca_urom_ops *made;
    const char *listen;
    doca_error_t result;

    if (service == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "service");
    if (worker == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "worker");
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "ops");
    made = calloc(1, sizeof(*made));
    if (made == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, OPS_LOG, __func__, NULL, "ops", "%zu bytes",
                         sizeof(*made));
    made->worker = worker;
    made->ctx = doca_urom_worker_as_ctx(worker);
    od_list_init(&made->regions);
    od_list_init(&made->held);
    result = find_plugins(made, service, plugins);
    if (result == DOCA_SUCCESS)
        result = add_task(made);
    if (result != DOCA_SUCCESS)
        goto err_free;
    if (doca_urom_ext_service_get_listen_addr(service, &listen) == DOCA_SUCCESS)
        snprintf(made->listen, sizeof(made->listen), "%s", listen);
    made->room = doca_urom_worker_cmd_task_get_payload(made->free_tasks[0])->len;
    *ops = made;
    return DOCA_SUCCESS;

err_free:
    free(made->free_tasks);
    free(made);
    return result;
}

doca_error_t doca_urom_ops_destroy(struct doca_urom_ops *ops)
{
    if (ops == NULL)
        return CORE_FAIL_NULL(OPS_LOG, __func__, "ops");
    if (ops->nfree < ops->ntasks)
        return CORE_FAIL(DOCA_ERROR_IN_USE, OPS_LOG, __func__, ops->ctx->name, "operations",
                         "%zu in flight" CORE_REMEDY "progress until they have ended",
                         ops->ntasks - ops->nfree);
    OD_LIST_FOR_EACH_SAFE(link, &ops->regions)
    {
        ops_region_free(OD_LIST_ENTRY(link, struct doca_urom_ops_region, link));
    }
    OD_LIST_FOR_EACH_SAFE(link, &ops->held)
    {
        free(OD_LIST_ENTRY(link, struct ops_held, link));
    }
    while (ops->nfree > 0)
        doca_urom_worker_cmd_task_release(ops->free_tasks[--ops->nfree]);
    free(ops->free_tasks);
    free(ops);
    return DOCA_SUCCESS;
}

size_t doca_urom_ops_get_inflight(const struct doca_urom_ops *ops)
{
    return ops != NULL ? ops->ntasks - ops->nfree : 0;
}

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

static void on_done(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
                    union doca_data ctx_user_data)
{
    const struct ops_end end =
        *(const struct ops_end *)doca_urom_worker_cmd_task_get_user_data(task);

    (void)task_user_data;
    (void)ctx_user_data;
    end.done(end.ops, doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)),
             doca_urom_worker_cmd_task_get_response(task), &end);
    /* Not before: the response is the task's. There is a place for each task. */
    end.ops->free_tasks[end.ops->nfree++] = task;
}

doca_error_t ops_not_loaded(const struct doca_urom_ops *ops, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, OPS_LOG, func, ops->ctx->name, "plugin",
                     "not loaded" CORE_REMEDY
                     "select it with doca_urom_worker_set_plugins() before the start");
}

doca_error_t ops_take(struct doca_urom_ops *ops, uint64_t plugin, const char *func,
                      struct doca_urom_worker_cmd_task **task, void **payload)
{
    doca_error_t result;

    if (od_unlikely(plugin == 0))
        return ops_not_loaded(ops, func);
    if (od_unlikely(ops->nfree == 0)) {
        result = add_task(ops);
        if (result != DOCA_SUCCESS)
            return result;
    }
    *task = ops->free_tasks[--ops->nfree];
    doca_urom_worker_cmd_task_set_plugin(*task, plugin);
    *payload = doca_urom_worker_cmd_task_get_payload(*task)->head;
    return DOCA_SUCCESS;
}

doca_error_t ops_submit(struct doca_urom_ops *ops, struct doca_urom_worker_cmd_task *task,
                        size_t len, ops_done_t done, ops_any_cb_t cb, void *user_data)
{
    struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
    struct ops_end *end = doca_urom_worker_cmd_task_get_user_data(task);
    doca_error_t result;

    payload->data = payload->head;
    payload->data_len = len;
    *end = (struct ops_end){.ops = ops, .done = done, .cb = cb, .user_data = user_data};
    doca_urom_worker_cmd_task_set_cb(task, on_done);
    result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (od_unlikely(result != DOCA_SUCCESS))
        ops->free_tasks[ops->nfree++] = task;
    return result;
}

void ops_done_plain(struct doca_urom_ops *ops, doca_error_t status, const struct doca_buf *response,
                    const struct ops_end *end)
{
    (void)response;
    if (end->cb != NULL)
        ((doca_urom_ops_cb_t)end->cb)(ops, status, end->user_data);
}

bool ops_response(const struct doca_buf *response, void *answer, size_t size)
{
    if (od_unlikely(response->data_len < size))
        return false;
    memcpy(answer, response->data, size);
    return true;
}
