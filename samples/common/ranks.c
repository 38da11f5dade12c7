/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include <sched.h>
#include <stdlib.h>

#include <mpi.h>

/* ------------------------------------------------------------------------------------------------
 * How the processes of a domain find each other: by MPI
 */

static doca_error_t oob_allgather(void *from, void *to, size_t len, void *info, void **req)
{
    MPI_Request *request = malloc(sizeof(*request));

    (void)info;
    if (request == NULL)
        return DOCA_ERROR_NO_MEMORY;
    if (MPI_Iallgather(from, (int)len, MPI_BYTE, to, (int)len, MPI_BYTE, MPI_COMM_WORLD, request) !=
        MPI_SUCCESS) {
        free(request);
        return DOCA_ERROR_IO_FAILED;
    }
    *req = request;
    return DOCA_SUCCESS;
}

static doca_error_t oob_test(void *req)
{
    int done = 0;

    if (MPI_Test(req, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return DOCA_ERROR_IO_FAILED;
    return done ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t oob_free(void *req)
{
    free(req);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Domain and team
 */

static doca_error_t join(struct ranks *r)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = oob_allgather,
                                            .req_test = oob_test,
                                            .req_free = oob_free,
                                            .n_oob_indexes = (uint32_t)r->size,
                                            .oob_index = (uint32_t)r->rank};

    return session_join(&r->s, &oob, (uint64_t)r->rank);
}

static void team_done(struct doca_urom_coll_team *team, doca_error_t status, void *session)
{
    (void)team;
    session_done(NULL, status, session);
}

static doca_error_t open_team(struct ranks *r)
{
    uint64_t *ids = malloc((size_t)r->size * sizeof(ids[0]));
    doca_error_t result;

    if (ids == NULL)
        return DOCA_ERROR_NO_MEMORY;
    for (int i = 0; i < r->size; i++)
        ids[i] = (uint64_t)i;
    result = doca_urom_coll_team_create(r->s.ops, 1, (uint64_t)r->rank, ids, (uint32_t)r->size,
                                        team_done, &r->s, &r->team);
    free(ids);
    if (session_begun(&r->s, result) == DOCA_SUCCESS)
        result = ranks_wait(r);
    if (result != DOCA_SUCCESS)
        r->team = NULL;
    return result;
}

doca_error_t ranks_open(struct ranks *r)
{
    static const char *const plugins[] = {"worker_coll", NULL};
    doca_error_t result;

    *r = (struct ranks){.rank = 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    result = ranks_agree(session_open(&r->s, (uint64_t)r->rank, plugins));
    if (result == DOCA_SUCCESS)
        result = join(r);
    return result == DOCA_SUCCESS ? open_team(r) : result;
}

void ranks_close(struct ranks *r)
{
    if (r->team != NULL && session_begun(&r->s, doca_urom_coll_team_destroy(r->team, session_done,
                                                                            &r->s)) == DOCA_SUCCESS)
        ranks_wait(r);
    session_close(&r->s);
}

doca_error_t ranks_agree(doca_error_t own)
{
    int mine = (int)own, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return (doca_error_t)all;
}

doca_error_t ranks_wait(struct ranks *r)
{
    while (r->s.pending > 0) {
        if (doca_pe_progress(r->s.pe) == 0)
            sched_yield();
    }
    return r->s.status;
}
