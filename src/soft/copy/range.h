/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_COPY_RANGE_H_
#define OD_SOFT_COPY_RANGE_H_

/* Executes a part of a job: walks both segment lists, reaches local, mapped and far memory.
 *
 * Far memory (a peer that cannot be mapped) is reached through vectors, so that one call to the
 * peer room carries as many pieces as fit; where both sides are far the bytes take the way over a
 * bounce buffer. */

#include <sys/uio.h>

#include "soft/copy/copy.h"
#include "soft/copy/guard.h"

#define SOFT_COPY_VECTOR 64u          /* iovecs of a side in one call */
#define SOFT_COPY_BOUNCE (128u << 10) /* bytes */

/* Pieces between local and far memory that wait for one call. */
struct soft_copy_vector {
    struct soft_peer_map *map;
    bool to_peer;
    uint32_t nlocal;
    uint32_t nremote;
    struct iovec local[SOFT_COPY_VECTOR];
    struct iovec remote[SOFT_COPY_VECTOR];
};

/* What one executing thread needs; a worker has one, and so has each channel for its owner. */
struct soft_copy_lane {
    struct soft_copy_vector vector;
    void *bounce; /* abreast.h, of SOFT_COPY_BOUNCE bytes */
};

/* -ENOMEM with a reason. */
int soft_copy_lane_init(struct soft_copy_lane *lane);
void soft_copy_lane_fini(struct soft_copy_lane *lane);

/* Copies bytes [off, off + len) of the job. 0 or a job status; -EFAULT also when the segments end
 * before the range does. */
int soft_copy_range(struct soft_copy_lane *lane, const struct soft_copy_job *job, uint64_t off,
                    uint64_t len);

/* Puts a whole job into the vector when it runs between local memory and one far peer, the same one
 * and in the same direction as what the vector holds already, and when there is room. */
bool soft_copy_vector_add_job(struct soft_copy_vector *vector, const struct soft_copy_job *job);

/* Executes what the vector holds and empties it. 0 or a job status. */
int soft_copy_vector_flush(struct soft_copy_vector *vector);
void soft_copy_vector_drop(struct soft_copy_vector *vector);

#endif /* OD_SOFT_COPY_RANGE_H_ */
