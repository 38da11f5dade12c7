/* SPDX-License-Identifier: BSD-3-Clause */
/* The UROM service of one card. */
#include "urom/daemon/daemon_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_version.h>

#include "urom/wire/names.h"

DOCA_LOG_REGISTER(UROM::DAEMON);

#define DEPTH         8
#define BACKLOG       1024
#define ANSWER_MS     10000 /* beside what probes of plugins may take */
#define SDK_LEVEL     DOCA_LOG_LEVEL_WARNING
#define PUBLIC_SOCKET 0666

/* ------------------------------------------------------------------------------------------------
 * Device
 */

static bool is_named(const struct soft_device *device, const char *name)
{
    struct od_pci_addr pci;

    if (strcmp(device->ibdev, name) == 0)
        return true;
    return od_parse_pci_addr(name, &pci) == 0 && od_pci_addr_equal(&pci, &device->pci);
}

/* A service lives on the DPU side; a name of the host side means its card. */
static int choose_device(struct daemon *daemon)
{
    const char *name = daemon->options.device;
    const struct soft_topology *topology;
    const struct soft_device *found = NULL;

    if (soft_device_topology(&topology) != 0) {
        DOCA_LOG_ERR("%s", soft_reason());
        return DAEMON_USAGE;
    }
    for (uint32_t pass = 0; pass < 2 && found == NULL; pass++) {
        for (uint32_t i = 0; i < topology->ndevices && found == NULL; i++) {
            const struct soft_device *device = &topology->devices[i];

            if ((device->role == SOFT_ROLE_DPU) == (pass == 0) &&
                (name[0] == '\0' || is_named(device, name)))
                found = device;
        }
    }
    if (found == NULL) {
        DOCA_LOG_ERR("no device \"%s\" in %s; doca_caps --list-devs shows what there is", name,
                     topology->source);
        return DAEMON_USAGE;
    }
    daemon->device = found;
    od_format_pci_addr(&found->pci, daemon->pci);
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Listening
 */

static int listen_at(struct daemon *daemon, const char *addr)
{
    const struct soft_link_conf conf = {
        .max_msg = UROM_WIRE_FRAME_MAX,
        .depth = DEPTH,
        .backlog = BACKLOG,
        .answer_timeout = ANSWER_MS + daemon->options.probe_timeout,
        .waker = &daemon->waker,
    };

    if (soft_link_listen(addr, &conf, &daemon->listeners[daemon->nlisteners]) != 0) {
        DOCA_LOG_ERR("cannot listen at %s: %s", addr, soft_reason());
        return DAEMON_LISTEN;
    }
    daemon->nlisteners++;
    return 0;
}

static int listen_all(struct daemon *daemon)
{
    const char *path;
    char addr[UROM_WIRE_ADDR_SIZE];
    int status;

    if (daemon->options.socket[0] != '\0')
        memcpy(addr, daemon->options.socket, sizeof(addr));
    else if (daemon->is_system)
        urom_name_system(daemon->device->card, addr);
    else
        urom_name_user(daemon->device->card, addr);
    status = listen_at(daemon, addr);
    path = strncmp(addr, "local:/", 7) == 0 ? addr + strlen("local:") : NULL;
    /* Who may come is decided by who it is, not by the socket's mode. */
    if (status == 0 && daemon->uid == 0 && path != NULL && chmod(path, PUBLIC_SOCKET) != 0)
        DOCA_LOG_WARN("%s: %s; other users cannot connect", path, strerror(errno));
    for (size_t i = 0; status == 0 && i < daemon->options.nlisten; i++)
        status = listen_at(daemon, daemon->options.listen[i]);
    return status;
}

void daemon_say_ready(const struct daemon *daemon)
{
    struct doca_urom_service_plugin_info plugins[UROM_WIRE_PLUGINS_MAX];
    const uint32_t count = daemon_plugins_list(daemon, plugins);
    char list[1024] = "";

    for (uint32_t i = 0; i < count; i++) {
        size_t len = strlen(list);

        snprintf(list + len, sizeof(list) - len, "%s%s=0x%llx", i > 0 ? " " : "",
                 plugins[i].plugin_name, (unsigned long long)plugins[i].id);
    }
    DOCA_LOG_INFO("ready: card %s, device %s (%s), at %s, version %s, DOCA %s, protocol %d.%d, "
                  "messages up to %u bytes, %u workers, %u clients, plugins: %s",
                  daemon->device->card, daemon->device->ibdev, daemon->pci,
                  soft_link_listener_addr(daemon->listeners[0]), OD_PRODUCT_VERSION,
                  doca_version_runtime(), UROM_WIRE_MAJOR, UROM_WIRE_MINOR, daemon->options.max_msg,
                  daemon->options.max_workers, daemon->options.max_clients,
                  count > 0 ? list : "(none)");
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static void init(struct daemon *daemon)
{
    od_list_init(&daemon->clients);
    od_list_init(&daemon->workers);
    od_list_init(&daemon->probes);
    daemon->uid = geteuid();
    daemon->born = daemon_now_ms();
    daemon->epoll = -1;
    daemon->lock_fd = -1;
    daemon->dir_fd = -1;
    daemon->waker.fd = -1;
    daemon->waking.fd = -1;
    daemon->signals.fd = -1;
}

/* Before there is a second thread, so that all have the same mask. */
static void block_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Each client has several descriptors. */
static void raise_limits(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int start_log(void)
{
    struct doca_log_backend *sdk;

    if (doca_log_backend_create_standard() != DOCA_SUCCESS ||
        doca_log_backend_create_with_file_sdk(stderr, &sdk) != DOCA_SUCCESS ||
        doca_log_backend_set_sdk_level(sdk, SDK_LEVEL) != DOCA_SUCCESS)
        return DAEMON_USAGE;
    doca_log_level_set_global_sdk_limit(SDK_LEVEL);
    return 0;
}

static int open_all(struct daemon *daemon)
{
    int status = choose_device(daemon);

    daemon->is_system = daemon->uid == 0 && !daemon->options.has_runtime_dir;
    if (status == 0 && access(daemon->options.worker_path, X_OK) != 0) {
        DOCA_LOG_ERR("program of the workers, %s: %s", daemon->options.worker_path,
                     strerror(errno));
        status = DAEMON_USAGE;
    }
    if (status == 0 && daemon_identity_reload(daemon) != 0)
        status = DAEMON_USAGE;
    if (status == 0)
        status = daemon_lock(daemon);
    if (status != 0)
        return status;
    daemon->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (daemon->epoll < 0 || od_waker_open(&daemon->waker) != 0 ||
        getrandom(daemon->instance, sizeof(daemon->instance), 0) != sizeof(daemon->instance)) {
        DOCA_LOG_ERR("out of descriptors: %s", strerror(errno));
        return DAEMON_LISTEN;
    }
    daemon_plugins_scan(daemon);
    status = listen_all(daemon);
    if (status == 0)
        daemon_lock_tell(daemon, "serves");
    return status;
}

static void close_all(struct daemon *daemon)
{
    daemon_probes_end(daemon);
    OD_LIST_FOR_EACH_SAFE(link, &daemon->clients)
    daemon_client_close(daemon, OD_LIST_ENTRY(link, struct daemon_client, entry));
    for (size_t i = 0; i < daemon->nlisteners; i++)
        soft_link_unlisten(daemon->listeners[i]);
    daemon_watch_close(daemon, &daemon->signals);
    od_waker_close(&daemon->waker);
    if (daemon->epoll >= 0)
        close(daemon->epoll);
    daemon_unlock(daemon);
}

int main(int argc, char **argv)
{
    struct daemon *daemon = calloc(1, sizeof(*daemon));
    int status;

    if (daemon == NULL || start_log() != 0)
        return DAEMON_USAGE;
    init(daemon);
    status = daemon_options_parse(argc, argv, &daemon->options);
    if (status == 0) {
        block_signals();
        raise_limits();
        status = open_all(daemon);
    }
    if (status == 0) {
        daemon_loop(daemon);
        DOCA_LOG_INFO("ended");
    }
    close_all(daemon);
    free(daemon);
    return status;
}
