/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses the plugin: has a worker add up numbers. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <doca_urom.h>

#include "host/template_host.h"

#define NUMBERS 100

struct objects {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    uint64_t plugin;
};

struct outcome {
    doca_error_t result;
    uint64_t sum;
    bool done;
};

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    doca_ctx_get_state(ctx, &state);
    return state;
}

static doca_error_t open_first_device(struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t count;
    doca_error_t result = doca_devinfo_create_list(&list, &count);

    if (result != DOCA_SUCCESS)
        return result;
    result = count > 0 ? doca_dev_open(list[0], dev) : DOCA_ERROR_NOT_FOUND;
    doca_devinfo_destroy_list(list);
    return result;
}

static doca_error_t start_service(struct objects *o)
{
    struct doca_ctx *ctx;
    doca_error_t result = doca_urom_service_create(&o->service);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_service_as_ctx(o->service);
    result = doca_pe_connect_ctx(o->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_service_set_dev(o->service, o->dev);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    return result == DOCA_SUCCESS ? template_find(o->service, &o->plugin) : result;
}

/* A worker starts while its engine is progressed. */
static doca_error_t start_worker(struct objects *o)
{
    struct doca_ctx *ctx;
    doca_error_t result = doca_urom_worker_create(&o->worker);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_worker_as_ctx(o->worker);
    result = doca_urom_worker_set_service(o->worker, o->service);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(o->pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_plugins(o->worker, o->plugin);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        return result;
    while (state_of(ctx) == DOCA_CTX_STATE_STARTING)
        doca_pe_progress(o->pe);
    return state_of(ctx) == DOCA_CTX_STATE_RUNNING ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

static void on_sum(doca_error_t result, uint64_t sum, void *context)
{
    *(struct outcome *)context = (struct outcome){.result = result, .sum = sum, .done = true};
}

static doca_error_t use(struct objects *o)
{
    struct outcome outcome = {.done = false};
    uint64_t numbers[NUMBERS];
    doca_error_t result;

    for (uint64_t i = 0; i < NUMBERS; i++)
        numbers[i] = i + 1;
    result = template_sum(o->worker, o->plugin, numbers, NUMBERS, on_sum, &outcome);
    if (result != DOCA_SUCCESS)
        return result;
    while (!outcome.done)
        doca_pe_progress(o->pe);
    if (outcome.result == DOCA_SUCCESS)
        printf("the worker says that the sum is %llu\n", (unsigned long long)outcome.sum);
    return outcome.result;
}

/* In the opposite order; a worker stops while its engine is progressed. */
static void end(struct objects *o)
{
    if (o->worker != NULL) {
        struct doca_ctx *ctx = doca_urom_worker_as_ctx(o->worker);

        doca_ctx_stop(ctx);
        while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
            doca_pe_progress(o->pe);
        doca_urom_worker_destroy(o->worker);
    }
    if (o->service != NULL) {
        doca_ctx_stop(doca_urom_service_as_ctx(o->service));
        doca_urom_service_destroy(o->service);
    }
    if (o->pe != NULL)
        doca_pe_destroy(o->pe);
    if (o->dev != NULL)
        doca_dev_close(o->dev);
}

int main(void)
{
    struct doca_log_backend *sdk;
    struct objects o = {.dev = NULL};
    doca_error_t result;

    doca_log_backend_create_standard();
    if (doca_log_backend_create_with_file_sdk(stderr, &sdk) == DOCA_SUCCESS)
        doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_ERROR);
    result = open_first_device(&o.dev);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&o.pe);
    if (result == DOCA_SUCCESS)
        result = start_service(&o);
    if (result == DOCA_SUCCESS)
        result = start_worker(&o);
    if (result == DOCA_SUCCESS)
        result = use(&o);
    end(&o);
    if (result != DOCA_SUCCESS)
        fprintf(stderr, "failed: %s\n", doca_error_get_descr(result));
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
