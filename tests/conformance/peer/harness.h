/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CONFORMANCE_PEER_HARNESS_H_
#define OD_TESTS_CONFORMANCE_PEER_HARNESS_H_

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "actor.h"

#define ALL_ACCESS (SOFT_PEER_READ | SOFT_PEER_WRITE | SOFT_PEER_ATOMIC)

/* What a case runs with. */
struct setting {
    const char *engine;      /* OPENDOCA_PEER_ENGINE; NULL: free choice */
    enum memory_kind memory; /* of the exporter */
};

struct actor {
    pid_t pid;
    int to;
    int from;
    char shm[48]; /* the name of its shared memory object */
};

extern const char *actor_program;

/* Starts an actor; `namespaces`: CLONE_NEWNET, CLONE_NEWPID or 0. Skips the test when denied. */
void actor_start(struct actor *actor, int namespaces);
/* Closes its input and waits for its end: exit status 0 is asserted. */
void actor_finish(struct actor *actor);
/* Ends it with a signal and reaps it. */
void actor_kill(struct actor *actor);
void actor_pause(struct actor *actor);
void actor_resume(struct actor *actor);

struct answer actor_ask(struct actor *actor, struct order order);
/* The same, but the answer is taken later. */
void actor_tell(struct actor *actor, struct order order);
struct answer actor_answer(struct actor *actor);

/* Allocates and exports all of it (slot 0); skips the test if there is no such memory. */
struct answer actor_export(struct actor *actor, enum memory_kind kind, size_t len, int fill,
                           unsigned int access);
uint64_t actor_count_others(struct actor *actor, uint64_t offset, uint64_t len, uint8_t value);

/* Imports with the engine of the setting, asserts success and that it is the one. */
struct soft_peer_map *import(const struct setting *setting, const struct answer *exported);
int try_import(const void *desc, size_t len);

int read_bytes(struct soft_peer_map *map, uint64_t addr, void *bytes, size_t len);
int write_bytes(struct soft_peer_map *map, uint64_t addr, const void *bytes, size_t len);

uint64_t now_ms(void);

#endif /* OD_TESTS_CONFORMANCE_PEER_HARNESS_H_ */
