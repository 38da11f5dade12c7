/* SPDX-License-Identifier: BSD-3-Clause */
#include "perftest.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"

#define LIMIT   "120" /* s */
#define TRIES   100
#define COMMAND "UCX_TLS=shm,self exec timeout " LIMIT " ucx_perftest "

static unsigned int free_port(void)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t len = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
        getsockname(fd, (struct sockaddr *)&addr, &len) != 0)
        bench_die("port", "none is free");
    close(fd);
    return ntohs(addr.sin_port);
}

static pid_t start_server(unsigned int port)
{
    char command[128];
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(1);
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
        _exit(127);
    snprintf(command, sizeof(command), COMMAND "-p %u", port);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Iterations, the median, ...; the sixth number is the bandwidth of the whole. */
static bool take_line(const char *line, struct perftest *test)
{
    double count, average, overall, bw;

    return sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &count, &test->median_us, &average, &overall,
                  &bw, &test->mib_per_s) == 6;
}

static bool run_client(unsigned int port, struct perftest *test)
{
    char command[256], window[32] = "", line[512];
    bool has_result = false;
    FILE *out;

    if (test->window != 0)
        snprintf(window, sizeof(window), " -O %u", test->window);
    snprintf(command, sizeof(command),
             COMMAND "-p %u 127.0.0.1 -t %s -s %zu -n %u -w %u%s -f -v 2>/dev/null", port,
             test->test, test->size, test->count, test->warm_up, window);
    out = popen(command, "r");
    if (out == NULL)
        bench_die("ucx_perftest", "cannot be started");
    while (fgets(line, sizeof(line), out) != NULL)
        has_result = take_line(line, test) || has_result;
    pclose(out);
    return has_result;
}

void perftest_run(struct perftest *test)
{
    unsigned int port = free_port();
    pid_t server = start_server(port);
    bool has_result = false;

    if (server < 0)
        bench_die("ucx_perftest", "cannot be started");
    /* The server needs a moment to listen; until then the client ends at once. */
    for (unsigned int i = 0; i < TRIES && !has_result; i++) {
        usleep(50000);
        has_result = run_client(port, test);
    }
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    if (!has_result)
        bench_die("ucx_perftest", "no result (ucx-utils)");
}
