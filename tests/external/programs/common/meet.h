/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_MEET_H_
#define EXTERNAL_MEET_H_

/* How the processes of a job find each other: by MPI, or by files in a folder, as the program is
 * linked. */

#include <doca_error.h>
#include <doca_urom.h>

struct meet {
    int rank;
    int size;
    char folder[512];
    int round;
};

/* Adds what the command line must tell, if anything; the values go to `meet`, which is the program
 * parameters' structure or the first of it. */
doca_error_t meet_params(void);
/* Before and after all else. */
doca_error_t meet_begin(int *argc, char ***argv, struct meet *meet);
void meet_end(struct meet *meet);
/* After the command line was read: rank and size are known. */
doca_error_t meet_ready(struct meet *meet);
/* For a domain of all processes. */
void meet_oob(struct meet *meet, struct doca_urom_domain_oob_coll *oob);
/* Returns when all processes have called it. */
doca_error_t meet_barrier(struct meet *meet);

#endif /* EXTERNAL_MEET_H_ */
