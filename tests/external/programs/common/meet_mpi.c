/* SPDX-License-Identifier: BSD-3-Clause */
#include "meet.h"

#include <stdlib.h>

#include <mpi.h>

doca_error_t meet_params(void)
{
    return DOCA_SUCCESS;
}

doca_error_t meet_begin(int *argc, char ***argv, struct meet *meet)
{
    if (MPI_Init(argc, argv) != MPI_SUCCESS)
        return DOCA_ERROR_INITIALIZATION;
    MPI_Comm_rank(MPI_COMM_WORLD, &meet->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &meet->size);
    return DOCA_SUCCESS;
}

doca_error_t meet_ready(struct meet *meet)
{
    (void)meet;
    return DOCA_SUCCESS;
}

void meet_end(struct meet *meet)
{
    (void)meet;
    MPI_Finalize();
}

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    MPI_Request *request = malloc(sizeof(*request));

    (void)info;
    if (request == NULL)
        return DOCA_ERROR_NO_MEMORY;
    if (MPI_Iallgather(from, (int)len, MPI_BYTE, to, (int)len, MPI_BYTE, MPI_COMM_WORLD, request) !=
        MPI_SUCCESS) {
        free(request);
        return DOCA_ERROR_DRIVER;
    }
    *req = request;
    return DOCA_SUCCESS;
}

static doca_error_t req_test(void *req)
{
    int done = 0;

    if (MPI_Test((MPI_Request *)req, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return DOCA_ERROR_DRIVER;
    return done != 0 ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t req_free(void *req)
{
    free(req);
    return DOCA_SUCCESS;
}

void meet_oob(struct meet *meet, struct doca_urom_domain_oob_coll *oob)
{
    oob->allgather = allgather;
    oob->req_test = req_test;
    oob->req_free = req_free;
    oob->coll_info = meet;
    oob->n_oob_indexes = (uint32_t)meet->size;
    oob->oob_index = (uint32_t)meet->rank;
}

doca_error_t meet_barrier(struct meet *meet)
{
    (void)meet;
    return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}
