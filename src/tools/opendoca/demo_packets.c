/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes, each with a network of its own, and a pair of interfaces between them:
 *
 *     the far one: ping        odfar ==== odcard        the near one: gpu_icmp_echo, as a user has
 * it
 *
 * The near one has no address on its end, so that nothing but the kernel on the "GPU" can answer.
 * Both go with this program, and their interfaces with them. */
#include "tools/opendoca/demo_packets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/install.h"
#include "tools/opendoca/demo.h"
#include "tools/opendoca/opendoca_tool.h"
#include "util/base.h"
#include "util/cleanup.h"

#define CARD      "odcard"
#define FAR       "odfar"
#define CARD_MAC  "02:00:00:0d:0c:02"
#define CARD_IP   "192.0.2.2" /* for documentation: no real network has it */
#define FAR_IP    "192.0.2.1/24"
#define CARD_PCI  "0000:b1:00.0"
#define PATIENCE  30000 /* ms */
#define NOT_SHOWN 77

struct show {
    char sample[PATH_MAX]; /* its source */
    char build[PATH_MAX];
    char log[PATH_MAX];
    char devices[PATH_MAX];
    pid_t far, echo;
    int far_ready[2], far_go[2], echo_says[2];
};

/* ---- helpers ---- */

/* What is not there, or NULL. */
static const char *missing(void)
{
    static const char *const programs[] = {"meson", "ninja", "pkg-config", "ip", "ping"};
    char file[PATH_MAX];

    for (size_t i = 0; i < OD_ARRAY_SIZE(programs); i++) {
        if (!tool_find(programs[i], file, sizeof(file)))
            return programs[i];
    }
    if (!tool_find("clang++", file, sizeof(file)) && !tool_find("g++", file, sizeof(file)))
        return "clang++ or g++";
    snprintf(file, sizeof(file), "%s/simt/bin/nvcc", tool_prefix());
    return access(file, X_OK) == 0 ? NULL : "simt/bin/nvcc of this tree";
}

static int write_text(const char *path, const char *text)
{
    OD_AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const ssize_t len = (ssize_t)strlen(text);

    return fd >= 0 && write(fd, text, (size_t)len) == len ? 0 : -1;
}

/* ---- the program ---- */

static int build_step(const struct show *show, const char *const argv[])
{
    OD_AUTO_FD int log = open(show->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    return tool_call(argv, log, log);
}

static int build(const struct show *show)
{
    const char *const setup[] = {"meson", "setup", show->build, show->sample, NULL};
    const char *const compile[] = {"ninja", "-C", show->build, NULL};
    const double begin = demo_now();
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%s/simt", tool_prefix());
    setenv("CUDA_PATH", folder, 1);
    snprintf(folder, sizeof(folder), "%s/simt/bin", tool_prefix());
    tool_prepend("PATH", folder);
    snprintf(folder, sizeof(folder), "%s/pkgconfig", tool_libdir());
    tool_prepend("PKG_CONFIG_PATH", folder);
    if (build_step(show, setup) != 0 || build_step(show, compile) != 0) {
        fprintf(stderr, "demo: %s cannot be built; see %s\n", show->sample, show->log);
        return -1;
    }
    printf("packets   a CUDA kernel was built for the CPU in %.1f s\n", demo_now() - begin);
    fflush(stdout);
    return 0;
}

/* ---- networks ---- */

/* A user without rights gets them in a user namespace, where that is allowed. */
static int own_network(void)
{
    char map[64];

    if (unshare(CLONE_NEWNET) == 0)
        return 0;
    snprintf(map, sizeof(map), "0 %u 1", geteuid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 || write_text("/proc/self/uid_map", map) != 0)
        return -1;
    snprintf(map, sizeof(map), "0 %u 1", getegid());
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/gid_map", map);
    return 0;
}

static _Noreturn void be_far(const struct show *show, pid_t near)
{
    static const char *const steps[][12] = {
        {"ip", "address", "add", FAR_IP, "dev", FAR, NULL},
        {"ip", "link", "set", FAR, "up", NULL},
        {"ip", "neighbor", "add", CARD_IP, "lladdr", CARD_MAC, "dev", FAR, "nud", "permanent",
         NULL},
        {"ping", "-q", "-c", "100", "-i", "0.02", "-w", "60", CARD_IP, NULL},
    };
    char word = 'r';
    int status = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(show->far_ready[0]);
    close(show->far_go[1]);
    if (getppid() != near || unshare(CLONE_NEWNET) != 0)
        _exit(NOT_SHOWN);
    if (write(show->far_ready[1], &word, 1) != 1 || read(show->far_go[0], &word, 1) != 1)
        _exit(EXIT_FAILURE);
    for (size_t i = 0; status == 0 && i < OD_ARRAY_SIZE(steps); i++)
        status = tool_call(steps[i], -1, -1);
    _exit(status);
}

static int start_far(struct show *show)
{
    const pid_t near = getpid();
    char word;

    if (pipe2(show->far_ready, O_CLOEXEC) != 0 || pipe2(show->far_go, O_CLOEXEC) != 0)
        return -1;
    show->far = fork();
    if (show->far == 0)
        be_far(show, near);
    close(show->far_ready[1]);
    close(show->far_go[0]);
    return show->far > 0 && read(show->far_ready[0], &word, 1) == 1 ? 0 : -1;
}

static int lay_wire(const struct show *show)
{
    char pid[16];
    const char *const add[] = {"ip",   "link", "add", CARD,    "type", "veth",
                               "peer", "name", FAR,   "netns", pid,    NULL};
    const char *const address[] = {"ip", "link", "set", CARD, "address", CARD_MAC, "up", NULL};

    snprintf(pid, sizeof(pid), "%d", (int)show->far);
    if (tool_call(add, -1, -1) != 0 || tool_call(address, -1, -1) != 0)
        return -1;
    return write_text(show->devices,
                      "{\"devices\": [{\"role\": \"host\", \"pci\": \"" CARD_PCI
                      "\", \"iface\": \"" CARD "\", \"port\": \"af_packet:" CARD "\"}]}\n");
}

/* ---- the play ---- */

/* Its first line says that it is ready. */
static int start_echo(struct show *show)
{
    const struct tool_env env = {.role = "host", .config = show->devices};
    char program[PATH_MAX + 32], said[16] = "";
    char *argv[] = {program, (char *)"-n", (char *)CARD_PCI, NULL};
    struct pollfd fd;

    if (pipe2(show->echo_says, O_CLOEXEC) != 0)
        return -1;
    snprintf(program, sizeof(program), "%s/gpu_icmp_echo", show->build);
    show->echo = tool_spawn(argv, &env, -1, show->echo_says[1], -1);
    close(show->echo_says[1]);
    fd = (struct pollfd){.fd = show->echo_says[0], .events = POLLIN};
    if (show->echo < 0 || poll(&fd, 1, PATIENCE) != 1 ||
        read(show->echo_says[0], said, sizeof(said) - 1) <= 0 || strcmp(said, "ready\n") != 0) {
        fprintf(stderr, "demo: the program with the kernel does not get ready\n");
        return -1;
    }
    printf("packets   the kernel runs and waits; nothing else has the address " CARD_IP "\n");
    fflush(stdout);
    return 0;
}

/* Ping limits itself. */
static int ping(struct show *show)
{
    const char word = 'g';
    int status;

    if (write(show->far_go[1], &word, 1) != 1 || waitpid(show->far, &status, 0) != show->far)
        return -1;
    show->far = 0;
    if (tool_exit_status(status) != 0)
        fprintf(stderr, "demo: ping got no answer\n");
    return tool_exit_status(status) == 0 ? 0 : -1;
}

static int end_echo(struct show *show)
{
    struct pollfd fd = {.fd = show->echo_says[0], .events = POLLIN};
    char text[1024];
    ssize_t len;
    int status;

    kill(show->echo, SIGTERM);
    while (poll(&fd, 1, PATIENCE) == 1 && (len = read(fd.fd, text, sizeof(text) - 1)) > 0) {
        text[len] = '\0';
        fputs(text, stdout);
    }
    kill(show->echo, SIGKILL); /* if it does not hear */
    waitpid(show->echo, &status, 0);
    show->echo = 0;
    if (tool_exit_status(status) != 0)
        fprintf(stderr, "demo: the program with the kernel ended with status %d\n",
                tool_exit_status(status));
    return tool_exit_status(status) == 0 ? 0 : -1;
}

static void end_child(pid_t pid)
{
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static int play(struct show *show)
{
    int err;

    if (own_network() != 0 || start_far(show) != 0) {
        printf("packets   not shown: networks of one's own are not permitted here\n");
        end_child(show->far);
        return NOT_SHOWN;
    }
    err = lay_wire(show);
    if (err == 0)
        err = start_echo(show);
    if (err == 0)
        err = ping(show);
    if (err == 0)
        err = end_echo(show);
    end_child(show->echo);
    end_child(show->far);
    return err == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* In a process of its own, since a network is a property of a process. */
static int play_apart(struct show *show)
{
    const pid_t parent = getpid();
    pid_t pid;
    int status;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        status = getppid() == parent ? play(show) : EXIT_FAILURE;
        fflush(NULL);
        _exit(status);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return EXIT_FAILURE;
    status = tool_exit_status(status);
    return status == NOT_SHOWN ? EXIT_SUCCESS : status;
}

int demo_packets(const char *folder)
{
    const char *lack = missing();
    struct show show = {0};
    int status = EXIT_FAILURE;

    if (lack != NULL) {
        printf("packets   not shown: there is no %s\n", lack);
        return EXIT_SUCCESS;
    }
    snprintf(show.sample, sizeof(show.sample), "%s/samples/doca_gpunetio/gpu_icmp_echo",
             tool_prefix());
    snprintf(show.build, sizeof(show.build), "%s/echo", folder);
    snprintf(show.log, sizeof(show.log), "%s/echo.log", folder);
    snprintf(show.devices, sizeof(show.devices), "%s/echo.json", folder);
    if (build(&show) == 0)
        status = play_apart(&show);
    if (status == EXIT_SUCCESS) {
        tool_remove_tree(show.build);
        unlink(show.log);
        unlink(show.devices);
    }
    return status;
}
