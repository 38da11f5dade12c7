/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CONFORMANCE_PEER_CASES_H_
#define OD_TESTS_CONFORMANCE_PEER_CASES_H_

#include "harness.h"

/* A case takes a struct setting as its state. */
struct peer_case {
    const char *name;
    void (*run)(void **state);
};

/* Run with every engine, on memory that the engine can reach. Ends with a name of NULL. */
extern const struct peer_case copy_cases[]; /* bytes, ranges, rights, pages */
extern const struct peer_case life_cases[]; /* stop, death, revocation, fork */
/* Run with every kind of memory and every engine that can reach it. */
extern const struct peer_case memory_cases[];
/* Run once, the engine is chosen freely. */
extern const struct peer_case trust_cases[]; /* descriptors, users, hostile clients, namespaces */

/* Run with engine remote. */
extern const struct peer_case remote_cases[]; /* descriptors, hostile clients */
extern const struct peer_case job_cases[];    /* accesses that nobody waits for */

#endif /* OD_TESTS_CONFORMANCE_PEER_CASES_H_ */
