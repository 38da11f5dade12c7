/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base.h"
#include "util/clock.h"

/* A host and a DPU program side by side. Their output goes through pipes of ours and comes out with
 * a prefix, line by line. The host program's input is a pipe too: it ends when the DPU program
 * ended and our own input did, so that the usual "press Enter" half works unattended. */

enum side { HOST, DPU, SIDES };

struct stream {
    int fd; /* -1: at its end */
    char line[4096];
    size_t len;
};

struct program {
    const char *name;
    char **argv;
    struct tool_env env;
    struct stream out, err;
    const char *after; /* starts when the other side prints this; NULL: at once */
    pid_t pid;         /* 0: not started, -1: gone */
    int status;
};

struct pair {
    struct program programs[SIDES];
    int host_in;     /* write end of the host program's input; -1: closed */
    bool input_open; /* our own input can still bring something */
    int signals;
    bool stopping;
    int first_failure;
    uint64_t deadline; /* ns; after a failure: when the other one is killed */
};

#define GRACE_NS UINT64_C(5000000000)

static void usage(FILE *out)
{
    fprintf(
        out,
        "Usage: opendoca pair [OPTIONS] -- HOST_PROGRAM [ARGUMENTS] -- DPU_PROGRAM [ARGUMENTS]\n\n"
        "Runs both roles at once; each line of output has its role in front. The exit status is 0\n"
        "when both succeed, else that of the first that failed (the other one is then ended).\n"
        "The host program's input ends when the DPU program is done.\n\n"
        "  --dpu-after TEXT   start the DPU program when the host prints a line with TEXT\n"
        "  --host-after TEXT  the other way round\n"
        "  --config FILE      devices file of both\n"
        "  -h, --help         this text\n");
}

/* Output that is lost must not look like success. */
static int print_line(const struct program *program, FILE *to, const char *line, size_t len)
{
    static bool told;

    fprintf(to, "[%s] %.*s\n", program->name, (int)len, line);
    if (fflush(to) == 0 && ferror(to) == 0)
        return 0;
    if (!told)
        fprintf(stderr, "opendoca pair: cannot write: %s\n", strerror(errno));
    told = true;
    clearerr(to);
    return -1;
}

static int start(struct pair *pair, enum side side)
{
    struct program *program = &pair->programs[side];
    int out[2], err[2], in[2] = {-1, -1};

    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ||
        (side == HOST && pipe2(in, O_CLOEXEC) != 0)) {
        fprintf(stderr, "opendoca pair: no pipe: %s\n", strerror(errno));
        return -1;
    }
    if (side == DPU)
        in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    program->pid = tool_spawn(program->argv, &program->env, in[0], out[1], err[1]);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    program->out.fd = out[0];
    program->err.fd = err[0];
    if (side == HOST)
        pair->host_in = in[1];
    return program->pid < 0 ? -1 : 0;
}

/* A line of one side may be what the other one waits for. */
static int maybe_start_other(struct pair *pair, enum side side, const char *line, size_t len)
{
    struct program *other = &pair->programs[!side];

    if (other->pid != 0 || pair->stopping ||
        memmem(line, len, other->after, strlen(other->after)) == NULL)
        return 0;
    return start(pair, (enum side) !side);
}

static int flush_lines(struct pair *pair, enum side side, struct stream *stream, FILE *to)
{
    struct program *program = &pair->programs[side];
    char *newline;
    int err = 0;

    while (err == 0 && (newline = memchr(stream->line, '\n', stream->len)) != NULL) {
        size_t len = (size_t)(newline - stream->line);

        err = print_line(program, to, stream->line, len);
        if (err == 0)
            err = maybe_start_other(pair, side, stream->line, len);
        stream->len -= len + 1;
        memmove(stream->line, newline + 1, stream->len);
    }
    if (stream->len == sizeof(stream->line)) {
        err |= print_line(program, to, stream->line, stream->len);
        stream->len = 0;
    }
    return err;
}

static int read_stream(struct pair *pair, enum side side, struct stream *stream, FILE *to)
{
    ssize_t n = read(stream->fd, stream->line + stream->len, sizeof(stream->line) - stream->len);

    if (n > 0) {
        stream->len += (size_t)n;
        return flush_lines(pair, side, stream, to);
    }
    if (n < 0 && errno == EINTR)
        return 0;
    close(stream->fd);
    stream->fd = -1;
    return stream->len > 0 ? print_line(&pair->programs[side], to, stream->line, stream->len) : 0;
}

static void close_host_input(struct pair *pair)
{
    if (pair->host_in >= 0)
        close(pair->host_in);
    pair->host_in = -1;
}

static void relay_input(struct pair *pair)
{
    char buf[4096];
    ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

    if (n > 0) {
        if (pair->host_in >= 0 && write(pair->host_in, buf, (size_t)n) < 0)
            close_host_input(pair);
        return;
    }
    if (n == 0 || errno != EINTR)
        pair->input_open = false;
}

static void end_all(struct pair *pair, int sig)
{
    for (int side = 0; side < SIDES; side++) {
        if (pair->programs[side].pid > 0)
            kill(pair->programs[side].pid, sig);
    }
}

static void stop(struct pair *pair)
{
    if (pair->stopping)
        return;
    pair->stopping = true;
    pair->deadline = od_now_ns() + GRACE_NS;
    end_all(pair, SIGTERM);
}

static bool has_more(const struct stream *stream)
{
    struct pollfd fd = {stream->fd, POLLIN, 0};

    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN) != 0;
}

/* Also its last words, which may have come after the last look. */
static bool never_said(const struct pair *pair, enum side side)
{
    const struct program *program = &pair->programs[side];

    return program->pid == -1 && pair->programs[!side].pid == 0 && !has_more(&program->out) &&
           !has_more(&program->err);
}

static void note_end(struct pair *pair, struct program *program)
{
    int status;

    if (program->pid <= 0 || waitpid(program->pid, &status, WNOHANG) != program->pid)
        return;
    program->pid = -1;
    program->status = tool_exit_status(status);
    if (program->status == 0 || pair->stopping)
        return;
    pair->first_failure = program->status;
    fprintf(stderr, "opendoca pair: the %s program ended with status %d\n", program->env.role,
            program->status);
    stop(pair);
}

static void reap(struct pair *pair)
{
    for (int side = 0; side < SIDES; side++) {
        struct program *program = &pair->programs[side];

        note_end(pair, program);
        if (pair->stopping || !never_said(pair, (enum side)side))
            continue;
        fprintf(stderr, "opendoca pair: the %s program never printed \"%s\"\n", program->env.role,
                pair->programs[!side].after);
        pair->first_failure = EXIT_FAILURE;
        stop(pair);
    }
    if (pair->programs[DPU].pid == -1)
        close_host_input(pair);
}

static void handle_signal(struct pair *pair)
{
    struct signalfd_siginfo info;

    if (read(pair->signals, &info, sizeof(info)) != sizeof(info))
        return;
    if (info.ssi_signo == SIGCHLD)
        return; /* reap() looks on every round */
    if (pair->first_failure == 0)
        pair->first_failure = 128 + (int)info.ssi_signo;
    stop(pair);
}

/* What the programs left behind may hold their output open for ever: after the grace period only
 * the programs themselves count. */
static bool is_over(const struct pair *pair)
{
    bool waits_for_output = !pair->stopping || od_now_ns() <= pair->deadline;

    for (int side = 0; side < SIDES; side++) {
        const struct program *program = &pair->programs[side];

        if (program->pid > 0 || (program->pid == 0 && !pair->stopping))
            return false;
        if (waits_for_output && (program->out.fd >= 0 || program->err.fd >= 0))
            return false;
    }
    return true;
}

static int serve(struct pair *pair)
{
    struct program *host = &pair->programs[HOST], *dpu = &pair->programs[DPU];
    struct pollfd fds[] = {
        {pair->signals, POLLIN, 0},
        {pair->input_open && pair->host_in >= 0 ? STDIN_FILENO : -1, POLLIN, 0},
        {host->out.fd, POLLIN, 0},
        {host->err.fd, POLLIN, 0},
        {dpu->out.fd, POLLIN, 0},
        {dpu->err.fd, POLLIN, 0},
    };
    int err = 0;

    /* The timeout only matters while stopping: the grace period must end by itself. */
    if (poll(fds, OD_ARRAY_SIZE(fds), pair->stopping ? 200 : -1) < 0 && errno != EINTR)
        return -1;
    if (fds[0].revents != 0)
        handle_signal(pair);
    if (fds[1].revents != 0)
        relay_input(pair);
    if (fds[2].revents != 0)
        err |= read_stream(pair, HOST, &host->out, stdout);
    if (fds[3].revents != 0)
        err |= read_stream(pair, HOST, &host->err, stderr);
    if (fds[4].revents != 0)
        err |= read_stream(pair, DPU, &dpu->out, stdout);
    if (fds[5].revents != 0)
        err |= read_stream(pair, DPU, &dpu->err, stderr);
    reap(pair);
    if (pair->stopping && od_now_ns() >= pair->deadline)
        end_all(pair, SIGKILL);
    return err;
}

static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int run_pair(struct pair *pair)
{
    pair->signals = open_signals();
    pair->input_open = true;
    pair->host_in = -1;
    for (int side = 0; side < SIDES; side++) {
        if (pair->programs[side].after == NULL && start(pair, (enum side)side) != 0)
            stop(pair);
    }
    while (!is_over(pair)) {
        if (serve(pair) != 0) {
            pair->first_failure = EXIT_FAILURE;
            stop(pair);
        }
    }
    close_host_input(pair);
    close(pair->signals);
    return pair->first_failure;
}

/* HOST_PROGRAM ... -- DPU_PROGRAM ... */
static int split(struct pair *pair, int argc, char **argv)
{
    int middle = 0;

    while (middle < argc && strcmp(argv[middle], "--") != 0)
        middle++;
    if (middle == 0 || middle + 1 >= argc)
        return -1;
    argv[middle] = NULL;
    pair->programs[HOST].argv = argv;
    pair->programs[DPU].argv = argv + middle + 1;
    return 0;
}

int tool_pair(int argc, char **argv)
{
    struct pair pair = {
        .programs = {[HOST] = {.name = "host", .env = {.role = "host"}},
                     [DPU] = {.name = "dpu ", .env = {.role = "dpu"}}},
    };
    int i = 1;

    for (int side = 0; side < SIDES; side++)
        pair.programs[side].out.fd = pair.programs[side].err.fd = -1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--dpu-after") == 0 && i + 1 < argc) {
            pair.programs[DPU].after = argv[++i];
        } else if (strcmp(argv[i], "--host-after") == 0 && i + 1 < argc) {
            pair.programs[HOST].after = argv[++i];
        } else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc) {
            pair.programs[HOST].env.config = pair.programs[DPU].env.config = argv[++i];
        } else {
            fprintf(stderr, "opendoca pair: unknown option '%s'\n", argv[i]);
            usage(stderr);
            return TOOL_USAGE;
        }
    }
    if (i >= argc || split(&pair, argc - i - 1, argv + i + 1) != 0 ||
        (pair.programs[HOST].after != NULL && pair.programs[DPU].after != NULL)) {
        usage(stderr);
        return TOOL_USAGE;
    }
    return run_pair(&pair);
}
