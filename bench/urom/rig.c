/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/rig.h"

#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_error.h>

#include "lib/bench.h"

#define TRIES 1000 /* of 10 ms, until the daemon answers */

static char dir[] = "/tmp/bench-urom-XXXXXX";

void rig_check(doca_error_t result, const char *what)
{
    if (result != DOCA_SUCCESS)
        bench_die(what, doca_error_get_descr(result));
}

/* ------------------------------------------------------------------------------------------------
 * Daemon
 */

pid_t rig_daemon_start(const char *cpus)
{
    const char *path = getenv("UROM_DAEMON");
    pid_t pid;

    if (path == NULL || mkdtemp(dir) == NULL || setenv("OPENDOCA_RUNTIME_DIR", dir, 1) != 0)
        bench_die("daemon", "UROM_DAEMON is not set, or no folder can be made");
    pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (cpus != NULL)
        execl(path, path, "--log-level", "30", "--cpuset", cpus, (char *)NULL);
    else
        execl(path, path, "--log-level", "30", (char *)NULL);
    _exit(127);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void rig_daemon_stop(pid_t pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ------------------------------------------------------------------------------------------------
 * Client
 */

static struct doca_dev *open_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t count;

    rig_check(doca_devinfo_create_list(&list, &count), "devices");
    if (count == 0)
        bench_die("devices", "none");
    rig_check(doca_dev_open(list[0], &dev), "device");
    doca_devinfo_destroy_list(list);
    return dev;
}

static void start_service(struct rig *rig)
{
    doca_error_t result = DOCA_ERROR_NOT_PERMITTED;

    rig_check(doca_urom_service_create(&rig->service), "service");
    rig_check(doca_pe_connect_ctx(rig->pe, doca_urom_service_as_ctx(rig->service)), "service");
    rig_check(doca_urom_service_set_dev(rig->service, rig->dev), "service");
    for (int i = 0; i < TRIES && result == DOCA_ERROR_NOT_PERMITTED; i++) {
        result = doca_ctx_start(doca_urom_service_as_ctx(rig->service));
        if (result != DOCA_SUCCESS)
            poll(NULL, 0, 10);
    }
    rig_check(result, "service");
}

static uint64_t plugin_id(const struct rig *rig, const char *name)
{
    const struct doca_urom_service_plugin_info *plugins;
    size_t count;

    rig_check(doca_urom_service_get_plugins_list(rig->service, &plugins, &count), "plugins");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(plugins[i].plugin_name, name) == 0)
            return plugins[i].id;
    }
    bench_die(name, "the service lacks it");
}

void rig_worker_start(struct rig *rig)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(rig->worker);
    enum doca_ctx_states state;

    if (doca_ctx_start(ctx) != DOCA_ERROR_IN_PROGRESS)
        bench_die("worker", "does not begin to start");
    do {
        doca_pe_progress(rig->pe);
        doca_ctx_get_state(ctx, &state);
    } while (state == DOCA_CTX_STATE_STARTING);
    if (state != DOCA_CTX_STATE_RUNNING)
        bench_die("worker", "does not start");
}

void rig_worker_stop(struct rig *rig)
{
    struct doca_ctx *ctx = doca_urom_worker_as_ctx(rig->worker);
    enum doca_ctx_states state;

    if (doca_ctx_stop(ctx) != DOCA_ERROR_IN_PROGRESS)
        bench_die("worker", "does not begin to stop");
    do {
        doca_pe_progress(rig->pe);
        doca_ctx_get_state(ctx, &state);
    } while (state != DOCA_CTX_STATE_IDLE);
}

void rig_open(struct rig *rig, uint64_t id, const char *const *names, uint32_t inflight)
{
    uint64_t plugins = 0;

    *rig = (struct rig){.dev = open_device()};
    rig_check(doca_pe_create(&rig->pe), "engine");
    start_service(rig);
    for (; *names != NULL; names++) {
        plugins |= plugin_id(rig, *names);
        if (strcmp(*names, "worker_graph") == 0)
            rig->graph = plugin_id(rig, *names);
    }
    rig_check(doca_urom_worker_create(&rig->worker), "worker");
    rig_check(doca_urom_worker_set_service(rig->worker, rig->service), "worker");
    rig_check(doca_pe_connect_ctx(rig->pe, doca_urom_worker_as_ctx(rig->worker)), "worker");
    rig_check(doca_urom_worker_set_id(rig->worker, id), "worker");
    rig_check(doca_urom_worker_set_plugins(rig->worker, plugins), "worker");
    rig_check(doca_urom_worker_set_max_inflight_tasks(rig->worker, inflight), "worker");
    rig_worker_start(rig);
    if (plugins != rig->graph)
        rig_check(doca_urom_ops_create(rig->service, rig->worker, plugins, &rig->ops), "ops");
}

void rig_close(struct rig *rig)
{
    if (rig->ops != NULL)
        rig_check(doca_urom_ops_destroy(rig->ops), "ops");
    rig_worker_stop(rig);
    rig_check(doca_urom_worker_destroy(rig->worker), "worker");
    rig_check(doca_ctx_stop(doca_urom_service_as_ctx(rig->service)), "service");
    rig_check(doca_urom_service_destroy(rig->service), "service");
    rig_check(doca_pe_destroy(rig->pe), "engine");
    rig_check(doca_dev_close(rig->dev), "device");
}

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

void rig_done(struct doca_urom_ops *ops, doca_error_t status, void *left)
{
    (void)ops;
    rig_check(status, "operation");
    --*(unsigned int *)left;
}

void rig_wait(struct rig *rig, const unsigned int *left)
{
    while (*(const volatile unsigned int *)left > 0)
        doca_pe_progress(rig->pe);
}

void rig_sleep(struct rig *rig, const unsigned int *left, unsigned int most)
{
    struct pollfd pfd = {.events = POLLIN};

    rig_check(doca_pe_get_notification_handle(rig->pe, &pfd.fd), "notification handle");
    while (*(const volatile unsigned int *)left > most) {
        if (doca_pe_progress(rig->pe) != 0)
            continue;
        rig_check(doca_pe_request_notification(rig->pe), "notification");
        if (doca_pe_progress(rig->pe) == 0)
            poll(&pfd, 1, -1);
        rig_check(doca_pe_clear_notification(rig->pe, pfd.fd), "notification");
    }
}

static void command_done(struct doca_urom_worker_cmd_task *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    (void)ctx_data;
    rig_done(NULL, doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)), task_data.ptr);
}

double rig_command_us(struct rig *rig, unsigned int trips)
{
    double times[BENCH_MAX_ROUNDS];
    struct doca_urom_worker_cmd_task *task;
    unsigned int left;
    struct doca_buf *payload;
    void *head;

    rig_check(doca_urom_worker_cmd_task_allocate_init(rig->worker, rig->graph, &task), "task");
    doca_urom_worker_cmd_task_set_cb(task, command_done);
    doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
                            (union doca_data){.ptr = &left});
    payload = doca_urom_worker_cmd_task_get_payload(task);
    rig_check(doca_buf_get_head(payload, &head), "task");
    rig_check(doca_buf_set_data(payload, head, 16), "task");
    for (unsigned int i = 0; i < trips; i++) {
        const double begin = bench_now();

        left = 1;
        rig_check(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)), "submit");
        rig_wait(rig, &left);
        times[i % BENCH_MAX_ROUNDS] = (bench_now() - begin) * 1e6;
    }
    doca_urom_worker_cmd_task_release(task);
    return bench_median(times, trips < BENCH_MAX_ROUNDS ? trips : BENCH_MAX_ROUNDS);
}

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *left)
{
    (void)region;
    rig_done(NULL, status, left);
}

struct doca_urom_ops_region *rig_region(struct rig *rig, void *addr, size_t len)
{
    struct doca_urom_ops_region *region;
    unsigned int left = 1;

    rig_check(doca_urom_ops_region_create(rig->ops, addr, len, 0, region_done, &left, &region),
              "region");
    rig_wait(rig, &left);
    return region;
}

void rig_region_end(struct rig *rig, struct doca_urom_ops_region *region)
{
    unsigned int left = 1;

    rig_check(doca_urom_ops_region_destroy(region, rig_done, &left), "region");
    rig_wait(rig, &left);
}

void *rig_memory(size_t len, int shareable)
{
    int fd = shareable ? memfd_create("bench", MFD_CLOEXEC) : -1;
    void *memory;

    if (shareable && (fd < 0 || ftruncate(fd, (off_t)len) != 0))
        bench_die("memory", "no memfd");
    memory = mmap(NULL, len, PROT_READ | PROT_WRITE,
                  (shareable ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_POPULATE, fd, 0);
    if (memory == MAP_FAILED)
        bench_die("memory", "mmap failed");
    memset(memory, 5, len);
    if (shareable)
        close(fd);
    return memory;
}
