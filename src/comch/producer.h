/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_COMCH_PRODUCER_H_
#define OD_COMCH_PRODUCER_H_

/* The sending end of the fast path.
 *
 *   producer.c   the object, its start and stop, and how copies become completions
 *   transfer.c   its tasks
 */

#include <doca_comch_producer.h>

#include "comch/comch_priv.h"
#include "comch/fast.h"

struct doca_comch_producer {
    struct doca_ctx ctx; /* first */
    struct comch_fast_end end;
    struct core_task_pool pool;
    doca_comch_producer_task_send_completion_cb_t done_cb;
    doca_comch_producer_task_send_completion_cb_t error_cb;
    /* while started */
    struct soft_copy_chan *chan;
    struct core_task_queue order;  /* submitted, reported in this order */
    struct comch_target **targets; /* a reference to each that was ever sent to */
    struct comch_target *last;     /* the one of the last send */
    uint32_t ntargets, targets_cap;
};

struct doca_comch_producer_task_send {
    struct doca_task base; /* first */
    const struct doca_buf *buf;
    uint32_t consumer_id;
    uint32_t imm_len;
    /* submitted */
    bool finished; /* the fate is known */
    doca_error_t fate;
    struct comch_target *target;
    struct comch_claim claim;
    struct soft_copy_job job;
    struct soft_seg src, dst;
    uint8_t imm[]; /* as long as the device allows */
};

extern const struct core_task_ops comch_transfer_ops;

/* The copy is over, or there was none: tells the consumer, and decides the task. */
void comch_producer_conclude(struct doca_comch_producer *producer,
                             struct doca_comch_producer_task_send *task, int status);
/* Goes on with the copies, by a bounded piece; they end in the order of their submission. */
void comch_producer_copy(struct doca_comch_producer *producer);
/* Whom an id names: lives until the producer has stopped. NULL: nobody. */
struct comch_target *comch_producer_target(struct doca_comch_producer *producer, uint32_t id);

#endif /* OD_COMCH_PRODUCER_H_ */
