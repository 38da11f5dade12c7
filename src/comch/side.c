/* SPDX-License-Identifier: BSD-3-Clause */
#include "comch/comch_priv.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_RECV_QUEUE 64u

/* Messages that a link holds one way. More wait in their tasks, which needs progress. */
#define MAX_DEPTH 16384u

doca_error_t comch_side_check(struct doca_dev *dev, const char *name, const char *func)
{
    uint32_t max;

    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "dev");
    if (name == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "name");
    if (!core_dev_is_valid(dev))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, NULL, "dev",
                         "%p" CORE_LIMIT "an open device" CORE_REMEDY
                         "open it with doca_dev_open()",
                         (void *)dev);
    /* A device without Comch can have instances, which will not start. */
    max = OD_MAX(dev->info.soft->caps.comch_max_name_len, 2u);
    if (name[0] == '\0' || strnlen(name, max) == max)
        return CORE_FAIL(
            DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, dev->info.name, "length of name",
            "%s" CORE_LIMIT "1..%u bytes" CORE_REMEDY "see doca_comch_cap_get_max_name_len()",
            name[0] == '\0' ? "0" : "more", max - 1);
    return DOCA_SUCCESS;
}

/* Appends a text with its NUL. */
static char *append(char *at, const char *text)
{
    size_t size = strlen(text) + 1;

    memcpy(at, text, size);
    return at + size;
}

doca_error_t comch_side_init(struct comch_side *side, const struct core_ctx_ops *ops,
                             struct doca_dev *dev, const struct soft_device *host_func,
                             const char *name, const char *func)
{
    const struct soft_caps *caps = &dev->info.soft->caps;
    char id[SOFT_DEVICE_ID_SIZE];
    char *at;

    soft_device_id(host_func, id);
    side->identity_len = strlen(host_func->card) + strlen(id) + strlen(name) + 3;
    side->identity = malloc(side->identity_len);
    if (side->identity == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMCH, func, dev->info.name, "name",
                         "%zu bytes" CORE_REMEDY "free memory", side->identity_len);
    at = append(append(side->identity, host_func->card), id);
    append(at, name);
    side->name = at;
    side->max_msg = caps->comch_max_msg_size;
    side->recv_queue = OD_MIN(DEFAULT_RECV_QUEUE, caps->comch_max_recv_queue);
    core_ctx_init(&side->ctx, ops, dev);
    core_task_pool_init(&side->sends, &side->ctx, &comch_send_ops,
                        sizeof(struct doca_comch_task_send));
    return DOCA_SUCCESS;
}

doca_error_t comch_side_fini(struct comch_side *side, const char *func)
{
    uint32_t nends = atomic_load(&side->nends);
    doca_error_t result;

    if (nends > 0)
        return CORE_FAIL(DOCA_ERROR_IN_USE, CORE_LOG_COMCH, func, side->ctx.name,
                         "producers and consumers",
                         "%u" CORE_LIMIT "none" CORE_REMEDY "destroy them first", nends);
    result = core_ctx_fini(&side->ctx, func);
    if (result == DOCA_SUCCESS)
        free(side->identity);
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * Start
 */

static doca_error_t check_role(const struct comch_side *side, enum soft_role role)
{
    const struct soft_device *device = side->ctx.dev->info.soft;

    if (comch_device_carries(device, role))
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_COMCH, "doca_ctx_start", side->ctx.name,
                     "device",
                     "%s device, profile %s, with%s Comch" CORE_LIMIT "%s" CORE_REMEDY
                     "servers run on the DPU, clients on the host",
                     soft_role_name(device->role), device->profile, device->caps.comch ? "" : "out",
                     soft_role_name(role));
}

doca_error_t comch_side_start(struct comch_side *side, enum soft_role role)
{
    doca_error_t result = check_role(side, role);

    if (result == DOCA_SUCCESS)
        result = comch_side_check_events(side);
    if (result != DOCA_SUCCESS)
        return result;
    side->frame =
        aligned_alloc(OD_CACHE_LINE, (comch_link_max_msg(side->max_msg) + OD_CACHE_LINE - 1) /
                                         OD_CACHE_LINE * OD_CACHE_LINE);
    if (side->frame == NULL)
        goto err_no_memory;
    if (core_task_pool_open(&side->sends) != DOCA_SUCCESS)
        goto err_free_frame;
    return DOCA_SUCCESS;

err_free_frame:
    free(side->frame);
    side->frame = NULL;
err_no_memory:
    return CORE_FAIL(
        DOCA_ERROR_INITIALIZATION, CORE_LOG_COMCH, "doca_ctx_start", side->ctx.name, "memory",
        "%u send tasks and a message of %u bytes" CORE_REMEDY "reserve fewer tasks or free memory",
        side->sends.num, side->max_msg);
}

void comch_side_stopped(struct comch_side *side)
{
    core_task_pool_close(&side->sends);
    free(side->frame);
    side->frame = NULL;
}

struct soft_link_conf comch_side_link_conf(const struct comch_side *side)
{
    return (struct soft_link_conf){
        .max_msg = comch_link_max_msg(side->max_msg),
        .depth = OD_MIN(side->sends.num + side->recv_queue, MAX_DEPTH),
        .waker = core_ctx_waker((struct doca_ctx *)&side->ctx),
    };
}

/* ------------------------------------------------------------------------------------------------
 * Sizes
 */

static doca_error_t set_size(struct comch_side *side, uint32_t *target, uint32_t size, uint32_t max,
                             const char *what, const char *func)
{
    doca_error_t result = core_ctx_check_idle(&side->ctx, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (size == 0 || size > max)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, side->ctx.name, what,
                         "%u" CORE_LIMIT "1..%u" CORE_REMEDY "stay within the device's limit", size,
                         max);
    *target = size;
    return DOCA_SUCCESS;
}

static doca_error_t set_max_msg(struct comch_side *side, uint32_t size, const char *func)
{
    return set_size(side, &side->max_msg, size, side->ctx.dev->info.soft->caps.comch_max_msg_size,
                    "maximum message size", func);
}

static doca_error_t set_recv_queue(struct comch_side *side, uint32_t size, const char *func)
{
    return set_size(side, &side->recv_queue, size,
                    side->ctx.dev->info.soft->caps.comch_max_recv_queue, "receive queue size",
                    func);
}

static doca_error_t give_size(uint32_t value, uint32_t *size, const char *func)
{
    if (size == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "size");
    *size = value;
    return DOCA_SUCCESS;
}

static doca_error_t set_sends(struct comch_side *side, doca_comch_task_send_completion_cb_t ok,
                              doca_comch_task_send_completion_cb_t failed, uint32_t num,
                              const char *func)
{
    doca_error_t result;

    if (ok == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "task_completion_cb");
    if (failed == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "task_error_cb");
    result = set_size(side, &side->sends.num, num,
                      side->ctx.dev->info.soft->caps.comch_max_send_tasks, "num_send_tasks", func);
    if (result != DOCA_SUCCESS)
        return result;
    side->sent_cb = ok;
    side->send_error_cb = failed;
    return DOCA_SUCCESS;
}

static doca_error_t give_device(const struct comch_side *side, struct doca_dev **dev,
                                const char *func)
{
    if (dev == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "dev");
    *dev = side->ctx.dev;
    return DOCA_SUCCESS;
}

/* ---- of servers ---- */

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return set_max_msg(&comch_server->side, size, __func__);
}

doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return give_size(comch_server->side.max_msg, size, __func__);
}

doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return set_recv_queue(&comch_server->side, size, __func__);
}

doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return give_size(comch_server->side.recv_queue, size, __func__);
}

doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return give_device(&comch_server->side, dev, __func__);
}

doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    if (!core_is_live(CORE_LIVE_COMCH_SERVER, comch_server))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_server", comch_server);
    return set_sends(&comch_server->side, task_completion_cb, task_error_cb, num_send_tasks,
                     __func__);
}

/* ---- of clients ---- */

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return set_max_msg(&comch_client->side, size, __func__);
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return give_size(comch_client->side.max_msg, size, __func__);
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return set_recv_queue(&comch_client->side, size, __func__);
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return give_size(comch_client->side.recv_queue, size, __func__);
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return give_device(&comch_client->side, dev, __func__);
}

doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
    if (!core_is_live(CORE_LIVE_COMCH_CLIENT, comch_client))
        return CORE_FAIL_DEAD(CORE_LOG_COMCH, __func__, "comch_client", comch_client);
    return set_sends(&comch_client->side, task_completion_cb, task_error_cb, num_send_tasks,
                     __func__);
}
