/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_ETH_TXQ_PRIV_H_
#define OD_ETH_TXQ_PRIV_H_

/* What the files of send queues share.
 *
 *   txq.c        create, configure, destroy
 *   txq_run.c    the context: start, progress, stop
 *   txq_frame.c  from what was submitted to frames
 *   txq_send.c   tasks: sends and large sends
 *   txq_batch.c  batches of both
 *   txq_cap.c    what devices offer
 *   txq_gpu.c    the GPU's data path: a ring that kernels fill
 *   txq_event.c  the GPU's data path: events of what kernels sent
 *
 * What is submitted at once is a unit: a task, or a batch with its tasks. Units wait in one line.
 * Progress makes frames of the first ones, gives them to the port, and reports units whose frames
 * are all over. */

#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_eth_txq_gpu_data_path.h>

#include "eth/eth_priv.h"
#include "soft/nic/segment.h"

#define ETH_TXQ_BURST_MAX      32768u
#define ETH_TXQ_BURST_MIN      256u
#define ETH_TXQ_LIST_MAX       32u
#define ETH_TXQ_LSO_HEADER_MAX 256u
#define ETH_TXQ_LSO_HEADER_MIN 14u
#define ETH_TXQ_LSO_MSG_MAX    (4u * 65535u)
#define ETH_TXQ_OL_FLAGS       (DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM | DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM)
#define ETH_TXQ_FRAMES         64u /* made at once */
#define ETH_ALIGN8(n)          (((n) + 7u) / 8u * 8u)

/* What one task sends. */
struct eth_tx_item {
    struct doca_buf *pkt;
    struct doca_gather_list *headers; /* large sends */
    uint16_t mss;
    uint16_t ol_flags;
};

struct eth_tx_unit {
    struct eth_tx_unit *next;
    uint32_t ntasks;
    bool is_lso;
    uint32_t task;       /* of which frames are made */
    uint32_t offset;     /* in its payload, large sends */
    uint32_t pending;    /* frames that are made and not over */
    doca_error_t status; /* the first failure */
    /* The parts that tasks and batches keep in different places. */
    void (*item)(const struct eth_tx_unit *unit, uint32_t task, struct eth_tx_item *item);
    void (*fail)(struct eth_tx_unit *unit, uint32_t task, doca_error_t status);
    void (*complete)(struct eth_tx_unit *unit);
};

struct doca_eth_txq_task_send {
    struct doca_task base; /* first */
    struct eth_tx_unit unit;
    struct doca_buf *pkt;
    uint16_t ol_flags;
    uint32_t metadata[SOFT_NIC_METADATA];
};

struct doca_eth_txq_task_lso_send {
    struct doca_task base; /* first */
    struct eth_tx_unit unit;
    struct doca_buf *pkt;
    struct doca_gather_list *headers;
    uint16_t mss;
    uint16_t ol_flags;
    uint32_t metadata[SOFT_NIC_METADATA];
    uint8_t header[ETH_TXQ_LSO_HEADER_MAX]; /* as of the submission */
    struct doca_gather_list copied;         /* of it */
};

/* Batches of one kind. */
struct eth_tx_batches {
    uint16_t num; /* 0: not configured */
    uint32_t max_tasks;
    bool is_lso;
    struct eth_tx_batch *free;
    struct eth_tx_batch *all; /* for the end */
    doca_eth_txq_task_batch_send_completion_cb_t send_cb, send_error_cb;
    doca_eth_txq_task_batch_lso_send_completion_cb_t lso_cb, lso_error_cb;
};

/* Memory for more tasks than were configured at first. */
struct eth_tx_growth {
    struct eth_tx_growth *next;
    struct core_task_pool pool;
};

/* A frame of the round: where it belongs. */
struct eth_tx_made {
    struct eth_tx_unit *unit;
    uint32_t task;
};

/* A ring of kernels: what was asked for, and what is there while started. */
struct eth_txq_gpu {
    bool completes_on_gpu;
    bool uar_on_cpu;
    bool waits;
    enum doca_gpu_mem_type ring_type;
    doca_eth_txq_gpu_event_notify_send_packet_cb_t notify_cb;
    doca_eth_txq_gpu_event_error_send_packet_cb_t error_cb;
    union doca_data notify_data, error_data;
    struct soft_gpu_memory *handle, *words, *cqes, *slots;
    struct soft_nic_ring_txq *queue;
    uint32_t num;                 /* slots */
    uint32_t ncqes;               /* twice as many where they become events: see txq_event.c */
    uint64_t seen;                /* records that became events */
    _Atomic uint64_t proxy_calls; /* not counted yet: most have nothing to ring */
};

struct doca_eth_txq {
    struct doca_ctx ctx;

    uint32_t burst;
    uint32_t max_list;
    uint32_t metadata_num;
    uint32_t mss;
    uint32_t max_header;
    uint16_t ol_flags;

    struct core_task_pool sends, lsos;
    struct eth_tx_growth *more_sends, *more_lsos;
    doca_eth_txq_task_send_completion_cb_t send_cb, send_error_cb;
    doca_eth_txq_task_lso_send_completion_cb_t lso_cb, lso_error_cb;
    struct eth_tx_batches batches, lso_batches;

    struct eth_txq_gpu gpu;
    struct soft_nic_port *port; /* these while started */
    struct soft_nic_txq *queue;
    bool id_is_applied;
    uint16_t id;
    uint32_t inflight;                /* tasks */
    struct eth_tx_unit *first, *last; /* submitted and not reported; first is reported first */
    struct eth_tx_unit *making;       /* of which frames are made; NULL: all are */
    uint32_t nmade, nsent;            /* frames of the round, and how many of them are over */
    struct eth_tx_made made[ETH_TXQ_FRAMES];
    struct soft_nic_tx_frame frames[ETH_TXQ_FRAMES];
    struct soft_nic_piece pieces[ETH_TXQ_FRAMES][ETH_TXQ_LIST_MAX];
    uint8_t *scratch; /* a frame for each of the round */
    uint32_t scratch_size;
    struct soft_nic_segmenter segmenter; /* of the large send that frames are made of */
};

static inline struct doca_eth_txq *eth_txq_of(const struct doca_ctx *ctx)
{
    return OD_CONTAINER_OF(ctx, struct doca_eth_txq, ctx);
}

/* txq.c */
doca_error_t eth_txq_check_idle(struct doca_eth_txq *txq, const char *func);
doca_error_t eth_txq_check_running(struct doca_eth_txq *txq, const char *func);

/* txq_run.c */
extern const struct core_ctx_ops eth_txq_ctx_ops;
/* Puts a unit in line; AGAIN when too much is in flight. */
doca_error_t eth_txq_submit(struct doca_eth_txq *txq, struct eth_tx_unit *unit, const char *func);

/* txq_frame.c: makes frames until the round is full or nothing is left. */
void eth_txq_make_frames(struct doca_eth_txq *txq);
/* What a task may send: SUCCESS or INVALID_VALUE, logged. */
doca_error_t eth_txq_check_pkt(const struct doca_eth_txq *txq, const struct doca_buf *pkt,
                               const char *func);
doca_error_t eth_txq_check_headers(const struct doca_eth_txq *txq,
                                   const struct doca_gather_list *headers, const char *func);
/* Copies the list; at most ETH_TXQ_LSO_HEADER_MAX bytes. */
uint32_t eth_txq_copy_headers(const struct doca_gather_list *headers, uint8_t *to);

/* txq_gpu.c: the context when its data path is on a GPU */
doca_error_t eth_txq_gpu_start(struct doca_eth_txq *txq, const char *func);
void eth_txq_gpu_stopped(struct doca_eth_txq *txq);
void eth_txq_gpu_destroyed(struct doca_eth_txq *txq);

/* txq_event.c */
bool eth_txq_event_step(struct doca_eth_txq *txq);
bool eth_txq_event_is_due(const struct doca_eth_txq *txq);

/* txq_send.c */
extern const struct core_task_ops eth_txq_send_ops;
extern const struct core_task_ops eth_txq_lso_ops;
void eth_txq_free_growth(struct doca_eth_txq *txq);

/* txq_batch.c */
doca_error_t eth_txq_batches_open(struct doca_eth_txq *txq, struct eth_tx_batches *batches);
void eth_txq_batches_close(struct eth_tx_batches *batches);

#endif /* OD_ETH_TXQ_PRIV_H_ */
