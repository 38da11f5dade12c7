/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes, two workers: one says ping, the other pong. */
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/meet.h"
#include "../common/offload.h"
#include "tags.h"

DOCA_LOG_REGISTER(PING_PONG);

#define TEXT_MAX    100
#define INFLIGHT    16
#define MAX_WORKERS 32
#define CPUS        8
#define PING        0x1
#define PONG        0x2

struct config {
    struct meet meet; /* first */
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    char text[TEXT_MAX];
};

/* What the callbacks leave. */
static struct {
    doca_error_t result;
    bool sent;
    bool received;
    char text[TEXT_MAX];
} outcome;

static doca_error_t set_device(void *param, void *config)
{
    struct config *all = config;

    return kit_store(all->device, sizeof(all->device), (const char *)param);
}

static doca_error_t set_text(void *param, void *config)
{
    struct config *all = config;

    return kit_store(all->text, sizeof(all->text), (const char *)param);
}

static void on_sent(const struct tags_sent *sent)
{
    outcome.result = sent->result;
    outcome.sent = true;
    if (sent->context.u64 != 1)
        outcome.result = DOCA_ERROR_UNEXPECTED;
}

static void on_received(const struct tags_received *received)
{
    outcome.result = received->result;
    outcome.received = true;
    if (received->result != DOCA_SUCCESS)
        return;
    if (received->data == NULL || received->count > sizeof(outcome.text) ||
        received->context.u64 != 2) {
        outcome.result = DOCA_ERROR_UNEXPECTED;
        return;
    }
    memcpy(outcome.text, received->data, received->count);
}

/* The next event is the end of a command. */
static doca_error_t next_event(struct doca_pe *pe)
{
    const double end = kit_seconds() + 30;

    while (doca_pe_progress(pe) == 0) {
        if (kit_seconds() > end)
            return DOCA_ERROR_TIME_OUT;
    }
    return outcome.result;
}

static doca_error_t send_text(struct doca_urom_worker *worker, uint64_t to, const char *text,
                              uint64_t tag)
{
    outcome.sent = false;
    return tags_send(worker, (union doca_data){.u64 = 1}, to, text, strlen(text) + 1, tag, on_sent);
}

static doca_error_t post(struct doca_urom_worker *worker, uint64_t tag)
{
    return tags_recv(worker, (union doca_data){.u64 = 2}, TEXT_MAX, tag, UINT64_MAX, on_received);
}

/* The first event is the send, the second the receive, in calls of their own: what is cleared
 * between them must not have been it. */
static doca_error_t say_ping(struct doca_pe *pe, struct doca_urom_worker *worker, const char *text)
{
    doca_error_t result = post(worker, PONG);

    if (result == DOCA_SUCCESS)
        result = send_text(worker, 1, text, PING);
    if (result == DOCA_SUCCESS)
        result = next_event(pe);
    if (result == DOCA_SUCCESS && !outcome.sent)
        result = DOCA_ERROR_UNEXPECTED;
    outcome.received = false;
    if (result == DOCA_SUCCESS)
        result = next_event(pe);
    if (result == DOCA_SUCCESS && !outcome.received)
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Rank 0 was answered: %s", outcome.text);
    return result;
}

static doca_error_t say_pong(struct doca_pe *pe, struct doca_urom_worker *worker)
{
    char text[TEXT_MAX];
    doca_error_t result = post(worker, PING);

    if (result == DOCA_SUCCESS)
        result = next_event(pe);
    if (result != DOCA_SUCCESS || !outcome.received)
        return result != DOCA_SUCCESS ? result : DOCA_ERROR_UNEXPECTED;
    DOCA_LOG_INFO("Rank 1 was told: %s", outcome.text);
    memcpy(text, outcome.text, sizeof(text));
    result = send_text(worker, 0, text, PONG);
    return result == DOCA_SUCCESS ? next_event(pe) : result;
}

static doca_error_t play(struct doca_pe *pe, struct config *config, struct doca_urom_worker *worker)
{
    struct doca_urom_domain_oob_coll oob;
    struct doca_urom_domain *domain;
    doca_error_t result, tmp;

    meet_oob(&config->meet, &oob);
    result = offload_domain(pe, &oob, (uint64_t)config->meet.rank, worker, NULL, 0, &domain);
    if (result != DOCA_SUCCESS)
        return result;
    result = config->meet.rank == 0 ? say_ping(pe, worker, config->text) : say_pong(pe, worker);
    tmp = meet_barrier(&config->meet);
    DOCA_ERROR_PROPAGATE(result, tmp);
    tmp = offload_domain_end(domain);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t with_service(struct doca_pe *pe, struct config *config,
                                 struct doca_urom_service *service)
{
    struct offload_worker_config wanted = {.id = (uint64_t)config->meet.rank, .inflight = INFLIGHT};
    struct doca_urom_worker *worker;
    doca_error_t result, tmp;
    int events;

    if (!offload_has_cpus(service, CPUS)) {
        DOCA_LOG_WARN("The service has not the CPUs 0 to %d, nothing is done", CPUS - 1);
        return DOCA_SUCCESS;
    }
    wanted.cpus = CPUS;
    result = offload_find_plugin(service, TAGS_PLUGIN, TAGS_VERSION, &wanted.plugins);
    if (result == DOCA_SUCCESS)
        result = tags_init(wanted.plugins, TAGS_VERSION);
    if (result == DOCA_SUCCESS)
        result = offload_worker(pe, service, &wanted, &worker);
    if (result != DOCA_SUCCESS)
        return result;
    result = offload_worker_run(pe, worker, &events);
    if (result == DOCA_SUCCESS)
        result = play(pe, config, worker);
    tmp = offload_worker_end(pe, worker, &events);
    DOCA_ERROR_PROPAGATE(result, tmp);
    if (result == DOCA_SUCCESS && events == 0)
        result = DOCA_ERROR_UNEXPECTED;
    return result;
}

static doca_error_t with_engine(struct config *config, struct doca_dev *dev, struct doca_pe *pe)
{
    struct doca_urom_service *service;
    doca_error_t result = offload_service(pe, dev, MAX_WORKERS, &service), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = with_service(pe, config, service);
    tmp = offload_service_end(service);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t run(struct config *config)
{
    struct doca_dev *dev;
    struct doca_pe *pe;
    doca_error_t result = offload_open_device(config->device, &dev), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_pe_create(&pe);
    if (result == DOCA_SUCCESS) {
        result = with_engine(config, dev, pe);
        tmp = doca_pe_destroy(pe);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = kit_close_device(&dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t read_arguments(int argc, char **argv, struct config *config)
{
    doca_error_t result = doca_argp_init("urom_ping_pong", config);

    if (result == DOCA_SUCCESS)
        result = kit_param("d", "device", "Name of the RDMA device", DOCA_ARGP_TYPE_STRING, false,
                           set_device);
    if (result == DOCA_SUCCESS)
        result = kit_param("m", "message", "What to say", DOCA_ARGP_TYPE_STRING, false, set_text);
    if (result == DOCA_SUCCESS)
        result = meet_params();
    return result == DOCA_SUCCESS ? doca_argp_start(argc, argv) : result;
}

int main(int argc, char **argv)
{
    struct config config = {.text = "ping"};
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS)
        result = meet_begin(&argc, &argv, &config.meet);
    if (result != DOCA_SUCCESS)
        return kit_exit("urom_ping_pong", result);
    result = read_arguments(argc, argv, &config);
    if (result == DOCA_SUCCESS)
        result = meet_ready(&config.meet);
    if (result == DOCA_SUCCESS)
        result = run(&config);
    (void)doca_argp_destroy();
    meet_end(&config.meet);
    return kit_exit("urom_ping_pong", result);
}
