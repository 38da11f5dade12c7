/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues whose other end is the test itself: it fills rings as the software NIC does. */
#ifndef NIC_H
#define NIC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(call) CHECK((call) == cudaSuccess)

/* Of a kernel's check: counted in *wrong, told once. */
#define CHECK_IN_KERNEL(condition, wrong)                                                          \
    do {                                                                                           \
        if (!(condition) && atomicAdd(wrong, 1) == 0)                                              \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
    } while (0)

template <class T> static inline T *gpu_array(size_t num)
{
    T *array;

    OK(cudaMalloc(&array, num * sizeof(T)));
    memset((void *)array, 0, num * sizeof(T));
    return array;
}

static inline opendoca_gpu_cqe *completion_ring(uint32_t num)
{
    opendoca_gpu_cqe *ring = gpu_array<opendoca_gpu_cqe>(num);

    for (uint32_t i = 0; i < num; i++)
        ring[i].tail = opendoca_gpu_cqe_tail(OPENDOCA_GPU_CQE_INVALID, 1, 0);
    return ring;
}

/* ---- receive ---- */

struct rx_end {
    doca_gpu_eth_rxq *q = gpu_array<doca_gpu_eth_rxq>(1);
    opendoca_gpu_rx_words *words = gpu_array<opendoca_gpu_rx_words>(1);
    doca_gpu_buf *bufs;
    uint8_t *packets;
    opendoca_gpu_cqe *cqes;
    uint64_t stored = 0;

    rx_end(uint32_t slots, uint32_t stride)
        : bufs(gpu_array<doca_gpu_buf>(slots)), packets(gpu_array<uint8_t>((size_t)slots * stride)),
          cqes(completion_ring(slots))
    {
        q->pkt_addr = (uint64_t)packets;
        q->pkt_mkey = opendoca_gpu_swap32(0x1234);
        q->pkt_num = q->wqe_num = q->cqe_num = slots;
        q->wqe_mask = q->cqe_mask = slots - 1;
        q->max_pkt_sz = stride;
        q->wqe_strides_num = 1;
        q->wqe_pi = words->posted = slots;
        q->cqe_addr = (uintptr_t)cqes;
        q->wqe_db_rec = (uintptr_t)&words->posted;
        q->cq_db_rec = (uintptr_t)&words->consumed;
        words->state = OPENDOCA_GPU_QUEUE_RUNS;
        q->opendoca.magic = OPENDOCA_GPU_RXQ_MAGIC;
        q->opendoca.version = OPENDOCA_GPU_VERSION;
        q->opendoca.words = (uint64_t)words;
        q->opendoca.bufs = (uint64_t)bufs;
        for (uint32_t i = 0; i < slots; i++)
            bufs[i] = {q->pkt_addr + (uint64_t)i * stride, q->pkt_mkey, stride};
    }
    ~rx_end()
    {
        for (void *memory : {(void *)q, (void *)words, (void *)bufs, (void *)packets, (void *)cqes})
            OK(cudaFree(memory));
    }
    uint8_t *slot(uint64_t number)
    {
        return packets + number % q->pkt_num * q->max_pkt_sz;
    }
    /* Writes a record, as the last step of what the NIC does for a packet. */
    void complete(unsigned int opcode, uint32_t bytes, uint64_t ns)
    {
        opendoca_gpu_cqe *cqe = &cqes[stored % q->cqe_num];

        opendoca_gpu_poke32(&cqe->bytes_be, opendoca_gpu_swap32(bytes));
        opendoca_gpu_poke(&cqe->time_be, opendoca_gpu_time_to_be(ns));
        opendoca_gpu_publish(
            &cqe->tail, opendoca_gpu_cqe_tail(opcode, stored / q->cqe_num & 1, (uint16_t)stored));
        stored++;
    }
    /* The next packet: its number, in each word. False: no slot is granted. */
    bool store(uint32_t bytes = 64)
    {
        if (stored >= opendoca_gpu_observe(&words->posted))
            return false;
        for (uint32_t at = 0; at + 8 <= bytes; at += 8)
            memcpy(slot(stored) + at, &stored, 8);
        complete(OPENDOCA_GPU_CQE_RX, bytes, time_of(stored));
        return true;
    }
    void fail()
    {
        complete(OPENDOCA_GPU_CQE_RX_ERROR, 0, 0);
    }
    /* Of the test's own making, more than a second apart. */
    static __host__ __device__ uint64_t time_of(uint64_t number)
    {
        return 1700000000999999999u + number * 1000000001u;
    }
};

/* ---- send ---- */

struct frame {
    uint64_t index, addr, time_be;
    uint32_t key_be, bytes;
    unsigned int sums, notify, opcode;
};

struct tx_end {
    doca_gpu_eth_txq *q = gpu_array<doca_gpu_eth_txq>(1);
    opendoca_gpu_tx_words *words = gpu_array<opendoca_gpu_tx_words>(1);
    opendoca_gpu_slot *slots;
    opendoca_gpu_cqe *cqes;
    uint64_t taken = 0, completed = 0;
    uint64_t fail_at = UINT64_MAX; /* slot whose send fails */
    std::vector<frame> frames;

    explicit tx_end(uint32_t size)
        : slots(gpu_array<opendoca_gpu_slot>(size)), cqes(completion_ring(size))
    {
        q->wqe_addr = (uintptr_t)slots;
        q->wqe_mask = (uint16_t)(size - 1);
        q->wqe_db = (uintptr_t)&words->doorbell;
        q->wqe_db_rec = (uintptr_t)&words->record;
        q->shared_mem_addr_cpu = q->shared_mem_addr_gpu = (uintptr_t)&words->proxy;
        q->cqe_addr = (uintptr_t)cqes;
        q->cqe_num = size;
        q->cqe_mask = size - 1;
        q->cq_db_rec = (uintptr_t)&words->consumed;
        q->nic_handler = DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB;
        words->state = OPENDOCA_GPU_QUEUE_RUNS;
        q->opendoca.magic = OPENDOCA_GPU_TXQ_MAGIC;
        q->opendoca.version = OPENDOCA_GPU_VERSION;
        q->opendoca.words = (uint64_t)words;
        q->opendoca.flags = OPENDOCA_GPU_TXQ_COMPLETES | OPENDOCA_GPU_TXQ_WAITS;
    }
    ~tx_end()
    {
        for (void *memory : {(void *)q, (void *)words, (void *)slots, (void *)cqes})
            OK(cudaFree(memory));
    }
    uint32_t size() const
    {
        return q->wqe_mask + 1u;
    }
    void complete(unsigned int opcode, uint64_t index)
    {
        opendoca_gpu_cqe *cqe = &cqes[completed % q->cqe_num];

        opendoca_gpu_publish(
            &cqe->tail, opendoca_gpu_cqe_tail(opcode, completed / q->cqe_num & 1, (uint16_t)index));
        completed++;
        opendoca_gpu_publish(&words->completed, completed);
    }
    static void segment(frame *f, const opendoca_gpu_slot_seg *seg)
    {
        f->addr = seg->addr;
        f->key_be = seg->key_be;
        f->bytes = seg->bytes;
    }
    /* Takes one request; returns how many slots it has. */
    uint32_t take_one()
    {
        const opendoca_gpu_slot *slot = &slots[taken & q->wqe_mask];
        uint64_t word;
        frame f = {taken,
                   0,
                   slot->what.time_be,
                   0,
                   0,
                   (unsigned int)slot->what.sums,
                   slot->control.flags & OPENDOCA_GPU_SLOT_NOTIFY,
                   slot->control.opcode};

        memcpy(&word, &slot->control, sizeof(word));
        CHECK(slot->control.check == (word ^ OPENDOCA_GPU_SLOT_CHECK));
        CHECK(slot->control.index == (uint16_t)taken);
        for (unsigned int i = 0; i < slot->control.nsegs; i++) {
            const opendoca_gpu_slot *at = &slots[(taken + (i + 2) / 4) & q->wqe_mask];

            segment(&f, (const opendoca_gpu_slot_seg *)at + (i + 2) % 4);
            if (f.bytes || slot->control.opcode != OPENDOCA_GPU_SLOT_MULTI)
                frames.push_back(f);
        }
        if (slot->control.opcode == OPENDOCA_GPU_SLOT_WAIT)
            frames.push_back(f);
        if (fail_at == taken)
            complete(OPENDOCA_GPU_CQE_TX_ERROR, taken);
        else if (f.notify)
            complete(OPENDOCA_GPU_CQE_TX_OK, taken);
        return slot->control.opcode == OPENDOCA_GPU_SLOT_MULTI
                   ? opendoca_gpu_multi_slots(slot->control.nsegs)
                   : 1;
    }
    /* Takes what the doorbell grants. */
    void take()
    {
        uint64_t end = opendoca_gpu_observe(&words->doorbell);

        while (taken < end) {
            taken += take_one();
            opendoca_gpu_publish(&words->taken, taken);
        }
        CHECK(taken == end);
    }
    /* Until the kernels of the stream have ended. */
    void serve(cudaStream_t stream = 0)
    {
        while (cudaStreamQuery(stream) == cudaErrorNotReady)
            take();
        OK(cudaStreamSynchronize(stream));
        take();
    }
};

#endif
