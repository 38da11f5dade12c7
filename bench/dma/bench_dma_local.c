/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies inside one process: cost of a small task, throughput of a large one, lanes against lanes.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/bench.h"
#include "lib/copy_loops.h"
#include "lib/dma_rig.h"

#define AREA (128u << 20)

struct pattern {
    struct dma_rig *rig;
    char *src, *dst;
    size_t len, stride;
    unsigned int depth;
    unsigned int rounds; /* in one measurement */
    bench_copy_loop *loop;
};

static double per_task_ns(struct pattern *p, double seconds)
{
    return seconds * 1e9 / p->rounds / p->depth;
}

static double gigabytes(struct pattern *p, double seconds)
{
    return (double)p->len * p->depth * p->rounds / seconds * 1e-9;
}

static double time_ours(struct pattern *p)
{
    double begin = bench_now();

    for (unsigned int i = 0; i < p->rounds; i++)
        rig_round(p->rig);
    return bench_now() - begin;
}

static double time_loop(struct pattern *p)
{
    double begin = bench_now();

    for (unsigned int i = 0; i < p->rounds; i++) {
        for (unsigned int k = 0; k < p->depth; k++)
            p->loop(p->dst + k * p->stride, p->src + k * p->stride, p->len);
    }
    return bench_now() - begin;
}

static double ours_ns(void *arg)
{
    return per_task_ns(arg, time_ours(arg));
}

static double loop_ns(void *arg)
{
    return per_task_ns(arg, time_loop(arg));
}

static double ours_rate(void *arg)
{
    return gigabytes(arg, time_ours(arg));
}

static double loop_rate(void *arg)
{
    return gigabytes(arg, time_loop(arg));
}

struct rig_area {
    struct doca_dev *dev;
    struct doca_mmap *src_map, *dst_map;
    char *src, *dst;
};

static unsigned int rounds_for(size_t len, unsigned int depth)
{
    size_t bytes = len * depth;
    size_t rounds = (32u << 20) / (bytes + 4096);

    return rounds < 1 ? 1 : rounds > 4000 ? 4000 : (unsigned int)rounds;
}

static void task_cost(struct rig_area *a, size_t len, unsigned int depth, const char *engine)
{
    struct dma_rig rig;
    char name[64];
    struct pattern p = {&rig,
                        a->src,
                        a->dst,
                        len,
                        (len + 63) & ~(size_t)63,
                        depth,
                        rounds_for(len, depth),
                        bench_copy_memcpy};
    struct bench_case c = {"dma/task", name, "ns", 0, 31};
    struct bench_side ours = {"opendoca", ours_ns, &p}, peer = {"memcpy", loop_ns, &p};

    snprintf(name, sizeof(name), "%s %zu B depth %u", engine, len, depth);
    rig_open(&rig, a->dev, a->src_map, a->src, a->dst_map, a->dst, len, p.stride, depth, engine, 0);
    bench_compare(&c, &ours, &peer, 1);
    rig_close(&rig);
}

static void throughput(struct rig_area *a, size_t len, unsigned int threads)
{
    struct dma_rig rig;
    char name[64];
    struct pattern base = {&rig, a->src, a->dst, len, len, 1, rounds_for(len, 1) * 2, NULL};
    struct pattern loops[3] = {base, base, base};
    struct bench_case c = {"dma/throughput", name, "GB/s", 1, 21};
    struct bench_side ours = {"opendoca", ours_rate, &base};
    struct bench_side peers[3] = {{"memcpy", loop_rate, &loops[0]},
                                  {"rep movsb", loop_rate, &loops[1]},
                                  {"non-temporal", loop_rate, &loops[2]}};

    loops[0].loop = bench_copy_memcpy;
    loops[1].loop = bench_copy_movsb;
    loops[2].loop = bench_copy_nt;
    snprintf(name, sizeof(name), "local %zu KiB, %u lane%s", len >> 10, threads,
             threads == 1 ? "" : "s");
    rig_open(&rig, a->dev, a->src_map, a->src, a->dst_map, a->dst, len, len, 1,
             threads == 1 ? "inline" : "threads", threads);
    bench_compare(&c, &ours, peers, 3);
    rig_close(&rig);
}

static void lanes(struct rig_area *a, size_t len)
{
    struct dma_rig one, two;
    char name[64];
    struct pattern p1 = {&one, a->src, a->dst, len, len, 1, rounds_for(len, 1) * 2, NULL};
    struct pattern p2 = p1;
    struct bench_case c = {"dma/lanes", name, "ns", 0, 21};
    struct bench_side ours = {"two lanes", ours_ns, &p2}, peer = {"one lane", ours_ns, &p1};

    p2.rig = &two;
    snprintf(name, sizeof(name), "%zu KiB", len >> 10);
    rig_open(&one, a->dev, a->src_map, a->src, a->dst_map, a->dst, len, len, 1, "inline", 1);
    rig_open(&two, a->dev, a->src_map, a->src, a->dst_map, a->dst, len, len, 1, "threads", 2);
    bench_compare(&c, &ours, &peer, 1);
    rig_close(&two);
    rig_close(&one);
}

static char *area(void)
{
    char *p =
        mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (p == MAP_FAILED)
        bench_die("memory", "mmap failed");
    memset(p, 1, AREA);
    return p;
}

int main(void)
{
    static const size_t task_sizes[] = {64, 256, 1024, 4096, 16384, 65536, 1 << 20};
    static const unsigned int depths[] = {1, 32, 256};
    struct rig_area a = {.src = area(), .dst = area()};

    setenv("OPENDOCA_CONFIG", BENCH_DEVICES_FILE, 1);
    a.dev = rig_open_device();
    a.src_map = rig_map(a.dev, a.src, AREA);
    a.dst_map = rig_map(a.dev, a.dst, AREA);
    fprintf(stderr, "line ping-pong %.0f ns\n", bench_ping_pong());
    for (size_t s = 0; s < sizeof(task_sizes) / sizeof(task_sizes[0]); s++) {
        for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
            if (task_sizes[s] * depths[d] <= (32u << 20))
                task_cost(&a, task_sizes[s], depths[d], "inline");
        }
    }
    task_cost(&a, 64, 32, "threads");
    task_cost(&a, 4096, 32, "threads");
    for (size_t len = 4096; len <= (64u << 20); len *= 4) {
        throughput(&a, len, 1);
        throughput(&a, len, 2);
    }
    lanes(&a, 64 << 10);
    lanes(&a, 1 << 20);
    lanes(&a, 4 << 20);
    lanes(&a, 64 << 20);
    fprintf(stderr, "line ping-pong %.0f ns\n", bench_ping_pong());
    doca_mmap_destroy(a.src_map);
    doca_mmap_destroy(a.dst_map);
    doca_dev_close(a.dev);
    return 0;
}
