/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's testpmd over its own AF_XDP driver, another process. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"
#include "side.h"

#define PROGRAM "dpdk-testpmd"
#define START   40.0 /* s that it may take to be ready */

static struct {
    pid_t pid;
    int in, out;
    size_t len;
    char text[65536];
} p;

const char *side_find_testpmd(void)
{
    return system("command -v " PROGRAM " >/dev/null 2>&1") == 0 ? NULL
                                                                 : PROGRAM " (dpdk) is not there";
}

/* Into a pipe it would tell only at its end that it is ready. */
static void be_testpmd(enum job job, uint32_t size)
{
    char length[32];
    const char *args[26] = {"stdbuf", "-oL", PROGRAM,          "--no-huge",
                            "-m",     "256", "--no-pci",       "--no-telemetry",
                            "-l",     "0,1", "--main-lcore=1", "--no-shconf"};
    int n = 12;

    if (job != JOB_SEND)
        args[n++] = "--vdev=net_af_xdp0,iface=" TRAFFIC_RX;
    if (job != JOB_DROP)
        args[n++] = "--vdev=net_af_xdp1,iface=" TRAFFIC_TX;
    args[n++] = "--";
    args[n++] = "--record-core-cycles";
    args[n++] = "--nb-cores=1";
    args[n++] = "--total-num-mbufs=16384";
    args[n++] = "--no-lsc-interrupt";
    args[n++] = job == JOB_DROP      ? "--forward-mode=rxonly"
                : job == JOB_FORWARD ? "--forward-mode=io"
                                     : "--forward-mode=txonly";
    snprintf(length, sizeof(length), "--txpkts=%u", size);
    if (job == JOB_SEND)
        args[n++] = length;
    args[n] = NULL;
    execvp(args[0], (char *const *)(uintptr_t)args);
    _exit(127);
}

static void start(enum job job, uint32_t size)
{
    int in[2], out[2];

    if (pipe(in) != 0 || pipe(out) != 0)
        bench_die("pipe", strerror(errno));
    p.len = 0;
    p.pid = fork();
    if (p.pid < 0)
        bench_die("fork", strerror(errno));
    if (p.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        be_testpmd(job, size);
    }
    close(in[0]);
    close(out[1]);
    p.in = in[1];
    p.out = out[0];
    fcntl(p.out, F_SETFL, O_NONBLOCK);
}

/* False: it ended. */
static bool read_more(void)
{
    ssize_t n = read(p.out, p.text + p.len, sizeof(p.text) - 1 - p.len);

    if (n > 0)
        p.len += (size_t)n;
    p.text[p.len] = '\0';
    if (n < 0)
        usleep(1000);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void wait_for(const char *text)
{
    double end = bench_now() + START;

    p.text[p.len] = '\0';
    while (strstr(p.text, text) == NULL) {
        if (!read_more() || bench_now() > end) {
            kill(p.pid, SIGKILL);
            printf("%s\n", p.text);
            bench_die(PROGRAM, "it did not come up");
        }
    }
}

static void stop(void)
{
    double end = bench_now() + START;

    kill(p.pid, SIGINT);
    while (read_more() && bench_now() < end)
        ;
    kill(p.pid, SIGKILL);
    waitpid(p.pid, NULL, 0);
    close(p.in);
    close(p.out);
}

/* The last number behind the text. */
static double find(const char *text)
{
    const char *at = p.text, *next;
    double value = 0;

    while ((next = strstr(at, text)) != NULL) {
        at = next + strlen(text);
        value = strtod(at, NULL);
    }
    return value;
}

static void run(enum job job, const struct traffic *traffic, double seconds,
                struct side_result *result)
{
    struct traffic_result sent = {0};
    double before, begin, frames;

    start(job, traffic->size);
    wait_for("Press enter to exit");
    before = traffic_sunk();
    begin = bench_now();
    if (job == JOB_SEND) {
        usleep((useconds_t)(seconds * 1e6));
        sent.seconds = bench_now() - begin;
    } else {
        traffic_start(traffic, seconds);
        traffic_wait(&sent);
        usleep(20000);
    }
    frames = traffic_sunk() - before;
    stop();
    if (job == JOB_DROP)
        frames = find("RX-packets: ");
    result->rate = frames / sent.seconds * 1e-6;
    result->sender = sent.frames > 0 ? sent.cpu / sent.frames * 1e9 : 0;
    result->ns =
        job == JOB_SEND ? 1e3 / result->rate : side_ticks_to_ns(find("CPU cycles/packet="));
}

const struct side side_testpmd = {"testpmd af_xdp", run};
