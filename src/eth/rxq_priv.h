/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_ETH_RXQ_PRIV_H_
#define OD_ETH_RXQ_PRIV_H_

/* What the files of receive queues share.
 *
 *   rxq.c          create, configure, destroy
 *   rxq_run.c      the context: start, progress, stop
 *   rxq_recv.c     REGULAR: receive tasks
 *   rxq_managed.c  MANAGED_MEMPOOL: the pool, single packets
 *   rxq_batch.c    MANAGED_MEMPOOL: batches of packets
 *   rxq_cyclic.c   CYCLIC: slots in turn; events are those of rxq_managed.c
 *   rxq_attr.c     what is known of a packet
 *   rxq_cap.c      what devices offer
 *   rxq_gpu.c      the GPU's data path: a ring that kernels read */

#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_rxq_gpu_data_path.h>

#include "eth/eth_priv.h"

#define ETH_RXQ_BURST_MAX  65536u
#define ETH_RXQ_LIST_MAX   32u
#define ETH_RXQ_STRIDE_MAX 8192u /* of a managed element: head, packet and tail */
#define ETH_RXQ_ROOM_MAX   (ETH_RXQ_STRIDE_MAX - 64u)
#define ETH_RXQ_EVENTS_MAX 128u
#define ETH_ALIGN64(n)     (((n) + 63u) / 64u * 64u)

/* One packet as its callback sees it: where it is and what is known. */
struct eth_packet {
    const struct doca_eth_rxq *rxq;
    const struct doca_buf *buf;
    const struct soft_nic_meta *meta;
};

struct doca_eth_rxq_task_recv {
    struct doca_task base; /* first */
    struct doca_buf *pkt;
    struct soft_nic_meta meta;
    struct soft_nic_piece pieces[]; /* max_list of them */
};

struct doca_eth_rxq_event_managed_recv {
    struct eth_packet packet;
    doca_error_t status;
};

/* What a batch callback is given; back in the queue's stock when all of its buffers are. */
struct eth_array {
    struct eth_array *next; /* free ones */
    struct doca_eth_rxq *rxq;
    uint32_t out; /* buffers that were not given back */
    uint32_t num;
    struct doca_buf *pkts[];
};

struct doca_eth_rxq_event_batch_managed_recv {
    struct doca_eth_rxq *rxq;
    uint32_t num;
    struct doca_buf **pkts;
    const struct soft_nic_meta *metas[ETH_RXQ_EVENTS_MAX];
    uint8_t l3_ok[ETH_RXQ_EVENTS_MAX];
    uint8_t l4_ok[ETH_RXQ_EVENTS_MAX];
    uint32_t flow_tag[ETH_RXQ_EVENTS_MAX];
    uint32_t rx_hash[ETH_RXQ_EVENTS_MAX];
    uint64_t timestamp[ETH_RXQ_EVENTS_MAX];
    uint32_t metadata[ETH_RXQ_EVENTS_MAX * SOFT_NIC_METADATA];
};

/* A ring for kernels: what was asked for, and what is there while started. */
struct eth_rxq_gpu {
    bool uar_on_cpu;
    bool has_mcst;
    enum doca_gpu_mem_type ring_type;
    struct soft_gpu_memory *packets; /* held from doca_eth_rxq_set_pkt_buf() on; may be NULL */
    uint32_t key;                    /* of them */
    struct soft_gpu_memory *handle, *words, *cqes, *bufs;
};

struct doca_eth_rxq {
    struct doca_ctx ctx;

    enum doca_eth_rxq_type type;
    uint32_t burst;
    uint32_t max_packet;
    uint32_t metadata_num;
    uint32_t has_flow_tag, has_rx_hash, has_timestamp; /* 0: no */
    uint32_t headroom, tailroom;
    uint32_t max_list;
    struct doca_mmap *mmap; /* not looked at after start */
    char *mem;
    size_t mem_len;

    struct core_task_pool tasks;
    doca_eth_rxq_task_recv_completion_cb_t recv_cb, recv_error_cb;
    doca_eth_rxq_event_managed_recv_handler_cb_t event_cb, event_error_cb;
    doca_eth_rxq_event_batch_managed_recv_handler_cb_t batch_cb, batch_error_cb;
    uint32_t batch_min, batch_max;
    union doca_data event_data;

    struct eth_rxq_gpu gpu;
    struct soft_nic_port *port; /* these while started */
    struct soft_nic_rxq *queue;
    bool id_is_applied;
    struct core_buf_source *bufs; /* MANAGED_MEMPOOL, CYCLIC */
    uint32_t nbufs;
    uint32_t next_slot;        /* CYCLIC */
    struct eth_array **owners; /* of each buffer: the array it is in, NULL: none */
    struct eth_array *free_arrays;
    void *array_memory;
    struct doca_eth_rxq_event_batch_managed_recv *batch;
};

static inline struct doca_eth_rxq *eth_rxq_of(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_eth_rxq, ctx);
}

/* rxq.c */
doca_error_t eth_rxq_check_idle(struct doca_eth_rxq *rxq, const char *func);

/* rxq_run.c */
extern const struct core_ctx_ops eth_rxq_ctx_ops;

/* rxq_recv.c */
extern const struct core_task_ops eth_rxq_recv_ops;
/* One filled or returned task; false: none. */
bool eth_rxq_recv_step(struct doca_eth_rxq *rxq);

/* rxq_managed.c: 0 or a negative errno with a reason. */
int eth_rxq_managed_open(struct doca_eth_rxq *rxq);
void eth_rxq_managed_close(struct doca_eth_rxq *rxq);
uint64_t eth_rxq_managed_stride(uint32_t headroom, uint32_t max_packet, uint32_t tailroom);
/* Gives free buffers to the queue. */
void eth_rxq_managed_refill(struct doca_eth_rxq *rxq);
/* The buffer of the oldest packet of the queue, filled in. */
struct doca_buf *eth_rxq_managed_pkt(const struct doca_eth_rxq *rxq,
                                     const struct soft_nic_post *post);
bool eth_rxq_managed_step(struct doca_eth_rxq *rxq);
/* Takes what the queue has, unseen by the program. */
void eth_rxq_managed_drop(struct doca_eth_rxq *rxq);

/* rxq_cyclic.c */
uint32_t eth_rxq_cyclic_slots(const struct doca_eth_rxq *rxq);
int eth_rxq_cyclic_open(struct doca_eth_rxq *rxq);
void eth_rxq_cyclic_refill(struct doca_eth_rxq *rxq);

/* rxq_gpu.c: the context when its data path is on a GPU */
doca_error_t eth_rxq_gpu_start(struct doca_eth_rxq *rxq, const char *func);
void eth_rxq_gpu_stopped(struct doca_eth_rxq *rxq);
void eth_rxq_gpu_destroyed(struct doca_eth_rxq *rxq);

/* rxq_batch.c */
int eth_rxq_batch_open(struct doca_eth_rxq *rxq);
void eth_rxq_batch_close(struct doca_eth_rxq *rxq);
bool eth_rxq_batch_step(struct doca_eth_rxq *rxq);
/* A buffer has come back to the pool. */
void eth_rxq_batch_returned(struct doca_eth_rxq *rxq, struct doca_buf *buf);

/* rxq_attr.c */
uint8_t eth_packet_l3_ok(const struct eth_packet *packet);
uint8_t eth_packet_l4_ok(const struct eth_packet *packet);

#endif /* OD_ETH_RXQ_PRIV_H_ */
