/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_RDMA_GPU_H_
#define OD_RDMA_GPU_H_

/* Queues of kernels. What lies in memory is described in impl/opendoca_gpu_ring.h. */

#include <impl/opendoca_gpu_ring.h>

#include "rdma/rdma_priv.h"
#include "soft/dma/mover.h"
#include "soft/gpu/watch.h"

/* Of the connection with this id, whichever it is now. */
struct rdma_gpu_conn {
    struct opendoca_gpu_rdma_words *words;
    const struct opendoca_gpu_rdma_op *ops;
    uint64_t *seqs; /* of the link's frame after which an operation is done; 0: it is */
    uint64_t begun, done;
    uint64_t sent; /* bytes of the operation at `begun` that are in the link */
    bool written;  /* its bytes are at the peer, who is not told yet */
    bool ended;    /* no connection has the id any more */
    uint64_t
        stalled_at; /* ms, when `stalled_seq` was the first that was not taken; 0: not looked */
    uint64_t stalled_seq;

    bool is_receiving; /* a message has begun, into... */
    struct soft_dma_end into;
    uint64_t placed; /* bytes of it */
};

struct rdma_gpu {
    struct soft_gpu_watch *watch; /* while running */
    struct soft_dma_mover *mover;
    struct soft_gpu_memory *handle, *r_handle, *conn, *words, *ops, *recvs, *arrivals;
    struct rdma_gpu_conn *conns;
    uint64_t *seqs;
    uint32_t nconns;
    uint32_t num;   /* operations of each connection */
    uint32_t r_num; /* receives */
    struct opendoca_gpu_rdma_words *r_words;
    uint64_t claimed, arrived; /* receives that messages began to fill, and that are complete */
    uint8_t stage[RDMA_FRAGMENT];
};

/* gpu_run.c: each returns how much there was to do. */
uint32_t rdma_gpu_run(struct doca_rdma_connection *conn);
uint32_t rdma_gpu_receive(struct doca_rdma_connection *conn);

#endif /* OD_RDMA_GPU_H_ */
