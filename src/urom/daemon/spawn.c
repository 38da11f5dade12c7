/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a worker process: what it is called with, its environment, user and CPUs. */
#include "urom/daemon/daemon_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doca_log.h>

#include "util/cleanup.h"

DOCA_LOG_REGISTER(UROM::DAEMON::SPAWN);

extern char **environ;

#define ARGS_MAX (32 + 2 * UROM_WIRE_PLUGINS_MAX)

/* ------------------------------------------------------------------------------------------------
 * A list of strings that ends with NULL
 */

struct strings {
    char **list;
    size_t count;
    size_t cap;
    bool failed;
};

static void strings_free(struct strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->list[i]);
    free(strings->list);
}

/* Takes over the string. */
static void strings_put(struct strings *strings, char *string)
{
    if (string != NULL && strings->count + 1 >= strings->cap) {
        const size_t cap = strings->cap > 0 ? 2 * strings->cap : 64;
        char **list = realloc(strings->list, cap * sizeof(list[0]));

        if (list != NULL) {
            strings->list = list;
            strings->cap = cap;
        }
    }
    if (string == NULL || strings->count + 1 >= strings->cap) {
        strings->failed = true;
        free(string);
        return;
    }
    strings->list[strings->count++] = string;
    strings->list[strings->count] = NULL;
}

static OD_PRINTF(2, 3) void strings_add(struct strings *strings, const char *fmt, ...)
{
    char *string = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&string, fmt, ap) < 0)
        string = NULL;
    va_end(ap);
    strings_put(strings, string);
}

/* A variable takes the place of an earlier one of its name. */
static void env_set(struct strings *env, const char *variable)
{
    const size_t name = strcspn(variable, "=") + 1;
    char *copy;

    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->list[i], variable, name) != 0)
            continue;
        copy = strdup(variable);
        if (copy == NULL) {
            env->failed = true;
            return;
        }
        free(env->list[i]);
        env->list[i] = copy;
        return;
    }
    strings_put(env, strdup(variable));
}

/* ------------------------------------------------------------------------------------------------
 * Environment
 */

static bool is_private(const struct daemon *daemon, const struct daemon_worker *worker,
                       const char *variable)
{
    static const char *const own[] = {"DOCA_UROM_",  "UROM_PLUGIN_PATH=", "NOTIFY_SOCKET=",
                                      "LISTEN_PID=", "LISTEN_FDS=",       "LISTEN_FDNAMES="};
    /* Folders of the daemon's user, which are of no use to another one. */
    static const char *const folders[] = {"OPENDOCA_RUNTIME_DIR=", "XDG_RUNTIME_DIR=", "HOME="};

    for (size_t i = 0; i < OD_ARRAY_SIZE(own); i++) {
        if (strncmp(variable, own[i], strlen(own[i])) == 0)
            return true;
    }
    for (size_t i = 0; worker->uid != daemon->uid && i < OD_ARRAY_SIZE(folders); i++) {
        if (strncmp(variable, folders[i], strlen(folders[i])) == 0)
            return true;
    }
    return false;
}

/* "eth0", or an RDMA device with its port, "mlx5_0:1". */
static bool net_device_exists(const char *name)
{
    char path[128], plain[UROM_WIRE_NAME_SIZE];

    if (if_nametoindex(name) != 0)
        return true;
    snprintf(plain, sizeof(plain), "%s", name);
    plain[strcspn(plain, ":")] = '\0';
    if (plain[0] == '\0' || strchr(plain, '/') != NULL)
        return false;
    snprintf(path, sizeof(path), "/sys/class/infiniband/%s", plain);
    return access(path, F_OK) == 0;
}

/* Names that are not of this machine would leave UCX without any device. */
static void add_net_devices(struct strings *env, const char *list)
{
    char copy[UROM_WIRE_NAME_SIZE], value[2 * UROM_WIRE_NAME_SIZE] = "UCX_NET_DEVICES=";
    const size_t empty = strlen(value);
    char *rest = copy, *name;

    snprintf(copy, sizeof(copy), "%s", list);
    while ((name = strsep(&rest, ",")) != NULL) {
        size_t len = strlen(value);

        if (name[0] != '\0' && net_device_exists(name))
            snprintf(value + len, sizeof(value) - len, "%s%s", len > empty ? "," : "", name);
    }
    if (strlen(value) > empty)
        env_set(env, value);
}

static void make_env(const struct daemon *daemon, const struct daemon_worker *worker,
                     const struct daemon_request *request, struct strings *env)
{
    const char *at = request->env;
    char text[64];

    for (char **own = environ; *own != NULL; own++) {
        if (!is_private(daemon, worker, *own))
            strings_put(env, strdup(*own));
    }
    snprintf(text, sizeof(text), "UROM_WORKER_ID=%" PRIu64, worker->id);
    env_set(env, text);
    if (worker->has_gid) {
        snprintf(text, sizeof(text), "UROM_WORKER_GID=%u", worker->gid);
        env_set(env, text);
    }
    add_net_devices(env, request->attach.net_devices);
    for (uint32_t i = 0; i < request->attach.env_count; i++) {
        env_set(env, at);
        at += strlen(at) + 1;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Arguments
 */

/* Where clients of other hosts reach the worker: the address that they reached the daemon at. */
static void add_remote(const struct daemon *daemon, struct strings *args)
{
    char addr[UROM_WIRE_ADDR_SIZE];
    char *colon;

    if (daemon->options.nlisten == 0)
        return;
    snprintf(addr, sizeof(addr), "%s", daemon->options.listen[0]);
    colon = strrchr(addr, ':');
    if (colon == NULL)
        return;
    *colon = '\0';
    strings_add(args, "--remote");
    strings_add(args, "%s:0", addr);
}

static void make_args(const struct daemon *daemon, const struct daemon_worker *worker,
                      struct strings *args)
{
    uint32_t instance;

    memcpy(&instance, daemon->instance, sizeof(instance));
    strings_add(args, "%s", daemon->options.worker_path);
    strings_add(args, "--id");
    strings_add(args, "%" PRIu64, worker->id);
    for (unsigned int bit = 0; bit < 64; bit++) {
        const uint64_t id = 1ull << bit;

        if ((worker->plugins & id) == 0)
            continue;
        strings_add(args, "--plugin");
        strings_add(args, "%s:%" PRIu64, daemon_plugin_by_id(daemon, id)->path, id);
    }
    strings_add(args, "--local");
    strings_add(args, "local:uromw-%08x-%" PRIx64, instance, worker->id);
    add_remote(daemon, args);
    strings_add(args, "--poll");
    strings_add(args, "%s", daemon->options.busy_poll ? "busy" : "adaptive");
    strings_add(args, "--log-level");
    strings_add(args, "%u", doca_log_level_get_global_lower_limit());
    strings_add(args, "--sdk-log-level");
    strings_add(args, "%u", doca_log_level_get_global_sdk_limit());
}

/* ------------------------------------------------------------------------------------------------
 * The process
 */

static int make_page(struct daemon_worker *worker)
{
    const unsigned int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    OD_AUTO_FD int fd = memfd_create("urom-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *page;

    if (fd < 0 || ftruncate(fd, sizeof(*worker->page)) != 0 || fcntl(fd, F_ADD_SEALS, seals) != 0)
        return -errno;
    page = mmap(NULL, sizeof(*worker->page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return -errno;
    worker->page = page;
    worker->page->size = sizeof(*worker->page);
    worker->page->version = UROM_PAGE_VERSION;
    return od_move_fd(&fd);
}

/* The part of the set that this machine has; false when that is nothing. */
static bool real_cpus(const struct urom_cpus *cpus, cpu_set_t *set)
{
    const long have = sysconf(_SC_NPROCESSORS_CONF);

    CPU_ZERO(set);
    for (unsigned int cpu = 0; cpu < UROM_CPUS_MAX && (long)cpu < have; cpu++) {
        if (urom_cpus_has(cpus, cpu))
            CPU_SET(cpu, set);
    }
    return CPU_COUNT(set) > 0;
}

struct child {
    char **args;
    char **env;
    int control;
    int page;
    pid_t parent;
    uid_t uid;
    gid_t gid;
    bool change_user;
    bool pin;
    cpu_set_t cpus;
};

/* Signals of the daemon's terminal are not for workers, and a worker of another user must not be
 * able to type there. A session of its own would do both, but where the kernel shares processors
 * out to sessions (autogroup), threads of two sessions cannot give their turn to each other. */
static void leave_terminal(void)
{
    int tty;

    setpgid(0, 0);
    tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (tty < 0)
        return;
    ioctl(tty, TIOCNOTTY);
    close(tty);
}

/* In the child, where only what is safe after fork may be called. */
static void become(const struct child *child)
{
    sigset_t none;

    leave_terminal();
    for (int signo = 1; signo < NSIG; signo++)
        signal(signo, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (child->change_user &&
        (setgroups(1, &child->gid) != 0 || setresgid(child->gid, child->gid, child->gid) != 0 ||
         setresuid(child->uid, child->uid, child->uid) != 0))
        _exit(126);
    /* A change of user clears it, so it comes behind. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != child->parent)
        _exit(126);
    if (child->pin)
        sched_setaffinity(0, sizeof(child->cpus), &child->cpus);
    /* Both are above the range that they go to, see below. */
    if (dup2(child->control, UROM_WORKER_CONTROL_FD) < 0 ||
        dup2(child->page, UROM_WORKER_PAGE_FD) < 0)
        _exit(126);
    execve(child->args[0], child->args, child->env);
    _exit(127);
}

/* A descriptor that dup2() to the fixed ones does not hit. */
static int move_up(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, UROM_WORKER_PAGE_FD + 1);

    if (moved < 0)
        return -errno;
    close(*fd);
    *fd = moved;
    return 0;
}

static int start(struct daemon_worker *worker, struct child *child, int *pidfd)
{
    pid_t pid = fork();

    if (pid < 0)
        return -errno;
    if (pid == 0)
        become(child);
    worker->pid = pid;
    *pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (*pidfd >= 0)
        return 0;
    kill(pid, SIGKILL);
    return -errno;
}

int daemon_spawn(struct daemon *daemon, struct daemon_worker *worker,
                 const struct daemon_request *request, int *control, int *pidfd)
{
    struct strings args = {0}, env = {0};
    struct child child = {
        .parent = getpid(),
        .uid = request->uid,
        .gid = request->gid,
        .change_user = request->uid != daemon->uid,
    };
    OD_AUTO_FD int page = -1;
    OD_AUTO_FD int ours = -1;
    OD_AUTO_FD int theirs = -1;
    int pair[2], err = -ENOMEM;

    make_args(daemon, worker, &args);
    make_env(daemon, worker, request, &env);
    if (args.failed || env.failed)
        goto out;
    page = make_page(worker);
    err = page < 0 ? page : 0;
    if (err == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        err = -errno;
    if (err != 0)
        goto out;
    ours = pair[0];
    theirs = pair[1];
    err = move_up(&theirs);
    if (err == 0)
        err = move_up(&page);
    if (err != 0)
        goto out;
    child.args = args.list;
    child.env = env.list;
    child.control = theirs;
    child.page = page;
    child.pin = real_cpus(&worker->cpus, &child.cpus);
    if (!child.pin)
        DOCA_LOG_WARN("worker %" PRIu64 ": this machine has none of its CPUs; it is not pinned",
                      worker->id);
    err = start(worker, &child, pidfd);
    if (err == 0)
        *control = od_move_fd(&ours);
out:
    strings_free(&args);
    strings_free(&env);
    return err;
}
