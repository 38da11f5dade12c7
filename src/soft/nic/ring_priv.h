/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_RING_PRIV_H_
#define OD_SOFT_NIC_RING_PRIV_H_

/* A send queue of kernels. One thread of its engine only, from soft_nic_engine_add() to
 * soft_nic_engine_remove(). */

#include "soft/nic/nic_priv.h"

struct soft_nic_worker; /* a thread of the engine */

/* Where the queue stands when a frame is over. */
struct soft_nic_ring_made {
    uint64_t next; /* slot */
    uint32_t seg;  /* in it */
    bool is_last;  /* of its slot's frames */
    bool notify;
    uint16_t index; /* of its slot */
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
};

#endif /* OD_SOFT_NIC_RING_PRIV_H_ */
