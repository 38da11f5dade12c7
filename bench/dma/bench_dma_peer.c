/* SPDX-License-Identifier: BSD-3-Clause */
/* A DPU process copies out of a host process's memory: private memory against process_vm_readv of
 * the same vectors, shareable memory against memcpy in one process, which maps the very same pages:
 * what a cache of the size of the copy holds depends on where these are. The exporter blocks in a
 * read. */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"
#include "lib/copy_loops.h"
#include "lib/dma_rig.h"

#define AREA (64u << 20)

struct offer {
    uint64_t addr;
    size_t desc_len;
    pid_t pid;
    int fd; /* of shareable memory */
    char desc[512];
};

/* fd -1: private memory */
static char *make_area(int fd)
{
    char *p = mmap(NULL, AREA, PROT_READ | PROT_WRITE,
                   (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_POPULATE, fd, 0);

    if (p == MAP_FAILED)
        bench_die("memory", "mmap failed");
    memset(p, 7, AREA);
    return p;
}

static int make_file(void)
{
    int fd = memfd_create("bench", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, AREA) != 0)
        bench_die("memfd", "cannot be made");
    return fd;
}

/* The host's pages, or some of our own that memcpy can read. */
static char *map_of_host(const struct offer *offer)
{
    char path[64], *p;
    int fd;

    if (offer->fd < 0)
        return make_area(-1);
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)offer->pid, offer->fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        bench_die("memfd", "cannot be opened");
    p = make_area(fd);
    close(fd);
    return p;
}

/* The host side: exports, tells, and blocks until its input ends. */
static void export_and_block(int shareable, int out, int in)
{
    struct offer offer = {.pid = getpid(), .fd = shareable ? make_file() : -1};
    struct doca_mmap *map;
    struct doca_dev *dev;
    const void *desc;
    char *area, c;

    setenv("OPENDOCA_ROLE", "host", 1);
    area = make_area(offer.fd);
    dev = rig_open_device();
    map = rig_map(dev, area, AREA);
    if (doca_mmap_export_pci(map, dev, &desc, &offer.desc_len) != DOCA_SUCCESS ||
        offer.desc_len > sizeof(offer.desc))
        bench_die("export", "refused");
    offer.addr = (uintptr_t)area;
    memcpy(offer.desc, desc, offer.desc_len);
    if (write(out, &offer, sizeof(offer)) != sizeof(offer))
        bench_die("export", "cannot tell");
    while (read(in, &c, 1) > 0)
        ;
    doca_mmap_destroy(map);
    doca_dev_close(dev);
    _exit(0);
}

struct host {
    pid_t pid;
    int in;
    struct offer offer;
};

static void start_host(struct host *host, int shareable)
{
    int to[2], from[2];

    if (pipe(to) != 0 || pipe(from) != 0)
        bench_die("host", "no pipe");
    host->pid = fork();
    if (host->pid == 0) {
        close(to[1]);
        close(from[0]);
        export_and_block(shareable, from[1], to[0]);
    }
    close(to[0]);
    close(from[1]);
    host->in = to[1];
    if (read(from[0], &host->offer, sizeof(host->offer)) != sizeof(host->offer))
        bench_die("host", "did not export");
    close(from[0]);
}

static void end_host(struct host *host)
{
    close(host->in);
    waitpid(host->pid, NULL, 0);
}

struct transfer {
    struct dma_rig *rig;
    pid_t pid;
    char *dst, *warm_src;
    uint64_t remote;
    size_t len, stride;
    unsigned int depth, rounds;
};

static double per_task_ns(const struct transfer *t, double seconds)
{
    return seconds * 1e9 / t->rounds / t->depth;
}

static double ours_ns(void *arg)
{
    struct transfer *t = arg;
    double begin = bench_now();

    for (unsigned int i = 0; i < t->rounds; i++)
        rig_round(t->rig);
    return per_task_ns(t, bench_now() - begin);
}

static double readv_ns(void *arg)
{
    struct transfer *t = arg;
    double begin = bench_now();

    for (unsigned int i = 0; i < t->rounds; i++) {
        for (unsigned int k = 0; k < t->depth; k++) {
            struct iovec local = {t->dst + k * t->stride, t->len};
            struct iovec remote = {(void *)(uintptr_t)(t->remote + k * t->stride), t->len};

            if (process_vm_readv(t->pid, &local, 1, &remote, 1, 0) != (ssize_t)t->len)
                bench_die("process_vm_readv", "failed");
        }
    }
    return per_task_ns(t, bench_now() - begin);
}

static double memcpy_ns(void *arg)
{
    struct transfer *t = arg;
    double begin = bench_now();

    for (unsigned int i = 0; i < t->rounds; i++) {
        for (unsigned int k = 0; k < t->depth; k++)
            bench_copy_memcpy(t->dst + k * t->stride, t->warm_src + k * t->stride, t->len);
    }
    return per_task_ns(t, bench_now() - begin);
}

static void measure(int shareable, size_t len, unsigned int depth, const char *engine)
{
    size_t stride = (len + 63) & ~(size_t)63;
    struct host host;
    struct dma_rig rig;
    struct doca_mmap *remote, *local;
    struct doca_dev *dev;
    char name[80];
    struct transfer t = {.rig = &rig, .len = len, .stride = stride, .depth = depth};
    struct bench_case c = {"dma/peer", name, "ns", 0, 21};
    struct bench_side ours = {"opendoca", ours_ns, &t};
    struct bench_side peer = {shareable ? "memcpy" : "process_vm_readv",
                              shareable ? memcpy_ns : readv_ns, &t};

    start_host(&host, shareable);
    t.rounds = (unsigned int)((16u << 20) / (len * depth + 65536)) + 1;
    t.dst = make_area(-1);
    t.warm_src = map_of_host(&host.offer);
    t.pid = host.pid;
    t.remote = host.offer.addr;
    dev = rig_open_device();
    local = rig_map(dev, t.dst, AREA);
    if (doca_mmap_create_from_export(NULL, host.offer.desc, host.offer.desc_len, dev, &remote) !=
        DOCA_SUCCESS)
        bench_die("import", "refused");
    rig_open(&rig, dev, remote, (char *)(uintptr_t)host.offer.addr, local, t.dst, len, stride,
             depth, engine, 0);
    snprintf(name, sizeof(name), "%s memory, %zu B depth %u, %s", shareable ? "shared" : "private",
             len, depth, engine);
    bench_compare(&c, &ours, &peer, 1);
    rig_close(&rig);
    doca_mmap_destroy(remote);
    doca_mmap_destroy(local);
    doca_dev_close(dev);
    munmap(t.dst, AREA);
    munmap(t.warm_src, AREA);
    end_host(&host);
}

int main(void)
{
    static const size_t sizes[] = {64, 4096, 65536, 1 << 20, 4 << 20};

    setenv("OPENDOCA_CONFIG", BENCH_DEVICES_FILE, 1);
    setenv("OPENDOCA_ROLE", "dpu", 1);
    for (int shareable = 0; shareable < 2; shareable++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            measure(shareable, sizes[i], 1, "inline");
            if (sizes[i] <= 65536)
                measure(shareable, sizes[i], 32, "inline");
            if (sizes[i] >= (1 << 20))
                measure(shareable, sizes[i], 1, "threads");
        }
    }
    return 0;
}
