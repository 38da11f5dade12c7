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
#include "tools/opendoca/service_holder.h"
#include "util/cleanup.h"

#define PATIENCE_MS 60000 /* plugins may take a while to be looked at */
#define PAUSE_MS    20
#define END_MS      10000 /* until one that does not end is killed */

#define CTL_NOBODY 1 /* exit status: nobody listens */

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

/* What the service says; NULL when none answers, then `why` (may be NULL) has the exit status of
 * doca_urom_ctl. Its messages appear if `loud`. */
static json_t *ask(const char *device, bool loud, int *why)
{
    OD_AUTO_FILE FILE *out = NULL;
    json_t *status;
    int fds[2], quiet, ended = 0;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) != 0)
        return NULL;
    pid = fork();
    if (pid == 0) {
        quiet = loud ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (quiet >= 0)
            dup2(quiet, STDERR_FILENO);
        dup2(fds[1], STDOUT_FILENO);
        become_ctl(device, true);
    }
    close(fds[1]);
    out = fdopen(fds[0], "r");
    status = out != NULL ? json_loadf(out, 0, NULL) : NULL;
    if (pid > 0)
        waitpid(pid, &ended, 0);
    if (why != NULL)
        *why = tool_exit_status(ended);
    return status;
}

/* Process id of the service that answers; 0 when none does. `why` as with ask(). */
static pid_t ask_pid(const char *device, int *why)
{
    json_t *status = ask(device, false, why);
    const json_t *pid = json_object_get(json_object_get(status, "service"), "pid");
    const pid_t found = (pid_t)json_integer_value(pid);

    json_decref(status);
    return found;
}

/* As ask_pid(); `stuck` becomes the process that served the card all the time and did not answer,
 * or 0. */
static pid_t ask_or_blame(const char *device, pid_t *stuck)
{
    struct tool_holder before, after;
    pid_t pid;

    *stuck = 0;
    tool_holder_find(device, &before);
    pid = ask_pid(device, NULL);
    if (pid <= 0 && before.serves) {
        tool_holder_find(device, &after);
        *stuck = after.serves && after.pid == before.pid ? after.pid : 0;
        tool_holder_close(&after);
    }
    tool_holder_close(&before);
    return pid;
}

static int refuse_stuck(pid_t pid)
{
    fprintf(stderr,
            "opendoca up: process %d has the card and does not answer; opendoca down ends it\n",
            (int)pid);
    return EXIT_FAILURE;
}

json_t *tool_service_status(void)
{
    return ask(NULL, false, NULL);
}

pid_t tool_service_pid(void)
{
    return ask_pid(NULL, NULL);
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

/* What a message says behind the marks in front of it. */
static const char *without_marks(const char *line)
{
    while (line[0] == '[' && strchr(line, ']') != NULL)
        line = strchr(line, ']') + 1;
    return line + strspn(line, " ");
}

/* The first error that was written into the log behind `begin`, or the first line when none is
 * marked as one. */
static void tell_first_error(const char *log, off_t begin)
{
    char line[1024], first[1024] = "";
    OD_AUTO_FILE FILE *file = fopen(log, "re");
    bool found = false;

    if (file == NULL || fseeko(file, begin, SEEK_SET) != 0)
        return;
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        found = strstr(line, "[ERR]") != NULL;
        if (found || first[0] == '\0')
            memcpy(first, line, sizeof(first));
    }
    first[strcspn(first, "\n")] = '\0';
    if (first[0] != '\0')
        fprintf(stderr, "opendoca up: %s\n", without_marks(first));
}

static void exec_daemon(const char *const *args)
{
    char path[PATH_MAX];

    program_path("services", "doca_urom_daemon", path);
    execv(path, (char *const *)args);
    fprintf(stderr, "cannot run %s: %s\n", path, strerror(errno));
    _exit(127);
}

static void become_daemon(const char *device, char **more, int log)
{
    const char *args[64] = {"doca_urom_daemon"};
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
    exec_daemon(args);
}

static void warn_of_folders(const char *device)
{
    json_t *status = ask(device, false, NULL), *one;
    size_t i;

    json_array_foreach(json_object_get(json_object_get(status, "service"), "bad_plugin_folders"), i,
                       one)
    {
        fprintf(stderr, "opendoca up: folder %s of UROM_PLUGIN_PATH cannot be read: %s\n",
                json_string_value(json_object_get(one, "path")),
                json_string_value(json_object_get(one, "error")));
    }
    json_decref(status);
}

/* Until it answers, or has ended. */
static int wait_up(FILE *out, pid_t pid, const char *device, const char *log, off_t begin)
{
    const long long end = now_ms() + PATIENCE_MS;
    bool other = false; /* somebody else has started one at the same time */
    long long looked;
    int status;

    do {
        pid_t found, stuck;

        looked = now_ms();
        found = ask_or_blame(device, &stuck);
        if (stuck > 0 && other)
            return refuse_stuck(stuck);
        if (found > 0 && (found == pid || other)) {
            fprintf(out, "the service is up%s, process %d, messages in %s\n",
                    other ? " already" : "", (int)found, log);
            warn_of_folders(device);
            return EXIT_SUCCESS;
        }
        if (!other && waitpid(pid, &status, WNOHANG) == pid) {
            other = tool_exit_status(status) == DAEMON_SERVED;
            if (!other) {
                tell_first_error(log, begin);
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
    static const char *const help[] = {"doca_urom_daemon", "--help", NULL};
    char path[PATH_MAX];
    OD_AUTO_FD int log = -1;
    pid_t stuck, pid;
    off_t begin;

    if (*more != NULL && (strcmp(*more, "--help") == 0 || strcmp(*more, "-h") == 0))
        exec_daemon(help);
    pid = ask_or_blame(device, &stuck);
    if (stuck > 0)
        return refuse_stuck(stuck);
    if (pid > 0) {
        fprintf(out, "the service is up already, process %d\n", (int)pid);
        if (*more != NULL)
            fprintf(stderr,
                    "opendoca up: it has its own options, '%s' is ignored; opendoca down "
                    "first\n",
                    *more);
        return EXIT_SUCCESS;
    }
    log = open_log(file, path);
    if (log < 0)
        return EXIT_FAILURE;
    begin = lseek(log, 0, SEEK_END);
    pid = fork();
    if (pid == 0)
        become_daemon(device, more, log);
    if (pid < 0) {
        fprintf(stderr, "opendoca up: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return wait_up(out, pid, device, path, begin);
}

int tool_service_up(void)
{
    char *none[] = {NULL};

    return up(stderr, NULL, NULL, none);
}

/* ------------------------------------------------------------------------------------------------
 * Down
 */

static int end_holder(const struct tool_holder *holder, int patience_ms, const char *how)
{
    if (!tool_holder_end(holder, patience_ms)) {
        fprintf(stderr, "opendoca down: process %d does not end: %s\n", (int)holder->pid,
                strerror(errno));
        return EXIT_FAILURE;
    }
    printf("the service is down%s\n", how);
    return EXIT_SUCCESS;
}

/* One that answered. */
static int end_process(pid_t pid)
{
    struct tool_holder process = {.pid = pid};
    int status;

    process.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process.pidfd < 0) {
        fprintf(stderr, "opendoca down: process %d: %s\n", (int)pid, strerror(errno));
        return EXIT_FAILURE;
    }
    status = end_holder(&process, PATIENCE_MS, "");
    tool_holder_close(&process);
    return status;
}

static int down(const char *device)
{
    struct tool_holder holder;
    int why, status;
    pid_t pid;

    pid = ask_pid(device, &why);
    if (pid > 0)
        return end_process(pid);
    tool_holder_find(device, &holder);
    if (holder.pid > 0) {
        status = end_holder(&holder, END_MS, "; it did not answer");
        tool_holder_close(&holder);
        return status;
    }
    if (why == CTL_NOBODY) {
        printf("no service is up\n");
        return EXIT_SUCCESS;
    }
    json_decref(ask(device, true, NULL)); /* which tells */
    fprintf(stderr, "opendoca down: whether a service is up cannot be told, or it is another's\n");
    return EXIT_FAILURE;
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
