/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker: started by the daemon, with its environment and CPUs set, for one user. */
#include "urom/worker/worker_priv.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_log.h>

#include "soft/service/folder.h"
#include "urom/wire/pack.h"
#include "util/parse.h"

DOCA_LOG_REGISTER(UROM::WORKER);

#define BACKLOG 256

/* ------------------------------------------------------------------------------------------------
 * Options
 */

struct options {
    const char *probe;
    uint64_t log_level;
    uint64_t sdk_log_level;
};

static void usage(void)
{
    fprintf(stderr, "doca_urom_worker is started by doca_urom_daemon:\n"
                    "  --id ID --plugin PATH:PLUGIN_ID... --local ADDRESS [--remote ADDRESS]\n"
                    "  [--poll busy|adaptive] [--log-level N] [--sdk-log-level N]\n"
                    "or, to look at a plugin, --probe PATH\n");
}

/* "PATH:ID"; the path may have colons. */
static bool add_plugin(struct worker *worker, char *text)
{
    struct worker_plugin *plugin = &worker->plugins[worker->nplugins];
    char *colon = strrchr(text, ':');
    uint64_t id;

    if (colon == NULL || od_parse_u64(colon + 1, &id) != 0 || id == 0 || (id & (id - 1)) != 0 ||
        worker->by_bit[__builtin_ctzll(id)] != NULL)
        return false;
    *colon = '\0';
    plugin->path = text;
    plugin->id = id;
    plugin->worker = worker;
    worker->by_bit[__builtin_ctzll(id)] = plugin;
    worker->nplugins++;
    return true;
}

static bool parse(int argc, char **argv, struct worker *worker, struct options *options)
{
    static const struct option known[] = {
        {"id", required_argument, NULL, 'i'},
        {"plugin", required_argument, NULL, 'p'},
        {"local", required_argument, NULL, 'l'},
        {"remote", required_argument, NULL, 'r'},
        {"poll", required_argument, NULL, 'b'},
        {"probe", required_argument, NULL, 'P'},
        {"log-level", required_argument, NULL, 'L'},
        {"sdk-log-level", required_argument, NULL, 'S'},
        {NULL, 0, NULL, 0},
    };
    bool fine = true;
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'i':
            fine = fine && od_parse_u64(optarg, &worker->id) == 0;
            break;
        case 'p':
            fine = fine && add_plugin(worker, optarg);
            break;
        case 'l':
            worker->local_addr = optarg;
            break;
        case 'r':
            worker->remote_addr = optarg;
            break;
        case 'b':
            worker->busy_poll = strcmp(optarg, "busy") == 0;
            break;
        case 'P':
            options->probe = optarg;
            break;
        case 'L':
            fine = fine && od_parse_u64(optarg, &options->log_level) == 0;
            break;
        case 'S':
            fine = fine && od_parse_u64(optarg, &options->sdk_log_level) == 0;
            break;
        default:
            fine = false;
        }
    }
    return fine && optind == argc &&
           (options->probe != NULL || (worker->nplugins > 0 && worker->local_addr != NULL));
}

static void start_log(const struct options *options)
{
    struct doca_log_backend *sdk;

    doca_log_backend_create_standard();
    if (doca_log_backend_create_with_file_sdk(stderr, &sdk) == DOCA_SUCCESS)
        doca_log_backend_set_sdk_level(sdk, (uint32_t)options->sdk_log_level);
    doca_log_level_set_global_lower_limit((uint32_t)options->log_level);
}

/* ------------------------------------------------------------------------------------------------
 * Services for plugins
 */

static doca_error_t conn_info(struct urom_worker_ctx *ctx, uint64_t dest_id,
                              struct urom_ext_conn_info *info)
{
    struct worker *worker = ((struct worker_plugin *)ctx)->worker;
    const struct worker_channel *channel = worker_channel_by_dest(worker, dest_id);
    bool remote;

    if (info == NULL)
        return DOCA_ERROR_INVALID_VALUE;
    if (channel == NULL)
        return DOCA_ERROR_NOT_FOUND;
    remote = (channel->admit.flags & UROM_ADMIT_REMOTE) != 0;
    *info = (struct urom_ext_conn_info){
        .pid = remote ? 0 : (pid_t)channel->admit.pid,
        .uid = remote ? (uid_t)-1 : (uid_t)channel->admit.uid,
        .start_time = channel->admit.start_time,
        .same_machine = !remote,
    };
    return DOCA_SUCCESS;
}

static void wake(struct urom_worker_ctx *ctx)
{
    od_waker_wake(&((struct worker_plugin *)ctx)->worker->waker);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static bool map_page(struct worker *worker, struct worker_reason *reason)
{
    void *page = mmap(NULL, sizeof(*worker->page), PROT_READ | PROT_WRITE, MAP_SHARED,
                      UROM_WORKER_PAGE_FD, 0);

    if (page == MAP_FAILED)
        return worker_fail(reason, DOCA_ERROR_OPERATING_SYSTEM, "no page of counters: %s",
                           strerror(errno));
    worker->page = page;
    return true;
}

static bool listen_at(struct worker *worker, const char *addr, struct soft_link_listener **listener,
                      struct worker_reason *reason)
{
    const struct soft_link_conf conf = {
        .max_msg = UROM_WIRE_MSG_MAX,
        .depth = 1, /* the client says how many it wants */
        .backlog = BACKLOG,
        .waker = &worker->waker,
    };

    if (soft_link_listen(addr, &conf, listener) != 0)
        return worker_fail(reason, DOCA_ERROR_OPERATING_SYSTEM, "cannot listen at %.80s: %.120s",
                           addr, soft_reason());
    return true;
}

/* Clients may have another runtime folder than this process: they get the whole path. */
static bool local_path(const struct worker *worker, char addr[UROM_WIRE_ADDR_SIZE],
                       struct worker_reason *reason)
{
    char dir[UROM_WIRE_ADDR_SIZE];
    int fd = soft_service_folder_open(dir, sizeof(dir));

    if (fd < 0)
        return worker_fail(reason, DOCA_ERROR_OPERATING_SYSTEM, "%.200s", soft_reason());
    close(fd);
    if (snprintf(addr, UROM_WIRE_ADDR_SIZE, "local:%s/link-%s", dir,
                 worker->local_addr + strlen("local:")) >= UROM_WIRE_ADDR_SIZE)
        return worker_fail(reason, DOCA_ERROR_TOO_BIG,
                           "the path of the runtime folder is too long");
    return true;
}

static bool open_all(struct worker *worker, struct worker_reason *reason)
{
    if (od_waker_open(&worker->waker) != 0)
        return worker_fail(reason, DOCA_ERROR_OPERATING_SYSTEM, "no eventfd");
    for (size_t i = 0; i < worker->nplugins; i++) {
        if (!worker_plugin_load(&worker->plugins[i], reason))
            return false;
    }
    for (size_t i = 0; i < worker->nplugins; i++) {
        if (!worker_plugin_open(&worker->plugins[i], reason))
            return false;
    }
    return listen_at(worker, worker->local_addr, &worker->local, reason) &&
           local_path(worker, worker->local_path, reason) &&
           (worker->remote_addr == NULL ||
            listen_at(worker, worker->remote_addr, &worker->remote, reason));
}

static void say_ready(struct worker *worker)
{
    struct urom_ready ready = {.size = sizeof(ready)};

    urom_text_set(ready.local, sizeof(ready.local), worker->local_path);
    if (worker->remote != NULL)
        urom_text_set(ready.remote, sizeof(ready.remote), soft_link_listener_addr(worker->remote));
    for (size_t i = 0; i < worker->nplugins && ready.ucx[0] == '\0'; i++)
        worker_plugin_ucx(&worker->plugins[i], ready.ucx, sizeof(ready.ucx));
    worker->stopping = !worker_control_send(worker, UROM_TYPE_READY, &ready, sizeof(ready));
}

static void say_failed(struct worker *worker, const struct worker_reason *reason)
{
    struct urom_result result;

    DOCA_LOG_ERR("worker %llu cannot start: %s", (unsigned long long)worker->id, reason->text);
    urom_result_init(&result, reason->error, reason->text);
    worker_control_send(worker, UROM_TYPE_FAILED, &result, sizeof(result));
}

static void close_all(struct worker *worker)
{
    for (size_t i = worker->nplugins; i-- > 0;)
        worker_plugin_close(&worker->plugins[i]);
    worker->nplugins = 0;
    OD_LIST_FOR_EACH_SAFE(link, &worker->channels)
    worker_channel_drop(worker, OD_LIST_ENTRY(link, struct worker_channel, entry));
    worker_domains_free(worker);
    soft_link_unlisten(worker->local);
    soft_link_unlisten(worker->remote);
    od_waker_close(&worker->waker);
    free(worker->packed);
    free(worker->plugins);
}

static int run(struct worker *worker)
{
    struct worker_reason reason = {.error = DOCA_SUCCESS};
    cpu_set_t cpus;

    od_list_init(&worker->channels);
    od_list_init(&worker->domains);
    worker->control = UROM_WORKER_CONTROL_FD;
    worker->waker.fd = -1;
    worker->may_spin = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) > 1;
    worker->runtime = (struct urom_ext_runtime){
        .size = sizeof(worker->runtime),
        .worker_id = worker->id,
        .conn_info = conn_info,
        .wake = wake,
        .listen_addr = worker->remote_addr != NULL ? worker->remote_addr : ""};
    if (!map_page(worker, &reason) || !open_all(worker, &reason)) {
        say_failed(worker, &reason);
        return EXIT_FAILURE;
    }
    say_ready(worker);
    worker_loop(worker);
    close_all(worker);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static struct worker worker_self; /* static: plugins have pointers to it until the very end */
    struct worker *worker = &worker_self;
    struct options options = {.log_level = DOCA_LOG_LEVEL_INFO,
                              .sdk_log_level = DOCA_LOG_LEVEL_WARNING};

    worker->plugins = calloc(UROM_WIRE_PLUGINS_MAX, sizeof(worker->plugins[0]));
    if (worker->plugins == NULL || !parse(argc, argv, worker, &options)) {
        usage();
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (options.probe != NULL)
        return worker_probe(options.probe);
    start_log(&options);
    return run(worker);
}
