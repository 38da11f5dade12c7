/* SPDX-License-Identifier: BSD-3-Clause */
/* Small tasks beside DPDK's software DMA driver, dma_skeleton, whose copies run on a core of their
 * own. EAL without huge pages and PCI; the driver needs lcore=1, else its thread floats and crawls.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOW_EXPERIMENTAL_API /* the whole dmadev API is still marked so in DPDK 22.11 */
#include <rte_dmadev.h>
#include <rte_eal.h>

#include "lib/bench.h"
#include "lib/dma_rig.h"

#define DEPTH  32
#define ROUNDS 2000

struct pattern {
    struct dma_rig *rig;
    int16_t dma;
    char *src, *dst;
    size_t len, stride;
};

static double ours_rate(void *arg)
{
    struct pattern *p = arg;
    double begin = bench_now();

    for (int i = 0; i < ROUNDS; i++)
        rig_round(p->rig);
    return (double)ROUNDS * DEPTH / (bench_now() - begin) * 1e-6;
}

static double skeleton_rate(void *arg)
{
    struct pattern *p = arg;
    double begin = bench_now();

    for (int i = 0; i < ROUNDS; i++) {
        unsigned int done = 0;

        for (unsigned int k = 0; k < DEPTH; k++) {
            if (rte_dma_copy(p->dma, 0, (rte_iova_t)(uintptr_t)(p->src + k * p->stride),
                             (rte_iova_t)(uintptr_t)(p->dst + k * p->stride), (uint32_t)p->len,
                             0) < 0)
                bench_die("rte_dma_copy", "refused");
        }
        rte_dma_submit(p->dma, 0);
        while (done < DEPTH) {
            uint16_t last;
            bool error = false;

            done += rte_dma_completed(p->dma, 0, DEPTH, &last, &error);
            if (error)
                bench_die("rte_dma_completed", "error");
        }
    }
    return (double)ROUNDS * DEPTH / (bench_now() - begin) * 1e-6;
}

static int16_t open_skeleton(void)
{
    struct rte_dma_conf conf = {.nb_vchans = 1};
    struct rte_dma_vchan_conf vchan = {.direction = RTE_DMA_DIR_MEM_TO_MEM, .nb_desc = 256};
    static char args[][32] = {
        "bench", "--no-huge", "--no-pci", "--no-telemetry", "--log-level=1",       "-m",
        "64",    "-l",        "0,1",      "--vdev",         "dma_skeleton,lcore=1"};
    enum { NARGS = sizeof(args) / sizeof(args[0]) };
    char *argv[NARGS + 1] = {NULL};
    int16_t dev;

    for (int i = 0; i < NARGS; i++)
        argv[i] = args[i];
    if (rte_eal_init(NARGS, argv) < 0)
        bench_die("rte_eal_init", "failed");
    dev = rte_dma_next_dev(0);
    if (dev < 0 || rte_dma_configure(dev, &conf) != 0 || rte_dma_vchan_setup(dev, 0, &vchan) != 0 ||
        rte_dma_start(dev) != 0)
        bench_die("dma_skeleton", "cannot be started");
    return dev;
}

static void compare(struct pattern *p, struct doca_dev *dev, struct doca_mmap *src_map,
                    struct doca_mmap *dst_map, size_t len, const char *engine)
{
    struct dma_rig rig;
    char name[64];
    struct bench_case c = {"dma/dpdk", name, "M tasks/s", 1, 21};
    struct bench_side ours = {"opendoca", ours_rate, p}, peer = {"dma_skeleton", skeleton_rate, p};

    p->rig = &rig;
    p->len = len;
    p->stride = (len + 63) & ~(size_t)63;
    snprintf(name, sizeof(name), "%s %zu B depth %u", engine, len, DEPTH);
    rig_open(&rig, dev, src_map, p->src, dst_map, p->dst, len, p->stride, DEPTH, engine, 0);
    bench_compare(&c, &ours, &peer, 1);
    rig_close(&rig);
}

int main(void)
{
    enum { AREA = 1 << 20 };
    struct pattern p = {.src = calloc(1, AREA), .dst = calloc(1, AREA)};
    struct doca_mmap *src_map, *dst_map;
    struct doca_dev *dev;

    if (p.src == NULL || p.dst == NULL)
        bench_die("memory", "none");
    setenv("OPENDOCA_CONFIG", BENCH_DEVICES_FILE, 1);
    p.dma = open_skeleton();
    dev = rig_open_device();
    src_map = rig_map(dev, p.src, AREA);
    dst_map = rig_map(dev, p.dst, AREA);
    compare(&p, dev, src_map, dst_map, 64, "inline");
    compare(&p, dev, src_map, dst_map, 64, "threads");
    compare(&p, dev, src_map, dst_map, 4096, "inline");
    compare(&p, dev, src_map, dst_map, 4096, "threads");
    doca_mmap_destroy(src_map);
    doca_mmap_destroy(dst_map);
    doca_dev_close(dev);
    rte_dma_stop(p.dma);
    rte_eal_cleanup();
    free(p.src);
    free(p.dst);
    return 0;
}
