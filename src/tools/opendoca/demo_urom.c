/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/demo_urom.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <doca_error.h>

#include "tools/common/install.h"
#include "tools/opendoca/demo.h"
#include "tools/opendoca/opendoca_tool.h"
#include "util/base.h"

#define PATIENCE_S 60.0

struct show {
    char folder[PATH_MAX];
    char log[PATH_MAX + 16];
    pid_t daemon;
    pid_t ranks[DEMO_RANKS]; /* 0: has ended */
    struct demo_meeting *meeting;
    int meeting_fd;
};

static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    nanosleep(&pause, NULL);
}

/* ------------------------------------------------------------------------------------------------
 * Service
 */

/* It ends with the demo, however that ends. */
static pid_t start_daemon(const struct show *show)
{
    char path[PATH_MAX];
    char *args[] = {(char *)"doca_urom_daemon", NULL};
    const pid_t parent = getpid();
    pid_t pid;
    int log;

    snprintf(path, sizeof(path), "%s/services/doca_urom_daemon", tool_prefix());
    fflush(stdout);
    pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    log = open(show->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (getppid() == parent && log >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        execv(path, args);
    _exit(127);
}

static int service_up(struct show *show)
{
    const double end = demo_now() + PATIENCE_S;
    int status;

    show->daemon = start_daemon(show);
    while (show->daemon > 0 && demo_now() < end) {
        if (tool_service_pid() == show->daemon) {
            printf("urom      service is process %d, for %d programs\n", (int)show->daemon,
                   DEMO_RANKS);
            return 0;
        }
        if (waitpid(show->daemon, &status, WNOHANG) == show->daemon) {
            show->daemon = 0;
            break;
        }
        nap();
    }
    fprintf(stderr, "demo: the service does not start; see %s\n", show->log);
    return -1;
}

static void kill_daemon(struct show *show)
{
    if (show->daemon <= 0)
        return;
    kill(show->daemon, SIGKILL);
    waitpid(show->daemon, NULL, 0);
    show->daemon = 0;
}

/* Who has executed how much: the service's own count. */
static int show_counters(void)
{
    json_t *status = tool_service_status(), *worker;
    json_t *workers = json_object_get(status, "workers");
    json_int_t all = 0;
    size_t i;

    json_array_foreach(workers, i, worker)
    {
        json_t *counters = json_object_get(worker, "counters");
        const json_int_t ok = json_integer_value(json_object_get(counters, "ok"));

        all += ok;
        printf("urom      worker %s, process %" JSON_INTEGER_FORMAT
               ", has executed %" JSON_INTEGER_FORMAT " commands, %" JSON_INTEGER_FORMAT
               " failed\n",
               json_string_value(json_object_get(worker, "id")),
               json_integer_value(json_object_get(worker, "pid")), ok,
               json_integer_value(json_object_get(counters, "failed")));
    }
    json_decref(status);
    return all >= DEMO_RANKS * DEMO_ADDS ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------
 * Ranks
 */

static int open_meeting(struct show *show)
{
    void *memory;

    show->meeting_fd = memfd_create("opendoca-demo", MFD_CLOEXEC);
    if (show->meeting_fd < 0 || ftruncate(show->meeting_fd, sizeof(*show->meeting)) != 0)
        return -1;
    memory =
        mmap(NULL, sizeof(*show->meeting), PROT_READ | PROT_WRITE, MAP_SHARED, show->meeting_fd, 0);
    if (memory == MAP_FAILED)
        return -1;
    show->meeting = memory;
    return 0;
}

static int start_ranks(struct show *show)
{
    struct tool_env env = {.role = "host"};

    for (unsigned int i = 0; i < DEMO_RANKS; i++) {
        char number[16];
        char *args[] = {(char *)"/proc/self/exe", (char *)"demo-rank", number, NULL};

        snprintf(number, sizeof(number), "%u", i);
        show->ranks[i] = tool_spawn(args, &env, show->meeting_fd, -1, -1);
        if (show->ranks[i] < 0) {
            show->ranks[i] = 0;
            return -1;
        }
    }
    return 0;
}

/* Ranks that run still; a failed one makes *failed true. */
static unsigned int count_ranks(struct show *show, bool *failed)
{
    unsigned int count = 0;
    int status;

    for (unsigned int i = 0; i < DEMO_RANKS; i++) {
        if (show->ranks[i] == 0)
            continue;
        if (waitpid(show->ranks[i], &status, WNOHANG) != show->ranks[i]) {
            count++;
            continue;
        }
        show->ranks[i] = 0;
        *failed = *failed || status != 0;
    }
    return count;
}

static int wait_done(struct show *show)
{
    const double end = demo_now() + PATIENCE_S;
    bool failed = false;

    while (atomic_load(&show->meeting->done) < DEMO_RANKS) {
        if (count_ranks(show, &failed) < DEMO_RANKS || demo_now() > end)
            return -1;
        nap();
    }
    return 0;
}

static int wait_gone(struct show *show)
{
    const double end = demo_now() + PATIENCE_S;
    bool failed = false;

    while (count_ranks(show, &failed) > 0) {
        if (demo_now() > end)
            return -1;
        nap();
    }
    return failed ? -1 : 0;
}

static void kill_ranks(struct show *show)
{
    for (unsigned int i = 0; i < DEMO_RANKS; i++) {
        if (show->ranks[i] == 0)
            continue;
        kill(show->ranks[i], SIGKILL);
        waitpid(show->ranks[i], NULL, 0);
    }
}

/* ------------------------------------------------------------------------------------------------
 * The part
 */

static int show_results(const struct show *show)
{
    const struct demo_meeting *meeting = show->meeting;
    unsigned int wrong = 0;

    for (unsigned int i = 0; i < DEMO_RANKS; i++)
        wrong += atomic_load(&meeting->wrong[i]);
    printf("urom      put %zu KiB to the next one's memory, get, all-reduce of %u numbers over %d "
           "programs: %s\n",
           DEMO_BLOCK >> 10, DEMO_NUMBERS, DEMO_RANKS, wrong == 0 ? "right" : "WRONG");
    printf("urom      %d atomic additions to one word: %" PRIu64 "\n", DEMO_RANKS * DEMO_ADDS,
           meeting->additions);
    return wrong == 0 && meeting->additions == DEMO_RANKS * DEMO_ADDS ? 0 : -1;
}

static int show_end(struct show *show)
{
    bool refused = true;

    kill_daemon(show);
    atomic_store(&show->meeting->go, 1);
    if (wait_gone(show) != 0)
        return -1;
    for (unsigned int i = 0; i < DEMO_RANKS; i++)
        refused = refused && atomic_load(&show->meeting->last[i]) == DOCA_ERROR_NOT_PERMITTED;
    printf("urom      the service is killed; the next put says %s\n",
           doca_error_get_name((doca_error_t)atomic_load(&show->meeting->last[0])));
    return refused ? 0 : -1;
}

static void set_environment(const struct show *show)
{
    static const char *const limits[] = {
        "DOCA_UROM_CONNECT_TIMEOUT_MS", "DOCA_UROM_SPAWN_TIMEOUT_MS", "DOCA_UROM_PROBE_TIMEOUT_MS"};

    /* Not the machine's service, nor one that the user has: this one is killed. */
    setenv("OPENDOCA_RUNTIME_DIR", show->folder, 1);
    unsetenv("DOCA_UROM_SOCKET");
    unsetenv("DOCA_UROM_SERVICE_FILE");
    /* A first try on a slow machine is to succeed. */
    for (size_t i = 0; i < OD_ARRAY_SIZE(limits); i++)
        setenv(limits[i], "60000", 0);
}

int demo_urom(const char *folder)
{
    struct show show = {.meeting_fd = -1};
    int err;

    snprintf(show.folder, sizeof(show.folder), "%s/run", folder);
    snprintf(show.log, sizeof(show.log), "%s/urom.log", show.folder);
    if (mkdir(show.folder, 0700) != 0) {
        fprintf(stderr, "demo: cannot create %s: %s\n", show.folder, strerror(errno));
        return EXIT_FAILURE;
    }
    set_environment(&show);
    err = open_meeting(&show);
    if (err == 0)
        err = service_up(&show);
    if (err == 0)
        err = start_ranks(&show);
    if (err == 0)
        err = wait_done(&show);
    if (err == 0)
        err = show_results(&show);
    if (err == 0)
        err = show_counters();
    if (err == 0)
        err = show_end(&show);
    kill_ranks(&show);
    kill_daemon(&show);
    if (show.meeting != NULL)
        munmap(show.meeting, sizeof(*show.meeting));
    if (show.meeting_fd >= 0)
        close(show.meeting_fd);
    tool_remove_tree(show.folder);
    return err == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
