/* SPDX-License-Identifier: BSD-3-Clause */
/* The host half, and a program around it: each rank sends a text to the next one, which gets it
 * from its worker; the workers talk over UCX. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/meet.h"
#include "../common/offload.h"
#include "tags.h"

DOCA_LOG_REGISTER(TAGS);

#define TEXT_MAX 256
#define ROUNDS   20

struct config {
    struct meet meet; /* first */
    char plugin[64];
};

struct outcome {
    doca_error_t result;
    char bytes[TEXT_MAX];
    size_t len;
    bool done;
};

struct side {
    struct doca_pe *pe;
    struct doca_urom_worker *worker;
    uint64_t plugin;
};

static void on_complete(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct outcome *outcome = task_data.ptr;
    struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
    void *data = NULL;

    (void)ctx_data;
    outcome->done = true;
    outcome->result = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
    if (doca_buf_get_data(response, &data) != DOCA_SUCCESS ||
        doca_buf_get_data_len(response, &outcome->len) != DOCA_SUCCESS ||
        outcome->len > sizeof(outcome->bytes))
        outcome->result = DOCA_ERROR_UNEXPECTED;
    else
        memcpy(outcome->bytes, data, outcome->len);
    (void)doca_urom_worker_cmd_task_release(task);
}

static doca_error_t begin(const struct side *side, const struct tags_cmd *cmd, const char *text,
                          struct outcome *outcome)
{
    struct doca_urom_worker_cmd_task *task;
    struct doca_buf *payload;
    void *room = NULL;
    doca_error_t result =
        doca_urom_worker_cmd_task_allocate_init(side->worker, side->plugin, &task);

    if (result != DOCA_SUCCESS)
        return result;
    *outcome = (struct outcome){.result = DOCA_ERROR_UNEXPECTED};
    payload = doca_urom_worker_cmd_task_get_payload(task);
    result = doca_buf_get_data(payload, &room);
    if (result == DOCA_SUCCESS) {
        memcpy(room, cmd, sizeof(*cmd));
        memcpy((char *)room + sizeof(*cmd), text, strlen(text));
        result = doca_buf_set_data(payload, room, sizeof(*cmd) + strlen(text));
    }
    doca_urom_worker_cmd_task_set_cb(task, on_complete);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                            (union doca_data){.ptr = outcome});
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
    if (result != DOCA_SUCCESS)
        (void)doca_urom_worker_cmd_task_release(task);
    return result;
}

static bool is_under_way(void *outcome)
{
    return !((struct outcome *)outcome)->done;
}

static doca_error_t await(const struct side *side, struct outcome *outcome)
{
    doca_error_t result = kit_progress(side->pe, is_under_way, outcome);

    return result == DOCA_SUCCESS ? outcome->result : result;
}

/* To the next one, and from the one before. */
static doca_error_t pass_on(const struct side *side, const struct meet *meet, uint64_t tag)
{
    const int next = (meet->rank + 1) % meet->size;
    const int before = (meet->rank + meet->size - 1) % meet->size;
    const struct tags_cmd send = {.op = TAGS_SEND, .peer = (uint64_t)next, .tag = tag};
    const struct tags_cmd recv = {.op = TAGS_RECV, .tag = tag};
    struct outcome sent, received;
    char text[TEXT_MAX], expected[TEXT_MAX];
    doca_error_t result;

    snprintf(text, sizeof(text), "text %" PRIu64 " of rank %d", tag, meet->rank);
    snprintf(expected, sizeof(expected), "text %" PRIu64 " of rank %d", tag, before);
    result = begin(side, &recv, "", &received);
    if (result == DOCA_SUCCESS)
        result = begin(side, &send, text, &sent);
    if (result == DOCA_SUCCESS)
        result = await(side, &sent);
    if (result == DOCA_SUCCESS)
        result = await(side, &received);
    if (result == DOCA_SUCCESS &&
        (received.len != strlen(expected) || memcmp(received.bytes, expected, received.len) != 0))
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS && tag + 1 == ROUNDS)
        DOCA_LOG_INFO("Received: %s", expected);
    return result;
}

static doca_error_t use(const struct side *side, const struct meet *meet)
{
    const struct tags_cmd nobody = {.op = TAGS_SEND, .peer = (uint64_t)meet->size};
    const struct tags_cmd hand_out = {.op = TAGS_EXPORT};
    struct outcome outcome;
    doca_error_t result = DOCA_SUCCESS;

    for (uint64_t tag = 0; tag < ROUNDS && result == DOCA_SUCCESS; tag++)
        result = pass_on(side, meet, tag);
    if (result == DOCA_SUCCESS)
        result = begin(side, &nobody, "x", &outcome);
    if (result == DOCA_SUCCESS && await(side, &outcome) != DOCA_ERROR_NOT_FOUND)
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS)
        result = begin(side, &hand_out, "", &outcome);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Handing out memory: %s", doca_error_get_name(await(side, &outcome)));
    return result;
}

static doca_error_t with_worker(const struct side *side, struct meet *meet)
{
    struct doca_urom_domain_oob_coll oob;
    struct doca_urom_domain *domain;
    doca_error_t result, tmp;

    meet_oob(meet, &oob);
    result = offload_domain(side->pe, &oob, (uint64_t)meet->rank, side->worker, NULL, 0, &domain);
    if (result != DOCA_SUCCESS)
        return result;
    result = use(side, meet);
    tmp = meet_barrier(meet); /* nobody leaves while others still send */
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = offload_domain_end(domain);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t with_service(struct doca_pe *pe, struct doca_urom_service *service,
                                 struct config *config)
{
    struct offload_worker_config wanted = {.id = DOCA_UROM_WORKER_ID_ANY, .inflight = 4};
    struct side side = {.pe = pe};
    int events;
    doca_error_t tmp,
        result = offload_find_plugin(service, config->plugin, TAGS_VERSION, &wanted.plugins);

    side.plugin = wanted.plugins;
    if (result == DOCA_SUCCESS)
        result = offload_worker(pe, service, &wanted, &side.worker);
    if (result != DOCA_SUCCESS)
        return result;
    result = offload_worker_run(pe, side.worker, &events);
    if (result == DOCA_SUCCESS)
        result = with_worker(&side, &config->meet);
    tmp = offload_worker_end(pe, side.worker, &events);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t with_device(struct doca_dev *dev, struct config *config)
{
    struct doca_urom_service *service;
    struct doca_pe *pe;
    doca_error_t result = doca_pe_create(&pe), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = offload_service(pe, dev, 1, &service);
    if (result == DOCA_SUCCESS) {
        result = with_service(pe, service, config);
        tmp = offload_service_end(service);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = doca_pe_destroy(pe);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t set_plugin(void *param, void *config)
{
    struct config *all = config;

    return kit_store(all->plugin, sizeof(all->plugin), (const char *)param);
}

static doca_error_t run(int argc, char **argv, struct config *config)
{
    struct doca_dev *dev;
    doca_error_t result = doca_argp_init("urom_tags", config), tmp;

    if (result == DOCA_SUCCESS)
        result = kit_param("P", "plugin", "Name of the worker half", DOCA_ARGP_TYPE_STRING, false,
                           set_plugin);
    if (result == DOCA_SUCCESS)
        result = meet_params();
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = meet_ready(&config->meet);
    if (result == DOCA_SUCCESS)
        result = offload_open_device(NULL, &dev);
    if (result != DOCA_SUCCESS)
        return result;
    result = with_device(dev, config);
    tmp = kit_close_device(&dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(int argc, char **argv)
{
    struct config config = {.plugin = "worker_tags"};
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS)
        result = meet_begin(&argc, &argv, &config.meet);
    if (result == DOCA_SUCCESS)
        result = run(argc, argv, &config);
    (void)doca_argp_destroy();
    meet_end(&config.meet);
    return kit_exit("urom_tags", result);
}
