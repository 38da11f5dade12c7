/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts that leave at times that the CPU computed: never early, in order, one completion for each,
 * and so far apart as they should be, sooner or later: the machine may be busy. (GW-1 to GW-3) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include <algorithm>

#include "ends.h"

#define BURSTS 8u
#define BURST  32u
#define LENGTH 1024u
#define STRIDE 1024u
#define SLOTS  512u
#define APART  5000000u /* ns */
#define EXACT  300000u

enum word { DONE, WRONG, WORDS };

__global__ void send(doca_gpu_eth_txq *txq, char *frames, uint32_t key, const uint64_t *times,
                     uint64_t *words)
{
    for (uint32_t burst = 0; burst < BURSTS; burst++) {
        char *at = frames + (burst * BURST + threadIdx.x) * STRIDE;
        doca_gpu_dev_eth_ticket_t ticket;

        doca_gpu_dev_eth_txq_wait_send<
            DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(
            txq, times[burst], (uint64_t)at, key, LENGTH,
            threadIdx.x == BURST - 1 ? DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY
                                     : DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
            &ticket);
        if (threadIdx.x == 0) {
            uint32_t done = 0;

            if (doca_gpu_dev_eth_txq_poll_completion(txq, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B,
                                                     &done) != DOCA_SUCCESS)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
            DOCA_GPUNETIO_VOLATILE(words[DONE]) = words[DONE] + done;
        }
        __syncthreads();
    }
}

/* Frames are in the ring in their order; their time is when the software NIC took them in. Tells
 * by how much the time between bursts was wrong in the median. */
static uint64_t check_arrivals(const receiver &rx, const uint64_t *times)
{
    const struct opendoca_gpu_cqe *cqes = (const struct opendoca_gpu_cqe *)rx.handle->cqe_addr;
    uint64_t late = 0, starts[BURSTS], errors[BURSTS - 1];

    /* What lies in the ring before the last record is there with it. */
    await([&] {
        return opendoca_gpu_observe(&cqes[BURSTS * BURST - 1].tail) !=
               opendoca_gpu_cqe_tail(OPENDOCA_GPU_CQE_INVALID, 1, 0);
    });
    for (uint32_t i = 0; i < BURSTS * BURST; i++) {
        uint32_t number;

        memcpy(&number, (char *)(rx.handle->pkt_addr + i * STRIDE) + 16, sizeof(number));
        CHECK(number == i);
        CHECK(opendoca_gpu_time_from_be(cqes[i].time_be) >= times[i / BURST]);
        if (i % BURST == 0) {
            uint64_t by = opendoca_gpu_time_from_be(cqes[i].time_be) - times[i / BURST];

            late = by > late ? by : late;
            starts[i / BURST] = times[i / BURST] + by;
        }
    }
    for (uint32_t i = 0; i < BURSTS - 1; i++) {
        const int64_t gap = (int64_t)(starts[i + 1] - starts[i]) - (int64_t)APART;

        errors[i] = (uint64_t)std::abs(gap);
    }
    std::sort(errors, errors + BURSTS - 1);
    printf("latest burst: %llu us, time between them wrong by %llu us\n",
           (unsigned long long)late / 1000, (unsigned long long)errors[BURSTS / 2 - 1] / 1000);
    return errors[BURSTS / 2 - 1];
}

static uint64_t send_bursts(ends &e)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 512);
    memory frames(e, 0, BURSTS * BURST * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS), values(e, BURSTS);
    uint64_t times[BURSTS], start = now_ns() + 50000000;

    for (uint32_t i = 0; i < BURSTS * BURST; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
    for (uint32_t i = 0; i < BURSTS; i++) {
        times[i] = start + i * APART;
        OK(doca_eth_txq_calculate_timestamp(tx.txq, times[i], &values.cpu[i]));
    }
    send<<<1, BURST>>>(tx.handle, frames.gpu, frames.key_be, values.gpu, words.gpu);
    CUDA(cudaDeviceSynchronize());
    CHECK(words.cpu[DONE] == BURSTS && words.cpu[WRONG] == 0);
    return check_arrivals(rx, times);
}

static void test()
{
    ends e;

    await([&] { return send_bursts(e) <= EXACT || ENDS_SANITIZED; });
}

int main()
{
    return ends_on({"loop", "af_packet", "af_xdp"}, test);
}
