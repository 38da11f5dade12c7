/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending in all scopes and sharing modes: what slots hold, in which order, and when it waits. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "nic.h"

#define THREAD DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD
#define WARP   DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP
#define BLOCK  DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK
#define ALONE  DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE
#define CTA    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA
#define GPU    DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU
#define SYNC   DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU
#define AUTO   DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO
#define NONE   DOCA_GPUNETIO_ETH_SEND_FLAG_NONE
#define NOTIFY DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY

/* Each thread sends frames whose address tells block, thread and round; the last thread of the block
 * asks for completions. */
template <enum doca_gpu_dev_eth_resource_sharing_mode share, enum doca_gpu_dev_eth_exec_scope scope,
          bool waits>
__global__ void sends(doca_gpu_eth_txq *q, unsigned int rounds, uint64_t *tickets, int *wrong)
{
    const unsigned int thread = threadIdx.x, all = gridDim.x * blockDim.x;

    for (unsigned int round = 0; round < rounds; round++) {
        uint64_t addr = (uint64_t)blockIdx.x << 48 | (uint64_t)thread << 32 | round;
        enum doca_gpu_eth_send_flags flags = thread == blockDim.x - 1 ? NOTIFY : NONE;
        doca_gpu_dev_eth_ticket_t ticket = ~0ull;

        if (waits)
            doca_gpu_dev_eth_txq_wait_send<share, SYNC, AUTO, scope>(q, 7000 + round, addr, 0x11223344,
                                                                     60 + thread, flags, &ticket);
        else
            doca_gpu_dev_eth_txq_send<share, SYNC, AUTO, scope>(q, addr, 0x11223344, 60 + thread,
                                                                flags, &ticket);
        CHECK_IN_KERNEL(ticket != ~0ull, wrong);
        tickets[round * all + blockIdx.x * blockDim.x + thread] = ticket;
    }
}

template <enum doca_gpu_dev_eth_resource_sharing_mode share, enum doca_gpu_dev_eth_exec_scope scope,
          bool waits = false>
static void check_sends(unsigned int blocks, unsigned int threads, unsigned int rounds, uint32_t size,
                        enum doca_gpu_dev_eth_nic_handler handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB)
{
    const unsigned int all = blocks * threads, frames = all * rounds;
    const unsigned int group = scope == THREAD ? 1 : scope == WARP ? 32 : threads;
    tx_end nic(size);
    uint64_t *tickets = gpu_array<uint64_t>(frames), last = 0, waiting = 0;
    int *wrong = gpu_array<int>(1);
    std::vector<unsigned int> seen(frames);

    nic.q->enable_l4_cs_offload = 1;
    nic.q->nic_handler = handler;
    sends<share, scope, waits><<<blocks, threads>>>(nic.q, rounds, tickets, wrong);
    OK(cudaGetLastError());
    if (handler == DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY) {
        while (cudaStreamQuery(0) == cudaErrorNotReady) {
            CHECK(nic.taken == opendoca_gpu_observe(&nic.words->doorbell));
            opendoca_gpu_publish(&nic.words->doorbell, opendoca_gpu_observe(&nic.words->proxy));
            nic.take();
        }
        opendoca_gpu_publish(&nic.words->doorbell, opendoca_gpu_observe(&nic.words->proxy));
    }
    nic.serve();
    CHECK(*wrong == 0);
    for (const frame &f : nic.frames) {
        if (f.opcode == OPENDOCA_GPU_SLOT_WAIT) {
            CHECK(waits && !f.notify);
            CHECK(!waiting);
            waiting = group;
            continue;
        }
        unsigned int block = (unsigned int)(f.addr >> 48), thread = f.addr >> 32 & 0xffff,
                     round = (unsigned int)f.addr, place = round * all + block * threads + thread;
        CHECK(f.opcode == OPENDOCA_GPU_SLOT_SEND && place < frames);
        CHECK(!seen[place]++ && tickets[place] == f.index);
        CHECK(f.bytes == 60 + thread && f.key_be == 0x11223344);
        CHECK(f.notify == (thread == threads - 1) && f.sums == OPENDOCA_GPU_SLOT_L4_SUM);
        CHECK(!waits || waiting-- > 0);
        if (scope != THREAD && thread % group)
            CHECK(f.index == last + 1);
        last = f.index;
    }
    for (unsigned int count : seen)
        CHECK(count == 1);
    CHECK(nic.taken == frames + (waits ? frames / group : 0) && nic.q->wqe_pi == nic.taken);
    CHECK(nic.completed == blocks * rounds && nic.q->sq_ready_index == nic.taken && !nic.q->lock);
    OK(cudaFree(tickets));
    OK(cudaFree(wrong));
}

/* A ring that nobody empties is waited for, but not for ever: until the queue stops. */
static void full_ring()
{
    tx_end nic(64);
    uint64_t *tickets = gpu_array<uint64_t>(200);
    int *wrong = gpu_array<int>(1);

    sends<ALONE, THREAD, false><<<1, 1>>>(nic.q, 100, tickets, wrong);
    while (opendoca_gpu_observe(&nic.words->doorbell) < 64)
        CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    CHECK(opendoca_gpu_observe(&nic.words->doorbell) == 64);
    opendoca_gpu_publish(&nic.words->taken, 10); /* as many go on as there is room for */
    while (opendoca_gpu_observe(&nic.words->doorbell) < 74)
        CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    CHECK(opendoca_gpu_observe(&nic.words->doorbell) == 74);
    opendoca_gpu_publish(&nic.words->state, OPENDOCA_GPU_QUEUE_STOPPED);
    OK(cudaDeviceSynchronize());
    CHECK(nic.words->doorbell == 100);
    OK(cudaFree(tickets));
    OK(cudaFree(wrong));
}

/* Requests made by hand: numbers, parts of a frame, many frames at once, the doorbell without more. */
__global__ void by_hand(doca_gpu_eth_txq *q, int *wrong)
{
    uint64_t at = doca_gpu_dev_eth_txq_reserve_wq_slots(q, 1), time = 0;
    struct doca_gpu_dev_eth_txq_wqe *wqe = doca_gpu_dev_eth_txq_get_wqe_ptr(q, (uint16_t)at);

    CHECK_IN_KERNEL((uintptr_t)wqe == q->wqe_addr + (at & q->wqe_mask) * 64, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wqe_prepare_send(q, wqe, (uint16_t)at, 100, 5, 14, 200, 6, 70,
                                                          NOTIFY) == DOCA_SUCCESS,
                    wrong);
    doca_gpu_dev_eth_txq_mark_wqes_ready(q, at, at);
    doca_gpu_dev_eth_txq_submit<GPU, SYNC, DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB>(q, at + 1);
    for (int segments = 1; segments <= DOCA_GPUNETIO_ETH_EMPW_DSEG_MAX_NUM; segments += 4) {
        uint32_t num = (uint32_t)(segments + 2 + 3) / 4;

        at = doca_gpu_dev_eth_txq_reserve_wq_slots(q, num);
        for (int i = 0; i < segments; i++) {
            wqe = doca_gpu_dev_eth_txq_get_wqe_ptr(q, (uint16_t)(at + (i + 2) / 4));
            CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wqe_prepare_send_empw(
                                q, wqe, (uint16_t)at, segments, i, 1000 + i, 7,
                                i == 2 ? 0 : 60 + i, i ? NONE : NOTIFY) == DOCA_SUCCESS,
                            wrong);
        }
        /* Programs that advance the index themselves, with a record nobody should believe. */
        (void)doca_gpu_dev_eth_atomic_add<uint64_t, GPU>(&q->wqe_pi, num);
        doca_gpu_dev_eth_txq_update_dbr(q, 77);
        doca_gpu_dev_eth_txq_ring_db(q, q->wqe_pi);
    }
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wqe_prepare_send_empw(q, wqe, 0, 62, 0, 0, 0, 0, NONE) ==
                        DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wqe_prepare_send_empw(q, wqe, 0, 0, 0, 0, 0, 0, NONE) ==
                        DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_wqe_prepare_send_empw(q, wqe, 0, 4, 4, 0, 0, 0, NONE) ==
                        DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_txq_calculate_timestamp(q, 1700000000123456789ull, &time) ==
                        DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_bswap64(time) == (1700000000ull << 32 | 123456789), wrong);
}

static void check_by_hand()
{
    tx_end nic(64);
    int *wrong = gpu_array<int>(1);
    size_t frame_number = 2, completions = 1;

    by_hand<<<1, 1>>>(nic.q, wrong);
    nic.serve();
    CHECK(*wrong == 0);
    CHECK(nic.frames[0].addr == 100 && nic.frames[0].bytes == 14 && nic.frames[0].key_be == 5);
    CHECK(nic.frames[1].addr == 200 && nic.frames[1].bytes == 70 && nic.frames[1].key_be == 6);
    for (unsigned int segments = 1; segments <= DOCA_GPUNETIO_ETH_EMPW_DSEG_MAX_NUM; segments += 4) {
        for (unsigned int i = 0; i < segments; i++) {
            if (i == 2)
                continue;
            CHECK(nic.frames[frame_number].addr == 1000 + i);
            CHECK(nic.frames[frame_number].bytes == 60 + i);
            frame_number++;
        }
        completions++;
    }
    CHECK(nic.frames.size() == frame_number && nic.completed == completions);
    OK(cudaFree(wrong));
}

int main()
{
    check_sends<ALONE, THREAD>(1, 1, 70000, 64); /* around 65536 */
    check_sends<CTA, THREAD>(1, 64, 20, 128);
    check_sends<GPU, THREAD>(4, 40, 10, 64);
    check_sends<ALONE, WARP>(1, 32, 40, 128);
    check_sends<GPU, WARP>(3, 96, 10, 128);
    check_sends<GPU, BLOCK>(3, 96, 10, 128);
    check_sends<CTA, BLOCK>(1, 64, 30, 64);
    check_sends<ALONE, THREAD, true>(1, 1, 100, 64);
    check_sends<GPU, WARP, true>(2, 64, 10, 128);
    check_sends<GPU, BLOCK, true>(1, 64, 10, 128);
    check_sends<GPU, THREAD>(2, 32, 10, 64, DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY);
    check_sends<ALONE, WARP>(1, 32, 10, 64, DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY);
    full_ring();
    check_by_hand();
    return 0;
}
