/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include <string.h>

#include <doca_buf.h>
#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(RDMO::HOST);

#define PATIENCE 30.0 /* seconds */

enum { CLIENT_INIT, RQ_CREATE, RQ_DESTROY, MR_REG, MR_DEREG };

struct command {
    uint64_t type;
    union {
        struct {
            uint64_t id;
            uint64_t addr;
            uint64_t addr_len;
        } client_init;
        struct {
            uint64_t addr;
            uint64_t addr_len;
        } rq_create;
        struct {
            uint64_t va, len, rkey, rkey_len, memh, memh_len;
        } mr_reg;
        uint64_t id;
    };
};

struct notification {
    uint64_t type;
    union {
        struct {
            uint64_t addr;
            uint64_t addr_len;
        } client_init;
        uint64_t id;
    };
};

struct answer {
    bool done;
    doca_error_t result;
    struct notification notification;
    void *more;
    uint64_t room; /* at more; becomes the length */
};

/* Never NULL, and a type can be read also after a failure. */
static doca_error_t unpack(struct answer *answer, struct doca_buf *response, doca_error_t result)
{
    const struct notification *notification;
    void *data = NULL;
    size_t len = 0;

    if (doca_buf_get_data(response, &data) != DOCA_SUCCESS ||
        doca_buf_get_data_len(response, &len) != DOCA_SUCCESS)
        return DOCA_ERROR_UNEXPECTED;
    notification = data;
    answer->notification = *notification;
    if (result != DOCA_SUCCESS)
        return result;
    if (notification->type != CLIENT_INIT)
        return len == sizeof(*notification) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (len != sizeof(*notification) + notification->client_init.addr_len ||
        notification->client_init.addr_len > answer->room)
        return DOCA_ERROR_INVALID_VALUE;
    answer->room = notification->client_init.addr_len;
    memcpy(answer->more, notification + 1, answer->room);
    return DOCA_SUCCESS;
}

static void on_complete(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct answer **user = doca_urom_worker_cmd_task_get_user_data(task), *answer = *user;

    (void)task_data;
    (void)ctx_data;
    answer->result = unpack(answer, doca_urom_worker_cmd_task_get_response(task),
                            doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)));
    answer->done = true;
    (void)doca_urom_worker_cmd_task_release(task);
}

struct part {
    const void *bytes;
    size_t len;
};

static doca_error_t fill(struct doca_buf *payload, const struct part *parts, size_t count)
{
    void *data = NULL;
    size_t room = 0, used = 0;
    doca_error_t result = doca_buf_get_data(payload, &data);

    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(payload, &room);
    for (size_t i = 0; i < count && result == DOCA_SUCCESS; i++) {
        if (parts[i].len > room - used)
            return DOCA_ERROR_INVALID_VALUE;
        if (parts[i].len > 0)
            memcpy((char *)data + used, parts[i].bytes, parts[i].len);
        used += parts[i].len;
    }
    return result == DOCA_SUCCESS ? doca_buf_set_data(payload, data, used) : result;
}

static doca_error_t call(struct rdmo_host *host, const struct part *parts, size_t count,
                         struct answer *answer)
{
    const double end = kit_seconds() + PATIENCE;
    struct doca_urom_worker_cmd_task *task;
    struct answer **user;
    doca_error_t result =
        doca_urom_worker_cmd_task_allocate_init(host->worker, host->plugin, &task);

    if (result != DOCA_SUCCESS)
        return result;
    user = doca_urom_worker_cmd_task_get_user_data(task);
    *user = answer;
    doca_urom_worker_cmd_task_set_cb(task, on_complete);
    result = fill(doca_urom_worker_cmd_task_get_payload(task), parts, count);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("A command is not taken: %s", doca_error_get_descr(result));
        (void)doca_urom_worker_cmd_task_release(task);
        return result;
    }
    while (!answer->done && kit_seconds() < end) {
        (void)doca_pe_progress(host->pe);
        host->meanwhile(host->arg);
    }
    return answer->done ? answer->result : DOCA_ERROR_IO_FAILED;
}

doca_error_t rdmo_client_init(struct rdmo_host *host, uint64_t id, const void *addr,
                              size_t addr_len, void *device_addr, uint64_t *len)
{
    struct answer answer = {.more = device_addr, .room = *len};
    struct command command = {.type = CLIENT_INIT};
    const struct part parts[] = {{&command, sizeof(command)}, {addr, addr_len}};
    doca_error_t result;

    command.client_init.id = id;
    command.client_init.addr = (uintptr_t)addr;
    command.client_init.addr_len = addr_len;
    result = call(host, parts, 2, &answer);
    if (result == DOCA_SUCCESS)
        *len = answer.room;
    return result;
}

doca_error_t rdmo_rq_create(struct rdmo_host *host, const void *addr, size_t addr_len,
                            uint64_t *rq_id)
{
    struct command command = {.type = RQ_CREATE};
    const struct part parts[] = {{&command, sizeof(command)}, {addr, addr_len}};
    struct answer answer = {.done = false};
    doca_error_t result;

    command.rq_create.addr = (uintptr_t)addr;
    command.rq_create.addr_len = addr_len;
    result = call(host, parts, 2, &answer);
    if (result == DOCA_SUCCESS)
        *rq_id = answer.notification.id;
    return result;
}

static doca_error_t call_with_id(struct rdmo_host *host, uint64_t type, uint64_t id)
{
    struct command command = {.type = type};
    const struct part part = {&command, sizeof(command)};
    struct answer answer = {.done = false};

    command.id = id;
    return call(host, &part, 1, &answer);
}

doca_error_t rdmo_rq_destroy(struct rdmo_host *host, uint64_t rq_id)
{
    return call_with_id(host, RQ_DESTROY, rq_id);
}

doca_error_t rdmo_mr_reg(struct rdmo_host *host, const void *va, size_t len, const void *rkey,
                         size_t rkey_len, const void *memh, size_t memh_len, uint64_t *rkey_id)
{
    struct command command = {.type = MR_REG};
    const struct part parts[] = {{&command, sizeof(command)}, {rkey, rkey_len}, {memh, memh_len}};
    struct answer answer = {.done = false};
    doca_error_t result;

    command.mr_reg.va = (uintptr_t)va;
    command.mr_reg.len = len;
    command.mr_reg.rkey_len = rkey_len;
    command.mr_reg.memh_len = memh_len;
    result = call(host, parts, 3, &answer);
    if (result == DOCA_SUCCESS)
        *rkey_id = answer.notification.id;
    return result;
}

doca_error_t rdmo_mr_dereg(struct rdmo_host *host, uint64_t rkey_id)
{
    return call_with_id(host, MR_DEREG, rkey_id);
}
