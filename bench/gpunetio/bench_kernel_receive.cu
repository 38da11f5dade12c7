/* SPDX-License-Identifier: BSD-3-Clause */
/* The packets of an interface, received by a persistent kernel of one warp on the CPU, beside a queue of
 * the CPU that takes the same traffic by turns. Kernel, the thread of the port and queue have one core,
 * the traffic has the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_gpunetio.h>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_mmap.h>
#include <doca_pe.h>

extern "C" {
#include "lib/bench.h"
#include "nic/traffic.h"
}

enum { SLOTS = 8192, PLACE = 2048, BYTES = SLOTS * PLACE };

#define SECONDS 0.25
#define OK(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != DOCA_SUCCESS)                                                                          \
            bench_die(#call, "it fails");                                                                    \
    } while (0)

struct report {
    uint64_t received;
    uint32_t stop;
};

__global__ void receive(struct doca_gpu_eth_rxq *rxq, struct report *report)
{
    uint64_t first = 0, total = 0;
    uint32_t num = 0;

    while (!DOCA_GPUNETIO_VOLATILE(report->stop)) {
        doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(
            rxq, 512, 100000, &first, &num, (struct doca_gpu_dev_eth_rxq_attr *)nullptr);
        total += num;
        if (threadIdx.x == 0)
            DOCA_GPUNETIO_VOLATILE(report->received) = total;
    }
}

struct bench {
    struct traffic traffic;
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct report *report;
    uint64_t received; /* by the CPU */
};

static struct doca_mmap *map_of(struct bench *b, void *memory)
{
    struct doca_mmap *map;

    OK(doca_mmap_create(&map));
    OK(doca_mmap_add_dev(map, b->dev));
    OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    OK(doca_mmap_set_memrange(map, memory, BYTES));
    OK(doca_mmap_start(map));
    return map;
}

static struct doca_eth_rxq *queue_of(struct bench *b, enum doca_eth_rxq_type type, struct doca_mmap *map)
{
    struct doca_eth_rxq *rxq;

    OK(doca_eth_rxq_create(b->dev, type == DOCA_ETH_RXQ_TYPE_CYCLIC ? SLOTS : SLOTS / 4, PLACE, &rxq));
    OK(doca_eth_rxq_set_type(rxq, type));
    OK(doca_eth_rxq_set_pkt_buf(rxq, map, 0, BYTES));
    return rxq;
}

static double by_kernel(void *arg)
{
    struct bench *b = (struct bench *)arg;
    struct traffic_result sent;
    struct doca_gpu_eth_rxq *handle;
    struct doca_eth_rxq *rxq;
    struct doca_mmap *map;
    struct doca_ctx *ctx;
    void *memory;
    uint64_t received;

    OK(doca_gpu_mem_alloc(b->gpu, BYTES, 4096, DOCA_GPU_MEM_TYPE_GPU, &memory, NULL));
    memset(memory, 0, BYTES);
    map = map_of(b, memory);
    rxq = queue_of(b, DOCA_ETH_RXQ_TYPE_CYCLIC, map);
    ctx = doca_eth_rxq_as_doca_ctx(rxq);
    OK(doca_ctx_set_datapath_on_gpu(ctx, b->gpu));
    OK(doca_ctx_start(ctx));
    OK(doca_eth_rxq_get_gpu_handle(rxq, &handle));
    *b->report = (struct report){};
    receive<<<1, 32>>>(handle, b->report);
    traffic_start(&b->traffic, SECONDS);
    traffic_wait(&sent);
    received = DOCA_GPUNETIO_VOLATILE(b->report->received);
    DOCA_GPUNETIO_VOLATILE(b->report->stop) = 1;
    if (cudaDeviceSynchronize() != cudaSuccess)
        bench_die("receive", "the kernel fails");
    OK(doca_ctx_stop(ctx));
    OK(doca_eth_rxq_destroy(rxq));
    OK(doca_mmap_destroy(map));
    OK(doca_gpu_mem_free(b->gpu, memory));
    return (double)received / sent.seconds * 1e-6;
}

static void on_packet(struct doca_eth_rxq_event_managed_recv *, struct doca_buf *pkt, union doca_data data)
{
    ((struct bench *)data.ptr)->received++;
    doca_buf_dec_refcount(pkt, NULL);
}

static void on_error(struct doca_eth_rxq_event_managed_recv *, struct doca_buf *, union doca_data)
{
}

static double by_queue(void *arg)
{
    struct bench *b = (struct bench *)arg;
    union doca_data data = {.ptr = b};
    struct traffic_result sent;
    enum doca_ctx_states state = DOCA_CTX_STATE_RUNNING;
    struct doca_eth_rxq *rxq;
    struct doca_mmap *map;
    struct doca_ctx *ctx;
    struct doca_pe *pe;
    void *memory = aligned_alloc(4096, BYTES);

    memset(memory, 0, BYTES);
    map = map_of(b, memory);
    rxq = queue_of(b, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, map);
    ctx = doca_eth_rxq_as_doca_ctx(rxq);
    OK(doca_eth_rxq_event_managed_recv_register(rxq, data, on_packet, on_error));
    OK(doca_pe_create(&pe));
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
    b->received = 0;
    traffic_start(&b->traffic, SECONDS);
    while (!traffic_is_over())
        doca_pe_progress(pe);
    traffic_wait(&sent);
    doca_ctx_stop(ctx);
    while (state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        OK(doca_ctx_get_state(ctx, &state));
    }
    OK(doca_eth_rxq_destroy(rxq));
    OK(doca_pe_destroy(pe));
    OK(doca_mmap_destroy(map));
    free(memory);
    return (double)b->received / sent.seconds * 1e-6;
}

static void open_device(struct bench *b)
{
    char path[] = "/tmp/opendoca-bench-receive-XXXXXX";
    FILE *config = fdopen(mkstemp(path), "w");
    struct doca_devinfo **list;
    uint32_t num;

    fprintf(config,
            "{\"devices\": [{\"role\": \"host\", \"pci\": \"0000:03:00.0\","
            " \"port\": \"%s:" TRAFFIC_RX "\", \"unmatched\": \"queues\"}]}",
            getenv("BENCH_NIC_PORT") != NULL ? getenv("BENCH_NIC_PORT") : "af_xdp");
    fclose(config);
    setenv("OPENDOCA_CONFIG", path, 1);
    setenv("OPENDOCA_ROLE", "host", 1);
    OK(doca_devinfo_create_list(&list, &num));
    unlink(path);
    OK(doca_dev_open(list[0], &b->dev));
    OK(doca_devinfo_destroy_list(list));
    OK(doca_gpu_create("0000:41:00.0", &b->gpu));
    OK(doca_gpu_mem_alloc(b->gpu, sizeof(*b->report), 64, DOCA_GPU_MEM_TYPE_CPU_GPU, (void **)&b->report,
                          (void **)&b->report));
}

int main(void)
{
    static const struct {
        const char *name;
        struct traffic traffic;
    } cases[] = {
        {"receive, 64 B, ordinary", {TRAFFIC_ORDINARY, 64, 1}},
        {"receive, 64 B, fast", {TRAFFIC_FAST, 64, 1}},
        {"receive, 1518 B, ordinary", {TRAFFIC_ORDINARY, 1514, 1}},
        {"receive, 1518 B, fast", {TRAFFIC_FAST, 1514, 1}},
    };
    const char *why = traffic_make_interfaces();
    struct bench b = {};

    if (why != NULL) {
        printf("gpunetio: left out: %s\n", why);
        return 0;
    }
    bench_pin(MEASURE_CORE);
    open_device(&b);
    for (const auto &c : cases) {
        const struct bench_case what = {"gpunetio", c.name, "M/s", 1, 5};
        const struct bench_side kernel = {"kernel", by_kernel, &b}, queue = {"CPU queue", by_queue, &b};

        b.traffic = c.traffic;
        bench_compare(&what, &kernel, &queue, 1);
    }
    OK(doca_gpu_mem_free(b.gpu, b.report));
    OK(doca_gpu_destroy(b.gpu));
    OK(doca_dev_close(b.dev));
    return 0;
}
