/* SPDX-License-Identifier: BSD-3-Clause */
/* up, down, status: the service that UROM programs need. */
#include "tools/opendoca/opendoca_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "soft/service/folder.h"
#include "tools/common/install.h"
#include "util/cleanup.h"

#define PATIENCE_MS 60000 /* plugins may take a while to be looked at */
#define PAUSE_MS    20

#define DAEMON_SERVED 2 /* exit status: another one serves the card */

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: opendoca up [OPTIONS] [-- OPTIONS OF doca_urom_daemon]\n"
            "       opendoca down [OPTIONS]\n"
            "       opendoca status [OPTIONS]\n\n"
            "Starts, ends, shows the service that executes the operations of UROM programs.\n\n"
            "  --device DEVICE  whose service is meant (default: the first device)\n"
            "  --log FILE       up: where its messages go (default: urom.log in the runtime\n"
            "                   folder)\n"
            "  -h, --help       this text\n");
}

static long long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void program_path(const char *folder, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s/%s", tool_prefix(), folder, name);
}

/* ------------------------------------------------------------------------------------------------
 * Asking
 */

/* Runs doca_urom_ctl; in the child. */
static void become_ctl(const char *device, bool as_json)
{
    char path[PATH_MAX];
    const char *args[6] = {"doca_urom_ctl", "status"};
    int n = 2;

    if (device != NULL) {
        args[n++] = "--device";
        args[n++] = device;
    }
    if (as_json)
        args[n++] = "--json";
    program_path("tools", "doca_urom_ctl", path);
    execv(path, (char *const *)args);
    fprintf(stderr, "opendoca: cannot run %s: %s\n", path, strerror(errno));
    _exit(127);
}

/* What the service says; NULL when none answers. */
static json_t *ask(const char *device)
{
    OD_AUTO_FILE FILE *out = NULL;
    json_t *status;
    int fds[2], quiet;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) != 0)
        return NULL;
    pid = fork();
    if (pid == 0) {
        quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (quiet >= 0)
            dup2(quiet, STDERR_FILENO);
        dup2(fds[1], STDOUT_FILENO);
        become_ctl(device, true);
    }
    close(fds[1]);
    out = fdopen(fds[0], "r");
    status = out != NULL ? json_loadf(out, 0, NULL) : NULL;
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return status;
}

/* Process id of the service that answers; 0 when none does. */
static pid_t ask_pid(const char *device)
{
    json_t *status = ask(device);
    const json_t *pid = json_object_get(json_object_get(status, "service"), "pid");
    const pid_t found = (pid_t)json_integer_value(pid);

    json_decref(status);
    return found;
}

json_t *tool_service_status(void)
{
    return ask(NULL);
}

pid_t tool_service_pid(void)
{
    return ask_pid(NULL);
}

/* ------------------------------------------------------------------------------------------------
 * Up
 */

static int open_log(const char *file, char path[PATH_MAX])
{
    char dir[PATH_MAX - 16];
    int fd;

    if (file != NULL) {
        snprintf(path, PATH_MAX, "%s", file);
    } else {
        fd = soft_service_folder_open(dir, sizeof(dir));
        if (fd < 0) {
            fprintf(stderr, "opendoca up: %s\n", soft_reason());
            return -1;
        }
        close(fd);
        snprintf(path, PATH_MAX, "%s/urom.log", dir);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        fprintf(stderr, "opendoca up: %s: %s\n", path, strerror(errno));
    return fd;
}

static void become_daemon(const char *device, char **more, int log)
{
    const char *args[64] = {"doca_urom_daemon"};
    char path[PATH_MAX];
    int n = 1, null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (device != NULL) {
        args[n++] = "--device";
        args[n++] = device;
    }
    while (*more != NULL && n < 63)
        args[n++] = *more++;
    setsid();
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    program_path("services", "doca_urom_daemon", path);
    execv(path, (char *const *)args);
    fprintf(stderr, "cannot run %s: %s\n", path, strerror(errno));
    _exit(127);
}

/* Until it answers, or has ended. */
static int wait_up(FILE *out, pid_t pid, const char *device, const char *log)
{
    const long long end = now_ms() + PATIENCE_MS;
    bool other = false; /* somebody else has started one at the same time */
    long long looked;
    int status;

    do {
        pid_t found;

        looked = now_ms();
        found = ask_pid(device);
        if (found > 0 && (found == pid || other)) {
            fprintf(out, "the service is up%s, process %d, messages in %s\n",
                    other ? " already" : "", (int)found, log);
            return EXIT_SUCCESS;
        }
        if (!other && waitpid(pid, &status, WNOHANG) == pid) {
            other = tool_exit_status(status) == DAEMON_SERVED;
            if (!other) {
                fprintf(stderr, "opendoca up: the service ends with status %d; see %s\n",
                        tool_exit_status(status), log);
                return EXIT_FAILURE;
            }
        }
        poll(NULL, 0, PAUSE_MS);
    } while (looked < end);
    fprintf(stderr, "opendoca up: the service does not answer; see %s\n", log);
    if (!other)
        kill(pid, SIGTERM);
    return EXIT_FAILURE;
}

static int up(FILE *out, const char *device, const char *file, char **more)
{
    char path[PATH_MAX];
    OD_AUTO_FD int log = -1;
    pid_t pid = ask_pid(device);

    if (pid > 0) {
        fprintf(out, "the service is up already, process %d\n", (int)pid);
        return EXIT_SUCCESS;
    }
    log = open_log(file, path);
    if (log < 0)
        return EXIT_FAILURE;
    pid = fork();
    if (pid == 0)
        become_daemon(device, more, log);
    if (pid < 0) {
        fprintf(stderr, "opendoca up: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return wait_up(out, pid, device, path);
}

int tool_service_up(void)
{
    char *none[] = {NULL};

    return up(stderr, NULL, NULL, none);
}

/* ------------------------------------------------------------------------------------------------
 * Down
 */

static int down(const char *device)
{
    const pid_t pid = ask_pid(device);
    OD_AUTO_FD int pidfd = -1;
    struct pollfd gone = {.events = POLLIN};

    if (pid <= 0) {
        printf("no service is up\n");
        return EXIT_SUCCESS;
    }
    /* By descriptor: never another process that got the number meanwhile. */
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    gone.fd = pidfd;
    if (pidfd < 0 || syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0) != 0) {
        fprintf(stderr, "opendoca down: process %d: %s\n", (int)pid, strerror(errno));
        return EXIT_FAILURE;
    }
    if (poll(&gone, 1, PATIENCE_MS) != 1) {
        fprintf(stderr, "opendoca down: process %d does not end\n", (int)pid);
        return EXIT_FAILURE;
    }
    printf("the service is down\n");
    return EXIT_SUCCESS;
}

int tool_service(int argc, char **argv)
{
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'},
        {"log", required_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *device = NULL, *log = NULL;
    int option;

    while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
        switch (option) {
        case 'd':
            device = optarg;
            break;
        case 'l':
            log = optarg;
            break;
        case 'h':
            usage(stdout);
            return EXIT_SUCCESS;
        default:
            usage(stderr);
            return TOOL_USAGE;
        }
    }
    if (strcmp(argv[0], "up") == 0)
        return up(stdout, device, log, argv + optind);
    if (optind != argc || log != NULL) {
        usage(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[0], "down") == 0)
        return down(device);
    become_ctl(device, false);
    return EXIT_FAILURE;
}
