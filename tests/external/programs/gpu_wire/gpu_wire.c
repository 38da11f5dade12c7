/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels at both ends of a wire: one sends, one receives; everything that was sent must arrive.
 *
 *     gpu_wire MODE SCOPE THREADS ROUNDS [proxy]
 *
 * MODE: 0 blocks that share a queue, 1 a block alone, 2 bursts at given times. SCOPE: 0 thread, 1
 * warp, 2 block, of both kernels.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <doca_eth_rxq.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include "../common/kit.h"
#include "wire.h"

DOCA_LOG_REGISTER(GPU_WIRE);

#define PACKETS  16384u
#define MAX_SIZE 2048u
#define SQ_SIZE  8192u
#define SIZE     256u
#define SECONDS  60
#define INTERVAL 5000000ull /* ns between bursts */

#define TRY(call)                                                                                  \
    do {                                                                                           \
        doca_error_t try_result = (call);                                                          \
        if (try_result != DOCA_SUCCESS) {                                                          \
            DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(try_result));                       \
            return try_result;                                                                     \
        }                                                                                          \
    } while (0)

struct memory {
    void *gpu, *cpu;
    struct doca_mmap *mmap;
};

struct wire {
    struct doca_dev *from, *to;
    struct doca_gpu *gpu;
    struct memory packets, frames, report, times;
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_gpu_eth_rxq *gpu_rxq;
    struct doca_gpu_eth_txq *gpu_txq;
    volatile bool proxy_ends;
};

static struct wire_report *report_of(struct wire *w)
{
    return w->report.cpu;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* By dmabuf where that works, else by address. */
static doca_error_t register_memory(struct wire *w, struct doca_dev *dev, struct memory *m,
                                    size_t size)
{
    int fd = -1;

    TRY(doca_mmap_create(&m->mmap));
    TRY(doca_mmap_add_dev(m->mmap, dev));
    if (doca_gpu_dmabuf_fd(w->gpu, m->gpu, size, &fd) == DOCA_SUCCESS)
        TRY(doca_mmap_set_dmabuf_memrange(m->mmap, fd, m->gpu, 0, size));
    else
        TRY(doca_mmap_set_memrange(m->mmap, m->gpu, size));
    TRY(doca_mmap_set_permissions(m->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                               DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING));
    return doca_mmap_start(m->mmap);
}

static doca_error_t can_receive(const struct doca_devinfo *devinfo)
{
    return doca_eth_rxq_cap_is_type_supported(devinfo, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                              DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU);
}

static doca_error_t can_send(const struct doca_devinfo *devinfo)
{
    return doca_eth_txq_cap_is_type_supported(devinfo, DOCA_ETH_TXQ_TYPE_REGULAR,
                                              DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU);
}

static doca_error_t open_rxq(struct wire *w)
{
    struct doca_ctx *ctx;
    uint32_t bytes = 0;

    TRY(doca_eth_rxq_create(w->to, PACKETS, MAX_SIZE, &w->rxq));
    TRY(doca_eth_rxq_set_type(w->rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    TRY(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, MAX_SIZE, PACKETS, 0,
                                              0, 0, &bytes));
    if (bytes != PACKETS * MAX_SIZE)
        DOCA_LOG_ERR("The estimate is %u bytes", bytes);
    TRY(doca_gpu_mem_alloc(w->gpu, bytes, (size_t)sysconf(_SC_PAGESIZE), DOCA_GPU_MEM_TYPE_GPU,
                           &w->packets.gpu, NULL));
    TRY(register_memory(w, w->to, &w->packets, bytes));
    TRY(doca_eth_rxq_set_pkt_buf(w->rxq, w->packets.mmap, 0, bytes));
    ctx = doca_eth_rxq_as_doca_ctx(w->rxq);
    TRY(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    TRY(doca_eth_rxq_gpu_enable_mcst_qp(w->rxq));
    TRY(doca_ctx_start(ctx));
    TRY(doca_eth_rxq_apply_queue_id(w->rxq, 0));
    return doca_eth_rxq_get_gpu_handle(w->rxq, &w->gpu_rxq);
}

static doca_error_t open_txq(struct wire *w, bool proxy, bool waits)
{
    enum doca_eth_wait_on_time_type type = DOCA_ETH_WAIT_ON_TIME_TYPE_NONE;
    struct doca_ctx *ctx;

    TRY(doca_eth_txq_create(w->from, SQ_SIZE, &w->txq));
    TRY(doca_eth_txq_set_l3_chksum_offload(w->txq, 1));
    TRY(doca_eth_txq_set_l4_chksum_offload(w->txq, 1));
    if (waits) {
        TRY(doca_eth_txq_cap_get_wait_on_time_offload_supported(doca_dev_as_devinfo(w->from),
                                                                &type));
        if (type != DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE)
            return DOCA_ERROR_NOT_SUPPORTED;
        TRY(doca_eth_txq_set_wait_on_time_offload(w->txq));
    }
    ctx = doca_eth_txq_as_doca_ctx(w->txq);
    TRY(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    TRY(doca_eth_txq_gpu_set_completion_on_gpu(w->txq));
    if (proxy)
        TRY(doca_eth_txq_gpu_set_uar_on_cpu(w->txq));
    TRY(doca_ctx_start(ctx));
    return doca_eth_txq_get_gpu_handle(w->txq, &w->gpu_txq);
}

/* Frames for nobody in particular: addresses, the type of IPv4, and nothing that is IPv4. */
static doca_error_t make_frames(struct wire *w, uint32_t num)
{
    const size_t bytes = (size_t)num * SIZE;

    TRY(doca_gpu_mem_alloc(w->gpu, bytes, 65536, DOCA_GPU_MEM_TYPE_GPU_CPU, &w->frames.gpu,
                           &w->frames.cpu));
    TRY(register_memory(w, w->from, &w->frames, bytes));
    for (uint32_t i = 0; i < num; i++) {
        static const uint8_t header[14] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20,
                                           0x21, 0x22, 0x23, 0x24, 0x25, 8,    0};
        uint8_t *frame = (uint8_t *)w->frames.cpu + (size_t)i * SIZE;

        memset(frame, (int)i, SIZE);
        memcpy(frame, header, sizeof(header));
    }
    return DOCA_SUCCESS;
}

static doca_error_t open_all(struct wire *w, uint32_t frames, bool proxy, bool waits)
{
    TRY(doca_log_backend_create_standard());
    TRY(kit_open_by_address("03:00.0", can_send, &w->from));
    TRY(kit_open_by_address("03:00.1", can_receive, &w->to));
    TRY(doca_gpu_create("0000:06:00.0", &w->gpu));
    TRY(doca_gpu_mem_alloc(w->gpu, sizeof(struct wire_report), 65536, DOCA_GPU_MEM_TYPE_CPU_GPU,
                           &w->report.gpu, &w->report.cpu));
    TRY(doca_gpu_mem_alloc(w->gpu, WIRE_BURSTS * sizeof(uint64_t), 65536, DOCA_GPU_MEM_TYPE_CPU_GPU,
                           &w->times.gpu, &w->times.cpu));
    TRY(open_rxq(w));
    TRY(open_txq(w, proxy, waits));
    return make_frames(w, frames);
}

/* In the order in which the official samples do it: memory before the map that describes it. */
static doca_error_t close_all(struct wire *w)
{
    TRY(doca_ctx_stop(doca_eth_txq_as_doca_ctx(w->txq)));
    TRY(doca_gpu_mem_free(w->gpu, w->frames.gpu));
    TRY(doca_eth_txq_destroy(w->txq));
    TRY(doca_mmap_destroy(w->frames.mmap));
    TRY(doca_ctx_stop(doca_eth_rxq_as_doca_ctx(w->rxq)));
    TRY(doca_gpu_mem_free(w->gpu, w->packets.gpu));
    TRY(doca_eth_rxq_destroy(w->rxq));
    TRY(doca_mmap_destroy(w->packets.mmap));
    TRY(doca_gpu_mem_free(w->gpu, w->times.gpu));
    TRY(doca_gpu_mem_free(w->gpu, w->report.gpu));
    TRY(kit_close_device(&w->from));
    TRY(kit_close_device(&w->to));
    return doca_gpu_destroy(w->gpu);
}

static void *run_proxy(void *arg)
{
    struct wire *w = arg;

    while (!w->proxy_ends)
        (void)doca_eth_txq_gpu_cpu_proxy_progress(w->txq);
    return NULL;
}

static doca_error_t await_frames(struct wire *w, uint64_t wanted)
{
    const uint64_t end = now_ns(CLOCK_MONOTONIC) + SECONDS * 1000000000ull;

    while (DOCA_GPUNETIO_VOLATILE(report_of(w)->received) < wanted) {
        if (DOCA_GPUNETIO_VOLATILE(report_of(w)->failed))
            return DOCA_ERROR_IO_FAILED;
        if (now_ns(CLOCK_MONOTONIC) > end)
            return DOCA_ERROR_TIME_OUT;
        sched_yield();
    }
    return DOCA_SUCCESS;
}

static doca_error_t run(struct wire *w, enum wire_mode mode, enum doca_gpu_dev_eth_exec_scope scope,
                        bool proxy, struct wire_frames frames, uint64_t wanted)
{
    const uint64_t start = now_ns(CLOCK_REALTIME) + 50000000;
    doca_error_t result;
    uint32_t mkey;

    TRY(doca_mmap_get_mkey(w->frames.mmap, w->from, &mkey));
    frames.addr = (uintptr_t)w->frames.gpu;
    frames.mkey_be = htonl(mkey);
    for (uint64_t i = 0; mode == WIRE_AT_TIMES && i < WIRE_BURSTS; i++)
        TRY(doca_eth_txq_calculate_timestamp(w->txq, start + i * INTERVAL,
                                             (uint64_t *)w->times.cpu + i));
    TRY(wire_start_receive(w->gpu_rxq, w->report.gpu, scope, 32, SIZE));
    TRY(wire_start_send(w->gpu_txq, w->report.gpu, mode, scope,
                        proxy ? DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY
                              : DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB,
                        &frames, w->times.gpu));
    result = await_frames(w, wanted);
    if (result != DOCA_SUCCESS)
        DOCA_GPUNETIO_VOLATILE(report_of(w)->exit) = 1;
    TRY(wire_wait(0));
    DOCA_GPUNETIO_VOLATILE(report_of(w)->exit) = 1;
    TRY(wire_wait(1));
    for (uint64_t i = 0; mode == WIRE_AT_TIMES && i < wanted; i++) {
        if (report_of(w)->arrived[i] < start + i / WIRE_BURST * INTERVAL)
            report_of(w)->wrong++;
    }
    printf("sent %llu, completions %llu, received %llu, wrong %llu\n",
           (unsigned long long)report_of(w)->sent, (unsigned long long)report_of(w)->completions,
           (unsigned long long)report_of(w)->received, (unsigned long long)report_of(w)->wrong);
    if (result == DOCA_SUCCESS && report_of(w)->failed)
        result = DOCA_ERROR_IO_FAILED;
    return result;
}

int main(int argc, char **argv)
{
    const bool proxy = argc == 6;
    static struct wire w;
    struct wire_frames frames = {.size = SIZE};
    doca_error_t result;
    pthread_t thread;
    uint64_t wanted;
    int mode, scope;

    if (argc < 5)
        return EXIT_FAILURE;
    mode = (int)strtol(argv[1], NULL, 10);
    scope = (int)strtol(argv[2], NULL, 10);
    frames.threads = (uint32_t)strtoul(argv[3], NULL, 10);
    frames.rounds = (uint32_t)strtoul(argv[4], NULL, 10);
    wanted =
        mode == WIRE_AT_TIMES ? WIRE_BURSTS * WIRE_BURST : (uint64_t)frames.threads * frames.rounds;
    result = open_all(&w, frames.threads, proxy, mode == WIRE_AT_TIMES);
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    if (proxy && pthread_create(&thread, NULL, run_proxy, &w) != 0)
        return EXIT_FAILURE;
    result = run(&w, (enum wire_mode)mode, (enum doca_gpu_dev_eth_exec_scope)scope, proxy, frames,
                 wanted);
    w.proxy_ends = true;
    if (proxy)
        pthread_join(thread, NULL);
    if (close_all(&w) != DOCA_SUCCESS || result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("gpu_wire finished with errors");
        return EXIT_FAILURE;
    }
    printf("gpu_wire finished successfully\n");
    return EXIT_SUCCESS;
}
