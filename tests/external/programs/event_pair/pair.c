/* SPDX-License-Identifier: BSD-3-Clause */
#include "pair.h"

#include <doca_argp.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(EVENT_PAIR);

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct pair_options *options = config;

    return kit_store(options->pci_addr, sizeof(options->pci_addr), value);
}

static doca_error_t set_exchange(void *value, void *config)
{
    struct pair_options *options = config;

    return kit_store(options->exchange, sizeof(options->exchange), value);
}

static doca_error_t set_async(void *value, void *config)
{
    ((struct pair_options *)config)->async = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_atomic(void *value, void *config)
{
    ((struct pair_options *)config)->atomic = *(bool *)value;
    return DOCA_SUCCESS;
}

static doca_error_t set_async_num_tasks(void *value, void *config)
{
    ((struct pair_options *)config)->async_num_tasks = *(int *)value;
    return *(int *)value > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

#ifdef DOCA_ARCH_DPU
static doca_error_t set_rep_pci_addr(void *value, void *config)
{
    struct pair_options *options = config;

    return kit_store(options->rep_pci_addr, sizeof(options->rep_pci_addr), value);
}

static doca_error_t add_rep_param(void)
{
    return kit_param("r", "rep-pci", "PCI address of the host function", DOCA_ARGP_TYPE_STRING,
                     true, set_rep_pci_addr);
}
#else
static doca_error_t add_rep_param(void)
{
    return DOCA_SUCCESS;
}
#endif

static doca_error_t add_params(void)
{
    doca_error_t result = kit_param("d", "pci-addr", "PCI address of the device",
                                    DOCA_ARGP_TYPE_STRING, true, set_pci_addr);

    if (result == DOCA_SUCCESS)
        result = add_rep_param();
    if (result == DOCA_SUCCESS)
        result = kit_param("x", "exchange", "File that the export goes through",
                           DOCA_ARGP_TYPE_STRING, true, set_exchange);
    if (result == DOCA_SUCCESS)
        result = kit_param(NULL, "async", "Use tasks", DOCA_ARGP_TYPE_BOOLEAN, false, set_async);
    if (result == DOCA_SUCCESS)
        result = kit_param(NULL, "async-num-tasks", "Tasks of each kind", DOCA_ARGP_TYPE_INT, false,
                           set_async_num_tasks);
    if (result == DOCA_SUCCESS)
        result = kit_param(NULL, "atomic", "Add where else is set", DOCA_ARGP_TYPE_BOOLEAN, false,
                           set_atomic);
    return result;
}

doca_error_t pair_parse(struct pair *pair, const char *program, int argc, char **argv)
{
    doca_error_t result = kit_log(), tmp;

    *pair = (struct pair){.options.async_num_tasks = 4};
    if (result == DOCA_SUCCESS)
        result = doca_argp_init(program, &pair->options);
    if (result != DOCA_SUCCESS)
        return result;
    result = add_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

doca_error_t pair_open(struct pair *pair, kit_capable capable)
{
    doca_error_t result = kit_open_by_address(pair->options.pci_addr, capable, &pair->dev);

#ifdef DOCA_ARCH_DPU
    if (result == DOCA_SUCCESS)
        result = kit_open_rep(pair->dev, DOCA_DEVINFO_REP_FILTER_NET, pair->options.rep_pci_addr,
                              &pair->rep);
#endif
    if (result == DOCA_SUCCESS && pair->options.async)
        result = doca_pe_create(&pair->pe);
    return result;
}

/* The end of any task. */
static void on_end(struct pair *pair, struct doca_task *task)
{
    pair->ended++;
    pair->result = doca_task_get_status(task);
    if (DOCA_IS_ERROR(pair->result))
        DOCA_LOG_ERR("A task failed: %s", doca_error_get_descr(pair->result));
    doca_task_free(task);
}

static void on_get(struct doca_sync_event_task_get *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    on_end(ctx_data.ptr, doca_sync_event_task_get_as_doca_task(task));
}

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    on_end(ctx_data.ptr, doca_sync_event_task_notify_set_as_doca_task(task));
}

static void on_add(struct doca_sync_event_task_notify_add *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    on_end(ctx_data.ptr, doca_sync_event_task_notify_add_as_doca_task(task));
}

static void on_wait(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    on_end(ctx_data.ptr, doca_sync_event_task_wait_eq_as_doca_task(task));
}

static doca_error_t configure_tasks(struct pair *pair)
{
    uint32_t n = (uint32_t)pair->options.async_num_tasks;
    doca_error_t result =
        doca_sync_event_cap_task_wait_eq_is_supported(doca_dev_as_devinfo(pair->dev));

    if (result == DOCA_SUCCESS)
        result = doca_sync_event_task_get_set_conf(pair->event, on_get, on_get, n);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_task_notify_set_set_conf(pair->event, on_set, on_set, n);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_task_notify_add_set_conf(pair->event, on_add, on_add, n);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_task_wait_eq_set_conf(pair->event, on_wait, on_wait, n);
    return result;
}

doca_error_t pair_start(struct pair *pair)
{
    union doca_data data = {.ptr = pair};
    doca_error_t result;

    if (!pair->options.async)
        return doca_sync_event_start(pair->event);
    result = configure_tasks(pair);
    if (result != DOCA_SUCCESS)
        return result;
    pair->ctx = doca_sync_event_as_ctx(pair->event);
    result = doca_pe_connect_ctx(pair->pe, pair->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(pair->ctx, data);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(pair->ctx);
    return result;
}

static bool is_unfinished(void *arg)
{
    return ((struct pair *)arg)->ended == 0;
}

static doca_error_t run_task(struct pair *pair, struct doca_task *task)
{
    doca_error_t result;

    pair->ended = 0;
    result = doca_task_submit(task);
    if (result != DOCA_SUCCESS) {
        doca_task_free(task);
        return result;
    }
    result = kit_progress(pair->pe, is_unfinished, pair);
    return result == DOCA_SUCCESS ? pair->result : result;
}

static doca_error_t set_task(struct pair *pair, uint64_t value)
{
    union doca_data none = {.u64 = 0};
    struct doca_sync_event_task_notify_set *task;
    doca_error_t result =
        doca_sync_event_task_notify_set_alloc_init(pair->event, value, none, &task);

    if (result == DOCA_SUCCESS)
        result = run_task(pair, doca_sync_event_task_notify_set_as_doca_task(task));
    return result;
}

static doca_error_t add_task(struct pair *pair, uint64_t value)
{
    union doca_data none = {.u64 = 0};
    struct doca_sync_event_task_notify_add *task;
    doca_error_t result =
        doca_sync_event_task_notify_add_alloc_init(pair->event, value, &pair->fetched, none, &task);

    if (result == DOCA_SUCCESS)
        result = run_task(pair, doca_sync_event_task_notify_add_as_doca_task(task));
    return result;
}

doca_error_t pair_write(struct pair *pair, uint64_t set, uint64_t add)
{
    doca_error_t result;

    if (pair->options.async)
        result = pair->options.atomic ? add_task(pair, add) : set_task(pair, set);
    else if (pair->options.atomic)
        result = doca_sync_event_update_add(pair->event, add, &pair->fetched);
    else
        result = doca_sync_event_update_set(pair->event, set);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Written");
    return result;
}

doca_error_t pair_wait_task(struct pair *pair, uint64_t value)
{
    union doca_data none = {.u64 = 0};
    struct doca_sync_event_task_wait_eq *task;
    doca_error_t result =
        doca_sync_event_task_wait_eq_alloc_init(pair->event, value, PAIR_FULL_MASK, none, &task);

    if (result == DOCA_SUCCESS)
        result = run_task(pair, doca_sync_event_task_wait_eq_as_doca_task(task));
    return result;
}

doca_error_t pair_close(struct pair *pair)
{
    doca_error_t result = DOCA_SUCCESS, tmp;

    if (pair->event != NULL) {
        tmp =
            pair->options.async ? kit_stop(pair->pe, pair->ctx) : doca_sync_event_stop(pair->event);
        DOCA_ERROR_PROPAGATE(result, tmp);
        tmp = doca_sync_event_destroy(pair->event);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (pair->pe != NULL) {
        tmp = doca_pe_destroy(pair->pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    if (pair->rep != NULL) {
        tmp = doca_dev_rep_close(pair->rep);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = doca_dev_close(pair->dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}
