/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_COMCH_CONSUMER_H_
#define OD_COMCH_CONSUMER_H_

/* The receiving end of the fast path.
 *
 *   consumer.c   the object, its start and stop, and how arrivals become completions
 *   post_recv.c  its tasks
 */

#include <doca_comch_consumer.h>

#include "comch/comch_priv.h"
#include "comch/fast.h"

struct doca_comch_consumer {
    struct doca_ctx ctx; /* first */
    struct comch_fast_end end;
    struct doca_mmap *mmap; /* where buffers must lie; compared, not followed, after the start */
    uint32_t imm_len;
    struct core_task_pool pool;
    doca_comch_consumer_task_post_recv_completion_cb_t done_cb;
    doca_comch_consumer_task_post_recv_completion_cb_t error_cb;
    /* while started */
    struct soft_peer_queue page;
    struct soft_peer_export *page_export;
    struct soft_peer_export *data_export;
    struct comch_posts posts;
    struct doca_comch_consumer_task_post_recv **tasks; /* by slot */
    uint64_t posted;                                   /* posts so far */
    uint64_t next;                                     /* the one that is reported next */
    bool asleep;                                       /* the producers were told to ring */
    doca_error_t flush_status;
};

struct doca_comch_consumer_task_post_recv {
    struct doca_task base; /* first */
    struct doca_buf *buf;
    uint64_t room; /* as posted */
    uint32_t producer_id;
    uint32_t imm_len;
    uint8_t imm[]; /* as long as the consumer was configured for */
};

extern const struct core_task_ops comch_post_recv_ops;

/* Makes a task the newest post. */
void comch_consumer_post(struct doca_comch_consumer *consumer,
                         struct doca_comch_consumer_task_post_recv *task);

#endif /* OD_COMCH_CONSUMER_H_ */
