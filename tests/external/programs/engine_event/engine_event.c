/* SPDX-License-Identifier: BSD-3-Clause */
/* Sixteen copies by a program that sleeps in epoll_wait() until there is something to do. */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(ENGINE_EVENT);

#define TASKS 16

struct sleeper {
    doca_event_handle_t epoll;
    doca_event_handle_t engine;
    unsigned int good;
    unsigned int bad;
    unsigned int naps;
};

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_data,
                       union doca_data ctx_data)
{
    struct sleeper *sleeper = ctx_data.ptr;

    (void)task_data;
    if (kit_compare(task) == DOCA_SUCCESS)
        sleeper->good++;
    else
        sleeper->bad++;
    kit_put(task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct sleeper *sleeper = ctx_data.ptr;

    DOCA_LOG_ERR("Task %llu failed: %s", (unsigned long long)task_data.u64,
                 doca_error_get_descr(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
    sleeper->bad++;
    kit_put(task);
}

static doca_error_t watch(struct sleeper *sleeper, struct doca_pe *pe)
{
    struct epoll_event event = {.events = EPOLLIN};
    doca_error_t result;

    sleeper->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (sleeper->epoll == doca_event_invalid_handle)
        return DOCA_ERROR_OPERATING_SYSTEM;
    result = doca_pe_get_notification_handle(pe, &sleeper->engine);
    if (result != DOCA_SUCCESS)
        return result;
    if (epoll_ctl(sleeper->epoll, EPOLL_CTL_ADD, sleeper->engine, &event) != 0) {
        DOCA_LOG_ERR("epoll_ctl: %s", strerror(errno));
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    return DOCA_SUCCESS;
}

/* A process that was stopped meanwhile goes on waiting. */
static int sleep_once(const struct sleeper *sleeper)
{
    struct epoll_event event;
    int n;

    do
        n = epoll_wait(sleeper->epoll, &event, 1, 30000);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Drain, arm, sleep, clear. The limit is for the test; without it the loop would sleep for ever. */
static doca_error_t sleep_until_done(struct sleeper *sleeper, struct doca_pe *pe)
{
    doca_error_t result = DOCA_SUCCESS;

    while (sleeper->good + sleeper->bad < TASKS && result == DOCA_SUCCESS) {
        result = doca_pe_request_notification(pe);
        if (result != DOCA_SUCCESS)
            return result;
        sleeper->naps++;
        if (sleep_once(sleeper) != 1) {
            DOCA_LOG_ERR("Nobody wakes this program");
            return DOCA_ERROR_TIME_OUT;
        }
        result = doca_pe_clear_notification(pe, 0);
        while (doca_pe_progress(pe) > 0)
            ;
    }
    return result;
}

static doca_error_t submit_all(struct kit *kit, struct doca_dma *dma)
{
    struct doca_dma_task_memcpy *task;
    doca_error_t result = DOCA_SUCCESS;

    for (uint32_t i = 0; i < TASKS && result == DOCA_SUCCESS; i++) {
        result = kit_task(kit, dma, i, &task);
        if (result == DOCA_SUCCESS)
            result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
    }
    return result;
}

static doca_error_t run(struct kit *kit)
{
    struct sleeper sleeper = {.epoll = doca_event_invalid_handle};
    struct doca_dma *dma;
    /* The handle comes before any context does. */
    doca_error_t result = watch(&sleeper, kit->pe), tmp;

    if (result == DOCA_SUCCESS)
        result = kit_dma(kit, on_success, on_error, TASKS, &sleeper, &dma);
    if (result != DOCA_SUCCESS)
        goto err_epoll;
    result = doca_ctx_start(doca_dma_as_ctx(dma));
    if (result == DOCA_SUCCESS)
        result = submit_all(kit, dma);
    if (result == DOCA_SUCCESS)
        result = sleep_until_done(&sleeper, kit->pe);
    tmp = kit_stop(kit->pe, doca_dma_as_ctx(dma));
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = doca_dma_destroy(dma);
    DOCA_ERROR_PROPAGATE(result, tmp);
    DOCA_LOG_INFO("%u of %d copies are right after %u naps", sleeper.good, TASKS, sleeper.naps);
    if (result == DOCA_SUCCESS && sleeper.bad != 0)
        result = DOCA_ERROR_UNKNOWN;
err_epoll:
    if (sleeper.epoll != doca_event_invalid_handle)
        close(sleeper.epoll);
    return result;
}

int main(void)
{
    struct kit kit;
    doca_error_t result = kit_log(), tmp;

    if (result != DOCA_SUCCESS)
        return 1;
    result = kit_create(&kit, TASKS, 1024);
    if (result == DOCA_SUCCESS)
        result = run(&kit);
    tmp = kit_destroy(&kit);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("engine_event", result);
}
