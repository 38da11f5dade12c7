/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_RANKS_H_
#define SAMPLES_COMMON_RANKS_H_

/* The ranks of an MPI program as a domain of UROM, and as a team of workers. */

#include <doca_urom_coll.h>

#include "session.h"

struct ranks {
    struct session s;
    int rank, size;
    struct doca_urom_coll_team *team;
};

/* Each rank has the worker of its number. MPI is initialised. After a failure call ranks_close()
 * too.
 */
doca_error_t ranks_open(struct ranks *r);
void ranks_close(struct ranks *r);

/* DOCA_SUCCESS once all ranks have it, else a failure of one of them, the same at all: none goes on
 * to where others do not come. All call it. */
doca_error_t ranks_agree(doca_error_t own);

/* Gives the processor away while operations are in flight: ranks may share one. */
doca_error_t ranks_wait(struct ranks *r);

#endif /* SAMPLES_COMMON_RANKS_H_ */
