/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_GPU_FIXTURE_H_
#define TESTS_LIB_GPU_FIXTURE_H_

/* Queues of kernels at the two ends of a wire, without kernels: the test itself does what device
 * code does, by the shared description of the rings. */

#include "lib/eth_fixture.h"

#include <doca_buf_array.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio.h>
#include <doca_gpunetio_eth_def.h>

#include <impl/opendoca_gpu_barrier.h>

#define GPU_WAIT_SECONDS 20

struct gpu_memory {
    char *gpu, *cpu;
    struct doca_mmap *map;
    uint32_t key_be; /* for the device it was made for */
};

struct gpu_fix {
    struct doca_gpu *gpu;
    struct doca_pe *pe;
    struct doca_dev *a, *b;
};

static inline void gpu_fix_open_at(struct gpu_fix *fix, const char *address)
{
    memset(fix, 0, sizeof(*fix));
    fix->a = eth_open_dev(0);
    fix->b = eth_open_dev(1);
    assert_ok(doca_pe_create(&fix->pe));
    assert_ok(doca_gpu_create(address, &fix->gpu));
}

static inline void gpu_fix_open(struct gpu_fix *fix)
{
    gpu_fix_open_at(fix, "0000:41:00.0");
}

static inline void gpu_fix_close(struct gpu_fix *fix)
{
    assert_ok(doca_gpu_destroy(fix->gpu));
    assert_ok(doca_pe_destroy(fix->pe));
    assert_ok(doca_dev_close(fix->a));
    assert_ok(doca_dev_close(fix->b));
}

static inline void gpu_memory_open(struct gpu_fix *fix, struct doca_dev *dev, size_t size,
                                   enum doca_gpu_mem_type type, struct gpu_memory *memory)
{
    uint32_t key;

    assert_ok(doca_gpu_mem_alloc(fix->gpu, size, 4096, type, (void **)&memory->gpu,
                                 (void **)&memory->cpu));
    assert_ok(doca_mmap_create(&memory->map));
    assert_ok(doca_mmap_add_dev(memory->map, dev));
    assert_ok(doca_mmap_set_memrange(memory->map, memory->gpu, size));
    assert_ok(doca_mmap_start(memory->map));
    assert_ok(doca_mmap_get_mkey(memory->map, dev, &key));
    memory->key_be = opendoca_gpu_swap32(key);
}

static inline void gpu_memory_close(struct gpu_fix *fix, struct gpu_memory *memory)
{
    assert_ok(doca_mmap_destroy(memory->map));
    assert_ok(doca_gpu_mem_free(fix->gpu, memory->gpu));
}

/* ---- receive ---- */

struct gpu_rx {
    struct doca_eth_rxq *rxq;
    struct doca_ctx *ctx;
    struct doca_gpu_eth_rxq *handle;
    struct gpu_memory memory;
};

static inline void gpu_rx_open(struct gpu_fix *fix, struct doca_dev *dev, uint32_t slots,
                               uint32_t stride, struct gpu_rx *rx)
{
    uint32_t size;

    assert_ok(doca_eth_rxq_create(dev, slots, stride, &rx->rxq));
    rx->ctx = doca_eth_rxq_as_doca_ctx(rx->rxq);
    assert_ok(doca_eth_rxq_set_type(rx->rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    assert_ok(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, stride, slots,
                                                    0, 0, 0, &size));
    gpu_memory_open(fix, dev, size, DOCA_GPU_MEM_TYPE_GPU, &rx->memory);
    assert_ok(doca_eth_rxq_set_pkt_buf(rx->rxq, rx->memory.map, 0, size));
    assert_ok(doca_ctx_set_datapath_on_gpu(rx->ctx, fix->gpu));
    assert_ok(doca_ctx_start(rx->ctx));
    assert_ok(doca_eth_rxq_get_gpu_handle(rx->rxq, &rx->handle));
}

/* In an order that programs have: the memory goes before the queue and its map. */
static inline void gpu_rx_close(struct gpu_fix *fix, struct gpu_rx *rx)
{
    assert_ok(doca_ctx_stop(rx->ctx));
    assert_ok(doca_gpu_mem_free(fix->gpu, rx->memory.gpu));
    assert_ok(doca_eth_rxq_destroy(rx->rxq));
    assert_ok(doca_mmap_destroy(rx->memory.map));
}

static inline struct opendoca_gpu_rx_words *gpu_rx_words(const struct gpu_rx *rx)
{
    return (struct opendoca_gpu_rx_words *)(uintptr_t)rx->handle->opendoca.words;
}

/* The record of packet n, or NULL when it has not come. */
static inline const struct opendoca_gpu_cqe *gpu_rx_look(const struct gpu_rx *rx)
{
    const struct doca_gpu_eth_rxq *h = rx->handle;
    const struct opendoca_gpu_cqe *cqe =
        (const struct opendoca_gpu_cqe *)h->cqe_addr + (h->cqe_ci & h->cqe_mask);

    if (!opendoca_gpu_cqe_is_there(opendoca_gpu_observe(&cqe->tail), h->cqe_ci, h->cqe_num))
        return NULL;
    return cqe;
}

static inline const struct opendoca_gpu_cqe *gpu_rx_wait(const struct gpu_rx *rx)
{
    struct patience patience = patience_of(GPU_WAIT_SECONDS);
    const struct opendoca_gpu_cqe *cqe = gpu_rx_look(rx);

    while (cqe == NULL && patience_lasts(&patience)) {
        sched_yield();
        cqe = gpu_rx_look(rx);
    }
    assert_non_null(cqe);
    return cqe;
}

static inline char *gpu_rx_packet(const struct gpu_rx *rx)
{
    const struct doca_gpu_eth_rxq *h = rx->handle;

    return (char *)(uintptr_t)(h->pkt_addr + (h->cqe_ci & (h->pkt_num - 1)) * h->max_pkt_sz);
}

/* Consumes the record and gives its slot back. */
static inline void gpu_rx_done(struct gpu_rx *rx)
{
    rx->handle->cqe_ci++;
    rx->handle->wqe_pi++;
    opendoca_gpu_publish((uint64_t *)rx->handle->wqe_db_rec, rx->handle->wqe_pi);
}

/* The next packet is this frame. */
static inline void gpu_rx_expect(struct gpu_rx *rx, size_t len, uint32_t number)
{
    const struct opendoca_gpu_cqe *cqe = gpu_rx_wait(rx);

    assert_int_equal(opendoca_gpu_cqe_opcode(cqe->tail), OPENDOCA_GPU_CQE_RX);
    assert_int_equal(opendoca_gpu_swap32(cqe->bytes_be), len);
    assert_int_equal(eth_frame_number(gpu_rx_packet(rx)), number);
    assert_true(eth_frame_is(gpu_rx_packet(rx), len, number));
    gpu_rx_done(rx);
}

/* ---- send ---- */

struct gpu_tx {
    struct doca_eth_txq *txq;
    struct doca_ctx *ctx;
    struct doca_gpu_eth_txq *handle;
};

static inline void gpu_tx_create(struct gpu_fix *fix, struct doca_dev *dev, uint32_t slots,
                                 struct gpu_tx *tx)
{
    assert_ok(doca_eth_txq_create(dev, slots, &tx->txq));
    tx->ctx = doca_eth_txq_as_doca_ctx(tx->txq);
    assert_ok(doca_ctx_set_datapath_on_gpu(tx->ctx, fix->gpu));
}

static inline void gpu_tx_start(struct gpu_tx *tx)
{
    assert_ok(doca_ctx_start(tx->ctx));
    assert_ok(doca_eth_txq_get_gpu_handle(tx->txq, &tx->handle));
}

static inline void gpu_tx_open(struct gpu_fix *fix, struct doca_dev *dev, uint32_t slots,
                               struct gpu_tx *tx)
{
    gpu_tx_create(fix, dev, slots, tx);
    assert_ok(doca_eth_txq_gpu_set_completion_on_gpu(tx->txq));
    gpu_tx_start(tx);
}

static inline void gpu_tx_close(struct gpu_tx *tx)
{
    assert_ok(doca_ctx_stop(tx->ctx));
    assert_ok(doca_eth_txq_destroy(tx->txq));
}

static inline struct opendoca_gpu_tx_words *gpu_tx_words(const struct gpu_tx *tx)
{
    return (struct opendoca_gpu_tx_words *)(uintptr_t)tx->handle->opendoca.words;
}

static inline uint64_t *gpu_tx_slot(const struct gpu_tx *tx, uint64_t index)
{
    return (uint64_t *)tx->handle->wqe_addr + (index & tx->handle->wqe_mask) * 8;
}

static inline void gpu_tx_control(const struct gpu_tx *tx, uint64_t index, unsigned int opcode,
                                  unsigned int nsegs, unsigned int flags, uint64_t what)
{
    uint64_t *slot = gpu_tx_slot(tx, index);
    uint64_t word = opendoca_gpu_slot_word(opcode, nsegs, (uint16_t)index, flags);

    opendoca_gpu_poke(&slot[0], word);
    opendoca_gpu_poke(&slot[1], word ^ OPENDOCA_GPU_SLOT_CHECK);
    opendoca_gpu_poke(&slot[2], what);
    opendoca_gpu_poke(&slot[3], 0);
}

static inline void gpu_tx_seg(const struct gpu_tx *tx, uint64_t index, uint32_t seg,
                              const void *addr, uint32_t key_be, uint32_t bytes)
{
    uint64_t *slot = gpu_tx_slot(tx, index + (seg + 2) / 4) + (seg + 2) % 4 * 2;

    opendoca_gpu_poke(&slot[0], bytes | (uint64_t)key_be << 32);
    opendoca_gpu_poke(&slot[1], (uintptr_t)addr);
}

/* Waits for room, as device code does. */
static inline uint64_t gpu_tx_reserve(struct gpu_tx *tx, uint32_t slots)
{
    struct patience patience = patience_of(GPU_WAIT_SECONDS);
    uint64_t index = tx->handle->sq_rsvd_index;

    while (index + slots - opendoca_gpu_observe(&gpu_tx_words(tx)->taken) >
           tx->handle->wqe_mask + 1u) {
        assert_true(patience_lasts(&patience));
        sched_yield();
    }
    tx->handle->sq_rsvd_index += slots;
    return index;
}

static inline void gpu_tx_ring(struct gpu_tx *tx)
{
    tx->handle->wqe_pi = tx->handle->sq_rsvd_index;
    opendoca_gpu_publish((uint64_t *)tx->handle->wqe_db, tx->handle->wqe_pi);
}

/* One frame, not submitted yet. */
static inline uint64_t gpu_tx_put(struct gpu_tx *tx, const void *addr, uint32_t key_be,
                                  uint32_t bytes, unsigned int flags)
{
    uint64_t index = gpu_tx_reserve(tx, 1);

    gpu_tx_control(tx, index, OPENDOCA_GPU_SLOT_SEND, 1, flags, 0);
    gpu_tx_seg(tx, index, 0, addr, key_be, bytes);
    return index;
}

static inline void gpu_tx_send(struct gpu_tx *tx, const void *addr, uint32_t key_be, uint32_t bytes,
                               unsigned int flags)
{
    gpu_tx_put(tx, addr, key_be, bytes, flags);
    gpu_tx_ring(tx);
}

/* The next completion; its syndrome, 0: it was sent. */
static inline uint8_t gpu_tx_complete(struct gpu_tx *tx, uint16_t *index)
{
    struct doca_gpu_eth_txq *h = tx->handle;
    const struct opendoca_gpu_cqe *cqe =
        (const struct opendoca_gpu_cqe *)h->cqe_addr + (h->cqe_ci & h->cqe_mask);
    struct patience patience = patience_of(GPU_WAIT_SECONDS);
    uint64_t tail = opendoca_gpu_observe(&cqe->tail);

    while (!opendoca_gpu_cqe_is_there(tail, h->cqe_ci, h->cqe_num)) {
        assert_true(patience_lasts(&patience));
        sched_yield();
        tail = opendoca_gpu_observe(&cqe->tail);
    }
    h->cqe_ci++;
    *index = opendoca_gpu_cqe_counter(tail);
    if (opendoca_gpu_cqe_opcode(tail) == OPENDOCA_GPU_CQE_TX_OK)
        return 0;
    assert_int_equal(opendoca_gpu_cqe_opcode(tail), OPENDOCA_GPU_CQE_TX_ERROR);
    return (uint8_t)(opendoca_gpu_peek(&cqe->time_be) >> 56);
}

/* ---- UDP over IPv4, 64 bytes, both sums wrong ---- */

static inline void gpu_udp(uint8_t *f)
{
    static const uint8_t head[42] = {2,    0, 0,  0,  0, 2, 2, 0, 0,  0,  0,    1,    8,    0,
                                     0x45, 0, 0,  50, 0, 1, 0, 0, 64, 17, 0xaa, 0xaa, 10,   0,
                                     0,    1, 10, 0,  0, 2, 0, 7, 0,  9,  0,    30,   0xbb, 0xbb};

    memcpy(f, head, sizeof(head));
    for (int i = 42; i < 64; i++)
        f[i] = (uint8_t)i;
}

static inline uint16_t gpu_add_up(const uint8_t *at, uint32_t len, uint32_t sum)
{
    for (uint32_t i = 0; i < len; i += 2)
        sum += (uint32_t)at[i] << 8 | at[i + 1];
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

#endif /* TESTS_LIB_GPU_FIXTURE_H_ */
