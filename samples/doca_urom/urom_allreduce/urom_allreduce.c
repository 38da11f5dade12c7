/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of an MPI program add their vectors; the workers do it.
 *
 *   mpirun -n 4 ./urom_allreduce [elements]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <mpi.h>

#include "../../common/number.h"
#include "../../common/ranks.h"

#define COUNT_MAX (1ul << 27)

/* Sums up i * (rank + 1) and looks at the result. */
static doca_error_t sum_up(struct ranks *r, double *vector, size_t count)
{
    const double factor = (double)r->size * (r->size + 1) / 2;
    struct doca_urom_ops_region *region;
    struct doca_urom_coll_place place;
    doca_error_t result;

    result = session_region(&r->s, vector, count * sizeof(vector[0]), DOCA_UROM_OPS_ACCESS_NONE,
                            &region);
    if (result != DOCA_SUCCESS)
        return result;
    for (size_t i = 0; i < count; i++)
        vector[i] = (double)i * (r->rank + 1);
    place = (struct doca_urom_coll_place){region, (uintptr_t)vector};
    result = doca_urom_coll_allreduce(r->team, place, place, count, DOCA_UROM_COLL_FLOAT64,
                                      DOCA_UROM_COLL_SUM, session_done, &r->s);
    /* Here the processor is free for other work. */
    if (session_begun(&r->s, result) == DOCA_SUCCESS)
        result = ranks_wait(r);
    for (size_t i = 0; i < count && result == DOCA_SUCCESS; i++) {
        if (vector[i] != (double)i * factor)
            result = DOCA_ERROR_UNEXPECTED;
    }
    return result;
}

int main(int argc, char **argv)
{
    unsigned long count = 100000;
    doca_error_t result;
    double *vector;
    struct ranks r;

    if (argc > 2 || (argc == 2 && !number_parse(argv[1], 1, COUNT_MAX, &count))) {
        fprintf(stderr, "usage: %s [ELEMENTS], 1 to %lu\n", argv[0], COUNT_MAX);
        return EXIT_FAILURE;
    }
    vector = session_memory(count * sizeof(vector[0]));
    if (vector == NULL)
        return 1;
    MPI_Init(&argc, &argv);
    result = ranks_open(&r);
    if (result == DOCA_SUCCESS)
        result = sum_up(&r, vector, count);
    if (result == DOCA_SUCCESS && r.rank == 0)
        printf("%d ranks added %lu elements\n", r.size, count);
    ranks_close(&r);
    MPI_Finalize();
    munmap(vector, count * sizeof(vector[0]));
    return session_exit(result);
}
