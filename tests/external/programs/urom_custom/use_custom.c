/* SPDX-License-Identifier: BSD-3-Clause */
/* The host half, and a program around it: reverses a text, asks where a worker is, then does what
 * the plugin does not survive; another worker lives on. */
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/meet.h"
#include "../common/offload.h"
#include "custom.h"

DOCA_LOG_REGISTER(CUSTOM);

#define TEXT_MAX 256

struct config {
    struct meet meet; /* first */
    char text[TEXT_MAX];
    char last[16];
};

struct outcome {
    doca_error_t result;
    char bytes[TEXT_MAX];
    size_t len;
    bool done;
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

static doca_error_t call(struct doca_pe *pe, struct doca_urom_worker *worker, uint64_t plugin,
                         const struct custom_cmd *cmd, const char *text, struct outcome *outcome)
{
    struct doca_urom_worker_cmd_task *task;
    const double end = kit_seconds() + 30;
    struct doca_buf *payload;
    void *room = NULL;
    doca_error_t result = doca_urom_worker_cmd_task_allocate_init(worker, plugin, &task);

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
    if (result != DOCA_SUCCESS) {
        (void)doca_urom_worker_cmd_task_release(task);
        return result;
    }
    while (!outcome->done && kit_seconds() < end)
        (void)doca_pe_progress(pe);
    return outcome->done ? outcome->result : DOCA_ERROR_TIME_OUT;
}

static doca_error_t expect_result(doca_error_t expected, doca_error_t result, const char *what)
{
    if (result == expected)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("%s says %s, %s was expected", what, doca_error_get_name(result),
                 doca_error_get_name(expected));
    return DOCA_ERROR_UNEXPECTED;
}

static doca_error_t use(struct doca_pe *pe, struct doca_urom_worker *worker, uint64_t plugin,
                        const struct config *config)
{
    const struct custom_cmd turn = {.op = CUSTOM_REVERSE}, other = {.op = CUSTOM_NOTHING};
    const struct custom_cmd self = {.op = CUSTOM_WHERE, .arg = (uint64_t)config->meet.rank};
    const struct custom_cmd nobody = {.op = CUSTOM_WHERE, .arg = 1000};
    struct outcome outcome;
    doca_error_t result = call(pe, worker, plugin, &turn, config->text, &outcome);

    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Reversed: %.*s", (int)outcome.len, outcome.bytes);
    if (result == DOCA_SUCCESS)
        result = call(pe, worker, plugin, &self, "", &outcome);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("The worker is %s", outcome.bytes);
    if (result == DOCA_SUCCESS)
        result = expect_result(DOCA_ERROR_NOT_FOUND,
                               call(pe, worker, plugin, &nobody, "", &outcome), "A lookup");
    if (result == DOCA_SUCCESS)
        result = expect_result(DOCA_ERROR_NOT_SUPPORTED,
                               call(pe, worker, plugin, &other, "", &outcome), "A command");
    return result;
}

/* The last command of the first rank's worker; the second rank's then works as before. */
static doca_error_t end_badly(struct doca_pe *pe, struct doca_urom_worker *worker, uint64_t plugin,
                              struct config *config)
{
    struct custom_cmd last = {.op = CUSTOM_CRASH};
    const struct custom_cmd turn = {.op = CUSTOM_REVERSE};
    struct outcome outcome;
    doca_error_t result = DOCA_SUCCESS;

    if (config->last[0] == '\0')
        return DOCA_SUCCESS;
    if (strcmp(config->last, "hang") == 0)
        last.op = CUSTOM_HANG;
    if (config->meet.rank == 0)
        result = expect_result(DOCA_ERROR_IO_FAILED, call(pe, worker, plugin, &last, "", &outcome),
                               "The last command");
    if (result == DOCA_SUCCESS)
        result = meet_barrier(&config->meet);
    if (result == DOCA_SUCCESS && config->meet.rank != 0)
        result = call(pe, worker, plugin, &turn, "after all", &outcome);
    return result;
}

static doca_error_t with_worker(struct doca_pe *pe, struct doca_urom_worker *worker,
                                uint64_t plugin, struct config *config)
{
    char memh[] = "a handle", mkey[] = "a key", memory[64];
    const struct offload_buffer buffer = {.addr = memory,
                                          .len = sizeof(memory),
                                          .memh = memh,
                                          .memh_len = sizeof(memh),
                                          .mkey = mkey,
                                          .mkey_len = sizeof(mkey)};
    struct doca_urom_domain_oob_coll oob;
    struct doca_urom_domain *domain;
    doca_error_t result, tmp;

    meet_oob(&config->meet, &oob);
    result = offload_domain(pe, &oob, (uint64_t)config->meet.rank, worker, &buffer, 1, &domain);
    if (result != DOCA_SUCCESS)
        return result;
    result = use(pe, worker, plugin, config);
    if (result == DOCA_SUCCESS)
        result = end_badly(pe, worker, plugin, config);
    tmp = offload_domain_end(domain);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t with_service(struct doca_pe *pe, struct doca_urom_service *service,
                                 struct config *config)
{
    struct offload_worker_config wanted = {.id = DOCA_UROM_WORKER_ID_ANY, .inflight = 4};
    struct doca_urom_worker *worker;
    int events;
    doca_error_t tmp,
        result = offload_find_plugin(service, CUSTOM_PLUGIN, CUSTOM_VERSION, &wanted.plugins);

    if (result == DOCA_SUCCESS)
        result = offload_worker(pe, service, &wanted, &worker);
    if (result != DOCA_SUCCESS)
        return result;
    result = offload_worker_run(pe, worker, &events);
    if (result == DOCA_SUCCESS)
        result = with_worker(pe, worker, wanted.plugins, config);
    tmp = offload_worker_end(pe, worker, &events);
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

static doca_error_t set_text(void *param, void *config)
{
    return kit_store(((struct config *)config)->text, TEXT_MAX, (const char *)param);
}

static doca_error_t set_last(void *param, void *config)
{
    struct config *all = config;

    return kit_store(all->last, sizeof(all->last), (const char *)param);
}

static doca_error_t run(int argc, char **argv, struct config *config)
{
    struct doca_dev *dev;
    doca_error_t result = doca_argp_init("urom_custom", config), tmp;

    if (result == DOCA_SUCCESS)
        result = kit_param("t", "text", "What to reverse", DOCA_ARGP_TYPE_STRING, false, set_text);
    if (result == DOCA_SUCCESS)
        result = kit_param("e", "end", "How rank 0's worker ends: crash or hang",
                           DOCA_ARGP_TYPE_STRING, false, set_last);
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
    struct config config = {.text = "abc"};
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS)
        result = meet_begin(&argc, &argv, &config.meet);
    if (result == DOCA_SUCCESS)
        result = run(argc, argv, &config);
    (void)doca_argp_destroy();
    meet_end(&config.meet);
    return kit_exit("urom_custom", result);
}
