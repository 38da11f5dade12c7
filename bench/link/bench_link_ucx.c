/* SPDX-License-Identifier: BSD-3-Clause */
/* Links over UCX against ucx_perftest over the same network: within this machine, and between two
 * network namespaces with a cable between them. Bandwidth of a stream of 1 MiB messages, median
 * round trip of 8 bytes. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"
#include "lib/two_hosts.h"
#include "soft/link/link.h"

#define PORT    18515
#define LARGE   (1u << 20)
#define STREAM  500u
#define TRIPS   5000u
#define WARM_UP 200u
#define ROUNDS  7u
#define DEPTH   16u
#define LIMIT   60 /* s that one side may take; it spins */

static const char *self;
static const char *transport = "tcp";

/* ---- Ours: two programs ---- */

static struct soft_link *open_link(const char *host, bool listens)
{
    const struct soft_link_conf conf = {
        .max_msg = LARGE, .depth = DEPTH, .connect_timeout = 10000, .backlog = 1};
    struct soft_link_listener *listener;
    struct soft_link *link;
    char addr[64];

    snprintf(addr, sizeof(addr), "%s:%s:%d", transport, host, PORT);
    if (!listens) {
        if (soft_link_connect(addr, &conf, NULL, 0, &link) != 0)
            bench_die("connect", soft_reason());
        while (soft_link_poll(link, NULL) == SOFT_LINK_CONNECTING)
            ;
        return link;
    }
    if (soft_link_listen(addr, &conf, &listener) != 0)
        bench_die("listen", soft_reason());
    while ((link = soft_link_next(listener)) == NULL)
        ;
    if (soft_link_accept(link, NULL, 0) != 0)
        bench_die("accept", soft_reason());
    return link;
}

static void send_all(struct soft_link *link, const void *bytes, size_t len)
{
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
    int rc;

    while ((rc = soft_link_send(link, &iov, 1)) == -EAGAIN)
        ;
    if (rc != 0)
        bench_die("send", strerror(-rc));
}

static int receive(struct soft_link *link, struct soft_link_msg *msg)
{
    int rc;

    while ((rc = soft_link_recv(link, msg)) == -EAGAIN)
        ;
    return rc;
}

/* Echoes what is short. */
static int serve(const char *host)
{
    struct soft_link *link = open_link(host, true);
    struct soft_link_msg msg;
    uint64_t word;

    while (receive(link, &msg) == 0) {
        bool is_short = msg.len == sizeof(word);

        if (is_short)
            memcpy(&word, msg.data, sizeof(word));
        soft_link_release(link);
        if (is_short)
            send_all(link, &word, sizeof(word));
    }
    soft_link_close(link);
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void trip(struct soft_link *link, uint64_t word)
{
    struct soft_link_msg msg;

    send_all(link, &word, sizeof(word));
    if (receive(link, &msg) != 0)
        bench_die("receive", "the link ended");
    soft_link_release(link);
}

/* us */
static double median_trip(struct soft_link *link)
{
    static double trips[TRIPS];

    for (unsigned int i = 0; i < WARM_UP; i++)
        trip(link, i);
    for (unsigned int i = 0; i < TRIPS; i++) {
        double begin = bench_now();

        trip(link, i);
        trips[i] = (bench_now() - begin) * 1e6;
    }
    qsort(trips, TRIPS, sizeof(trips[0]), ascending);
    return trips[TRIPS / 2];
}

/* MiB/s, until the last one has been taken. */
static double stream(struct soft_link *link)
{
    char *bytes = malloc(LARGE);
    double begin = 0;

    memset(bytes, 'b', LARGE);
    for (unsigned int i = 0; i < STREAM + DEPTH; i++) {
        if (i == DEPTH)
            begin = bench_now();
        send_all(link, bytes, LARGE);
    }
    while (soft_link_taken(link) < STREAM + DEPTH)
        ;
    free(bytes);
    return STREAM / (bench_now() - begin);
}

static int use(const char *host, const char *what)
{
    struct soft_link *link = open_link(host, false);

    if (strcmp(what, "bw") == 0)
        printf("%f\n", stream(link));
    else
        printf("%f\n", median_trip(link));
    soft_link_shutdown(link);
    while (soft_link_poll(link, NULL) != SOFT_LINK_DOWN)
        ;
    soft_link_close(link);
    return 0;
}

/* ---- Running programs ---- */

struct place {
    const char *name;
    const char *host; /* address of the server */
    char server[64];  /* what goes in front of the commands */
    char client[64];
    const char *device;
};

static pid_t start(const char *command, int out)
{
    pid_t pid = fork();

    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0);
        dup2(out >= 0 ? out : null, 1);
        dup2(null, 2);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* The last number that the client prints in the column (from 1). */
static double run_pair(const char *server, const char *client, unsigned int column)
{
    char text[8192] = "", *line, *save = NULL;
    double value = -1;
    int pipes[2], status;
    pid_t other = start(server, -1), pid;
    size_t len = 0;
    ssize_t n;

    if (pipe(pipes) != 0)
        bench_die("pipe", strerror(errno));
    pid = start(client, pipes[1]);
    close(pipes[1]);
    while ((n = read(pipes[0], text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)n;
    close(pipes[0]);
    waitpid(pid, &status, 0);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        char *word, *rest = NULL;
        unsigned int i = 1;

        for (word = strtok_r(line, ", ", &rest); word != NULL && i < column; i++)
            word = strtok_r(NULL, ", ", &rest);
        if (word != NULL && strtod(word, NULL) > 0)
            value = strtod(word, NULL);
    }
    return value;
}

static double ours(const struct place *place, const char *what)
{
    char server[256], client[256];

    snprintf(server, sizeof(server), "exec %s %s server %s", place->server, self, place->host);
    snprintf(client, sizeof(client), "exec %s %s client %s %s", place->client, self, place->host,
             what);
    return run_pair(server, client, 1);
}

/* Round trip or MiB/s; it prints one-way times. */
static double theirs(const struct place *place, const char *what)
{
    const bool bw = strcmp(what, "bw") == 0;
    char command[256], server[384], client[384];
    double value;

    snprintf(command, sizeof(command),
             "env UCX_TLS=tcp,self UCX_NET_DEVICES=%%s timeout 60 ucx_perftest -p %d -t %s -s %u "
             "-n %u -w %u",
             PORT + 1, bw ? "ucp_am_bw" : "ucp_am_lat", bw ? LARGE : 8u, bw ? STREAM : TRIPS,
             bw ? DEPTH : WARM_UP);
    snprintf(server, sizeof(server), "exec %s ", place->server);
    snprintf(server + strlen(server), sizeof(server) - strlen(server), command,
             strcmp(place->device, "lo") == 0 ? "lo" : "all");
    snprintf(client, sizeof(client), "sleep 1; exec %s ", place->client);
    snprintf(client + strlen(client), sizeof(client) - strlen(client), command,
             strcmp(place->device, "lo") == 0 ? "lo" : "all");
    snprintf(client + strlen(client), sizeof(client) - strlen(client), " -f -v %s", place->host);
    value = run_pair(server, client, bw ? 6 : 2);
    return bw ? value : 2 * value;
}

static void compare(const struct place *place, const char *what)
{
    const bool bw = strcmp(what, "bw") == 0;
    char name[64];
    const struct bench_case c = {.bench = "link_ucx",
                                 .name = name,
                                 .unit = bw ? "MiB/s" : "us",
                                 .higher_is_better = bw,
                                 .rounds = ROUNDS};
    double mine[ROUNDS], peer[ROUNDS];

    snprintf(name, sizeof(name), "%s, %s", bw ? "1 MiB stream" : "8 B round trip", place->name);
    for (unsigned int i = 0; i < ROUNDS; i++) {
        mine[i] = ours(place, what);
        peer[i] = theirs(place, what);
        if (mine[i] <= 0 || peer[i] <= 0)
            bench_die(name, mine[i] <= 0 ? "no result" : "no result of ucx_perftest (ucx-utils)");
    }
    bench_report(&c, bw ? "ucp_am_bw" : "ucp_am_lat", mine, peer);
}

static struct two_hosts hosts;

static void remove_hosts(void)
{
    two_hosts_remove(&hosts);
}

int main(int argc, char **argv)
{
    struct place lo = {.name = "one machine", .host = "127.0.0.1", .device = "lo"};
    struct place cable = {.name = "two namespaces", .host = TWO_HOSTS_THERE, .device = ""};

    self = argv[0];
    if (getenv("BENCH_LINK") != NULL)
        transport = getenv("BENCH_LINK");
    if (argc > 1)
        alarm(LIMIT);
    if (argc == 3)
        return serve(argv[2]);
    if (argc == 4)
        return use(argv[2], argv[3]);
    compare(&lo, "bw");
    compare(&lo, "lat");
    if (!two_hosts_make(&hosts))
        return 0;
    atexit(remove_hosts);
    snprintf(cable.server, sizeof(cable.server), "ip netns exec %s", hosts.there);
    snprintf(cable.client, sizeof(cable.client), "ip netns exec %s", hosts.here);
    compare(&cable, "bw");
    compare(&cable, "lat");
    return 0;
}
