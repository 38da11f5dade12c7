/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What lies in memory between the software NIC and kernels: completion records, send slots, the
 * words that each side writes, semaphores and buffer arrays. Plain C without names of the API, for
 * the CPU and for device code alike. All values are little-endian unless a name ends in _be.
 *
 * Receive. Packet n goes to slot n mod ring, its record to the same place of the completion ring.
 * The NIC stores packet n only while n < posted; posted starts as the size of the ring and grows by
 * what the kernel gives back. Order of the NIC: payload, record, its last word (with release).
 *
 * Send. Slots are numbered from 0 on without end and masked to the ring. The kernel fills slots,
 * then writes the number of the first slot that is not ready to the doorbell (with release). The
 * NIC counts in `taken` the slots that may be filled again. Each slot with NOTIFY, and each that
 * fails, leaves a record, in order; record c is at c mod ring.
 *
 * Record c is there when its opcode is not INVALID and its owner bit is (c / ring) & 1.
 */
#ifndef OPENDOCA_GPU_RING_H_
#define OPENDOCA_GPU_RING_H_

#include <stdint.h>

#ifdef __cplusplus
#define OPENDOCA_GPU_ASSERT(condition, text) static_assert(condition, text)
#else
#define OPENDOCA_GPU_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Functions of these headers run on both sides. */
#if defined(__CUDACC__)
#define OPENDOCA_GPU_FN static __inline__ __host__ __device__
#else
#define OPENDOCA_GPU_FN static inline
#endif

/* Device code of another version refuses the handle. */
#define OPENDOCA_GPU_VERSION    1u
#define OPENDOCA_GPU_RXQ_MAGIC  0x4f445251u
#define OPENDOCA_GPU_TXQ_MAGIC  0x4f445451u
#define OPENDOCA_GPU_SEM_MAGIC  0x4f445345u
#define OPENDOCA_GPU_BUFS_MAGIC 0x4f444241u
#define OPENDOCA_GPU_DMA_MAGIC  0x4f44444du
#define OPENDOCA_GPU_RDMA_MAGIC 0x4f445244u
#define OPENDOCA_GPU_RDMR_MAGIC 0x4f445252u
#define OPENDOCA_GPU_GONE_MAGIC 0x4f444d55u /* of a handle whose queue was stopped */

/* ---- completion records ---- */

#define OPENDOCA_GPU_CQE_TX_OK    0u
#define OPENDOCA_GPU_CQE_RX       2u
#define OPENDOCA_GPU_CQE_TX_ERROR 13u
#define OPENDOCA_GPU_CQE_RX_ERROR 14u
#define OPENDOCA_GPU_CQE_INVALID  15u

/* Of error records: why. */
#define OPENDOCA_GPU_SYNDROME_LENGTH 0x01u /* of the frame, or none of its bytes */
#define OPENDOCA_GPU_SYNDROME_SLOT   0x02u /* not a slot that a kernel wrote for this place */
#define OPENDOCA_GPU_SYNDROME_KEY    0x04u /* unknown key, or memory outside of its range */
#define OPENDOCA_GPU_SYNDROME_PORT   0x15u /* the port could not send */

/* The bytes that programs read coincide with the public record of rdma-core. */
struct opendoca_gpu_cqe {
    uint8_t reserved0[2];
    uint16_t slot_be;
    uint32_t hash; /* receive side scaling; 0: not hashed */
    uint32_t mark; /* what rules gave it */
    uint8_t l3_ok;
    uint8_t l4_ok;
    uint8_t reserved14[2];
    uint8_t reserved16[16];
    uint32_t queue;
    uint32_t imm; /* immediate value, other transports */
    uint32_t reserved40;
    uint32_t bytes_be;
    uint64_t time_be; /* seconds << 32 | nanoseconds; of errors: syndromes, see below */
    uint64_t tail;    /* written last: opendoca_gpu_cqe_tail() */
};

OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_cqe) == 64, "a record is a cache line");

OPENDOCA_GPU_FN uint16_t opendoca_gpu_swap16(uint16_t value)
{
    return (uint16_t)((value << 8) | (value >> 8));
}

OPENDOCA_GPU_FN uint32_t opendoca_gpu_swap32(uint32_t value)
{
    return (value << 24) | ((value & 0xff00u) << 8) | ((value >> 8) & 0xff00u) | (value >> 24);
}

OPENDOCA_GPU_FN uint64_t opendoca_gpu_swap64(uint64_t value)
{
    return ((uint64_t)opendoca_gpu_swap32((uint32_t)value) << 32) |
           opendoca_gpu_swap32((uint32_t)(value >> 32));
}

/* Nanoseconds since 1970 as records and wait slots have them, and back. */
OPENDOCA_GPU_FN uint64_t opendoca_gpu_time_to_be(uint64_t ns)
{
    return opendoca_gpu_swap64(((ns / 1000000000u) << 32) | (ns % 1000000000u));
}

OPENDOCA_GPU_FN uint64_t opendoca_gpu_time_from_be(uint64_t time_be)
{
    uint64_t time = opendoca_gpu_swap64(time_be);

    return (time >> 32) * 1000000000u + (time & 0xffffffffu);
}

/* Bytes 54 and 55 of an error record. */
OPENDOCA_GPU_FN uint64_t opendoca_gpu_syndromes(uint8_t vendor, uint8_t syndrome)
{
    return ((uint64_t)vendor << 48) | ((uint64_t)syndrome << 56);
}

/* Bytes 60 and 61: counter, 62: signature, 63: opcode and owner. `owner` is 0 or 1. */
OPENDOCA_GPU_FN uint64_t opendoca_gpu_cqe_tail(unsigned int opcode, unsigned int owner,
                                               uint16_t counter)
{
    return ((uint64_t)(uint8_t)((opcode << 4) | owner) << 56) |
           ((uint64_t)opendoca_gpu_swap16(counter) << 32);
}

OPENDOCA_GPU_FN unsigned int opendoca_gpu_cqe_opcode(uint64_t tail)
{
    return (unsigned int)(tail >> 60);
}

OPENDOCA_GPU_FN uint16_t opendoca_gpu_cqe_counter(uint64_t tail)
{
    return opendoca_gpu_swap16((uint16_t)(tail >> 32));
}

/* Whether record `position` of a ring of `num`, a power of two, is the one with this tail. */
OPENDOCA_GPU_FN int opendoca_gpu_cqe_is_there(uint64_t tail, uint64_t position, uint32_t num)
{
    return opendoca_gpu_cqe_opcode(tail) != OPENDOCA_GPU_CQE_INVALID &&
           ((tail >> 56) & 1u) == ((position & num) != 0 ? 1u : 0u);
}

/* ---- send slots: 64 bytes, four quarters ---- */

#define OPENDOCA_GPU_SLOT_SEND   0x0au /* 1 or 2 segments: one frame */
#define OPENDOCA_GPU_SLOT_WAIT   0x0fu /* no segments */
#define OPENDOCA_GPU_SLOT_MULTI  0x29u /* 1 to 61 segments: one frame each */
#define OPENDOCA_GPU_SLOT_NOTIFY 1u    /* of the flags */
#define OPENDOCA_GPU_SLOT_L3_SUM (1u << 6)
#define OPENDOCA_GPU_SLOT_L4_SUM (1u << 7)
#define OPENDOCA_GPU_SLOT_CHECK  0x5dca51075dca5107ull
#define OPENDOCA_GPU_SEGS_MAX    61u

/* The first quarter, as two words. */
struct opendoca_gpu_slot_control {
    uint8_t opcode;
    uint8_t nsegs;
    uint16_t index; /* of the slot, modulo 65536 */
    uint8_t flags;
    uint8_t reserved[3]; /* 0 */
    uint64_t check;      /* the word above ^ OPENDOCA_GPU_SLOT_CHECK */
};

/* The second quarter. */
struct opendoca_gpu_slot_what {
    union {
        uint64_t sums;    /* OPENDOCA_GPU_SLOT_L3_SUM, L4_SUM: of sends */
        uint64_t time_be; /* of waits */
    };
    uint64_t reserved;
};

/* The others, and of MULTI all quarters of the following slots. */
struct opendoca_gpu_slot_seg {
    uint32_t bytes; /* 0: no frame */
    uint32_t key_be;
    uint64_t addr; /* as the GPU sees it */
};

struct opendoca_gpu_slot {
    struct opendoca_gpu_slot_control control;
    struct opendoca_gpu_slot_what what;
    struct opendoca_gpu_slot_seg seg[2];
};

OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_slot_control) == 16, "a quarter");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_slot_what) == 16, "a quarter");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_slot_seg) == 16, "a quarter");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_slot) == 64, "a slot is a cache line");

/* The first word of the first quarter. */
OPENDOCA_GPU_FN uint64_t opendoca_gpu_slot_word(unsigned int opcode, unsigned int nsegs,
                                                uint16_t index, unsigned int flags)
{
    return opcode | (nsegs << 8) | ((uint64_t)index << 16) | ((uint64_t)(uint8_t)flags << 32);
}

/* How many slots a MULTI of so many segments takes. */
OPENDOCA_GPU_FN uint32_t opendoca_gpu_multi_slots(uint32_t nsegs)
{
    return (nsegs + 2 + 3) / 4;
}

/* ---- words that both sides look at; each writer has cache lines of its own ---- */

#define OPENDOCA_GPU_QUEUE_RUNS    1u
#define OPENDOCA_GPU_QUEUE_STOPPED 2u
#define OPENDOCA_GPU_QUEUE_BROKEN  3u /* its handle was overwritten */

struct opendoca_gpu_rx_words {
    uint64_t posted; /* kernel: slots ever granted (wqe_db_rec) */
    uint64_t pad8[7];
    uint64_t consumed; /* kernel: records ever consumed (cq_db_rec); advisory */
    uint64_t pad72[7];
    uint64_t stored;  /* NIC: packets ever stored */
    uint64_t dropped; /* NIC: for which no slot was granted */
    uint64_t state;   /* CPU: OPENDOCA_GPU_QUEUE_... */
    uint64_t pad152[5];
};

struct opendoca_gpu_tx_words {
    uint64_t doorbell; /* kernel (wqe_db), or the proxy's CPU: first slot that is not ready */
    uint64_t pad8[7];
    uint64_t proxy; /* kernel, proxy mode: the same, until the CPU takes it over */
    uint64_t pad72[7];
    uint64_t record;   /* kernel (wqe_db_rec); nobody reads it */
    uint64_t consumed; /* kernel: records ever consumed (cq_db_rec); advisory */
    uint64_t pad144[6];
    uint64_t taken;     /* NIC: slots that may be filled again */
    uint64_t completed; /* NIC: records ever written */
    uint64_t state;     /* CPU: OPENDOCA_GPU_QUEUE_... */
    uint64_t pad216[5];
};

OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_rx_words) == 192, "three lines");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_tx_words) == 256, "four lines");

/* ---- private ends of the queues' handles ---- */

struct opendoca_gpu_rxq_private {
    uint32_t magic; /* OPENDOCA_GPU_RXQ_MAGIC */
    uint32_t version;
    uint64_t words; /* struct opendoca_gpu_rx_words, as the GPU sees it */
    uint64_t bufs;  /* struct doca_gpu_buf for each slot, as the GPU sees it */
    uint64_t spare[5];
};

#define OPENDOCA_GPU_TXQ_COMPLETES 1u /* records are written; else completions are events */
#define OPENDOCA_GPU_TXQ_WAITS     2u /* waiting for a time is switched on */

struct opendoca_gpu_txq_private {
    uint32_t magic; /* OPENDOCA_GPU_TXQ_MAGIC */
    uint32_t version;
    uint64_t words; /* struct opendoca_gpu_tx_words, as the GPU sees it */
    uint32_t flags; /* OPENDOCA_GPU_TXQ_... */
    uint32_t reserved;
    uint64_t spare[5]; /* 0 at start; the device code's own */
};

/* ---- buffers ---- */

struct doca_gpu_buf {
    uint64_t addr; /* as the GPU sees it */
    uint32_t key_be;
    uint32_t bytes; /* of the element */
};

struct doca_gpu_buf_arr {
    uint32_t magic; /* OPENDOCA_GPU_BUFS_MAGIC */
    uint32_t version;
    uint64_t num;
    uint64_t base;   /* of element 0 */
    uint64_t stride; /* and size */
    uint32_t key_be;
    uint32_t reserved;
    uint64_t bufs; /* struct doca_gpu_buf for each, as the GPU sees it */
};

OPENDOCA_GPU_ASSERT(sizeof(struct doca_gpu_buf) == 16, "many of them");
OPENDOCA_GPU_ASSERT(sizeof(struct doca_gpu_buf_arr) == 48, "no gaps");

/* ---- semaphores ---- */

struct opendoca_gpu_sem_item {
    uint32_t status; /* written last */
    uint32_t num_packets;
    uint64_t first;
};

struct doca_gpu_semaphore_gpu {
    uint32_t magic; /* OPENDOCA_GPU_SEM_MAGIC */
    uint32_t version;
    uint32_t num;
    uint32_t custom_stride; /* bytes from one item's custom info to the next; 0: none */
    uint64_t items;         /* struct opendoca_gpu_sem_item for each, as the GPU sees it */
    uint64_t custom;        /* as the GPU sees it; 0: none */
};

OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_sem_item) == 16, "no gaps");
OPENDOCA_GPU_ASSERT(sizeof(struct doca_gpu_semaphore_gpu) == 32, "no gaps");

/* ---- copies that kernels start: number n at n mod num, a power of two ---- */

struct opendoca_gpu_dma_copy {
    uint64_t src; /* as the GPU sees it */
    uint64_t dst;
    uint64_t bytes;
    uint32_t src_key_be;
    uint32_t dst_key_be;
};

/* The worker copies while done < committed, and counts a copy when it is complete. */
struct opendoca_gpu_dma_words {
    uint64_t committed; /* kernel: copies that may begin */
    uint64_t pad8[7];
    uint64_t done;   /* worker: copies that are complete, or failed */
    uint64_t failed; /* worker: of these, not made: unknown keys, memory outside of their ranges */
    uint64_t state;  /* CPU: OPENDOCA_GPU_QUEUE_... */
    uint64_t pad88[5];
};

struct doca_gpu_dma {
    uint32_t magic; /* OPENDOCA_GPU_DMA_MAGIC */
    uint32_t version;
    uint64_t words;  /* struct opendoca_gpu_dma_words, as the GPU sees it */
    uint64_t copies; /* struct opendoca_gpu_dma_copy for each, as the GPU sees it */
    uint32_t num;
    uint32_t reserved;
    uint64_t queued; /* kernel: copies ever queued; 0 at start */
};

OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_dma_copy) == 32, "no gaps");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_dma_words) == 128, "two lines");
OPENDOCA_GPU_ASSERT(sizeof(struct doca_gpu_dma) == 40, "no gaps");

/* ---- RDMA operations of kernels: number n at n mod num, a power of two ---- */

#define OPENDOCA_GPU_RDMA_WRITE 1u
#define OPENDOCA_GPU_RDMA_READ  2u
#define OPENDOCA_GPU_RDMA_SEND  3u

#define OPENDOCA_GPU_RDMA_IMM    1u /* of the flags: with an immediate value */
#define OPENDOCA_GPU_RDMA_INLINE 2u /* the bytes are in the operation */

#define OPENDOCA_GPU_RDMA_INLINE_MAX 44u

struct opendoca_gpu_rdma_op {
    uint32_t opcode;
    uint32_t flags;
    uint64_t remote; /* as the peer's kernels see it */
    uint64_t local;  /* as the GPU sees it */
    uint32_t remote_key_be;
    uint32_t local_key_be;
    uint32_t bytes;
    uint32_t imm;
    uint8_t data[48];
    uint64_t reserved[5];
};

/* The worker makes operations while done < committed, and counts one when the peer has acknowledged
 * it. Receives have the same words: there an operation is done when its completion is written. */
struct opendoca_gpu_rdma_words {
    uint64_t committed; /* kernel */
    uint64_t pad8[7];
    uint64_t done;   /* worker */
    uint64_t failed; /* worker: not 0: an operation failed, nothing more is done */
    uint64_t state;  /* CPU: OPENDOCA_GPU_QUEUE_... */
    uint64_t pad88[5];
};

/* Of one connection; the kernel's own but for the addresses. */
struct opendoca_gpu_rdma_conn {
    uint64_t words; /* struct opendoca_gpu_rdma_words, as the GPU sees it */
    uint64_t ops;   /* struct opendoca_gpu_rdma_op for each place, as the GPU sees it */
    uint64_t queued;
    uint64_t committed;
};

struct doca_gpu_dev_rdma {
    uint32_t magic; /* OPENDOCA_GPU_RDMA_MAGIC */
    uint32_t version;
    uint32_t num;     /* operations of each connection */
    uint32_t conns;   /* places for connections, also those still to come */
    uint64_t conn;    /* struct opendoca_gpu_rdma_conn for each, as the GPU sees it */
    uint64_t recv;    /* struct doca_gpu_dev_rdma_r, as the GPU sees it */
    uint64_t commits; /* kernel: since it last waited; 0 at start */
};

/* A receive, and in its order of completion what became of one. */
struct opendoca_gpu_rdma_recv {
    uint64_t addr; /* as the GPU sees it; 0 without a buffer */
    uint32_t bytes;
    uint32_t key_be;
};

struct opendoca_gpu_rdma_arrival {
    uint32_t conn;
    uint32_t imm; /* 0 without one */
    uint32_t bytes;
    uint32_t reserved;
};

struct doca_gpu_dev_rdma_r {
    uint32_t magic; /* OPENDOCA_GPU_RDMR_MAGIC */
    uint32_t version;
    uint32_t num;
    uint32_t reserved;
    uint64_t words;    /* struct opendoca_gpu_rdma_words, as the GPU sees it */
    uint64_t recvs;    /* struct opendoca_gpu_rdma_recv for each place, as the GPU sees it */
    uint64_t arrivals; /* struct opendoca_gpu_rdma_arrival for each place, as the GPU sees it */
    uint64_t queued;   /* kernel: all 0 at start */
    uint64_t committed;
    uint64_t taken; /* completions that the kernel has had */
};

OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_rdma_op) == 128, "two lines");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_rdma_words) == 128, "two lines");
OPENDOCA_GPU_ASSERT(sizeof(struct opendoca_gpu_rdma_conn) == 32, "no gaps");
OPENDOCA_GPU_ASSERT(sizeof(struct doca_gpu_dev_rdma) == 40, "no gaps");
OPENDOCA_GPU_ASSERT(sizeof(struct doca_gpu_dev_rdma_r) == 64, "no gaps");

#endif /* OPENDOCA_GPU_RING_H_ */
