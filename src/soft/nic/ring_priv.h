/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_RING_PRIV_H_
#define OD_SOFT_NIC_RING_PRIV_H_

/* A send queue of kernels. One thread of its engine only, from soft_nic_engine_add() to
 * soft_nic_engine_remove(). */

#include "soft/nic/nic_priv.h"

struct soft_nic_worker; /* a thread of the engine */
struct soft_gpu_memory;
struct soft_nic_fetch;

/* Frames of a batch that lie in memory of `gpu` which the CPU does not reach. `*fetch` is NULL when
 * there is no such memory. 0, -ENOMEM, -EIO with a reason. */
int soft_nic_fetch_open(struct soft_gpu *gpu, uint32_t max_len, struct soft_nic_fetch **fetch);
void soft_nic_fetch_close(struct soft_nic_fetch *fetch); /* NULL is fine; waits for copies */
/* Where the bytes at `at` are after soft_nic_fetch_finish(), until the next batch; NULL: there is
 * no room left in this one. A frame that begins a batch has room. */
const char *soft_nic_fetch_add(struct soft_nic_fetch *fetch, const struct soft_gpu_memory *memory,
                               char *at, uint32_t len);
/* 0, or -EIO with a reason: nothing of the batch has come, and nothing ever will. */
int soft_nic_fetch_finish(struct soft_nic_fetch *fetch);

/* Where the queue stands when a frame is over. */
struct soft_nic_ring_made {
    uint64_t next; /* slot */
    uint32_t seg;  /* in it */
    bool is_last;  /* of its slot's frames */
    bool notify;
    bool is_fetched; /* from memory that the CPU does not reach */
    uint8_t sums;    /* to be filled in */
    uint16_t index;  /* of its slot */
};

struct soft_nic_ring_txq {
    struct od_list link; /* of the worker's */
    struct soft_nic_worker *worker;
    struct soft_nic_port *port;
    struct soft_nic_txq *txq;
    struct soft_nic_tx_ring ring;
    struct soft_nic_counters counters;

    uint64_t rung;      /* the doorbell as it was last seen */
    uint64_t accepted;  /* slots before this one are ready */
    uint64_t next;      /* slot to send from */
    uint32_t seg;       /* and segment of it */
    int status;         /* of the slot's frames that are over */
    uint64_t waits_for; /* time; 0: does not wait */
    uint64_t completed; /* records */

    uint32_t nmade;
    struct soft_nic_ring_made made[SOFT_NIC_BATCH];
    struct soft_nic_tx_frame frames[SOFT_NIC_BATCH];
    struct soft_nic_piece pieces[SOFT_NIC_BATCH][2];
    uint32_t scratch_size; /* for frames whose sums are filled in */
    uint8_t *scratch;
    struct soft_nic_fetch *fetch; /* NULL: all memory is reached */
};

#endif /* OD_SOFT_NIC_RING_PRIV_H_ */
