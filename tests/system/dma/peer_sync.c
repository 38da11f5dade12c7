/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_sync.h"

#include <string.h>

#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_sync_event.h>

static struct {
    struct doca_sync_event *event;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    uint32_t mode;
    bool is_ended;
    doca_error_t status;
} self;

static void on_end(struct doca_task *task)
{
    self.is_ended = true;
    self.status = doca_task_get_status(task);
    doca_task_free(task);
}

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    on_end(doca_sync_event_task_notify_set_as_doca_task(task));
}

static void on_add(struct doca_sync_event_task_notify_add *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    on_end(doca_sync_event_task_notify_add_as_doca_task(task));
}

static void on_wait(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    on_end(doca_sync_event_task_wait_eq_as_doca_task(task));
}

static doca_error_t start(void)
{
    doca_error_t result;

    if ((self.mode & PEER_SYNC_TASKS) == 0)
        return doca_sync_event_start(self.event);
    result = doca_sync_event_task_notify_set_set_conf(self.event, on_set, on_set, 1);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_task_notify_add_set_conf(self.event, on_add, on_add, 1);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_task_wait_eq_set_conf(self.event, on_wait, on_wait, 1);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&self.pe);
    if (result != DOCA_SUCCESS)
        return result;
    self.ctx = doca_sync_event_as_ctx(self.event);
    result = doca_pe_connect_ctx(self.pe, self.ctx);
    return result == DOCA_SUCCESS ? doca_ctx_start(self.ctx) : result;
}

doca_error_t peer_sync_export(struct doca_dev *dev, const struct peer_command *command,
                              struct peer_answer *answer)
{
    const uint8_t *data;
    size_t size;
    doca_error_t result = doca_sync_event_create(&self.event);

    self.mode = command->mode;
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_add_publisher_location_remote_pci(self.event);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_add_subscriber_location_cpu(self.event, dev);
    if (result == DOCA_SUCCESS)
        result = start();
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_export_to_remote_pci(self.event, dev, &data, &size);
    if (result != DOCA_SUCCESS)
        return result;
    if (size > sizeof(answer->desc))
        return DOCA_ERROR_TOO_BIG;
    answer->desc_len = (uint32_t)size;
    memcpy(answer->desc, data, size);
    return DOCA_SUCCESS;
}

doca_error_t peer_sync_import(struct doca_dev *dev, const struct peer_command *command)
{
    doca_error_t result =
        doca_sync_event_create_from_export(dev, command->desc, command->desc_len, &self.event);

    self.mode = command->mode;
    return result == DOCA_SUCCESS ? start() : result;
}

static doca_error_t run(struct doca_task *task)
{
    doca_error_t result = doca_task_submit(task);

    self.is_ended = false;
    while (result == DOCA_SUCCESS && !self.is_ended)
        doca_pe_progress(self.pe);
    return result == DOCA_SUCCESS ? self.status : result;
}

static doca_error_t write_by_task(uint64_t value, uint64_t *before)
{
    struct doca_sync_event_task_notify_set *set;
    struct doca_sync_event_task_notify_add *add;
    doca_error_t result;

    if ((self.mode & PEER_SYNC_ATOMIC) != 0) {
        result = doca_sync_event_task_notify_add_alloc_init(self.event, value, before,
                                                            (union doca_data){0}, &add);
        return result == DOCA_SUCCESS ? run(doca_sync_event_task_notify_add_as_doca_task(add))
                                      : result;
    }
    result =
        doca_sync_event_task_notify_set_alloc_init(self.event, value, (union doca_data){0}, &set);
    return result == DOCA_SUCCESS ? run(doca_sync_event_task_notify_set_as_doca_task(set)) : result;
}

doca_error_t peer_sync_write(uint64_t value, uint64_t *before)
{
    *before = 0;
    if ((self.mode & PEER_SYNC_TASKS) != 0)
        return write_by_task(value, before);
    if ((self.mode & PEER_SYNC_ATOMIC) != 0)
        return doca_sync_event_update_add(self.event, value, before);
    return doca_sync_event_update_set(self.event, value);
}

doca_error_t peer_sync_await(uint64_t value)
{
    struct doca_sync_event_task_wait_eq *wait;
    doca_error_t result;

    if ((self.mode & PEER_SYNC_TASKS) == 0)
        return doca_sync_event_wait_eq_yield(self.event, value, UINT64_MAX);
    result = doca_sync_event_task_wait_eq_alloc_init(self.event, value, UINT64_MAX,
                                                     (union doca_data){0}, &wait);
    return result == DOCA_SUCCESS ? run(doca_sync_event_task_wait_eq_as_doca_task(wait)) : result;
}

doca_error_t peer_sync_close(void)
{
    doca_error_t result, tmp;

    if (self.ctx != NULL)
        result = doca_ctx_stop(self.ctx);
    else
        result = doca_sync_event_stop(self.event);
    tmp = doca_sync_event_destroy(self.event);
    DOCA_ERROR_PROPAGATE(result, tmp);
    if (self.pe != NULL) {
        tmp = doca_pe_destroy(self.pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    memset(&self, 0, sizeof(self));
    return result;
}
