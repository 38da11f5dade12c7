/* SPDX-License-Identifier: BSD-3-Clause */
/* One service, four workers started at once from four threads with engines of their own; the main
 * thread asks the service who is in a group. Runs until SIGINT or SIGTERM. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "../common/offload.h"
#include "loopback.h"

DOCA_LOG_REGISTER(BOOTSTRAP);

#define WORKERS  4
#define INFLIGHT 2
#define CPUS     8

static atomic_int running;
static atomic_bool leave;

struct member {
    pthread_t thread;
    uint64_t id;
    uint64_t plugin;
    struct doca_urom_service *service;
    doca_error_t result;
};

struct echo {
    doca_error_t result;
    uint64_t data;
    bool done;
};

static void on_signal(int number)
{
    (void)number;
    atomic_store(&leave, true);
}

static void on_echo(doca_error_t result, void *context, uint64_t data)
{
    struct echo *echo = context;

    echo->result = result;
    echo->data = data;
    echo->done = true;
}

/* The first event after the start is the command's end. */
static doca_error_t echo_id(struct member *member, struct doca_pe *pe,
                            struct doca_urom_worker *worker)
{
    struct echo echo = {.result = DOCA_ERROR_UNEXPECTED};
    uint64_t id = 0;
    doca_error_t result = doca_urom_worker_get_id(worker, &id);

    if (result == DOCA_SUCCESS && id != member->id)
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS)
        result = loopback(worker, member->plugin, id, on_echo, &echo);
    if (result != DOCA_SUCCESS)
        return result;
    while (doca_pe_progress(pe) == 0)
        ;
    if (!echo.done || echo.data != id)
        return DOCA_ERROR_UNEXPECTED;
    DOCA_LOG_INFO("Worker %lu echoes its id", (unsigned long)id);
    return echo.result;
}

static doca_error_t live(struct member *member, struct doca_pe *pe, struct doca_urom_worker *worker)
{
    int events;
    doca_error_t result = offload_worker_run(pe, worker, &events);

    if (result == DOCA_SUCCESS && events == 0)
        result = DOCA_ERROR_UNEXPECTED;
    if (result == DOCA_SUCCESS)
        result = echo_id(member, pe, worker);
    return result;
}

static void wait_for_the_end(struct doca_pe *pe)
{
    while (!atomic_load(&leave)) {
        if (doca_pe_progress(pe) == 0)
            poll(NULL, 0, 1);
    }
}

static doca_error_t with_engine(struct member *member, struct doca_pe *pe)
{
    char variable[] = "UCX_LOG_LEVEL=debug", *env[] = {variable};
    const uint32_t gid = (uint32_t)(member->id % 2);
    const struct offload_worker_config config = {.id = member->id,
                                                 .gid = &gid,
                                                 .inflight = INFLIGHT,
                                                 .plugins = member->plugin,
                                                 .env = env,
                                                 .env_count = 1,
                                                 .cpus = CPUS};
    struct doca_urom_worker *worker;
    doca_error_t result = offload_worker(pe, member->service, &config, &worker), tmp;
    int events = 0;

    if (result != DOCA_SUCCESS)
        return result;
    result = live(member, pe, worker);
    atomic_fetch_add(&running, 1);
    if (result == DOCA_SUCCESS)
        wait_for_the_end(pe);
    tmp = offload_worker_end(pe, worker, &events);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result == DOCA_SUCCESS && events == 0 ? DOCA_ERROR_UNEXPECTED : result;
}

static void *member_main(void *arg)
{
    struct member *member = arg;
    struct doca_pe *pe;
    doca_error_t tmp;

    member->result = doca_pe_create(&pe);
    if (member->result == DOCA_SUCCESS) {
        member->result = with_engine(member, pe);
        tmp = doca_pe_destroy(pe);
        DOCA_ERROR_PROPAGATE(member->result, tmp);
    }
    if (member->result != DOCA_SUCCESS)
        atomic_store(&leave, true);
    return NULL;
}

/* ---- Who is in a group ---- */

struct answer {
    doca_error_t result;
    char text[64];
    bool done;
};

static void on_answer(struct doca_urom_service_get_workers_by_gid_task *task,
                      union doca_data task_data, union doca_data ctx_data)
{
    struct answer *answer = task_data.ptr;
    size_t count = doca_urom_service_get_workers_by_gid_task_get_workers_count(task);
    const uint64_t *ids = doca_urom_service_get_workers_by_gid_task_get_worker_ids(task);
    size_t used = 0;

    (void)ctx_data;
    answer->done = true;
    answer->result = doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task));
    for (size_t i = 0; i < count && used + 24 < sizeof(answer->text); i++)
        used += (size_t)snprintf(answer->text + used, sizeof(answer->text) - used, " %lu",
                                 (unsigned long)ids[i]);
    (void)doca_urom_service_get_workers_by_gid_task_release(task);
}

static doca_error_t ask(struct doca_pe *pe, struct doca_urom_service *service, uint32_t gid)
{
    struct answer answer = {.result = DOCA_SUCCESS};
    struct doca_urom_service_get_workers_by_gid_task *query;
    const double end = kit_seconds() + 30;
    struct doca_task *task;
    doca_error_t result =
        doca_urom_service_get_workers_by_gid_task_allocate_init(service, gid, on_answer, &query);

    if (result != DOCA_SUCCESS)
        return result;
    task = doca_urom_service_get_workers_by_gid_task_as_task(query);
    doca_task_set_user_data(task, (union doca_data){.ptr = &answer});
    result = doca_task_submit(task);
    if (result != DOCA_SUCCESS) {
        (void)doca_urom_service_get_workers_by_gid_task_release(query);
        return result;
    }
    while (!answer.done && kit_seconds() < end)
        (void)doca_pe_progress(pe);
    if (!answer.done)
        return DOCA_ERROR_TIME_OUT;
    DOCA_LOG_INFO("Group %u has the workers%s", gid, answer.text);
    return answer.result;
}

/* Until all workers have echoed, or one has failed; the service is progressed all the time. */
static doca_error_t oversee(struct doca_pe *pe, struct doca_urom_service *service)
{
    doca_error_t result = DOCA_SUCCESS;

    while (atomic_load(&running) < WORKERS && !atomic_load(&leave))
        (void)doca_pe_progress(pe);
    if (atomic_load(&leave))
        return DOCA_SUCCESS;
    for (uint32_t gid = 2; gid-- > 0 && result == DOCA_SUCCESS;)
        result = ask(pe, service, gid);
    DOCA_LOG_INFO("All workers run, press Ctrl-C");
    while (!atomic_load(&leave) && result == DOCA_SUCCESS) {
        if (doca_pe_progress(pe) == 0)
            poll(NULL, 0, 1);
    }
    return result;
}

static doca_error_t with_service(struct doca_pe *pe, struct doca_urom_service *service)
{
    struct member members[WORKERS];
    doca_error_t result;
    uint64_t plugin;
    int begun = 0;

    if (!offload_has_cpus(service, CPUS)) {
        DOCA_LOG_WARN("The service has not the CPUs 0 to %d, nothing is done", CPUS - 1);
        return DOCA_SUCCESS;
    }
    result = offload_find_plugin(service, LOOPBACK_PLUGIN, LOOPBACK_VERSION, &plugin);
    for (; begun < WORKERS && result == DOCA_SUCCESS; begun++) {
        members[begun] =
            (struct member){.id = (uint64_t)begun, .plugin = plugin, .service = service};
        if (pthread_create(&members[begun].thread, NULL, member_main, &members[begun]) != 0) {
            result = DOCA_ERROR_OPERATING_SYSTEM;
            break;
        }
    }
    if (result == DOCA_SUCCESS)
        result = oversee(pe, service);
    atomic_store(&leave, true);
    for (int i = 0; i < begun; i++) {
        pthread_join(members[i].thread, NULL);
        DOCA_ERROR_PROPAGATE(result, members[i].result);
    }
    return result;
}

static doca_error_t with_device(struct doca_dev *dev)
{
    struct doca_urom_service *service;
    struct doca_pe *pe;
    doca_error_t result = doca_pe_create(&pe), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = offload_service(pe, dev, WORKERS, &service);
    if (result == DOCA_SUCCESS) {
        result = with_service(pe, service);
        tmp = offload_service_end(service);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = doca_pe_destroy(pe);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t set_device(void *param, void *config)
{
    return kit_store((char *)config, DOCA_DEVINFO_IBDEV_NAME_SIZE, (const char *)param);
}

static doca_error_t run(int argc, char **argv)
{
    char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
    struct doca_dev *dev;
    doca_error_t result = doca_argp_init("urom_bootstrap", ibdev), tmp;

    if (result == DOCA_SUCCESS)
        result = kit_param("d", "device", "Name of the RDMA device", DOCA_ARGP_TYPE_STRING, false,
                           set_device);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = offload_open_device(ibdev, &dev);
    if (result != DOCA_SUCCESS)
        return result;
    result = with_device(dev);
    tmp = kit_close_device(&dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(int argc, char **argv)
{
    doca_error_t result = kit_log();

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (result == DOCA_SUCCESS)
        result = run(argc, argv);
    (void)doca_argp_destroy();
    return kit_exit("urom_bootstrap", result);
}
