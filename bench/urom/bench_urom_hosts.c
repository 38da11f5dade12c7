/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get to memory of another host, beside ucx_perftest over the same cable: two network
 * namespaces, a service on one of them, the memory's owner on the other one. ucx_perftest has two
 * processes that poll, and gets two processors. So do the client, which polls for the round trips
 * of 8 bytes and sleeps while 1 MiB are copied, several in flight; the worker, which has processor
 * 1; and the owner, which is on the processor that is less busy. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_urom_rma.h>

#include "lib/bench.h"
#include "lib/two_hosts.h"
#include "urom/rig.h"
#include "util/parse.h"

#define PORT          18517
#define LARGE         ((size_t)1 << 20)
#define IN_FLIGHT     4u
#define STREAM        300u
#define TRIPS         2000u
#define WARM_UP       100u
#define ROUNDS        5u
#define OWNER         TWO_HOSTS_THERE ":7471"
#define PERFTEST_TIME 60 /* s, after which it is stuck */

/* What the owner tells of its memory. */
struct far {
    uint64_t addr;
    size_t len;
    uint8_t desc[512];
};

struct copies {
    struct rig rig;
    pid_t owner;
    char *bytes;
    struct doca_urom_ops_region *own;
    struct doca_urom_ops_region *there;
    uint64_t addr;
    bool put;
};

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *left)
{
    (void)region;
    rig_done(NULL, status, left);
}

static struct doca_urom_ops_region *region_for_all(struct rig *rig, void *addr, size_t len)
{
    struct doca_urom_ops_region *region;
    unsigned int left = 1;

    rig_check(doca_urom_ops_region_create(rig->ops, addr, len,
                                          DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE,
                                          region_done, &left, &region),
              "region");
    rig_wait(rig, &left);
    return region;
}

/* ------------------------------------------------------------------------------------------------
 * The owner of the memory, on the other host
 */

/* A host has a network and, so that it is not found on this one, a folder of its own. */
static void move_there(const char *host)
{
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "/run/netns/%s", host);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0 || unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", "/tmp", "tmpfs", 0, NULL) != 0)
        bench_die("the other host", strerror(errno));
    close(fd);
}

/* Until `go` ends. */
static void own(const char *host, int tell, int go)
{
    static const char *const names[] = {"worker_rma", NULL};
    struct doca_urom_ops_region *region;
    struct rig rig;
    struct far far;
    const void *desc;
    pid_t daemon;
    void *bytes;
    char end;

    move_there(host);
    setenv("OPENDOCA_PEER_LISTEN", OWNER, 1);
    daemon = rig_daemon_start(NULL);
    rig_open(&rig, 1, names, 16);
    bytes = rig_memory(IN_FLIGHT * LARGE, 0);
    region = region_for_all(&rig, bytes, IN_FLIGHT * LARGE);
    far.addr = (uintptr_t)bytes;
    rig_check(doca_urom_ops_region_get_desc(region, &desc, &far.len), "descriptor");
    memcpy(far.desc, desc, far.len);
    if (write(tell, &far, sizeof(far)) == (ssize_t)sizeof(far))
        (void)!read(go, &end, 1);
    rig_region_end(&rig, region);
    rig_close(&rig);
    rig_daemon_stop(daemon);
}

static void pin_owner(pid_t pid, int cpu)
{
    struct dirent *entry;
    cpu_set_t set;
    char path[64];
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    if (dir == NULL)
        bench_die("the owner", strerror(errno));
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    while ((entry = readdir(dir)) != NULL) {
        int64_t thread;

        if (od_parse_i64(entry->d_name, &thread) == 0)
            (void)sched_setaffinity((pid_t)thread, sizeof(set),
                                    &set); /* with one processor it is there */
    }
    closedir(dir);
}

/* ------------------------------------------------------------------------------------------------
 * Copies
 */

static void begin(struct copies *copies, size_t offset, size_t len, unsigned int *left)
{
    const uintptr_t here = (uintptr_t)copies->bytes + offset;
    const uint64_t there = copies->addr + offset;

    rig_check(copies->put ? doca_urom_rma_put(copies->rig.ops, copies->own, here, copies->there,
                                              there, len, 0, rig_done, left)
                          : doca_urom_rma_get(copies->rig.ops, copies->own, here, copies->there,
                                              there, len, 0, rig_done, left),
              "copy");
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* us */
static double median_trip(struct copies *copies)
{
    static double trips[TRIPS];

    for (unsigned int i = 0; i < TRIPS + WARM_UP; i++) {
        double start = bench_now();
        unsigned int left = 1;

        begin(copies, 0, 8, &left);
        rig_wait(&copies->rig, &left);
        trips[i % TRIPS] = (bench_now() - start) * 1e6;
    }
    qsort(trips, TRIPS, sizeof(trips[0]), ascending);
    return trips[TRIPS / 2];
}

/* MiB/s */
static double stream(struct copies *copies)
{
    unsigned int left = 0;
    double start = 0;

    for (unsigned int i = 0; i < STREAM + WARM_UP; i++) {
        if (i == WARM_UP)
            start = bench_now();
        left++;
        begin(copies, i % IN_FLIGHT * LARGE, LARGE, &left);
        rig_sleep(&copies->rig, &left, IN_FLIGHT - 1);
    }
    rig_sleep(&copies->rig, &left, 0);
    return STREAM / (bench_now() - start);
}

/* ------------------------------------------------------------------------------------------------
 * ucx_perftest
 */

static pid_t start(const char *command, int out)
{
    pid_t pid = fork();
    cpu_set_t all;

    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        CPU_ZERO(&all);
        for (int i = 0; i < CPU_SETSIZE; i++)
            CPU_SET(i, &all);
        (void)sched_setaffinity(0, sizeof(all), &all);
        /* Both outlast the execution of programs, but not a fork: timeout(1) would lose them. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(PERFTEST_TIME);
        dup2(null, 0);
        dup2(out >= 0 ? out : null, 1);
        dup2(null, 2);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* The number in the column (from 0) of the last line that has one; -1: none. */
static double last_number(char *text, unsigned int column)
{
    char *line, *save = NULL;
    double value = -1;

    for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        char *rest = NULL, *word = strtok_r(line, ", ", &rest);

        for (unsigned int i = 0; word != NULL && i < column; i++)
            word = strtok_r(NULL, ", ", &rest);
        if (word != NULL && strtod(word, NULL) > 0)
            value = strtod(word, NULL);
    }
    return value;
}

/* Round trip in us, or MiB/s; it prints one-way times. */
static double perftest(bool large)
{
    char common[192], server[320], client[320], text[8192] = "";
    size_t len = 0;
    ssize_t n;
    int out[2];
    pid_t other, pid;

    snprintf(common, sizeof(common),
             "env UCX_TLS=tcp,self ucx_perftest -p %d -t %s -s %zu -n %u -w %u", PORT,
             large ? "ucp_am_bw" : "ucp_am_lat", large ? LARGE : (size_t)8, large ? STREAM : TRIPS,
             WARM_UP);
    snprintf(server, sizeof(server), "exec ip netns exec %s %s", getenv("OD_THERE"), common);
    snprintf(client, sizeof(client), "sleep 1; exec %s -f -v %s", common, TWO_HOSTS_THERE);
    if (pipe(out) != 0)
        bench_die("pipe", strerror(errno));
    other = start(server, -1);
    pid = start(client, out[1]);
    close(out[1]);
    while ((n = read(out[0], text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)n;
    close(out[0]);
    waitpid(pid, NULL, 0);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return large ? last_number(text, 5) : 2 * last_number(text, 1);
}

/* ------------------------------------------------------------------------------------------------
 * The benchmark
 */

static void compare(struct copies *copies, bool large)
{
    double mine[2][ROUNDS], peer[ROUNDS], command[ROUNDS];
    struct bench_result result;
    char name[64];

    pin_owner(copies->owner, large ? 0 : 1);
    for (unsigned int i = 0; i < ROUNDS; i++) {
        peer[i] = perftest(large);
        if (peer[i] <= 0)
            bench_die("ucx_perftest", "no result (ucx-utils)");
        command[i] = rig_command_us(&copies->rig, TRIPS);
        for (unsigned int put = 0; put < 2; put++) {
            copies->put = put != 0;
            mine[put][i] = large ? stream(copies) : median_trip(copies);
        }
    }
    for (unsigned int put = 0; put < 2; put++) {
        const struct bench_case c = {.bench = "urom_hosts",
                                     .name = name,
                                     .unit = large ? "MiB/s" : "us",
                                     .higher_is_better = large,
                                     .rounds = ROUNDS};

        snprintf(name, sizeof(name), "%s of %s between two hosts", put != 0 ? "put" : "get",
                 large ? "1 MiB" : "8 B");
        result = bench_report(&c, large ? "ucp_am_bw" : "ucp_am_lat", mine[put], peer);
        if (large)
            bench_at_least(&c, result.ours, 0.9 * result.peer);
        else
            bench_at_most(&c, result.ours, 1.5 * result.peer + bench_median(command, ROUNDS));
    }
}

static void use(const struct far *far, pid_t owner)
{
    static const char *const names[] = {"worker_rma", "worker_graph", NULL};
    struct copies copies = {.addr = far->addr, .owner = owner};
    pid_t daemon = rig_daemon_start("1");
    unsigned int left = 1;

    bench_pin(0);
    rig_open(&copies.rig, 1, names, 16);
    copies.bytes = rig_memory(IN_FLIGHT * LARGE, 0);
    copies.own = rig_region(&copies.rig, copies.bytes, IN_FLIGHT * LARGE);
    rig_check(doca_urom_ops_region_attach(copies.rig.ops, far->desc, far->len, region_done, &left,
                                          &copies.there),
              "attach");
    rig_wait(&copies.rig, &left);
    compare(&copies, false);
    compare(&copies, true);
    rig_region_end(&copies.rig, copies.there);
    rig_region_end(&copies.rig, copies.own);
    rig_close(&copies.rig);
    rig_daemon_stop(daemon);
}

int main(int argc, char **argv)
{
    int tell[2], go[2];
    struct far far;
    pid_t owner;

    (void)argc;
    if (getenv("OD_THERE") == NULL)
        return two_hosts_main(argv) == 0 ? 0 : 1;
    if (pipe2(tell, O_CLOEXEC) != 0 || pipe2(go, O_CLOEXEC) != 0)
        bench_die("pipe", strerror(errno));
    owner = fork();
    if (owner == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(go[1]);
        own(getenv("OD_THERE"), tell[1], go[0]);
        return 0;
    }
    close(tell[1]);
    if (read(tell[0], &far, sizeof(far)) != (ssize_t)sizeof(far))
        bench_die("the owner", "has ended");
    use(&far, owner);
    close(go[1]);
    waitpid(owner, NULL, 0);
    return 0;
}
