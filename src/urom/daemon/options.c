/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/daemon_priv.h"

#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "urom/wire/names.h"
#include "util/cleanup.h"
#include "util/parse.h"

DOCA_LOG_REGISTER(UROM::DAEMON::OPTIONS);

#define SPAWN_TIMEOUT_MS 10000
#define PROBE_TIMEOUT_MS 5000
#define TIMEOUT_MAX_MS   (24u * 3600 * 1000)

/* ------------------------------------------------------------------------------------------------
 * Values
 */

static doca_error_t bad(const char *option, const char *value, const char *expected)
{
    DOCA_LOG_ERR("--%s: \"%s\" is not %s", option, value, expected);
    return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t number(const char *option, const char *value, uint32_t min, uint32_t max,
                           uint32_t *out)
{
    char expected[64];
    uint64_t parsed;

    snprintf(expected, sizeof(expected), "a number from %u to %u", min, max);
    if (od_parse_u64(value, &parsed) != 0 || parsed < min || parsed > max)
        return bad(option, value, expected);
    *out = (uint32_t)parsed;
    return DOCA_SUCCESS;
}

static doca_error_t text(const char *option, const char *value, char *out, size_t size)
{
    if (value[0] == '\0' || strlen(value) >= size)
        return bad(option, value, "a text of sensible length");
    snprintf(out, size, "%s", value);
    return DOCA_SUCCESS;
}

/* Calls `take` for each part of a list with commas. */
static doca_error_t each(const char *option, const char *value, struct daemon_options *options,
                         doca_error_t (*take)(const char *, const char *, struct daemon_options *))
{
    char copy[4096], *rest = copy, *part;
    doca_error_t result = DOCA_SUCCESS;

    if (strlen(value) >= sizeof(copy))
        return bad(option, "...", "a list of sensible length");
    snprintf(copy, sizeof(copy), "%s", value);
    while (result == DOCA_SUCCESS && (part = strsep(&rest, ",")) != NULL)
        result = take(option, part, options);
    return result;
}

static doca_error_t take_uid(const char *option, const char *value, struct daemon_options *options)
{
    const struct passwd *user = getpwnam(value);
    uint64_t uid = user != NULL ? user->pw_uid : UINT64_MAX;

    if ((user == NULL && od_parse_u64(value, &uid) != 0) || uid >= UINT32_MAX ||
        options->nuids == LIST_MAX)
        return bad(option, value, "one of up to 64 users, by name or number");
    options->uids[options->nuids++] = (uid_t)uid;
    return DOCA_SUCCESS;
}

static doca_error_t take_gid(const char *option, const char *value, struct daemon_options *options)
{
    const struct group *group = getgrnam(value);
    uint64_t gid = group != NULL ? group->gr_gid : UINT64_MAX;

    if ((group == NULL && od_parse_u64(value, &gid) != 0) || gid >= UINT32_MAX ||
        options->ngids == LIST_MAX)
        return bad(option, value, "one of up to 64 groups, by name or number");
    options->gids[options->ngids++] = (gid_t)gid;
    return DOCA_SUCCESS;
}

/* "192.0.2.0/24", "2001:db8::/32", or one address. */
static doca_error_t take_net(const char *option, const char *value, struct daemon_options *options)
{
    if (options->nnets == LIST_MAX || od_net_parse(value, &options->nets[options->nnets]) != 0)
        return bad(option, value, "one of up to 64 networks such as 192.0.2.0/24");
    options->nnets++;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Options
 */

#define OPTION(function) static doca_error_t function(void *value, void *config)

OPTION(set_max_msg)
{
    struct daemon_options *options = config;

    return number("max-msg-size", value, UROM_WIRE_MSG_MIN, UROM_WIRE_MSG_MAX, &options->max_msg);
}

OPTION(set_device)
{
    struct daemon_options *options = config;

    return text("device", value, options->device, sizeof(options->device));
}

OPTION(set_socket)
{
    struct daemon_options *options = config;

    if (urom_name_parse(value, options->socket) != 0 || !urom_name_is_local(options->socket))
        return bad("socket", value, "a path");
    return DOCA_SUCCESS;
}

OPTION(add_listen)
{
    struct daemon_options *options = config;
    char addr[UROM_WIRE_ADDR_SIZE];

    if (options->nlisten == LISTEN_MAX || urom_name_parse(value, addr) != 0 ||
        urom_name_is_local(addr))
        return bad("listen", value, "one of up to 8 pairs ADDRESS:PORT");
    snprintf(options->listen[options->nlisten++], sizeof(addr), "%s", addr);
    return DOCA_SUCCESS;
}

/* False where that cannot be told. */
static bool online_cpus(char text[256], struct urom_cpus *cpus)
{
    OD_AUTO_FILE FILE *file = fopen("/sys/devices/system/cpu/online", "re");

    if (file == NULL || fgets(text, 256, file) == NULL)
        return false;
    text[strcspn(text, "\n")] = '\0';
    return urom_cpus_parse(text, cpus) == 0;
}

static bool have_common(const struct urom_cpus *a, const struct urom_cpus *b)
{
    for (size_t i = 0; i < sizeof(a->bits); i++) {
        if ((a->bits[i] & b->bits[i]) != 0)
            return true;
    }
    return false;
}

/* Some of the list may be missing, so that one list does for several machines; not all of it. */
OPTION(set_cpuset)
{
    struct daemon_options *options = config;
    struct urom_cpus online = {0};
    char text[256], expected[300];

    if (urom_cpus_parse(value, &options->cpus) != 0)
        return bad("cpuset", value, "a list of CPUs below 1024, such as 0-3,8");
    if (online_cpus(text, &online) && !have_common(&online, &options->cpus)) {
        snprintf(expected, sizeof(expected), "any of the CPUs that there are: %s", text);
        return bad("cpuset", value, expected);
    }
    return DOCA_SUCCESS;
}

OPTION(set_max_workers)
{
    struct daemon_options *options = config;

    return number("max-workers", value, 1, UROM_WIRE_WORKERS_MAX, &options->max_workers);
}

OPTION(set_max_workers_per_uid)
{
    struct daemon_options *options = config;

    return number("max-workers-per-uid", value, 1, UROM_WIRE_WORKERS_MAX,
                  &options->max_workers_per_uid);
}

OPTION(set_max_clients)
{
    struct daemon_options *options = config;

    return number("max-clients", value, 1, 65536, &options->max_clients);
}

OPTION(set_max_inflight)
{
    struct daemon_options *options = config;

    return number("max-inflight", value, 1, UROM_WIRE_INFLIGHT_MAX, &options->max_inflight);
}

OPTION(set_allow_uid)
{
    return each("allow-uid", value, config, take_uid);
}

OPTION(set_allow_gid)
{
    return each("allow-gid", value, config, take_gid);
}

OPTION(set_allow_net)
{
    return each("allow-net", value, config, take_net);
}

OPTION(set_token_file)
{
    struct daemon_options *options = config;

    return text("token-file", value, options->token_file, sizeof(options->token_file));
}

OPTION(set_worker_path)
{
    struct daemon_options *options = config;

    return text("worker-path", value, options->worker_path, sizeof(options->worker_path));
}

OPTION(set_hang_timeout)
{
    struct daemon_options *options = config;

    return number("hang-timeout", value, 0, 86400, &options->hang_timeout);
}

OPTION(set_max_ring_mem)
{
    struct daemon_options *options = config;

    return number("max-ring-mem", value, 1, 4096, &options->max_ring_mem);
}

OPTION(set_remote_user)
{
    struct daemon_options *options = config;

    if (getpwnam(value) == NULL)
        return bad("remote-user", value, "a user of this machine");
    return text("remote-user", value, options->remote_user, sizeof(options->remote_user));
}

OPTION(set_remote_allow_env)
{
    struct daemon_options *options = config;

    options->remote_allow_env = *(const bool *)value;
    return DOCA_SUCCESS;
}

OPTION(set_poll)
{
    struct daemon_options *options = config;

    options->busy_poll = strcmp(value, "busy") == 0;
    if (!options->busy_poll && strcmp(value, "adaptive") != 0)
        return bad("poll", value, "busy or adaptive");
    return DOCA_SUCCESS;
}

struct known {
    const char *short_name;
    const char *name;
    const char *arguments;
    const char *description;
    doca_argp_param_cb_t take;
    bool several;
    bool is_flag;
};

static const struct known known_options[] = {
    {"m", "max-msg-size", "<bytes>", "Longest message between host and worker (4096)", set_max_msg,
     false, false},
    {"d", "device", "<pci or ibdev>", "Device whose card is served (the first one)", set_device,
     false, false},
    {NULL, "socket", "<path>", "Socket for clients of this machine", set_socket, false, false},
    {NULL, "listen", "<addr:port>", "Also serve other hosts, at this address (off)", add_listen,
     true, false},
    {NULL, "cpuset", "<list>", "CPUs that workers may have (those of the daemon)", set_cpuset,
     false, false},
    {NULL, "max-workers", "<n>", "Workers at a time (256)", set_max_workers, false, false},
    {NULL, "max-workers-per-uid", "<n>", "Workers of one user (64)", set_max_workers_per_uid, false,
     false},
    {NULL, "max-clients", "<n>", "Service contexts at a time (1024)", set_max_clients, false,
     false},
    {NULL, "max-inflight", "<n>", "Tasks in flight of a worker context (65536)", set_max_inflight,
     false, false},
    {NULL, "allow-uid", "<list>", "Users that may come, beside root and the daemon's own",
     set_allow_uid, true, false},
    {NULL, "allow-gid", "<list>", "Groups whose members may come, beside \"urom\"", set_allow_gid,
     true, false},
    {NULL, "allow-net", "<cidr list>", "Networks whose hosts may come (none)", set_allow_net, true,
     false},
    {NULL, "token-file", "<path>", "File with the secret that other hosts must know",
     set_token_file, false, false},
    {NULL, "worker-path", "<path>", "Program of the workers (the installed one)", set_worker_path,
     false, false},
    {NULL, "hang-timeout", "<s>", "Kill a worker that has not moved for so long (0: report only)",
     set_hang_timeout, false, false},
    {NULL, "max-ring-mem", "<MiB>", "Shared memory of one channel (64)", set_max_ring_mem, false,
     false},
    {NULL, "remote-user", "<name>", "User of other hosts' workers (the daemon's)", set_remote_user,
     false, false},
    {NULL, "remote-allow-env", NULL, "Let other hosts set any variable of their workers",
     set_remote_allow_env, false, true},
    {NULL, "poll", "<busy or adaptive>", "What workers do when idle (adaptive)", set_poll, false,
     false},
};

static doca_error_t add(const struct known *known)
{
    struct doca_argp_param *param;
    doca_error_t result = doca_argp_param_create(&param);

    if (result != DOCA_SUCCESS)
        return result;
    if (known->short_name != NULL)
        doca_argp_param_set_short_name(param, known->short_name);
    doca_argp_param_set_long_name(param, known->name);
    if (known->arguments != NULL)
        doca_argp_param_set_arguments(param, known->arguments);
    doca_argp_param_set_description(param, known->description);
    doca_argp_param_set_callback(param, known->take);
    doca_argp_param_set_type(param,
                             known->is_flag ? DOCA_ARGP_TYPE_BOOLEAN : DOCA_ARGP_TYPE_STRING);
    if (known->several)
        doca_argp_param_set_multiplicity(param);
    return doca_argp_register_param(param);
}

/* ------------------------------------------------------------------------------------------------
 * Defaults
 */

static void own_cpus(struct urom_cpus *cpus)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return;
    for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &set))
            urom_cpus_add(cpus, cpu);
    }
}

#define FOLDER_SIZE (PATH_MAX - 256) /* leaves room for what is below it */

/* The folder of this program's file. */
static void own_folder(char folder[FOLDER_SIZE])
{
    ssize_t n = readlink("/proc/self/exe", folder, FOLDER_SIZE - 1);
    char *slash;

    folder[n > 0 ? n : 0] = '\0';
    slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* The tree can be moved: its parts find each other from where they lie. */
static void own_paths(struct daemon_options *options)
{
    static char plugins[PATH_MAX];
    char folder[FOLDER_SIZE];

    own_folder(folder);
    snprintf(options->worker_path, sizeof(options->worker_path), "%s/doca_urom_worker", folder);
    options->plugin_path = getenv("UROM_PLUGIN_PATH");
    if (options->plugin_path != NULL && options->plugin_path[0] != '\0')
        return;
    snprintf(plugins, sizeof(plugins), "%s/" PLUGINS_FROM_HERE, folder);
    options->plugin_path = plugins;
}

static uint32_t timeout_of(const char *name, uint32_t otherwise)
{
    const char *value = getenv(name);
    uint64_t ms;

    if (value == NULL)
        return otherwise;
    if (od_parse_u64(value, &ms) == 0 && ms > 0 && ms <= TIMEOUT_MAX_MS)
        return (uint32_t)ms;
    DOCA_LOG_WARN("%s is \"%s\", not a number of ms from 1 to %u; taken as %u", name, value,
                  TIMEOUT_MAX_MS, otherwise);
    return otherwise;
}

int daemon_options_parse(int argc, char **argv, struct daemon_options *options)
{
    doca_error_t result;

    *options = (struct daemon_options){
        .max_msg = UROM_WIRE_MSG_DEFAULT,
        .max_workers = 256,
        .max_workers_per_uid = 64,
        .max_clients = 1024,
        .max_inflight = UROM_WIRE_INFLIGHT_MAX,
        .max_ring_mem = 64,
        .spawn_timeout = timeout_of("DOCA_UROM_SPAWN_TIMEOUT_MS", SPAWN_TIMEOUT_MS),
        .probe_timeout = timeout_of("DOCA_UROM_PROBE_TIMEOUT_MS", PROBE_TIMEOUT_MS),
        .has_runtime_dir = getenv("OPENDOCA_RUNTIME_DIR") != NULL,
    };
    own_cpus(&options->cpus);
    own_paths(options);
    result = doca_argp_init("doca_urom_daemon", options);
    for (size_t i = 0; result == DOCA_SUCCESS && i < OD_ARRAY_SIZE(known_options); i++)
        result = add(&known_options[i]);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    doca_argp_destroy();
    return result == DOCA_SUCCESS ? 0 : DAEMON_USAGE;
}
