/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SYSTEM_UROM_HOSTS_H_
#define OD_TESTS_SYSTEM_UROM_HOSTS_H_

/* Hosts on one machine: network namespaces on one switch, each with a runtime folder of its own
 * that the others do not see. One function runs on all of them, as programs of MPI do. Needs root
 * and iproute2. */

#include "fixture.h"

#define HOSTS_MAX   4
#define HOSTS_SLOTS 32
#define HOSTS_SHARE 1024 /* bytes */

/* One of the functions that run on hosts. */
struct hosts_case {
    const char *name;
    void (*run)(void);
};

/* ---- in the test ---- */

/* Makes `n` hosts; false: they cannot be made here, say skip(). */
bool hosts_make(unsigned int n);
/* No hosts, only `n` processes on this one, two with each runtime folder. */
void hosts_pretend(unsigned int n);
/* For teardown, whatever has happened. */
void hosts_remove(void);
/* Runs a case on all of them; each must come to its end, or die if `may_die` has its bit. */
void hosts_run(const char *name, unsigned int may_die);

/* ---- on a host ---- */

/* First thing in main(): does not return on a host. `cases` ends with a name of NULL. */
void hosts_main(int argc, char **argv, const struct hosts_case *cases);

unsigned int hosts_rank(void);
unsigned int hosts_count(void);
/* Address of a host. */
const char *hosts_addr(unsigned int rank);
/* All are here. `seat` is another one each time, below HOSTS_SLOTS. */
void hosts_barrier(unsigned int seat);
/* The same for one that does not wait for the others. */
void hosts_arrive(unsigned int seat);
/* Gives bytes to all, and gets them from one, after a barrier in between. */
void hosts_give(unsigned int seat, const void *bytes, size_t len);
void hosts_get(unsigned int seat, unsigned int rank, void *bytes, size_t len);
/* Pulls the cable of this host. */
void hosts_cut(void);
/* The daemon of this host, for hosts of `net` that know the secret, at the usual port. */
void hosts_daemon_start(struct fixture_daemon *daemon, const char *net);
/* Writes a file with a secret and names it in `variable`. */
void hosts_secret(const char *variable, const char *secret);
/* A running domain of one worker a host, whose ids are 10 and the rank. */
struct doca_urom_domain *hosts_domain(struct doca_pe *pe, struct doca_urom_worker *worker);

#endif /* OD_TESTS_SYSTEM_UROM_HOSTS_H_ */
